"""Averages and intervals, on numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.experiments.statistics import (
    cumulative_average,
    difference_interval,
    mean_band,
    mean_interval,
)


def test_equal_values_leave_no_doubt() -> None:
    assert mean_interval(np.full(7, 50.0)) == (50.0, 50.0, 50.0)


def test_the_interval_is_about_two_standard_errors_wide() -> None:
    values = np.random.default_rng(1).normal(3.0, 2.0, 400)
    mean, low, high = mean_interval(values)
    assert mean == pytest.approx(values.mean())
    error = values.std() / np.sqrt(len(values))
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.1)
    assert low < mean < high


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    generator = np.random.default_rng(2)
    held = 0
    for _ in range(200):
        _, low, high = mean_interval(generator.normal(0.0, 1.0, 40), resamples=400)
        held += low <= 0.0 <= high
    assert 176 <= held <= 199  # about 95 % of 200, give or take three deviations


def test_pairs_cancel_what_they_share() -> None:
    shared = np.random.default_rng(3).normal(0.0, 100.0, 50)
    assert difference_interval(shared + 1.0, shared) == pytest.approx((1.0, 1.0, 1.0))
    with pytest.raises(ValueError, match="pairs are needed, got 2 and 3"):
        difference_interval(np.zeros(2), np.zeros(3))


def test_a_band_is_an_interval_at_each_point() -> None:
    curves = np.random.default_rng(4).normal(size=(30, 3))
    band = mean_band(curves)
    assert band.mean == pytest.approx(curves.mean(axis=0))
    alone = mean_interval(curves[:, 1])
    assert (band.mean[1], band.low[1], band.high[1]) == pytest.approx(alone)


def test_the_same_seed_draws_the_same() -> None:
    values = np.arange(10.0)
    assert mean_interval(values, seed=1) == mean_interval(values, seed=1)
    assert mean_interval(values, seed=1) != mean_interval(values, seed=2)


def test_no_runs_have_no_average() -> None:
    with pytest.raises(ValueError, match="no average of no runs"):
        mean_interval(np.zeros(0))
    with pytest.raises(ValueError, match="level must be in"):
        mean_interval(np.zeros(3), level=1.0)


def test_cumulative_averages_forget_what_is_skipped() -> None:
    rewards = np.array([[0.0, 0.0, 100.0, 50.0]])
    assert cumulative_average(rewards).tolist() == [[0.0, 0.0, 100 / 3, 37.5]]
    assert cumulative_average(rewards, 2).tolist() == [[100.0, 75.0]]
