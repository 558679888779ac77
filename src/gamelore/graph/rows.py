"""Hash tables from rows of words to numbers, shared with the tables of learners."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gamelore.graph import _kernels

Rows = npt.NDArray[np.uint64]
Slots = npt.NDArray[np.int32]


def find_row(slots: Slots, rows: Rows, row: Rows) -> int | None:
    """The number of a row, if it is there.  slots: int32 [power of two]"""
    number = int(_kernels.find_row(slots, rows, row))
    return None if number < 0 else number


def hash_again(slots: Slots, rows: Rows, count: int) -> None:
    """Fill empty slots with the first `count` rows."""
    _kernels.hash_again(slots, rows, count)
