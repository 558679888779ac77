"""A game whose matches have a known length."""

from __future__ import annotations

import pytest

from gamelore import Game

RACE = """
(role left) (role right)
(init (lap 0)) (init (at left 0)) (init (at right 0))
(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7)
(after 7 8) (after 8 9)
(<= (legal ?r run) (role ?r))
(<= (legal ?r rest) (role ?r))
(<= (next (lap ?n)) (true (lap ?m)) (after ?m ?n))
(<= (next (at ?r ?n)) (does ?r run) (true (at ?r ?m)) (after ?m ?n))
(<= (next (at ?r ?m)) (does ?r rest) (true (at ?r ?m)))
(<= terminal (true (lap 9)))
(<= (goal ?r 100) (true (at ?r 9)))
(<= (goal ?r 50) (role ?r) (not (true (at ?r 9))))
"""
"""Two run at once; the match ends after nine joint moves."""


@pytest.fixture
def race() -> Game:
    return Game.from_kif(RACE, "race")
