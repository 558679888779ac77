"""Ratings: how strong players are, from the results of their matches.

Bradley and Terry's model gives every player a strength r, and of a pair the first
scores 1 / (1 + exp(r₂ - r₁)) on average. A pair's score is one half, and half of what
the goals differ by: 100 to 0 is a win, 50 to 50 a draw, 75 to 25 three quarters of a
win.

A match of k players is all its pairs. They hold k - 1 comparisons that do not follow
from one another, so each of the k (k - 1) / 2 pairs weighs 2 / k.

Perfect scores would send strengths to infinity. Every player therefore has, besides its
matches, a draw against an imaginary player of average strength: strengths stay finite,
and players that never met, not even by way of others, can still be compared.

Intervals are from the curvature of the likelihood at its peak (the inverse Hessian).
They take matches to be independent: where players repeat the same match move for move,
they are too small.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

BEST_GOAL = 100
DEVIATIONS = 1.959963984540054
"""Standard deviations to either side of the mean that hold 95% of a normal variable."""
POINTS = 400 / math.log(10)
"""Rating points to a unit of strength: 400 are ten wins to one loss, as in chess."""

_STEPS = 200
_PRECISION = 1e-10


class Estimate(NamedTuple):
    """A value, and the bounds it lies within with 95% confidence."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Result:
    """The result of a match: who took part, and the goal of each."""

    players: tuple[str, ...]
    goals: tuple[int | None, ...]
    """In the order of the players; `None`, where the rules give none, counts as 0."""
    faults: tuple[int, ...] = ()
    """The number of moves that each failed to give; 0 if left out."""
    game: str = ""

    def __post_init__(self) -> None:
        if len(self.goals) != len(self.players):
            raise ValueError(
                f"{len(self.goals)} goals of {len(self.players)} players in a result"
            )
        if self.faults and len(self.faults) != len(self.players):
            raise ValueError(
                f"faults of {len(self.faults)} of {len(self.players)} players"
            )
        for goal in self.goals:
            if goal is not None and not 0 <= goal <= BEST_GOAL:
                raise ValueError(f"goals must be in 0 to {BEST_GOAL}, got {goal}")

    @property
    def scores(self) -> tuple[float, ...]:
        """Each player's goal between 0 and 1."""
        return tuple((goal or 0) / BEST_GOAL for goal in self.goals)


def rate(
    results: Iterable[Result], players: Iterable[str] = (), prior: float = 1.0
) -> dict[str, Estimate]:
    """Return the rating of everybody who took part, in points around a mean of 0.

    `players`: who is rated even without a match; `prior`: how many draws against an
    average player each begins with, more than 0.
    """
    if not prior > 0:
        raise ValueError(f"prior must be positive, got {prior}")
    results = list(results)
    names = list(
        dict.fromkeys([*players, *(name for each in results for name in each.players)])
    )
    if not names:
        return {}
    scores = score_table(results, names)
    strengths = most_likely(scores, prior)
    deviations = _deviations(strengths, scores, prior)
    points = (strengths - strengths.mean()) * POINTS
    margins = deviations * DEVIATIONS * POINTS
    return {
        name: Estimate(point, point - margin, point + margin)
        for name, point, margin in zip(
            names, points.tolist(), margins.tolist(), strict=True
        )
    }


def score_table(results: Iterable[Result], names: list[str]) -> Floats:
    """Return the score of each player (row) against each other: float64 [n, n]."""
    number = {name: index for index, name in enumerate(names)}
    table = np.zeros((len(names), len(names)))
    for result in results:
        for one, other, score, weight in _pairs(result):
            table[number[one], number[other]] += weight * score
            table[number[other], number[one]] += weight * (1 - score)
    return table


def _pairs(result: Result) -> Iterator[tuple[str, str, float, float]]:
    """Yield each two players of a match, the first's score, and the pair's weight."""
    weight = 2 / max(2, len(result.players))
    scored = zip(result.players, result.scores, strict=True)
    for (one, ours), (other, theirs) in combinations(scored, 2):
        if one != other:
            yield one, other, (1 + ours - theirs) / 2, weight


def log_likelihood(strengths: Floats, scores: Floats, prior: float) -> float:
    """Return the log-likelihood of strengths, float64 [n], with a prior."""
    gaps = strengths[:, None] - strengths[None, :]
    observed = float((scores * -np.logaddexp(0, -gaps)).sum())
    imagined = -np.logaddexp(0, -strengths) - np.logaddexp(0, strengths)
    return observed + prior / 2 * float(imagined.sum())


def most_likely(scores: Floats, prior: float) -> Floats:
    """Return the most likely strengths, float64 [n], for a table of scores."""
    strengths = np.zeros(len(scores))
    height = log_likelihood(strengths, scores, prior)
    for _ in range(_STEPS):
        slope, curvature = _derivatives(strengths, scores, prior)
        step = np.linalg.solve(curvature, slope)
        # Newton's step may overshoot where scores are lopsided: then go less far.
        while (
            reached := log_likelihood(strengths + step, scores, prior)
        ) < height and np.abs(step).max() > _PRECISION:
            step /= 2
        strengths, height = strengths + step, reached
        if np.abs(step).max() <= _PRECISION:
            break
    return strengths


def _derivatives(
    strengths: Floats, scores: Floats, prior: float
) -> tuple[Floats, Floats]:
    """The slope, float64 [n], and the curvature (negative Hessian), float64 [n, n]."""
    expected = _sigmoid(strengths[:, None] - strengths[None, :])
    against_average = _sigmoid(strengths)
    met = scores + scores.T
    slope = (scores - met * expected).sum(axis=1) + prior * (0.5 - against_average)
    spread = met * expected * expected.T
    own = spread.sum(axis=1) + prior * against_average * (1 - against_average)
    return slope, np.diag(own) - spread


def _deviations(strengths: Floats, scores: Floats, prior: float) -> Floats:
    """float64 [n]: each strength's standard deviation, the average of all held."""
    count = len(strengths)
    _, curvature = _derivatives(strengths, scores, prior)
    centred = np.eye(count) - 1 / count
    covariance = centred @ np.linalg.inv(curvature) @ centred
    deviations: Floats = np.sqrt(np.maximum(0, np.diag(covariance)))
    return deviations


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(np.exp(-np.logaddexp(0, -x)))
