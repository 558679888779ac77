"""Nim, Tron, Pig and peg solitaire: what their rules say in telling positions."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.engine.choose import simulator
from gamelore.engine.simulator import Row, Simulator
from gamelore.engine.verify.perft import perft
from gamelore.games import load
from gamelore.gdl import read_term, to_kif


def after(name: str, facts: list[str], *joint: str) -> set[str]:
    """The facts after one joint move, as KIF text."""
    sim = simulator(load(name))
    row = sim.encode([read_term(fact) for fact in facts])
    legal = sim.legal(row[None])
    numbers = [sim.move_number(r, read_term(move)) for r, move in enumerate(joint)]
    assert all(legal[r][0, number] for r, number in enumerate(numbers))
    row = sim.advance(row[None], np.array([numbers], dtype=np.int32))[0]
    return {to_kif(fact) for fact in sim.facts(row)}


def legal_moves(name: str, facts: list[str], role: int) -> set[str]:
    sim = simulator(load(name))
    row = sim.encode([read_term(fact) for fact in facts])
    legal = sim.legal(row[None])[role][0]
    return {to_kif(sim.moves[role][i]) for i in np.flatnonzero(legal).tolist()}


def mover_wins(sim: Simulator, row: Row, known: dict[bytes, bool]) -> bool:
    """Whether the player to move can force the last object."""
    key = row.tobytes()
    if key not in known:
        successors = sim.expand(row[None]).successors
        known[key] = not all(mover_wins(sim, after, known) for after in successors)
    return known[key]


@pytest.mark.parametrize(
    ("name", "first_wins"), [("nim-1-2-3", False), ("nim-2-3", True), ("nim", False)]
)
def test_nim_is_won_by_whoever_finds_a_sum_to_undo(name: str, first_wins: bool) -> None:
    sim = simulator(load(name))
    assert mover_wins(sim, sim.initial_row(), {}) == first_wins


def test_the_last_object_wins() -> None:
    sim = simulator(load("nim-2"))
    facts = after("nim-2", ["(heap 1 2)", "(control first)"], "(take 1 2)", "noop")
    row = sim.encode([read_term(fact) for fact in facts])
    assert sim.terminal(row[None])[0]
    assert sim.goals(row[None])[0].tolist() == [100, 0]


TRON = ["(rider 2 1 red)", "(wall 2 1)", "(rider 2 3 blue)", "(wall 2 3)"]


def test_riders_who_meet_crash_both() -> None:
    facts = after("tron-3x3", TRON, "(ride east)", "(ride west)")
    assert {"(crashed red)", "(crashed blue)"} <= facts


def test_a_rider_crashes_into_the_edge_or_a_wall() -> None:
    edge = after("tron-3x3", TRON, "(ride west)", "(ride north)")
    assert "(crashed red)" in edge
    assert "(crashed blue)" not in edge
    walls = [*TRON, "(wall 1 3)"]
    assert "(crashed blue)" in after("tron-3x3", walls, "(ride north)", "(ride north)")


def test_a_safe_ride_leaves_a_wall() -> None:
    facts = after("tron-3x3", TRON, "(ride north)", "(ride south)")
    assert facts == {
        "(rider 1 1 red)",
        "(rider 3 3 blue)",
        "(wall 1 1)",
        "(wall 2 1)",
        "(wall 3 3)",
        "(wall 2 3)",
    }


PIG = ["(score first 4)", "(score second 9)", "(turn 5)", "(control first)"]


def test_a_roll_adds_to_the_turn_and_a_one_loses_it() -> None:
    rolling = after("pig", PIG, "roll", "noop", "noop")
    assert rolling == {*PIG, "rolling"}
    six = after("pig", [*rolling], "noop", "noop", "(face 6)")
    assert six == {*PIG, "(turn 11)"} - {"(turn 5)"}
    one = after("pig", [*rolling], "noop", "noop", "(face 1)")
    assert one == {
        "(score first 4)",
        "(score second 9)",
        "(turn 0)",
        "(control second)",
    }


def test_holding_adds_to_the_score_and_needs_a_roll_first() -> None:
    held = after("pig", PIG, "hold", "noop", "noop")
    assert held == {
        "(score first 9)",
        "(score second 9)",
        "(turn 0)",
        "(control second)",
    }
    assert legal_moves("pig", [*held], 1) == {"roll"}


def test_points_above_the_target_do_not_count() -> None:
    rich = ["(score first 28)", "(score second 0)", "(turn 29)", "(control first)"]
    assert "(score first 30)" in after("pig", rich, "hold", "noop", "noop")


def test_rock_paper_scissors_counts_rounds() -> None:
    start = ["(won left 0)", "(won right 0)"]
    name = "rock-paper-scissors"
    assert after(name, start, "rock", "scissors") == {"(won left 1)", "(won right 0)"}
    assert after(name, start, "rock", "paper") == {"(won left 0)", "(won right 1)"}
    assert after(name, start, "rock", "rock") == set(start)


def test_pegs_jump_as_a_plain_program_says() -> None:
    cross = {(r, c) for r in range(7) for c in range(7) if 2 <= r <= 4 or 2 <= c <= 4}
    level = {frozenset(cross - {(3, 3)}): 1}
    counts = []
    for _ in range(6):
        following: dict[frozenset[tuple[int, int]], int] = {}
        for pegs, ways in level.items():
            for r, c in pegs:
                for dr, dc in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                    over, to = (r + dr, c + dc), (r + 2 * dr, c + 2 * dc)
                    if over in pegs and to in cross - pegs:
                        reached = pegs - {(r, c), over} | {to}
                        following[reached] = following.get(reached, 0) + ways
        level = following
        counts.append(sum(level.values()))
    assert perft(simulator(load("peg-solitaire")), 6) == counts
