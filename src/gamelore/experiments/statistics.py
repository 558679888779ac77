"""Averages over runs, and how sure one can be of them.

Intervals are percentile bootstraps over runs: draw as many runs as there are, with
replacement, many times, and see where the averages fall. Paired intervals draw
differences, so that what two learners have in common (a seed, an opponent) drops out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

RESAMPLES = 2000
LEVEL = 0.95


class Interval(NamedTuple):
    """An average, and the bounds it lies within at some level of confidence."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} [{self.low:.2f}, {self.high:.2f}]"


class Band(NamedTuple):
    """A curve's average and its interval at each point.  float64 [P] each"""

    mean: Floats
    low: Floats
    high: Floats


def mean_interval(
    values: Floats, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Return the average of values, float64 [n], and its interval."""
    band = mean_band(np.asarray(values, float)[:, None], level, resamples, seed)
    return Interval(*(float(part[0]) for part in band))


def difference_interval(
    ours: Floats,
    theirs: Floats,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """Return the average of ours − theirs, run by run: float64 [n] each, paired."""
    if len(ours) != len(theirs):
        raise ValueError(f"pairs are needed, got {len(ours)} and {len(theirs)} values")
    return mean_interval(np.subtract(ours, theirs), level, resamples, seed)


def mean_band(
    curves: Floats, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = 0
) -> Band:
    """Return the average of curves, float64 [n, P], and its interval at each point."""
    count = len(curves)
    if count == 0:
        raise ValueError("there is no average of no runs")
    if not 0 < level < 1:
        raise ValueError(f"level must be in (0, 1), got {level}")
    generator = np.random.default_rng(seed)
    # How often each run is drawn says all there is to know about a resample.
    drawn = generator.multinomial(count, np.full(count, 1 / count), resamples)
    means = drawn @ curves / count
    tail = (1 - level) / 2
    low, high = np.quantile(means, (tail, 1 - tail), axis=0)
    return Band(curves.mean(axis=0), low, high)


def cumulative_average(rewards: Floats, skipped: int = 0) -> Floats:
    """Return averages from match `skipped` on: float64 [..., n − skipped]."""
    counted = rewards[..., skipped:]
    return np.asarray(counted.cumsum(axis=-1) / np.arange(1, counted.shape[-1] + 1))
