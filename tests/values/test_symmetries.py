"""Symmetries of games, beside those that are known."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.engine import CircuitSimulator, simulator
from gamelore.games import load
from gamelore.gdl import Game, to_kif
from gamelore.values.ntuple.symmetries import (
    Symmetry,
    find_symmetries,
    rename_rows,
)

KNOWN = {
    "tictactoe": (8, 8),
    "connect-four": (2, 2),
    "connect-3": (2, 2),
    "othello-4x4": (8, 8),
    "capture-go": (8, 8),
    "hex-3x3": (2, 2),  # half a turn; players change places along the long diagonal
    "breakthrough-6x6": (2, 2),  # left and right; the players' sides with the board
    "abalone-3": (12, 12),  # a hexagon
    "english-draughts": (1, 1),  # half a turn exchanges the players
    "trio": (8, 0),  # three players
    "peg-solitaire": (8, 0),  # one player
    "nim": (1, 1),  # no board; the players are alike
}
"""By game, how many symmetries leave the players as they are, and exchange them."""

NONE = """
(role white) (role black)
(init (control white)) (init (cell 1 1 b)) (init (cell 1 2 b)) (init (cell 1 3 b))
(init (cell 2 1 b)) (init (cell 2 2 b)) (init (cell 2 3 b))
(succ 1 2) (succ 2 3) (other white black) (other black white)
(<= (legal ?p (mark ?x ?y)) (true (control ?p)) (true (cell ?x ?y b)))
(<= (legal ?p noop) (other ?p ?q) (true (control ?q)))
(<= (next (cell ?x ?y ?p)) (does ?p (mark ?x ?y)))
(<= (next (cell ?x ?y ?m)) (true (cell ?x ?y ?m)) (not (marked ?x ?y)))
(<= (marked ?x ?y) (does ?p (mark ?x ?y)))
(<= (next (control ?p)) (other ?p ?q) (true (control ?q)))
(<= terminal (true (cell 1 1 white))) (<= terminal (not open))
(<= open (true (cell ?x ?y b)))
(<= (goal white 100) (true (cell 1 1 white)))
(<= (goal white 0) (true (cell 1 1 black)))
(<= (goal black 100) (true (cell 1 1 black)))
(<= (goal black 0) (true (cell 1 1 white)))
"""
"""Who takes the corner wins; white by taking it, black by having it in the end."""


def load_engine(name: str) -> CircuitSimulator:
    found = simulator(load(name))
    assert isinstance(found, CircuitSimulator)
    return found


@pytest.mark.parametrize("name", KNOWN)
def test_library_games_have_the_symmetries_that_are_known(name: str) -> None:
    found = find_symmetries(load_engine(name))
    plain = [one for one in found if not one.exchanges]
    assert (len(plain), len(found) - len(plain)) == KNOWN[name]
    assert found[0] == Symmetry(tuple(range(len(found[0].fluents))), exchanges=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "known"),
    [("gomoku", (8, 8)), ("othello", (8, 8)), ("hex-7x7", (2, 2)), ("tron", (8, 8))],
)
def test_so_have_larger_games(name: str, known: tuple[int, int]) -> None:
    found = find_symmetries(load_engine(name))
    assert (sum(not s.exchanges for s in found), len(found) // 2) == known


def test_symmetries_are_a_group() -> None:
    sim = load_engine("othello-4x4")
    found = {(one.fluents, one.exchanges) for one in find_symmetries(sim)}
    for one, exchanges in found:
        for other, other_exchanges in found:
            product = tuple(one[fact] for fact in other)
            assert (product, exchanges != other_exchanges) in found


def test_a_game_with_none_gets_none() -> None:
    sim = simulator(Game.from_kif(NONE, "corner"))
    assert isinstance(sim, CircuitSimulator)
    assert len(find_symmetries(sim)) == 1


def test_a_reflection_renames_facts() -> None:
    sim = load_engine("connect-four")
    reflection = find_symmetries(sim)[1]
    row = sim.initial_row()
    for move in ("1", "1", "2"):
        role = sum(np.bitwise_count(row)) % 2 == 0
        moves = [list(map(to_kif, each)) for each in sim.moves]
        joint = [each.index("noop") for each in moves]
        joint[int(role)] = moves[int(role)].index(f"(drop {move})")
        row = sim.advance_one(row, joint)
    renamed = rename_rows(sim, row[None], reflection.fluents)[0]
    assert sorted(map(to_kif, sim.facts(renamed))) == [
        "(cell 1 6 red)",
        "(cell 1 7 red)",
        "(cell 2 7 yellow)",
        "(control yellow)",
    ]
