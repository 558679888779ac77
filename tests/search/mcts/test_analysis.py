"""Analyses: what is told of a search, and when."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gamelore.engine import simulator
from gamelore.engine.position import Position
from gamelore.errors import ArgumentError, GameloreError
from gamelore.games import load
from gamelore.gdl import to_kif
from gamelore.search.mcts import Analysis, Candidate, TreeSettings
from gamelore.search.mcts.analysis import (
    AnalysisLimits,
    analyse,
    find_role,
    report_search,
)

RATE = 1000.0  # playouts per second


class TimedSearch:
    """A search whose playouts move a clock; it is solved after so many."""

    def __init__(self, solved_after: float = float("inf")) -> None:
        self.time = 100.0
        self.playouts = 0
        self.parts: list[int] = []
        self._solved_after = solved_after

    def now(self) -> float:
        return self.time

    def search_on(self, playouts: int) -> Analysis:
        self.playouts += playouts
        self.parts.append(playouts)
        self.time += playouts / RATE
        solved = self.playouts >= self._solved_after
        move = Candidate("pass", self.playouts, 50.0, proven=solved)
        return Analysis("x", (move,), self.playouts, 1, solved, 50.0)


def report(search: TimedSearch, limits: AnalysisLimits) -> list[tuple[float, int]]:
    """The seconds and playouts of all reports."""
    return [
        (search.time - 100.0, analysis.playouts)
        for analysis in report_search(search.search_on, limits, search.now)
    ]


def test_reports_come_in_time_until_the_seconds_are_over() -> None:
    told = report(TimedSearch(), AnalysisLimits(seconds=3.0, every=0.5))
    times = [seconds for seconds, _ in told]
    assert times == pytest.approx([0.5, 1.0, 1.5, 2.0, 2.5, 3.0], abs=0.1)


def test_a_search_has_exactly_the_playouts_asked_for() -> None:
    search = TimedSearch()
    told = report(search, AnalysisLimits(playouts=1234, every=0.5))
    assert told[-1][1] == search.playouts == sum(search.parts) == 1234
    assert len(told) == 3


def test_a_solved_position_ends_it() -> None:
    told = report(TimedSearch(solved_after=700), AnalysisLimits(every=0.5))
    assert told[-1][1] >= 700
    assert len(told) == 2


def test_a_slow_search_reports_after_every_part() -> None:
    search = TimedSearch()
    told = report(search, AnalysisLimits(seconds=1.0, every=0.001))
    assert len(told) == len(search.parts)
    assert min(search.parts) >= 1


@pytest.mark.parametrize("name", ["seconds", "playouts", "every", "lines"])
def test_limits_are_checked(name: str) -> None:
    with pytest.raises(ArgumentError, match=f"{name} must be positive, got 0"):
        AnalysisLimits(**{name: 0})


def test_a_solved_position_is_told() -> None:
    position = Position("tictactoe").advance("(mark 1 1)").advance("(mark 1 2)")
    *_, last = analyse(position)
    assert last.solved
    assert last.role == "x"
    assert last.value == last.best.value == 100
    assert last.best.proven
    assert last.best.interval == (100, 100)


def test_the_same_seed_and_playouts_give_the_same_analysis() -> None:
    position = Position(simulator(load("connect-four"))).advance("(drop 4)")

    def last(every: float, seed: int) -> Analysis:
        limits = AnalysisLimits(playouts=5000, every=every)
        *_, found = analyse(position, limits=limits, seed=seed)
        return found

    assert last(60.0, 1) == last(0.001, 1)
    assert last(60.0, 1) != last(60.0, 2)


def test_lines_of_play_can_be_played() -> None:
    position = Position("connect-four")
    *_, last = analyse(position, limits=AnalysisLimits(playouts=3000))
    assert sum(one.probability for one in last.candidates) == pytest.approx(1.0)
    limits = AnalysisLimits(playouts=3000, lines=2)
    *_, short = analyse(position, limits=limits)
    assert [bool(one.line) for one in short.candidates] == [True] * 2 + [False] * 5
    for one in last.candidates:
        assert one.line[0][0] == one.move
        after = position
        for joint in one.line:
            after = after.advance(joint)


def test_several_threads_count_together() -> None:
    limits = AnalysisLimits(playouts=4000)
    settings = TreeSettings(threads=2)
    *_, last = analyse(Position("connect-four"), limits=limits, settings=settings)
    assert last.playouts >= 4000
    assert len(last.candidates) == 7


def test_roles_that_choose_at_once_have_mixed_strategies() -> None:
    limits = AnalysisLimits(playouts=3000)
    for role in ("left", "right"):
        *_, last = analyse(Position("rock-paper-scissors"), role, limits)
        assert last.role == role
        assert last.mixed
        moves = {to_kif(one.move) for one in last.candidates}
        assert moves == {"rock", "paper", "scissors"}


def over(position: Position) -> Position:
    for column in "1212121":
        position = position.advance(f"(drop {column})")
    return position


@pytest.mark.parametrize(
    ("make", "role", "message"),
    [
        (lambda p: p, "green", "has no role green: choose from red, yellow"),
        (lambda p: p, "yellow", "yellow has no choice here but noop; red can choose"),
        (over, None, "is over here: red gets 100, yellow gets 0"),
    ],
)
def test_where_there_is_nothing_to_choose(
    make: Callable[[Position], Position], role: str | None, message: str
) -> None:
    position = make(Position("connect-four"))
    with pytest.raises(GameloreError, match=message):
        find_role(position, role)
    with pytest.raises(GameloreError, match=message):
        analyse(position, role)


def test_where_only_chance_has_a_choice() -> None:
    position = Position("pig").advance("roll")
    with pytest.raises(GameloreError, match="no player has a choice"):
        find_role(position)
