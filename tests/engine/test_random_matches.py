"""Matches of random moves, many at a time."""

from __future__ import annotations

import numpy as np

from gamelore.engine import CircuitSimulator
from gamelore.engine.random_matches import play_at_random
from gamelore.games import load


def test_steps_follow_from_legal_moves_until_all_matches_are_over() -> None:
    sim = CircuitSimulator(load("tictactoe"))
    steps = list(play_at_random(sim, 20, 100))
    assert len(steps) <= 9
    before = np.tile(sim.initial_row(), (20, 1))
    for step in steps:
        open_rows = before[~sim.terminal(before)]
        assert len(step.reached) == len(open_rows)
        for found, legal in zip(step.legal, sim.legal(open_rows), strict=True):
            assert (found == legal).all()
        for row, reached in zip(open_rows, step.reached, strict=True):
            successors = sim.expand(row[np.newaxis]).successors
            assert (successors == reached).all(axis=1).any()
        before = step.reached
    assert sim.terminal(before).all()


def test_matches_are_the_same_in_every_run_and_no_longer_than_asked_for() -> None:
    sim = CircuitSimulator(load("connect-four"))
    runs = [list(play_at_random(sim, 8, 5)) for _ in range(2)]
    for one, other in zip(*runs, strict=True):
        assert (one.reached == other.reached).all()
    assert len(runs[0]) == 5
