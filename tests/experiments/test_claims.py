"""Claims, published numbers and verdicts."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.experiments.claims import (
    PublishedNumber,
    compare_runs,
    decide_above,
    decide_number,
)
from gamelore.experiments.statistics import Interval


@pytest.mark.parametrize(
    ("interval", "strictly", "verdict"),
    [
        (Interval(1.0, 0.1, 2.0), True, "holds"),
        (Interval(-1.0, -2.0, -0.1), True, "does not hold: the opposite does"),
        (Interval(0.5, -0.1, 1.0), True, "not decided"),
        (Interval(0.5, -0.1, 1.0), False, "not contradicted"),
        (Interval(0.0, 0.0, 0.0), True, "not decided"),
        (Interval(-1.0, -2.0, -0.1), False, "does not hold: the opposite does"),
    ],
)
def test_differences(interval: Interval, strictly: bool, verdict: str) -> None:
    assert decide_above(interval, strictly) == verdict


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        (Interval(81.9, 81.8, 82.0), "agrees"),
        (Interval(70.0, 60.0, 81.0), "not decided"),
        (Interval(83.0, 82.5, 83.5), "ours is 3.0 higher"),
        (Interval(70.0, 69.0, 71.0), "ours is 10.0 lower"),
    ],
)
def test_published_numbers(ours: Interval, verdict: str) -> None:
    assert decide_number(80.0, ours, tolerance=2.0) == verdict


def test_at_least_allows_more_but_not_less() -> None:
    more, less = Interval(90.0, 89.0, 91.0), Interval(70.0, 69.0, 71.0)
    allowed = decide_number(80.0, more, 2.0, at_least=True)
    assert allowed == "agrees: ours is 10.0 higher"
    assert decide_number(80.0, less, 2.0, at_least=True) == "ours is 10.0 lower"


def test_the_first_measurement_decides() -> None:
    measured = {"window": Interval(80.0, 79.0, 81.0), "since": Interval(1.0, 1.0, 1.0)}
    number = PublishedNumber.compare("Figure 6", "level", 81.0, measured, tolerance=2)
    assert number.decisive == number.interval == (80.0, 79.0, 81.0)
    assert number.verdict == "agrees"


def test_runs_are_compared_in_pairs() -> None:
    claim = compare_runs("x", "above", np.array([3.0, 5.0]), np.array([1.0, 3.0]))
    assert claim.interval == (2.0, 2.0, 2.0)
    assert claim.verdict == "holds"
