"""Positions of random play: what is found out about a game is held against them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator, Rows
from gamelore.engine.random_matches import play_at_random

_MATCHES = 64
_LONGEST = 300
_MOST_SUCCESSORS = 2000  # of one position; where roles move at once there may be more


class Sample(NamedTuple):
    """Positions of matches of random play, each once; the same for every run."""

    rows: Rows
    """uint64 [n, K], terminal ones included."""
    bits: npt.NDArray[np.bool_]
    """bool [n, F]: the facts that are true"""


def sample_positions(simulator: CircuitSimulator) -> Sample:
    """Return the positions of some matches of random play."""
    played = play_at_random(simulator, _MATCHES, _LONGEST)
    found = [simulator.initial_row()[None], *(step.reached for step in played)]
    distinct = np.unique(np.concatenate(found), axis=0)
    return Sample(distinct, simulator.fact_matrix(distinct))


def list_successors(simulator: CircuitSimulator, row: Rows) -> Rows | None:
    """Return the successors of a row, uint64 [n, K], each once and sorted.

    None where a role has no move, or where too many moves go together.
    """
    legal = [np.flatnonzero(one[0]) for one in simulator.legal(row[None])]
    count = int(np.prod([len(one) for one in legal], dtype=np.float64))
    if not 0 < count <= _MOST_SUCCESSORS:
        return None
    joint = np.stack(np.meshgrid(*legal, indexing="ij"), axis=-1)
    moves = joint.reshape(-1, len(legal)).astype(np.int32)
    rows = np.repeat(row[None], len(moves), axis=0)
    return np.unique(simulator.advance(rows, moves), axis=0)
