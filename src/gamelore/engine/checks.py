"""What the batch calls of a simulator accept: shape, type and range of arguments.

Each check raises `ArgumentError` with the name of the argument, what was expected and
what was given. Whether numbers are those of moves is for an engine to find out while it
makes them.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from gamelore.errors import ArgumentError

MOST_PLAYOUTS = 10**12
MOST_MOVES = 10_000_000
"""The highest move limit of playouts; there is a counter for every length."""
MOST_THREADS = 1024


_UINT64, _INT32 = np.dtype(np.uint64), np.dtype(np.int32)


def check_rows(rows: Any, width: int) -> npt.NDArray[np.uint64]:
    """Return positions as contiguous uint64 [n, K]."""
    if (
        not isinstance(rows, np.ndarray)
        or rows.dtype != _UINT64
        or rows.ndim != 2
        or rows.shape[1] != width
    ):
        hint = "; row[None] makes an array of one row" if np.ndim(rows) == 1 else ""
        raise _wrong("positions", f"a uint64 array of shape [n, {width}]", rows, hint)
    return rows if rows.flags.c_contiguous else np.ascontiguousarray(rows)


def check_row(row: Any, width: int) -> npt.NDArray[np.uint64]:
    """Return one position as contiguous uint64 [K]."""
    if not isinstance(row, np.ndarray) or row.dtype != _UINT64 or row.shape != (width,):
        raise _wrong("row", f"a uint64 array of shape [{width}]", row)
    return row if row.flags.c_contiguous else np.ascontiguousarray(row)


def check_moves(moves: Any, n: int, roles: int) -> npt.NDArray[np.int32]:
    """Return joint moves as contiguous int32 [n, R]; numbers that do not fit as -1."""
    if (
        not isinstance(moves, np.ndarray)
        or moves.dtype.kind not in "iu"
        or moves.shape != (n, roles)
    ):
        raise _wrong("moves", f"an int32 array of shape [{n}, {roles}]", moves)
    if moves.dtype != _INT32:
        moves = np.where((moves < 0) | (moves >= 2**31), -1, moves)
    elif moves.flags.c_contiguous:
        return moves
    return np.ascontiguousarray(moves, _INT32)


def check_integer(name: str, value: Any, lowest: int, highest: int) -> int:
    """Return a whole number from a range."""
    try:
        number = operator.index(value)
    except TypeError:
        number = lowest - 1
    if not lowest <= number <= highest:
        expected = f"a whole number from {lowest:,} to {highest:,}"
        raise ArgumentError(f"{name} must be {expected}, got {value!r}")
    return number


def describe(value: Any) -> str:
    """Return what an argument is, in words."""
    if not isinstance(value, np.ndarray):
        return f"{type(value).__name__} {value!r:.40}"
    return f"{value.dtype} array of shape {list(value.shape)}"


def _wrong(name: str, expected: str, got: Any, hint: str = "") -> ArgumentError:
    return ArgumentError(f"{name} must be {expected}, got {describe(got)}{hint}")
