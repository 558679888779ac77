"""The compiled engine: equal to the interpreter, to itself, and to chance."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.marks import mark_slow

from gamelore.circuit import compile_game
from gamelore.circuit.build import build
from gamelore.circuit.schedule import schedule
from gamelore.engine.compiled import playouts
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.simulator import Rows, Simulator
from gamelore.errors import GroundingError, StuckError
from gamelore.games import library, load
from gamelore.gdl import Game, to_kif
from gamelore.ground import GroundLimits, ground

NAMES = [entry.name for entry in library()]
LARGE = {"abalone", "abalone-4", "othello", "othello-6x6"}
LARGE |= {f"hex-{size}x{size}" for size in range(6, 12)}
"""Games that have a smaller board of the same rules."""
SMALL = ["tictactoe", "connect-four-4x4", "othello-4x4", "capture-go", "nim"]


def random_rows(sim: Simulator, count: int, seed: int) -> Rows:
    """Positions met in random play, the initial one first."""
    generator = np.random.default_rng(seed)
    row = sim.initial_row()
    rows = [row]
    while len(rows) < count:
        if sim.terminal(row[None])[0]:
            row = sim.initial_row()
        legal = sim.legal(row[None])
        joint = [generator.choice(np.flatnonzero(per_role[0])) for per_role in legal]
        row = sim.advance(row[None], np.array([joint], dtype=np.int32))[0]
        rows.append(row)
    return np.stack(rows)


def agree(game: Game, compiled: CircuitSimulator, steps: int, seed: int) -> None:
    """Play at random on both engines and compare all that there is to see."""
    oracle = Interpreter(game)
    generator = np.random.default_rng(seed)
    row, truth = compiled.initial_row(), oracle.initial_row()
    for _ in range(steps):
        assert compiled.facts(row) == oracle.facts(truth)
        ended = bool(compiled.terminal(row[None])[0])
        assert ended == bool(oracle.terminal(truth[None])[0])
        assert compiled.goals(row[None]).tolist() == oracle.goals(truth[None]).tolist()
        if ended:
            row, truth = compiled.initial_row(), oracle.initial_row()
        joint, expected = [], []
        found, wanted = compiled.legal(row[None]), oracle.legal(truth[None])
        for role in range(len(game.roles)):
            ours = {
                compiled.moves[role][int(i)] for i in np.flatnonzero(found[role][0])
            }
            theirs = {
                oracle.moves[role][int(i)] for i in np.flatnonzero(wanted[role][0])
            }
            assert ours == theirs
            move = sorted(ours, key=to_kif)[generator.integers(len(ours))]
            joint.append(compiled.move_number(role, move))
            expected.append(oracle.move_number(role, move))
        row = compiled.advance(row[None], np.array([joint], np.int32))[0]
        truth = oracle.advance(truth[None], np.array([expected], np.int32))[0]


@pytest.mark.parametrize("name", mark_slow(NAMES, LARGE))
def test_compiled_equals_interpreter_on_random_play(name: str) -> None:
    game = load(name)
    agree(game, CircuitSimulator(game), steps=40, seed=3)


@pytest.mark.slow
def test_compiled_equals_interpreter_on_the_corpus(corpus: Path) -> None:
    compared = 0
    for path in sorted((corpus / "games").glob("*.kif")):
        game = Game.from_file(path)
        try:
            compiled = CircuitSimulator(
                game, compile_game(game, GroundLimits(seconds=5))
            )
        except GroundingError:
            continue
        try:
            agree(game, compiled, steps=12, seed=1)
        except StuckError:
            continue
        compared += 1
    assert compared > 150


@pytest.mark.parametrize("name", SMALL)
def test_512_lanes_equal_512_singles(name: str) -> None:
    sim = CircuitSimulator(load(name))
    rows = random_rows(sim, 520, seed=5)  # a full block, and the start of another
    legal, terminal, goals = sim.legal(rows), sim.terminal(rows), sim.goals(rows)
    for i in range(0, len(rows), 7):
        assert sim.terminal(rows[i : i + 1])[0] == terminal[i]
        assert sim.goals(rows[i : i + 1])[0].tolist() == goals[i].tolist()
        single = sim.legal(rows[i : i + 1])
        assert all(
            (s[0] == many[i]).all() for s, many in zip(single, legal, strict=True)
        )
    going = np.flatnonzero(~terminal)
    moves = np.stack([np.argmax(per_role[going], axis=1) for per_role in legal], axis=1)
    following = sim.advance(rows[going], moves.astype(np.int32))
    for i in range(0, len(going), 7):
        one = sim.advance(rows[going[i : i + 1]], moves[i : i + 1].astype(np.int32))
        assert (one[0] == following[i]).all()


@pytest.mark.parametrize("name", SMALL)
def test_minimised_equals_unminimised(name: str) -> None:
    game = load(name)
    small = CircuitSimulator(game)
    circuit = build(ground(game))
    plain = replace(small.compiled, program=schedule(circuit))
    large = CircuitSimulator(game, plain)
    rows = random_rows(small, 200, seed=8)
    assert (small.terminal(rows) == large.terminal(rows)).all()
    assert (small.goals(rows) == large.goals(rows)).all()
    for one, other in zip(small.legal(rows), large.legal(rows), strict=True):
        assert (one == other).all()


def test_rows_and_facts_are_inverse() -> None:
    sim = CircuitSimulator(load("connect-four"))
    for row in random_rows(sim, 30, seed=2):
        assert (sim.encode(sim.facts(row)) == row).all()


def test_expand_gives_every_successor_once() -> None:
    sim = CircuitSimulator(load("tictactoe"))
    expansion = sim.expand(sim.initial_row()[None])
    assert len(expansion.successors) == 9
    assert len(np.unique(expansion.successors, axis=0)) == 9
    assert expansion.parents.tolist() == [0] * 9


# ── playouts ────────────────────────────────────────────────────────────────────────


def test_playouts_repeat_from_a_seed_whatever_the_threads() -> None:
    sim = CircuitSimulator(load("connect-four-4x4"))
    one = sim.playouts(count=60_000, seed=7)
    two = sim.playouts(count=60_000, seed=7, threads=2)
    other = sim.playouts(count=60_000, seed=8)
    assert one.goal_counts == two.goal_counts
    assert one.length_counts == two.length_counts
    assert one.length_counts != other.length_counts


def test_playouts_count_every_match_once() -> None:
    sim = CircuitSimulator(load("tictactoe"))
    result = sim.playouts(count=5_000, seed=1)
    assert sum(result.length_counts.values()) == 5_000
    assert [sum(counts.values()) for counts in result.goal_counts] == [5_000, 5_000]
    total = sum(length * n for length, n in result.length_counts.items())
    assert result.lengths.tolist() == [total]


@pytest.mark.parametrize(
    ("name", "mean"), [("tictactoe", 64.8), ("connect-four", 55.7)]
)
def test_mean_goals_agree_with_the_published_ones(name: str, mean: float) -> None:
    result = CircuitSimulator(load(name)).playouts(count=400_000, seed=3)
    assert result.mean_goals[0, 0] == pytest.approx(mean, abs=0.3)


def test_playouts_from_many_positions_agree_with_one_at_a_time() -> None:
    sim = CircuitSimulator(load("tictactoe"))
    rows = random_rows(sim, 12, seed=4)
    together = sim.playouts(rows, count=20_000, seed=1)
    for i, row in enumerate(rows):
        alone = sim.playouts(row[None], count=20_000, seed=2)
        spread = 6 * 50 * (2 / 20_000) ** 0.5  # six standard errors, at the widest
        assert together.mean_goals[i] == pytest.approx(alone.mean_goals[0], abs=spread)
    assert sum(together.length_counts.values()) == 12 * 20_000


@pytest.mark.parametrize("name", ["tictactoe", "othello-4x4", "english-draughts"])
def test_goals_computed_later_equal_goals_computed_at_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim = CircuitSimulator(load(name))
    rows = random_rows(sim, 12, seed=3)
    results = []
    for gates in (-1, 1_000_000):
        monkeypatch.setattr(playouts, "_KEPT_FOR", gates)
        results.append([sim.playouts(rows, count=700, seed=1), sim.playouts(count=700)])
    for kept, at_once in zip(*results, strict=True):
        assert kept.goal_sums.tolist() == at_once.goal_sums.tolist()
        assert kept.goal_squares.tolist() == at_once.goal_squares.tolist()
        assert kept.lengths.tolist() == at_once.lengths.tolist()
        assert kept.goal_counts == at_once.goal_counts


def test_a_terminal_position_has_playouts_of_length_zero() -> None:
    sim = CircuitSimulator(load("tictactoe"))
    rows = random_rows(sim, 60, seed=4)
    ended = rows[sim.terminal(rows)][:1]
    result = sim.playouts(ended, count=10)
    assert result.length_counts == {0: 10}
    assert result.mean_goals.tolist() == sim.goals(ended).tolist()


def test_the_move_limit_cuts_playouts_off() -> None:
    sim = CircuitSimulator(load("connect-four"))
    result = sim.playouts(count=3_000, seed=1, move_limit=12)
    assert max(result.length_counts) == 12
    assert 0 < result.cut_off < 3_000
    assert result.cut_off + sum(result.goal_counts[0].values()) == 3_000


def test_moves_are_chosen_uniformly() -> None:
    """One of 13 moves, once: chi-square with 12 degrees of freedom."""
    legal = " ".join(f"(legal r m{i}) (value m{i} {i})" for i in range(13))
    text = f"""(role r) {legal} (init start)
        (<= (next (took ?v)) (does r ?m) (value ?m ?v))
        (<= terminal (true (took ?v)))
        (<= (goal r ?v) (true (took ?v)))"""
    count = 130_000
    result = CircuitSimulator(Game.from_kif(text)).playouts(count=count, seed=11)
    found = np.array([result.goal_counts[0][i] for i in range(13)])
    chi_square = ((found - count / 13) ** 2 / (count / 13)).sum()
    assert chi_square < 32.9  # passed by chance alone in 999 of 1000 seeds


@pytest.mark.parametrize(
    "moves",
    mark_slow([1, 2, 3, 14, 15, 16, 100, 254, 255, 300, 1000], {2, 14, 100, 254, 1000}),
)
def test_uniform_choice_at_every_width_of_counter(moves: int) -> None:
    legal = " ".join(
        f"(legal r m{i}) (half m{i} {100 * (i % 2)})" for i in range(moves)
    )
    text = f"""(role r) {legal} (init start)
        (<= (next (took ?v)) (does r ?m) (half ?m ?v))
        (<= terminal (true (took ?v)))
        (<= (goal r ?v) (true (took ?v)))"""
    result = CircuitSimulator(Game.from_kif(text)).playouts(count=20_000, seed=5)
    share = (moves // 2) / moves
    error = 5 * (share * (1 - share) / 20_000) ** 0.5
    assert result.mean_goals[0, 0] / 100 == pytest.approx(share, abs=error + 1e-9)


def test_two_roles_choose_independently() -> None:
    text = """(role a) (role b) (init start) (bit 0) (bit 1) (bit 2)
        (<= (legal ?r ?b) (role ?r) (bit ?b))
        (<= (next (pair ?x ?y)) (does a ?x) (does b ?y))
        (value 0 0 10) (value 0 1 20) (value 0 2 30) (value 1 0 40) (value 1 1 50)
        (value 1 2 60) (value 2 0 70) (value 2 1 80) (value 2 2 90)
        (<= terminal (true (pair ?x ?y)))
        (<= (goal ?r ?v) (role ?r) (true (pair ?x ?y)) (value ?x ?y ?v))"""
    count = 90_000
    result = CircuitSimulator(Game.from_kif(text)).playouts(count=count, seed=2)
    found = np.array([result.goal_counts[0][10 * i] for i in range(1, 10)])
    chi_square = ((found - count / 9) ** 2 / (count / 9)).sum()
    assert chi_square < 26.1  # 8 degrees of freedom, 999 in 1000


def test_a_role_without_a_move_is_reported() -> None:
    text = """(role a) (init start) (legal a go) (<= (next gone) (does a go))
        (<= terminal (true never)) (<= (next never) (true never)) (goal a 0)"""
    stuck = text.replace("(legal a go)", "(<= (legal a go) (true start))")
    with pytest.raises(StuckError, match="'a'"):
        CircuitSimulator(Game.from_kif(stuck)).playouts(count=5)


def test_a_goal_that_is_ambiguous_or_missing_is_none() -> None:
    text = """(role a) (role b) (init s) (<= (legal ?r m) (role ?r)) (<= (next e)
        (true s)) (<= terminal (true e)) (goal a 10) (<= (goal a 20) (true e))
        (<= (goal b 7) (true s))"""
    sim = CircuitSimulator(Game.from_kif(text))
    row = sim.initial_row()
    after = sim.advance(row[None], np.zeros((1, 2), np.int32))
    assert sim.goals(row[None]).tolist() == [[10, 7]]
    assert sim.goals(after).tolist() == [[-1, -1]]


def test_recursion_is_evaluated_to_its_fixed_point() -> None:
    """Reachability on a cycle whose links are switched on and off by moves."""
    links = " ".join(f"(link {i} {(i + 1) % 9})" for i in range(9))
    text = f"""(role a) {links} (init (on 0))
        (<= (legal a (switch ?i)) (link ?i ?j))
        (<= (next (on ?i)) (does a (switch ?i)) (not (true (on ?i))))
        (<= (next (on ?i)) (true (on ?i)) (not (does a (switch ?i))))
        (reach 0)
        (<= (reach ?j) (reach ?i) (link ?i ?j) (true (on ?i)))
        (<= (reach ?i) (reach ?j) (link ?i ?j) (true (on ?i)))
        (<= (goal a 100) (reach 5))
        (<= (goal a 0) (not (reach 5)))
        (<= terminal (reach 5))"""
    game = Game.from_kif(text)
    compiled = CircuitSimulator(game)
    assert compiled.compiled.statistics.loop_variables > 0
    agree(game, compiled, steps=300, seed=1)


@pytest.mark.parametrize("count", [1, 16, 64, 600])
@pytest.mark.parametrize("name", ["trio-3x3", "connect-four"])
def test_playouts_do_not_depend_on_what_was_played_before(
    name: str, count: int
) -> None:
    sim = CircuitSimulator(load(name))
    rows = sim.initial_row()[None]
    first = sim.playouts(rows, count, seed=5)
    for seed in range(4):
        sim.playouts(rows, 512, seed=seed)
        again = sim.playouts(rows, count, seed=5)
        assert (again.goal_sums == first.goal_sums).all()
        assert again.length_counts == first.length_counts
