"""Whether moves of a game are often forced, as captures are in draughts."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gamelore.engine import CircuitSimulator
from gamelore.engine.random_matches import play_at_random

_MATCHES = 64
_LONGEST = 60  # moves of a match that are looked at
_OFTEN = 0.1  # share of positions; passes and last moves alone are fewer
_KEPT = 16  # games


@lru_cache(_KEPT)
def has_forced_moves(simulator: CircuitSimulator) -> bool:
    """Return whether no role has a choice in a tenth of random play, or more."""
    positions = forced = 0
    for legal, reached in play_at_random(simulator, _MATCHES, _LONGEST):
        positions += len(reached)
        forced += int(np.all([one.sum(axis=1) == 1 for one in legal], axis=0).sum())
    return forced >= _OFTEN * max(1, positions)
