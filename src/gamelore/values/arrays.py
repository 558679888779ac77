"""Arrays that kernels work on: aligned, and of the right size."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gamelore.engine.compiled.buffers import allocate_aligned

LANES = 8
"""Hidden units come in multiples of this, as many as fit a vector."""


def round_up(units: int) -> int:
    """Return the next multiple of eight."""
    return -(-units // LANES) * LANES


def zeros32(rows: int, width: int) -> npt.NDArray[np.float32]:
    """Return float32 [rows, width] of zeros, aligned for vectors of eight.

    Others take several times as long to store and to load again.
    """
    words = allocate_aligned(-(-rows * width // 2))
    return words.view(np.float32)[: rows * width].reshape(rows, width)


def activate(sums: npt.NDArray[np.float64], unit: str) -> npt.NDArray[np.float64]:
    """Return what units of a kind make of their sums."""
    if unit == "sigmoid":
        return np.asarray(1 / (1 + np.exp(-sums)))
    return np.tanh(sums) if unit == "tanh" else sums
