"""Learning curves: averages of rewards over matches, and a curve as a line of text."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_LEVELS = "▁▂▃▄▅▆▇█"


def cumulative_average(rewards: npt.ArrayLike) -> Floats:
    """Return, after each match, the average reward of all so far: float64 [n]."""
    rewards = np.asarray(rewards, np.float64)
    averages: Floats = rewards.cumsum() / np.arange(1, len(rewards) + 1)
    return averages


def windowed_average(rewards: npt.ArrayLike, window: int) -> Floats:
    """Return, after each match, the average of the last `window`: float64 [n].

    The first matches have fewer before them.
    """
    if window < 1:
        raise ValueError(f"window must be positive, got {window}")
    sums = np.concatenate([[0.0], np.cumsum(rewards, dtype=np.float64)])
    ends = np.arange(1, len(sums))
    starts = np.maximum(0, ends - window)
    averages: Floats = (sums[ends] - sums[starts]) / (ends - starts)
    return averages


def choose_window(matches: int) -> int:
    """Return the length of a moving average: a thirtieth of all, ten at least."""
    return max(10, matches // 30)


def sparkline(values: npt.ArrayLike, scale: tuple[float, float] | None = None) -> str:
    """Return values as bars of text, on a scale from their lowest to their highest.

    `scale`: the values of the lowest and the highest bar, if they are to be others.
    """
    values = np.asarray(values, np.float64)
    if not len(values):
        return ""
    low, high = scale or (values.min(), values.max())
    if low == high:
        return _LEVELS[3] * len(values)
    shares = np.clip((values - low) / (high - low), 0, 1)
    return "".join(_LEVELS[round(height)] for height in (7 * shares).tolist())
