"""Matches of uniformly random moves, many at a time, one step after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamelore.engine.simulator import Rows, Simulator


class RandomStep(NamedTuple):
    """A step of matches that go on."""

    legal: tuple[npt.NDArray[np.bool_], ...]
    """bool [n, M] of each role, of the positions that were left."""
    reached: Rows
    """uint64 [n, K], the positions after it, terminal ones included."""


def play_at_random(
    simulator: Simulator, matches: int, longest: int
) -> Iterator[RandomStep]:
    """Yield the steps of random matches, the same in every run; so many at most.

    A match in which a role has no move ends.
    """
    rng = np.random.default_rng(1)
    rows = np.tile(simulator.initial_row(), (matches, 1))
    for _ in range(longest):
        rows = rows[~simulator.terminal(rows)]
        legal = simulator.legal(rows)
        able = np.all([one.any(axis=1) for one in legal], axis=0)
        rows, legal = rows[able], tuple(one[able] for one in legal)
        if not len(rows):
            return
        moves = [np.where(x, rng.random(x.shape), -1.0).argmax(axis=1) for x in legal]
        rows = simulator.advance(rows, np.stack(moves, axis=1).astype(np.int32))
        yield RandomStep(legal, rows)
