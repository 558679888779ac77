"""Arrays that kernels of the compiled engine work in."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gamelore.engine.compiled import _kernels_64
from gamelore.engine.compiled._kernels_64 import Moves

LANES_64 = _kernels_64.LANES
"""Positions that the words of a 64-lane kernel hold at once."""


def allocate_aligned(words: int) -> npt.NDArray[np.uint64]:
    """Return uint64 [words]: zeros that start at a cache line."""
    array = np.zeros(words + 8, np.uint64)
    skip = (-array.ctypes.data % 64) // 8
    return array[skip : skip + words]


def allocate_words_64(slots: int, copies: int = 1) -> npt.NDArray[np.uint64]:
    """Return uint64 [copies, 2 slots]: a word per literal, for 64-lane kernels."""
    words = np.zeros((copies, 2 * slots), np.uint64)
    words[:, 1::2] = ~np.uint64(0)
    return words


def allocate_moves(moves: int, roles: int) -> Moves:
    """Return a buffer for the legal moves of a position."""
    return Moves(np.zeros(moves, np.int32), np.zeros(roles, np.int64))
