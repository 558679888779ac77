"""Reading courses of learning: four measures, levels, starts, drifts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from gamelore.experiments.statistics import Interval, mean_interval
from gamelore.experiments.wang2018.run import Course, Floats
from gamelore.experiments.wang2018.settings import WINDOWS, Case

_THIRD = WINDOWS // 6  # windows in a third of the part without exploration


class Measure(Enum):
    """What a "win rate" may be; the value is how reports call it."""

    WINS = "win rate, in a window"
    WINS_SO_FAR = "win rate, since the first match"
    GOAL = "mean goal, in a window"
    GOAL_SO_FAR = "mean goal, since the first match"


@dataclass(frozen=True)
class Reading:
    """A course of learning by one measure, in per cent."""

    curves: Floats
    """float64 [rounds, windows]"""

    @property
    def level(self) -> Floats:
        """float64 [rounds]: the average over all windows without exploration."""
        return np.asarray(self.curves[:, WINDOWS:].mean(axis=1))

    @property
    def end(self) -> Floats:
        """float64 [rounds]: the last window."""
        return np.asarray(self.curves[:, -1])

    @property
    def start(self) -> Floats:
        """float64 [rounds]: the first window."""
        return np.asarray(self.curves[:, 0])

    @property
    def at_length(self) -> Floats:
        """float64 [rounds]: the last window with exploration."""
        return np.asarray(self.curves[:, WINDOWS - 1])

    @property
    def drift(self) -> Floats:
        """float64 [rounds]: how much is still gained once exploration has ended."""
        late = self.curves[:, -_THIRD:].mean(axis=1)
        early = self.curves[:, WINDOWS : WINDOWS + _THIRD].mean(axis=1)
        return np.asarray(late - early)


def read(course: Course, measure: Measure) -> Reading:
    """A course by one measure."""
    by_goal = measure in (Measure.GOAL, Measure.GOAL_SO_FAR)
    curves = course.goals if by_goal else course.wins
    if measure in (Measure.WINS_SO_FAR, Measure.GOAL_SO_FAR):
        curves = curves.cumsum(axis=1) / np.arange(1, curves.shape[1] + 1)
    return Reading(curves)


def final(course: Course, measure: Measure) -> Floats:
    """float64 [rounds]: where a course ends up by a measure.

    In windows that is the level without exploration; an average since the first match
    is read at the last one.
    """
    reading = read(course, measure)
    in_windows = measure in (Measure.WINS, Measure.GOAL)
    return reading.level if in_windows else reading.end


def finals(courses: Mapping[Case, Course]) -> list[tuple[Case, list[Interval]]]:
    """Every course's end by all four measures."""
    return [
        (case, [mean_interval(final(course, measure)) for measure in Measure])
        for case, course in courses.items()
    ]


def share_above(ours: Course, theirs: Course, measure: Measure) -> float:
    """In what share of the windows our average lies above theirs."""
    mine = read(ours, measure).curves.mean(axis=0)
    other = read(theirs, measure).curves.mean(axis=0)
    return float((mine > other).mean())
