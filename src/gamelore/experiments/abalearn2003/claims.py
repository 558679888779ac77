"""What the paper says, beside what we measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gamelore.experiments.abalearn2003.games import Duel
from gamelore.experiments.abalearn2003.published import RISKY_LEVEL, TABLE_2
from gamelore.experiments.abalearn2003.run import AHEAD, LOST, WON, Course
from gamelore.experiments.abalearn2003.settings import (
    METHOD_I,
    METHOD_IA,
    METHOD_II,
    REFERENCES,
    TAUGHT,
    Case,
    Draws,
)
from gamelore.experiments.statistics import (
    Floats,
    Interval,
    difference_interval,
    judge_above,
    mean_interval,
)

CLOSE = 5.0
"""Points within which a number agrees with the paper's: its tests were 100 games."""

Courses = Mapping[Case, Course]


@dataclass(frozen=True)
class Number:
    """A number of the paper, and ours."""

    where: str
    what: str
    paper: float
    ours: Interval

    @property
    def verdict(self) -> str:
        gap = self.ours.mean - self.paper
        if abs(gap) <= CLOSE:
            return "agrees"
        if self.ours.low <= self.paper <= self.ours.high:
            return "not decided"
        return f"ours is {abs(gap):.1f} {'higher' if gap > 0 else 'lower'}"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, and what we found."""

    where: str
    text: str
    found: str
    verdict: str


def rates(course: Course, draws: Draws) -> Floats:
    """float64 [agents, points]: win rates in per cent, by what drawn games count."""
    scores = course.scores
    won = scores[:, :, WON]
    if draws == "stones":
        won = scores[:, :, AHEAD]
    elif draws == "half":
        won = won + (1 - won - scores[:, :, LOST]) / 2
    return np.asarray(100.0 * won)


def rate_at(course: Course, games: int, draws: Draws) -> Floats:
    """float64 [agents]: the win rate after so many games."""
    return np.asarray(rates(course, draws)[:, course.case.points.index(games)])


def numbers(courses: Courses, draws: Draws) -> list[Number]:
    """The numbers of the cases that were run."""
    return list(_numbers(courses, draws))


def _numbers(courses: Courses, draws: Draws) -> Iterator[Number]:
    for place, case in enumerate((METHOD_I, METHOD_IA)):
        if case in courses:
            for games, published in TABLE_2.items():
                ours = mean_interval(rate_at(courses[case], games, draws))
                what = f"{case.name} after {games:,} games"
                yield Number("Table 2", what, published[place], ours)
    riskiest = METHOD_II[-1.0]
    if riskiest in courses:
        ours = mean_interval(rates(courses[riskiest], draws)[:, -1])
        what = f"{riskiest.name} at the end"
        yield Number("Figure 5", what, RISKY_LEVEL, ours)


def claims(
    courses: Courses,
    references: Floats | None,
    duels: Sequence[Duel],
    draws: Draws,
) -> list[Claim]:
    """The statements about what was run."""
    found = [*_feature_claims(courses, draws), *_teacher_claims(courses, draws)]
    found += _risk_claims(courses, draws)
    if references is not None:
        found += _reference_claims(references)
    return [*found, *_duel_claims(duels)]


def _above(where: str, text: str, ours: Floats, theirs: Floats) -> Claim:
    gap = difference_interval(ours, theirs)
    return Claim(where, text, f"{gap} points", judge_above(gap))


def _feature_claims(courses: Courses, draws: Draws) -> Iterator[Claim]:
    if METHOD_I in courses and METHOD_IA in courses:
        for games in TABLE_2:
            ours = rate_at(courses[METHOD_IA], games, draws)
            theirs = rate_at(courses[METHOD_I], games, draws)
            text = f"features help: I(a) is above I after {games:,} games"
            yield _above("Table 2", text, ours, theirs)


def _teacher_claims(courses: Courses, draws: Draws) -> Iterator[Claim]:
    skilled, random = TAUGHT["heuristic"], TAUGHT["random"]
    if skilled in courses and random in courses:
        ours, theirs = (rates(courses[c], draws)[:, -1] for c in (skilled, random))
        text = "a skilled opponent teaches more than a random one"
        yield _above("Figure 3", text, ours, theirs)


def _risk_claims(courses: Courses, draws: Draws) -> Iterator[Claim]:
    ends = {
        risk: rates(courses[case], draws)[:, -1]
        for risk, case in METHOD_II.items()
        if case in courses
    }
    if 0.0 in ends:
        level = mean_interval(ends[0.0])
        text = "self-play fails for κ = 0: most games are not won"
        verdict = "holds" if level.high < 50 else "does not hold"
        verdict = "not decided" if level.low < 50 <= level.high else verdict
        yield Claim("Figure 4", text, f"{level} %", verdict)
        for risk in (-0.8, -1.0):
            if risk in ends:
                text = f"κ = {risk:g} is above κ = 0"
                yield _above("Figure 4", text, ends[risk], ends[0.0])
    riskiest = METHOD_II[-1.0]
    if riskiest in courses:
        curve = rates(courses[riskiest], draws)
        text = "κ = -1 improves with training"
        yield _above("Figure 5", text, curve[:, -1], curve[:, 0])


def _reference_claims(references: Floats) -> Iterator[Claim]:
    """Whether what was learned late beats what was learned early."""
    late, early = METHOD_I.points.index(REFERENCES[-1]), 0
    against_early = 100 * references[:, late, 0]
    against_late = 100 * references[:, early, -1]
    text = f"Net {REFERENCES[-1]:,} beats Net {REFERENCES[0]} more often than it loses"
    yield _above("Figure 2", text, against_early, against_late)


def _duel_claims(duels: Sequence[Duel]) -> Iterator[Claim]:
    for name in dict.fromkeys(duel.case.name for duel in duels):
        own = [duel for duel in duels if duel.case.name == name]
        lost = ", ".join(
            f"{d.lost} at depth {d.depth} ({d.reached:.1f} reached)" for d in own
        )
        text = f"{name} with one move ahead loses at most 2 stones to deep search"
        verdict = "holds" if max(d.lost for d in own) <= 2 else "does not hold"
        yield Claim("Table 3", text, f"stones lost: {lost}", verdict)
