"""Learning curves as numbers, as text and as pictures."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.learn.curves import (
    cumulative_average,
    sparkline,
    windowed_average,
)
from gamelore.learn.plots import draw_curves, draw_rewards, draw_scores
from gamelore.learn.references import ReferenceResult

rewards = st.lists(st.integers(0, 100), max_size=50)


@given(rewards, st.integers(1, 60))
def test_averages_as_defined(values: list[int], window: int) -> None:
    ends = range(1, len(values) + 1)
    cumulative = [np.mean(values[:end]) for end in ends]
    windowed = [np.mean(values[max(0, end - window) : end]) for end in ends]
    np.testing.assert_allclose(cumulative_average(values), cumulative)
    np.testing.assert_allclose(windowed_average(values, window), windowed)


def test_a_window_of_nothing() -> None:
    with pytest.raises(ValueError, match="window must be positive, got 0"):
        windowed_average([1.0], 0)


def test_sparklines() -> None:
    assert sparkline([0, 50, 100, 0]) == "▁▅█▁"
    assert sparkline([0, 50, 100, 200], scale=(0, 200)) == "▁▃▅█"
    assert sparkline([-1, 50, 101], scale=(0, 100)) == "▁▅█"
    assert sparkline([7, 7]) == "▄▄"
    assert sparkline([]) == ""


@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml")]
)
def test_pictures_are_the_same_for_the_same_curve(
    suffix: str, start: bytes, tmp_path: Path
) -> None:
    values = np.random.default_rng(0).integers(0, 2, 5000) * 100
    paths = [tmp_path / f"{name}{suffix}" for name in "ab"]
    for path in paths:
        draw_rewards(values, path, "a title")
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert first.startswith(start)


def test_a_picture_of_one_match(tmp_path: Path) -> None:
    draw_rewards([100], tmp_path / "one.svg")
    assert "all matches so far" in (tmp_path / "one.svg").read_text()


def test_curves_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "curves.svg"
    draw_curves({"one": [0, 50, 75], "other": [10, 20, 30]}, path, "a title")
    text = path.read_text()
    assert all(word in text for word in ("one", "other", "a title"))


def test_a_picture_of_scores_names_every_reference(tmp_path: Path) -> None:
    results = [
        ReferenceResult(trained, name, 200, trained / 100, 0.0, 1.0)
        for trained in (0, 50, 100)
        for name in ("random", "novice")
    ]
    draw_scores(results, tmp_path / "scores.svg", "a title")
    text = (tmp_path / "scores.svg").read_text()
    assert "against random, with 95% interval" in text
    assert "against novice, with 95% interval" in text


def test_a_picture_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "curve.svg"
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        draw_rewards([100], path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
