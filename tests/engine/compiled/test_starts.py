"""The start from the first position is the one that kernels find."""

from __future__ import annotations

import numpy as np
import pytest
from tests.circuit.queens import QUEENS

from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.engine.compiled.starts import find_first, find_starts
from gamelore.games import load
from gamelore.gdl import Game

OVER = "(role a) (init (over)) (legal a noop) (goal a 100) (<= terminal (true (over)))"
OWN = {"queens": QUEENS, "over": OVER}


def make_engine(name: str) -> CircuitSimulator:
    game = Game.from_kif(OWN[name], name) if name in OWN else load(name)
    return CircuitSimulator(game)


@pytest.mark.parametrize(
    "name", ["tictactoe", "othello-4x4", "hex-5x5", "rock-paper-scissors", "queens"]
)
def test_the_first_start_is_that_of_kernels(name: str) -> None:
    engine = make_engine(name)
    first = find_first(engine)
    position = engine.initial_row()[None]
    (start,) = find_starts(engine, position, np.zeros(1, np.intp))
    assert first is not None
    assert first.turn == start.turn
    np.testing.assert_array_equal(first.numbers, start.numbers)
    np.testing.assert_array_equal(first.reset, start.reset)
    np.testing.assert_array_equal(first.bits, start.bits)


@pytest.mark.parametrize("name", ["over", "tictactoe"])
def test_playouts_may_start_where_they_end(name: str) -> None:
    engine = make_engine(name)
    over = name == "over"
    assert (engine.first_start is None) == over
    row = engine.initial_row()
    twice = engine.playouts(np.stack([row, row]), count=3)
    assert (engine.playouts(count=3).lengths[0] == 0) == over
    assert (twice.lengths == 0).tolist() == [over, over]
