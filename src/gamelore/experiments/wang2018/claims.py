"""What the paper says, beside what we measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from gamelore.experiments.statistics import (
    Interval,
    difference_interval,
    judge_above,
    mean_interval,
)
from gamelore.experiments.wang2018.analysis import Measure, final, read, share_above
from gamelore.experiments.wang2018.run import Course, Floats
from gamelore.experiments.wang2018.settings import (
    BOARD_LENGTH,
    BOARDS,
    EPSILON_LENGTH,
    GAMES,
    LENGTHS,
    Case,
    Cases,
)

CLOSE = 2.0
"""Points within which a number agrees with one read off a figure."""

STEADY = 1.0
"""Points that a player that has converged may still gain or lose."""

Q_LEVELS = dict(zip(LENGTHS, (55.0, 80.0, 86.0, 86.5, 86.5, 86.5), strict=True))
QM_START, QM_AT_LENGTH, QM_SHORT_LEVEL, QM_END = 67.0, 84.0, 85.0, 87.5
TD_LEVEL = 75.5
ABOVE_FIXED = {0.1: 4.0, 0.2: 7.0}

Courses = Mapping[Case, Course]


@dataclass(frozen=True)
class Number:
    """A number of the paper, and ours by each measure."""

    figure: int
    what: str
    paper: float
    ours: tuple[Interval, ...]
    """In the order of `Measure`."""
    fits: bool = True
    """Whether it helps to tell which measure the paper used: its own levels do."""
    at_least: bool = False
    """Whether the paper says that it is at least this much."""

    @property
    def verdict(self) -> str:
        """By the win rate in windows."""
        interval = self.ours[0]
        gap = interval.mean - self.paper
        if abs(gap) <= CLOSE or interval.low <= self.paper <= interval.high:
            return "agrees"
        if self.at_least and gap > 0:
            return f"agrees: ours is {gap:.1f} higher"
        return f"ours is {abs(gap):.1f} {'higher' if gap > 0 else 'lower'}"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper without a number, and what we found."""

    figure: int
    text: str
    found: str
    verdict: str


def numbers(cases: Cases, courses: Courses) -> list[Number]:
    """The numbers of the figures that were run."""
    return [*_epsilon_numbers(cases, courses), *_length_numbers(cases, courses)]


def claims(cases: Cases, courses: Courses) -> list[Claim]:
    """The statements about the figures that were run."""
    makers = (_epsilon_claims, _baseline_claims, _game_claims, _board_claims)
    found = [claim for maker in makers for claim in maker(cases, courses)]
    return [*found, *_length_claims(cases, courses)]


def best_fit(numbers: list[Number]) -> list[tuple[Measure, float]]:
    """How far each measure is from the paper's levels on average, nearest first."""
    gaps = [
        [abs(interval.mean - number.paper) for interval in number.ours]
        for number in numbers
        if number.fits
    ]
    means = np.mean(gaps, axis=0) if gaps else []
    return sorted(zip(Measure, map(float, means), strict=False), key=lambda m: m[1])


# ── numbers ─────────────────────────────────────────────────────────────────────────


def _epsilon_numbers(cases: Cases, courses: Courses) -> Iterator[Number]:
    dynamic = courses.get(cases.q_player(EPSILON_LENGTH))
    for epsilon, above in ABOVE_FIXED.items():
        fixed = courses.get(cases.fixed(epsilon))
        if dynamic and fixed:
            gaps = tuple(
                difference_interval(final(dynamic, m), final(fixed, m)) for m in Measure
            )
            what = f"dynamic ε ends above fixed {epsilon} by"
            yield Number(2, what, above, gaps, fits=False)
    baseline = courses.get(cases.td_player())
    if baseline:
        yield Number(3, "the TD(λ) player levels at", TD_LEVEL, _by_measure(baseline))
    from_zero = courses.get(cases.td_player(0.0))
    if from_zero:
        what = "… if its table begins at 0, as a Q table does"
        yield Number(3, what, TD_LEVEL, _by_measure(from_zero), fits=False)


def _length_numbers(cases: Cases, courses: Courses) -> Iterator[Number]:
    for length, level in Q_LEVELS.items():
        course = courses.get(cases.q_player(length))
        if course and cases.qm_player(length) in courses:
            what = f"QPlayer levels at, l = {length:,}"
            yield Number(6, what, level, _by_measure(course))
    shortest = courses.get(cases.qm_player(LENGTHS[0]))
    if shortest:
        yield Number(6, "QMPlayer starts at", QM_START, _starts(shortest))
        at_length = tuple(
            mean_interval(read(shortest, measure).at_length) for measure in Measure
        )
        what = f"QMPlayer at match {LENGTHS[0]:,}"
        yield Number(6, what, QM_AT_LENGTH, at_length)
        what = f"QMPlayer levels at, l = {LENGTHS[0]:,}"
        yield Number(6, what, QM_SHORT_LEVEL, _by_measure(shortest))
    longest = courses.get(cases.qm_player(LENGTHS[-1]))
    if longest:
        what = f"QMPlayer levels at, at least, l = {LENGTHS[-1]:,}"
        yield Number(6, what, QM_END, _by_measure(longest), at_least=True)


def _by_measure(course: Course) -> tuple[Interval, ...]:
    return tuple(mean_interval(final(course, measure)) for measure in Measure)


def _starts(course: Course) -> tuple[Interval, ...]:
    return tuple(mean_interval(read(course, measure).start) for measure in Measure)


# ── statements ──────────────────────────────────────────────────────────────────────


def _level(course: Course) -> Floats:
    return final(course, Measure.WINS)


def _above(figure: int, text: str, ours: Floats, theirs: Floats) -> Claim:
    gap = difference_interval(ours, theirs)
    return Claim(figure, text, f"{gap} points", judge_above(gap))


def _epsilon_claims(cases: Cases, courses: Courses) -> Iterator[Claim]:
    dynamic = courses.get(cases.q_player(EPSILON_LENGTH))
    fixed = {epsilon: courses.get(cases.fixed(epsilon)) for epsilon in ABOVE_FIXED}
    less, more = fixed[0.1], fixed[0.2]
    if dynamic and less and more:
        for epsilon, course in ((0.1, less), (0.2, more)):
            text = f"dynamic ε ends above fixed {epsilon}"
            yield _above(2, text, _level(dynamic), _level(course))
        text = "fixed 0.1 ends above fixed 0.2"
        yield _above(2, text, _level(less), _level(more))


def _baseline_claims(cases: Cases, courses: Courses) -> Iterator[Claim]:
    dynamic = courses.get(cases.q_player(EPSILON_LENGTH))
    baseline = courses.get(cases.td_player())
    if dynamic and baseline:
        text = "the TD(λ) player is ahead at first"
        starts = (read(course, Measure.WINS).start for course in (baseline, dynamic))
        yield _above(3, text, *starts)
        text = "dynamic ε ends above the TD(λ) player"
        yield _above(3, text, _level(dynamic), _level(baseline))
        from_zero = courses.get(cases.td_player(0.0))
        if from_zero:
            text = "… above one whose table begins at 0"
            yield _above(3, text, _level(dynamic), _level(from_zero))


def _game_claims(cases: Cases, courses: Courses) -> Iterator[Claim]:
    for game, length in GAMES.items():
        course = courses.get(cases.q_player(length, game))
        if course:
            yield _steadiness(4, f"the win rate converges in {game}", course)


def _board_claims(cases: Cases, courses: Courses) -> Iterator[Claim]:
    found = [courses.get(cases.q_player(BOARD_LENGTH, board)) for board in BOARDS]
    if not all(cases.q_player(BOARD_LENGTH, board) in courses for board in BOARDS):
        return
    small, *larger = (course for course in found if course)
    for board, course in zip(BOARDS[1:], larger, strict=True):
        text = f"QPlayer does worse in {board} than in {BOARDS[0]}"
        yield _above(5, text, _level(small), _level(course))
    for board, course in zip(BOARDS[1:], larger, strict=True):
        text = f"it does not converge in {board}"
        steady = _steadiness(5, text, course)
        unsteady = {
            "holds": "not as stated: it levels off, but low",
            "does not hold": "holds",
        }
        yield replace(steady, verdict=unsteady[steady.verdict])


def _steadiness(figure: int, text: str, course: Course) -> Claim:
    """Whether the win rate stays where it is once exploration has ended."""
    drift = mean_interval(read(course, Measure.WINS).drift)
    level = mean_interval(_level(course))
    found = f"level {level}; gains {drift} points more after match l"
    steady = abs(drift.mean) < STEADY
    return Claim(figure, text, found, "holds" if steady else "does not hold")


def _length_claims(cases: Cases, courses: Courses) -> Iterator[Claim]:
    players: tuple[Callable[[int], Case], ...] = (cases.q_player, cases.qm_player)
    wanted = {
        (p, length): player(length)
        for p, player in enumerate(players)
        for length in LENGTHS
    }
    if not all(case in courses for case in wanted.values()):
        return
    for length in LENGTHS:
        q, qm = (courses[wanted[p, length]] for p in (0, 1))
        share = share_above(qm, q, Measure.WINS)
        claim = _above(
            6, f"QMPlayer ends above QPlayer, l = {length:,}", _level(qm), _level(q)
        )
        found = f"{claim.found}; above in {share:.0%} of all windows"
        yield Claim(6, claim.text, found, claim.verdict)
    q, qm = (courses[wanted[p, LENGTHS[0]]] for p in (0, 1))
    starts = (read(course, Measure.WINS).start for course in (qm, q))
    yield _above(6, "QMPlayer starts above QPlayer", *starts)
    low, high = (_level(courses[wanted[0, length]]) for length in LENGTHS[-3::2])
    gain = difference_interval(high, low)
    text = f"QPlayer gains nothing from l = {LENGTHS[-3]:,} to {LENGTHS[-1]:,}"
    verdict = "does not hold" if gain.low > 0 else "no difference shown"
    yield Claim(7, text, f"{gain} points", verdict)
    spread = [
        float(_level(courses[wanted[0, length]]).std(ddof=1))
        for length in (LENGTHS[0], LENGTHS[-1])
    ]
    found = f"standard deviation {spread[0]:.2f} → {spread[1]:.2f}"
    smaller = "holds" if spread[1] < spread[0] else "does not hold"
    yield Claim(7, "QPlayer's rounds differ less as l grows", found, smaller)
