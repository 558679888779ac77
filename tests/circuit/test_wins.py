"""The circuit that tells winning moves, against trying every move."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from gamelore.circuit.program import FEATURES, GATES, LEGAL, SHARED, Program
from gamelore.circuit.wins import add_wins
from gamelore.engine import CircuitSimulator
from gamelore.engine.simulator import Row, Rows
from gamelore.games import library, load

QUICK = {
    "tictactoe",
    "connect-four",
    "connect-3",
    "hex-3x3",
    "nim",
    "trio-3x3",
    "pig-10",
}
"""Games in which to find out takes a second or less."""


def names() -> list[object]:
    """Every library game and two small ones; most are marked slow."""
    found: list[object] = []
    for name in [*(entry.name for entry in library()), "trio-3x3", "pig-10"]:
        marks = [] if name in QUICK else [pytest.mark.slow]
        found.append(pytest.param(name, marks=marks))
    return found


def evaluate(program: Program, facts: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """bool [n, M]: the literals of wins, gate by gate.  facts: bool [n, F]"""
    values = np.zeros((program.slots, len(facts)), np.bool_)
    values[1 : 1 + facts.shape[1]] = facts.T

    def read(literal: int) -> npt.NDArray[np.bool_]:
        return np.asarray(values[literal >> 1] ^ bool(literal & 1))

    for phase in (SHARED, LEGAL, FEATURES):
        for segment in range(*program.phases[phase]):
            kind, first, end = program.segments[segment].tolist()
            assert kind == GATES
            for gate in range(first, end):
                both = read(int(program.left[gate])) & read(int(program.right[gate]))
                values[program.slot[gate]] = both
    return np.stack([read(int(literal)) for literal in program.features], axis=1)


def sample_rows(engine: CircuitSimulator, matches: int) -> Rows:
    """The positions of random matches, terminal ones left out, later ones first."""
    random = np.random.default_rng(3)
    found: list[Row] = []
    for _ in range(matches):
        row = engine.initial_row()
        while not engine.terminal(row[None])[0] and len(found) < 100 * matches:
            found.append(row)
            options = [np.flatnonzero(legal[0]) for legal in engine.legal(row[None])]
            joint = [int(random.choice(moves)) for moves in options]
            row = engine.advance(row[None], np.array([joint], np.int32))[0]
    return np.unique(np.stack(found[::-1]), axis=0)[:300]


@pytest.mark.parametrize("name", names())
def test_a_move_wins_if_it_ends_the_match_with_the_best_goal(name: str) -> None:
    engine = CircuitSimulator(load(name))
    program = add_wins(engine.compiled, engine.roles)
    if program is None:
        pytest.skip("no small circuit tells the wins of this game")
    rows = sample_rows(engine, 12)
    legal = engine.legal(rows)
    choices = np.stack([one.sum(axis=1) for one in legal], axis=1)
    in_turns = (choices > 1).sum(axis=1) == 1
    rows, mover = rows[in_turns], choices[in_turns].argmax(axis=1)
    if not len(rows):
        pytest.skip("roles always choose at once")
    wins = evaluate(program, engine.fact_matrix(rows))
    expansion = engine.expand(rows)
    ended = engine.terminal(expansion.successors)
    goals = engine.goals(expansion.successors)
    first = np.concatenate([[0], engine.program.move_ends])
    best = [max(values, default=100) for values in engine.goal_values]
    truth = np.zeros_like(wins)
    for i, parent in enumerate(expansion.parents):
        role = int(mover[parent])
        if ended[i] and goals[i, role] == best[role] and engine.roles[role] != "random":
            truth[parent, first[role] + expansion.moves[i, role]] = True
    for i, role in enumerate(mover):
        span = slice(first[role], first[role + 1])
        assert (wins[i, span] == truth[i, span]).all()
