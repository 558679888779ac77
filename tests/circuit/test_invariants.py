"""What a turn knows of its fluents holds in every position of random play."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.circuit import compile_game
from gamelore.circuit.program import UNKNOWN
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.games import load
from gamelore.gdl import Game

NUMBERED = """
(role red) (role blue) (follows red blue) (follows blue red)
(init (control red)) (init (step 1))
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(cell a) (cell b) (cell c) (cell d) (cell e)
(<= (taken ?c) (true (stone ?k ?c)))
(<= (legal ?r (place ?c)) (true (control ?r)) (cell ?c) (not (taken ?c)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (stone ?k ?c)) (does ?r (place ?c)) (true (step ?k)))
(<= (next (stone ?k ?c)) (true (stone ?k ?c)))
(<= (next (owner ?k ?r)) (true (step ?k)) (true (control ?r)))
(<= (next (owner ?k ?r)) (true (owner ?k ?r)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (control ?s)) (true (control ?r)) (follows ?r ?s))
(<= terminal (true (step 6)))
(<= (goal ?r 100) (true (stone ?k a)) (true (owner ?k ?r)))
(<= (goal ?r 0) (role ?r) (not (hasa ?r)))
(<= (hasa ?r) (true (stone ?k a)) (true (owner ?k ?r)))
"""


def find_turns(sim: CircuitSimulator, row: np.ndarray) -> list[int]:
    turns = sim.compiled.turns
    bits = (row[turns.fluents >> 6] >> (turns.fluents & 63).astype(np.uint64)) & 1
    agrees = (bits == turns.values) | (turns.values == UNKNOWN)
    return np.flatnonzero(agrees.all(axis=1)).tolist()


def check_random_play(game: Game, matches: int) -> CircuitSimulator:
    """Play at random: every position is one of the turn it is met in."""
    sim = CircuitSimulator(game)
    count = len(sim.compiled.turns.terminal)
    random = np.random.default_rng(0)
    for _ in range(matches):
        row, step = sim.initial_row(), 0
        while True:
            assert step % count in find_turns(sim, row)
            if sim.terminal(row[None])[0] or step > 150:
                break
            legal = sim.legal(row[None])
            joint = [random.choice(np.flatnonzero(role[0])) for role in legal]
            row = sim.advance(row[None], np.array([joint], np.int32))[0]
            step += 1
    return sim


@pytest.mark.parametrize(
    "name", ["tictactoe", "breakthrough-5x5", "hex-4x4", "english-draughts", "pig"]
)
def test_positions_of_random_play_have_the_values_of_their_turn(name: str) -> None:
    check_random_play(load(name), 4)


def test_steps_of_the_other_parity_are_found() -> None:
    sim = check_random_play(Game.from_kif(NUMBERED), 20)
    turns = sim.compiled.turns
    known = {
        (turn, sim.fluents[fluent]): value
        for turn, values in enumerate(turns.values.tolist())
        for fluent, value in zip(turns.fluents.tolist(), values, strict=True)
        if value != UNKNOWN
    }
    found = {(turn, str(fact)): value for (turn, fact), value in known.items()}
    assert found[0, "(step 2)"] == 0
    assert found[1, "(step 1)"] == 0
    assert (1, "(step 2)") not in found
    assert found[0, "(owner 2 red)"] == 0
    assert found[1, "(owner 1 blue)"] == 0


def test_positions_that_play_never_reaches_are_played_too() -> None:
    game = Game.from_kif(NUMBERED)
    sim = CircuitSimulator(game)
    assert compile_game(game).turns.fluents.size > 2
    names = [str(fact) for fact in sim.fluents]
    row = sim.initial_row().copy()
    strange = names.index("(owner 2 red)")
    row[strange >> 6] |= np.uint64(1) << np.uint64(strange & 63)
    assert find_turns(sim, row) == []
    played = sim.playouts(row[None], count=2000, seed=0)
    usual = sim.playouts(count=2000, seed=0)
    assert played.goal_counts[0].keys() == usual.goal_counts[0].keys()
