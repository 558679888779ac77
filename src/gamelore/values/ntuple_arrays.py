"""Buffers of n-tuple networks, and the arrays of functions that have no tuples."""

from __future__ import annotations

from functools import cache

import numpy as np

from gamelore.values._ntuple_kernels import TupleArrays, TupleBuffers


def new_tuple_buffers(tuples: TupleArrays, positions: int) -> TupleBuffers:
    """Return buffers for matches of so many positions."""
    views, slots = tuples.bases.shape
    kept = positions if slots else 0
    facts = max(0, tuples.first.shape[1] - 1)
    return TupleBuffers(
        places=np.zeros((len(tuples.first), slots), np.int32),
        sums=np.zeros(views, np.float32),
        is_summed=np.zeros(views, np.uint8),
        moved=np.zeros(slots, np.int32),
        touched=np.zeros(slots, np.int32),
        is_touched=np.zeros(slots, np.uint8),
        match_places=np.zeros((kept, slots), np.int32),
        match_views=np.zeros(kept, np.int32),
        row=np.zeros((facts + 63) // 64, np.uint64),
        is_known=np.zeros(1, np.uint8),
    )


@cache
def no_tuples() -> TupleArrays:
    """Return the arrays of functions that have no tuples."""
    none = np.zeros(0, np.int32)
    return TupleArrays(
        turns=none,
        codings=none,
        signs=np.zeros(0, np.float32),
        bases=np.zeros((0, 0), np.int64),
        first=np.zeros((0, 0), np.int32),
        slots=none,
        steps=none,
        weights=np.zeros(0, np.float32),
        changes=np.zeros((0, 2), np.float32),
    )
