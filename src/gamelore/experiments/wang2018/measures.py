"""Learning curves by four measures: levels, starts, drifts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from gamelore.experiments.statistics import Floats, Interval, mean_interval
from gamelore.experiments.wang2018.run import WangCaseResult
from gamelore.experiments.wang2018.settings import WINDOWS

_THIRD = WINDOWS // 6  # windows in a third of the part without exploration


class Measure(Enum):
    """What a "win rate" may be; the value is how reports call it."""

    WINS = "win rate, in a window"
    WINS_SO_FAR = "win rate, since the first match"
    GOAL = "mean goal, in a window"
    GOAL_SO_FAR = "mean goal, since the first match"


@dataclass(frozen=True)
class MeasuredCurves:
    """The learning curves of a case by one measure, in per cent."""

    curves: Floats
    """float64 [runs, windows]"""

    @property
    def level(self) -> Floats:
        """float64 [runs]: the mean over all windows without exploration"""
        return np.asarray(self.curves[:, WINDOWS:].mean(axis=1))

    @property
    def end(self) -> Floats:
        """float64 [runs]: the last window"""
        return np.asarray(self.curves[:, -1])

    @property
    def start(self) -> Floats:
        """float64 [runs]: the first window"""
        return np.asarray(self.curves[:, 0])

    @property
    def at_length(self) -> Floats:
        """float64 [runs]: the last window with exploration"""
        return np.asarray(self.curves[:, WINDOWS - 1])

    @property
    def drift(self) -> Floats:
        """float64 [runs]: what is still gained once exploration has ended"""
        late = self.curves[:, -_THIRD:].mean(axis=1)
        early = self.curves[:, WINDOWS : WINDOWS + _THIRD].mean(axis=1)
        return np.asarray(late - early)


def measure_curves(result: WangCaseResult, measure: Measure) -> MeasuredCurves:
    """Return the learning curves of a case by one measure."""
    by_goal = measure in (Measure.GOAL, Measure.GOAL_SO_FAR)
    curves = result.goals if by_goal else result.wins
    if measure in (Measure.WINS_SO_FAR, Measure.GOAL_SO_FAR):
        curves = curves.cumsum(axis=1) / np.arange(1, curves.shape[1] + 1)
    return MeasuredCurves(curves)


def find_ends(result: WangCaseResult, measure: Measure) -> Floats:
    """Return where a case ends up by a measure: float64 [runs].

    In windows that is the level without exploration; an average since the first match
    is taken at the last one.
    """
    curves = measure_curves(result, measure)
    in_windows = measure in (Measure.WINS, Measure.GOAL)
    return curves.level if in_windows else curves.end


def end_intervals(result: WangCaseResult) -> dict[str, Interval]:
    """Return where a case ends up, by the name of the measure."""
    return {m.value: mean_interval(find_ends(result, m)) for m in Measure}


def share_above(ours: WangCaseResult, theirs: WangCaseResult) -> float:
    """Return the share of windows in which our mean win rate is above theirs."""
    return float((ours.wins.mean(axis=0) > theirs.wins.mean(axis=0)).mean())
