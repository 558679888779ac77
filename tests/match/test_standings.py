"""Results of matches, added up."""

from __future__ import annotations

import json
import math

import pytest

from gamelore.match.ratings import Result
from gamelore.match.standings import (
    flat,
    in_columns,
    mean_goal,
    outcome,
    share,
    standings,
    table,
)


def test_a_small_table_by_hand() -> None:
    results = [
        Result(("a", "b"), (100, 0), (0, 2)),
        Result(("b", "a"), (50, 50)),
        Result(("a", "c"), (100, 0), (1, 0)),
        Result(("c", "b"), (30, 70)),
    ]
    first, second, third = standings(results, ["d"])[:1] + standings(results)[1:]
    assert (first.player, second.player, third.player) == ("a", "b", "c")
    assert (first.wins, first.draws, first.losses) == (2, 1, 0)
    assert (second.wins, second.draws, second.losses) == (1, 1, 1)
    assert (first.faults, second.faults, third.faults) == (1, 2, 0)
    assert first.goal.value == pytest.approx(250 / 3)
    assert first.score.value == pytest.approx(2.5 / 3)
    assert third.matches == 2 and third.goal.value == 15


def test_wilson_interval_by_hand() -> None:
    """Of 8 in 10: (0.8 + z²/20 ± z √(0.016 + z²/400)) / (1 + z²/10), z = 1.96."""
    assert share(8, 10) == pytest.approx((0.8, 0.49016, 0.94331), abs=1e-4)


def test_perfect_shares_have_a_width() -> None:
    assert share(10, 10) == pytest.approx((1.0, 0.72247, 1.0), abs=1e-4)
    assert share(0, 10) == pytest.approx((0.0, 0.0, 0.27753), abs=1e-4)
    assert math.isnan(share(0, 0).value) and share(0, 0)[1:] == (0, 1)


def test_mean_goal_counts_no_goal_as_nothing() -> None:
    assert mean_goal([100, None]) == mean_goal([100, 0]) == mean_goal([50, 50])


@pytest.mark.parametrize(
    ("goals", "outcomes"),
    [
        ((100, 0), ["win", "loss"]),
        ((60, 40), ["win", "loss"]),
        ((100, 100), ["draw", "draw"]),
        ((None, None), ["draw", "draw"]),
        ((50, 50, 0), ["draw", "draw", "loss"]),
        ((10, 50, 0), ["loss", "win", "loss"]),
        ((100,), ["win"]),
        ((99,), ["loss"]),
    ],
)
def test_outcomes(goals: tuple[int | None, ...], outcomes: list[str]) -> None:
    result = Result(tuple("abc"[: len(goals)]), goals)
    assert [outcome(result, place) for place in range(len(goals))] == outcomes


def test_who_has_not_played_has_a_row() -> None:
    rows = standings([Result(("a", "b"), (100, 0))], ["a", "c"])
    assert [row.player for row in rows] == ["a", "c", "b"]
    assert rows[1].matches == 0
    assert rows[1].to_json()["goal"] == {"value": None, "low": 0.0, "high": 100.0}
    json.dumps([row.to_json() for row in rows], allow_nan=False)


def test_flat_rows_have_plain_values() -> None:
    row = flat(standings([Result(("a", "b"), (100, 0))])[0])
    assert row["player"] == "a" and row["goal"] == 100 and row["wins"] == 1
    assert {"rating", "rating_low", "rating_high", "goal_low", "score"} <= {*row}
    assert not any(isinstance(value, dict) for value in row.values())


def test_the_table_is_aligned() -> None:
    lines = table(standings([Result(("long-name", "b"), (100, 0))] * 12)).splitlines()
    assert lines[0].split()[:2] == ["player", "rating"]
    assert len({len(line) for line in lines}) == 1
    assert lines[1].startswith("long-name ")
    assert in_columns([("a", "b"), ("cc", "10")]) == "a    b\ncc  10"
