"""Whether moves of a game are often forced, as captures are in draughts."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gamelore.engine import CircuitSimulator

_MATCHES = 64
_LONGEST = 60  # moves of a match that are looked at
_OFTEN = 0.1  # share of positions; passes and last moves alone are fewer
_KEPT = 16  # games


@lru_cache(_KEPT)
def has_forced_moves(simulator: CircuitSimulator) -> bool:
    """Return whether no role has a choice in a tenth of random play, or more."""
    rng = np.random.default_rng(1)
    rows = np.tile(simulator.initial_row(), (_MATCHES, 1))
    positions = forced = 0
    for _ in range(_LONGEST):
        rows = rows[~simulator.terminal(rows)]
        legal = simulator.legal(rows)
        able = np.all([one.any(axis=1) for one in legal], axis=0)
        rows, legal = rows[able], tuple(one[able] for one in legal)
        if not len(rows):
            break
        positions += len(rows)
        forced += int(np.all([one.sum(axis=1) == 1 for one in legal], axis=0).sum())
        drawn = [np.where(one, rng.random(one.shape), -1.0).argmax(1) for one in legal]
        rows = simulator.advance(rows, np.stack(drawn, axis=1).astype(np.int32))
    return forced >= _OFTEN * max(1, positions)
