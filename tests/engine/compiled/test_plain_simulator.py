"""The simulator without kernels says what that with kernels does."""

from __future__ import annotations

import numpy as np
import pytest
from tests.engine.compiled.test_compiled_simulator import random_rows
from tests.engine.compiled.test_plain import WALK

from gamelore.engine.compiled.plain_simulator import PlainSimulator
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.games import load
from gamelore.gdl import Game


@pytest.mark.parametrize("name", ["tictactoe", "hex-5x5", "walk"])
def test_it_is_the_twin_of_the_fast_one(name: str) -> None:
    game = Game.from_kif(WALK, name) if name == "walk" else load(name)
    fast = CircuitSimulator(game)
    slow = PlainSimulator(game, fast.compiled)
    rows = random_rows(fast, 60, seed=2)
    np.testing.assert_array_equal(slow.terminal(rows), fast.terminal(rows))
    np.testing.assert_array_equal(slow.goals(rows), fast.goals(rows))
    for one, other in zip(slow.legal(rows), fast.legal(rows), strict=True):
        np.testing.assert_array_equal(one, other)
    going = rows[~fast.terminal(rows)]
    moves = np.stack([legal.argmax(axis=1) for legal in fast.legal(going)], axis=1)
    joint = moves.astype(np.int32)
    after = fast.advance(going, joint)
    np.testing.assert_array_equal(slow.advance(going, joint), after)
