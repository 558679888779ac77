"""Whether facts last in a game: stones that stay where they were placed.

Where they do, a fact at the end of a playout tells which moves were made, whenever that
was, and moves can share the results of playouts.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gamelore.engine.simulator import Row, Simulator

_SAMPLED = 8  # random matches
_MOST_STEPS = 80  # of each
_SHARE = 0.8  # of the facts that moves add: so many must last
_EARLY = 8  # steps, after which …
_HOPELESS = 0.5  # … such a share is no more to become enough


@lru_cache(maxsize=4)
def facts_last(engine: Simulator) -> bool:
    """Return whether most facts that moves make true stay so, in some random matches.

    Facts whose step is over by themselves, such as whose turn it is, do not last.
    """
    random = np.random.default_rng(0)
    rows = np.repeat(engine.initial_row()[np.newaxis], _SAMPLED, axis=0)
    added, removed = np.zeros_like(rows[0]), np.zeros_like(rows[0])
    for step in range(_MOST_STEPS):
        rows = rows[~engine.terminal(rows, checked=False)]
        legal = engine.legal(rows, checked=False)
        if not len(rows) or not all(one.any(axis=1).all() for one in legal):
            break
        moves = [
            [int(random.choice(np.flatnonzero(flags))) for flags in one]
            for one in legal
        ]
        following = engine.advance(
            rows, np.array(moves, np.int32).T.copy(), checked=False
        )
        added |= np.bitwise_or.reduce(following & ~rows, axis=0)
        removed |= np.bitwise_or.reduce(rows & ~following, axis=0)
        rows = following
        if step >= _EARLY and _share(added, removed) < _HOPELESS:
            break  # a large circuit takes seconds for all steps
    return _share(added, removed) >= _SHARE


def _share(added: Row, removed: Row) -> float:
    """Return how many of the facts that were added have never been removed."""
    count = int(np.bitwise_count(added).sum())
    return int(np.bitwise_count(added & ~removed).sum()) / max(1, count)
