"""Playouts in turns are those of their slow twin, match by match."""

from __future__ import annotations

import pytest
from tests.circuit.queens import QUEENS
from tests.engine.compiled.slow_playouts import LANES, SlowPlayouts

from gamelore.circuit import compile_game
from gamelore.engine.compiled.playouts import make_generators
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.games import load
from gamelore.gdl import Game

MANY = """
(role r) (init (left 3)) (succ 0 1) (succ 1 2) (succ 2 3)
(digit 0) (digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6)
(<= (legal r (say ?a ?b ?c)) (digit ?a) (digit ?b) (digit ?c) (not (true (said ?a ?c))))
(<= (next (said ?a ?c)) (does r (say ?a ?b ?c)))
(<= (next (said ?a ?c)) (true (said ?a ?c)))
(<= (next (left ?m)) (true (left ?n)) (succ ?m ?n))
(<= terminal (true (left 0)))
(<= (goal r 100) (true (said 1 2)))
(<= (goal r 0) (not (true (said 1 2))))
"""
"""343 moves."""

OWN = {"queens": QUEENS, "many": MANY}
GAMES = ("tictactoe", "hex-5x5", "rock-paper-scissors", "breakthrough", *OWN)


def find_game(name: str) -> Game:
    return Game.from_kif(OWN[name], name) if name in OWN else load(name)


@pytest.mark.parametrize("name", GAMES)
def test_playouts_are_those_of_the_slow_twin(name: str) -> None:
    game = find_game(name)
    compiled = compile_game(game)
    assert bool(len(compiled.turns.products)) == (name == "queens")
    result = CircuitSimulator(game, compiled).playouts(count=LANES, seed=3)
    slow = SlowPlayouts(compiled, make_generators(3, 0))
    slow.play()
    assert result.length_counts == {k: n for k, n in slow.lengths.items() if n}
    values = compiled.program.goal_values.tolist()
    first = 0
    for role, end in enumerate(compiled.program.goal_ends.tolist()):
        found = {values[g]: slow.goals[g] for g in range(first, end) if slow.goals[g]}
        assert result.goal_counts[role] == found
        first = end
