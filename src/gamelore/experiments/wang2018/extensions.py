"""Beyond the paper: what it takes to play perfectly, and what explains differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from gamelore.experiments.statistics import Interval, mean_interval
from gamelore.experiments.sweep import graph_of, run_tasks, seed_for
from gamelore.experiments.wang2018.analysis import Measure, final, read
from gamelore.experiments.wang2018.best_response import (
    Outcome,
    WholeGame,
    evaluate,
    greedy,
    over_seats,
    whole_game,
)
from gamelore.experiments.wang2018.published import ALL, Departures, play_course
from gamelore.experiments.wang2018.run import Floats, in_windows, run_cases
from gamelore.experiments.wang2018.settings import (
    EPSILON_LENGTH,
    LENGTHS,
    WINDOWS,
    Case,
    Cases,
)
from gamelore.learn.config import TrainConfig
from gamelore.learn.schedules import Cosine, Fixed, Schedule
from gamelore.learn.settings import QSettings
from gamelore.learn.trainer import Trainer

GAME = "tictactoe"

REACH = (50_000, 200_000, 1_000_000, 5_000_000)
"""Matches after which the greedy policy is looked at."""

PLAYOUTS = (1, 2, 5, 10, 20, 50, 100)
"""Playouts per move that are tried for the QM player."""

NESTED_PLAYOUTS = (1, 5, 20)
"""The same, for one that searches inside its playouts."""

ROUNDS = 3
"""Of what is only run here; its intervals are wide, and do for what it shows."""

VARIANTS = (
    Departures(),
    Departures(learns_waiting=True),
    Departures(tries_untried=True),
    Departures(learns_waiting=True, keys_successor=True),
    Departures(learns_waiting=True, keys_successor=True, doubles_goal=True),
    ALL,
)
"""What the published program does otherwise, added bit by bit."""

VARIANT_LENGTHS = (LENGTHS[0], LENGTHS[1], EPSILON_LENGTH, LENGTHS[-1])

Advance = Callable[[int], None]


@dataclass(frozen=True)
class Way:
    """A way to learn for longer, or otherwise."""

    name: str
    learner: QSettings
    epsilon: float
    """What exploration begins with; it decays by Equation 3 if `decays`."""
    decays: bool = True

    def schedule(self, matches: int) -> Schedule:
        return Cosine(matches, a=self.epsilon) if self.decays else Fixed(self.epsilon)


WAYS = (
    Way("the paper's settings", QSettings(), 0.5),
    Way("exploring from ε = 1", QSettings(), 1.0),
    Way("only exploring", QSettings(), 1.0, decays=False),
    Way("only exploring, α = 0.01", QSettings(step_size=0.01), 1.0, decays=False),
)


@dataclass(frozen=True)
class Reached:
    """How good the greedy policies were that learned in one way for so long."""

    way: Way
    matches: int
    outcomes: list[Outcome]


@dataclass(frozen=True)
class Variant:
    """Win rates of one version of the published program."""

    departures: Departures
    schedule: str
    level: Interval
    """Wins after match l, in per cent."""


@dataclass(frozen=True)
class Budget:
    """What the QM player does with so many playouts per move."""

    learner: QSettings
    start: Interval
    level: Interval


@dataclass(frozen=True)
class Beyond:
    """All that goes beyond the paper."""

    reached: list[Reached]
    variants: list[Variant]
    budgets: list[Budget]


@dataclass(frozen=True)
class _Course:
    """A course of the published program."""

    departures: Departures
    schedule: Schedule
    label: str
    window: int
    number: int

    @property
    def matches(self) -> int:
        return self.window * (WINDOWS + WINDOWS // 2)


@dataclass(frozen=True)
class _Climb:
    """A course of learning, ended after so many matches."""

    way: Way
    matches: int
    number: int


def go_beyond(cases: Cases, jobs: int, advance: Advance) -> Beyond:
    """Run everything that goes beyond the paper."""
    return Beyond(
        reached=_reach(cases, jobs, advance),
        variants=_try_variants(cases, jobs, advance),
        budgets=_try_budgets(cases, jobs, advance),
    )


def matches_beyond(cases: Cases) -> int:
    """How many matches that takes."""
    climbs = sum(climb.matches for climb in _climbs(cases))
    courses = sum(course.matches for course in _courses(cases))
    budgets = sum(case.matches for case in _budgets(cases))
    return climbs + courses + ROUNDS * budgets


# ── reaching the best response ──────────────────────────────────────────────────────


def _climbs(cases: Cases) -> list[_Climb]:
    return [
        _Climb(way, cases.scaled(matches), number)
        for matches in reversed(REACH)
        for way in WAYS
        for number in range(ROUNDS)
    ]


def _reach(cases: Cases, jobs: int, advance: Advance) -> list[Reached]:
    climbs = _climbs(cases)
    work = partial(_climb, seed=cases.settings.seed)
    outcomes = run_tasks(work, climbs, jobs, lambda climb: advance(climb.matches))
    found = dict(zip(climbs, outcomes, strict=True))
    return [
        Reached(way, length, [found[_Climb(way, length, n)] for n in range(ROUNDS)])
        for way in WAYS
        for length in map(cases.scaled, REACH)
    ]


def _climb(climb: _Climb, seed: int) -> Outcome:
    """Learn, then work out exactly how good the greedy policy is."""
    game = _whole(GAME)
    config = TrainConfig(
        learner=climb.way.learner,
        role="alternate",
        schedule=climb.way.schedule(climb.matches),
        seed=seed_for(seed, climb.way.name, climb.matches, climb.number),
    )
    trainer = Trainer(game.graph, config)
    trainer.run(climb.matches)
    return over_seats(
        [
            evaluate(game, role, greedy(game.graph, table))
            for role, table in trainer.tables.items()
        ]
    )


@cache
def _whole(game: str) -> WholeGame:
    return whole_game(graph_of(game))


# ── the published program ───────────────────────────────────────────────────────────


def _courses(cases: Cases) -> list[_Course]:
    found: list[tuple[Departures, Schedule, str, int]] = []
    for departures in VARIANTS:
        for length in VARIANT_LENGTHS:
            scaled = cases.scaled(length)
            label = f"l = {length:,}"
            found.append((departures, Cosine(scaled), label, scaled // WINDOWS))
    for departures in (VARIANTS[0], ALL):
        scaled = cases.scaled(EPSILON_LENGTH)
        for epsilon in (0.1, 0.2):
            schedule = Fixed(epsilon, until=scaled)
            label = f"fixed {epsilon:g}"
            found.append((departures, schedule, label, scaled // WINDOWS))
    return [_Course(*course, number) for course in found for number in range(ROUNDS)]


def _try_variants(cases: Cases, jobs: int, advance: Advance) -> list[Variant]:
    courses = _courses(cases)
    work = partial(_play_published, seed=cases.settings.seed)
    found = run_tasks(work, courses, jobs, lambda course: advance(course.matches))
    variants = []
    for first in range(0, len(courses), ROUNDS):
        course = courses[first]
        levels = [wins[0, WINDOWS:].mean() for wins in found[first : first + ROUNDS]]
        level = mean_interval(np.array(levels))
        variants.append(Variant(course.departures, course.label, level))
    return variants


def _play_published(course: _Course, seed: int) -> Floats:
    game = _whole(GAME)
    name = f"{course.departures} {course.label}"
    own = seed_for(seed, name, course.number)
    goals = play_course(game, course.departures, course.schedule, course.matches, own)
    return in_windows(goals, course.window, 100.0)


# ── playouts ────────────────────────────────────────────────────────────────────────


def _budgets(cases: Cases) -> list[Case]:
    length = cases.scaled(LENGTHS[0])
    flat = [(f"qm with {n}", QSettings(playouts=n)) for n in PLAYOUTS]
    nested = [
        (f"qm with {n}, nested", QSettings(playouts=n, level=2))
        for n in NESTED_PLAYOUTS
    ]
    return [
        Case(name, GAME, length, learner, Cosine(length))
        for name, learner in flat + nested
    ]


def _try_budgets(cases: Cases, jobs: int, advance: Advance) -> list[Budget]:
    wanted = _budgets(cases)
    courses = run_cases(wanted, ROUNDS, cases.settings.seed, jobs, advance)
    return [
        Budget(
            case.learner,
            mean_interval(read(courses[case], Measure.WINS).start),
            mean_interval(final(courses[case], Measure.WINS)),
        )
        for case in wanted
        if isinstance(case.learner, QSettings)
    ]
