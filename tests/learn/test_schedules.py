"""Schedules of exploration and of steps, at their ends and between."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gamelore.engine import simulator
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.schedules import Cosine, Fixed, Geometric, Schedule, StepDecay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.trainer import Trainer


def at(schedule: Schedule, *matches: int) -> list[float]:
    return [float(e) for e in schedule(np.array(matches, np.int64))]


def test_fixed() -> None:
    assert at(Fixed(), 0, 10**9) == [0.01, 0.01]
    assert at(Fixed(0.2, until=100), 0, 100, 101) == [0.2, 0.2, 0.0]


def test_cosine_goes_from_a_to_b_and_then_to_nothing() -> None:
    schedule = Cosine(length=30_000, a=0.5, b=0.0)
    start, end, after = at(schedule, 0, 30_000, 30_001)
    assert start == 0.5
    assert end == pytest.approx(0.0, abs=1e-12)
    assert after == 0.0
    # a third of the way: cos 30° = √3 / 2; two thirds: cos 60° = 1 / 2
    assert at(schedule, 10_000, 20_000) == pytest.approx([0.5 * 3**0.5 / 2, 0.25])


def test_cosine_ends_at_b() -> None:
    assert at(Cosine(10, a=0.4, b=0.1), 0, 10, 11) == pytest.approx([0.5, 0.1, 0.0])


def test_geometric() -> None:
    assert at(Geometric(), 0, 1, 2) == pytest.approx([0.9, 0.891, 0.88209])
    assert at(Geometric(), 10**6) == [0.0]
    assert at(Geometric(0.5, 1.0), 0, 1000) == [0.5, 0.5]


@pytest.mark.parametrize("schedule", [Fixed(0.3, 50), Cosine(70), Geometric()])
def test_a_schedule_does_not_depend_on_where_one_starts(schedule: Schedule) -> None:
    whole = schedule(np.arange(100))
    parts = [schedule(np.arange(0, 37)), schedule(np.arange(37, 100))]
    assert (np.concatenate(parts) == whole).all()
    assert ((whole >= 0) & (whole <= 1)).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Fixed(1.5), "epsilon must be in"),
        (lambda: Cosine(0), "length must be at least 1, got 0"),
        (lambda: Cosine(10, a=0.6, b=0.6), "a and b must add up to at most 1"),
        (lambda: Geometric(start=-0.1), "start must be in"),
        (lambda: Geometric(factor=2), "factor must be in"),
    ],
)
def test_schedules_are_checked(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "learner", [TDSettings(), QSettings()], ids=["table-td", "table-q"]
)
def test_steps_that_decay_are_runs_in_a_row(
    learner: TDSettings | QSettings,
) -> None:
    """Each with a smaller step size than the one before, from where that stood."""
    graph = StateGraph(simulator(load("tictactoe")))
    whole = Trainer(graph, TrainConfig(learner, step_decay=StepDecay(100, 0.5)))
    opened = MatchTrainer(graph, TrainConfig(learner, step_decay=StepDecay(100, 0.5)))
    for trainer in (whole, opened):
        trainer.run(130)
        trainer.run(120)
    pieces = Trainer(graph, TrainConfig(learner))
    for number, matches in enumerate((100, 100, 50)):
        slower = replace(learner, step_size=learner.step_size * 0.5**number)
        piece = Trainer(graph, TrainConfig(slower))
        piece.restore(pieces.state())
        piece.run(matches)
        pieces = piece
    expected = pieces.table.cells()
    for trainer in (whole, opened):
        cells = trainer.table.cells()
        assert np.array_equal(cells.rows, expected.rows)
        assert np.array_equal(cells.values, expected.values)


def test_steps_shrink_by_a_factor() -> None:
    with pytest.raises(ValueError, match="every must be at least 1"):
        StepDecay(every=0)
    with pytest.raises(ValueError, match=r"factor must be in \(0, 1\]"):
        StepDecay(factor=0.0)
