"""Beyond the paper: what it takes to play perfectly, and what explains differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from gamelore.experiments.statistics import Floats, Interval, mean_interval
from gamelore.experiments.sweep import Repetition, Sweep, load_graph, seed_for
from gamelore.experiments.wang2018.best_response import (
    PolicyScore,
    WholeGame,
    average_scores,
    evaluate_policy,
    explore_game,
    make_greedy,
)
from gamelore.experiments.wang2018.measures import Measure, measure_curves
from gamelore.experiments.wang2018.published_program import (
    ALL,
    Departures,
    play_program,
)
from gamelore.experiments.wang2018.run import average_windows, run_cases
from gamelore.experiments.wang2018.settings import (
    EPSILON_LENGTH,
    LENGTHS,
    WINDOWS,
    WangCase,
    WangCases,
)
from gamelore.learn.config import TrainConfig
from gamelore.learn.schedules import Cosine, Fixed, Schedule
from gamelore.learn.settings import QSettings
from gamelore.learn.trainer import Trainer

GAME = "tictactoe"

REACH = (50_000, 200_000, 1_000_000, 5_000_000)
"""Training matches after which the greedy policy is evaluated."""

PLAYOUTS = (1, 2, 5, 10, 20, 50, 100)
"""Playouts per move that are tried for QMPlayer."""

NESTED_PLAYOUTS = (1, 5, 20)
"""The same, for one that searches inside its playouts."""

RUNS = 3
"""Of each extension; intervals are large, and enough for what they show."""

PROGRAMS = (
    Departures(),
    Departures(learns_waiting=True),
    Departures(tries_untried=True),
    Departures(learns_waiting=True, keys_successor=True),
    Departures(learns_waiting=True, keys_successor=True, doubles_goal=True),
    ALL,
)
"""Algorithm 1 with the departures of the published program added one by one."""

PROGRAM_LENGTHS = (LENGTHS[0], LENGTHS[1], EPSILON_LENGTH, LENGTHS[-1])


@dataclass(frozen=True)
class ReachCase:
    """A learner that is trained for a long time, and then evaluated exactly."""

    name: str
    learner: QSettings
    epsilon: float
    """Of the first match; it decays by Equation 3 if `decays`."""
    decays: bool
    matches: int

    @property
    def schedule(self) -> Schedule:
        """Its exploration."""
        if self.decays:
            return Cosine(self.matches, a=self.epsilon)
        return Fixed(self.epsilon)


@dataclass(frozen=True)
class ReachResult:
    """The exact scores of the greedy policies that were learned."""

    case: ReachCase
    scores: list[PolicyScore]


@dataclass(frozen=True)
class ProgramCase:
    """A training run of the published program."""

    departures: Departures
    schedule: Schedule
    label: str
    window: int

    @property
    def matches(self) -> int:
        """Matches of a training run."""
        return self.window * (WINDOWS + WINDOWS // 2)


@dataclass(frozen=True)
class ProgramResult:
    """The level of one version of the published program."""

    case: ProgramCase
    level: Interval
    """Wins after match l, in per cent."""


@dataclass(frozen=True)
class PlayoutResult:
    """Win rates of QMPlayer with so many playouts per move."""

    learner: QSettings
    start: Interval
    level: Interval


@dataclass(frozen=True)
class WangExtensions:
    """All that goes beyond the paper."""

    reached: Sequence[ReachResult]
    programs: Sequence[ProgramResult]
    playouts: Sequence[PlayoutResult]


def run_extensions(cases: WangCases, sweep: Sweep) -> WangExtensions:
    """Run everything that goes beyond the paper."""
    return WangExtensions(
        reached=_run_reach(cases, sweep),
        programs=_run_programs(cases, sweep),
        playouts=_run_playouts(cases, sweep),
    )


def count_extension_matches(cases: WangCases) -> int:
    """Return how many matches that takes."""
    groups = (_reach_cases(cases), _program_cases(cases), _playout_cases(cases))
    return RUNS * sum(case.matches for group in groups for case in group)


# ── reaching the best response ──────────────────────────────────────────────────────


def _reach_cases(cases: WangCases) -> list[ReachCase]:
    learners = (
        ("the paper's settings", QSettings(), 0.5, True),
        ("exploring from ε = 1", QSettings(), 1.0, True),
        ("only exploring", QSettings(), 1.0, False),
        ("only exploring, α = 0.01", QSettings(step_size=0.01), 1.0, False),
    )
    return [
        ReachCase(*learner, cases.scale_length(matches))
        for learner in learners
        for matches in REACH
    ]


def _run_reach(cases: WangCases, sweep: Sweep) -> list[ReachResult]:
    wanted = sorted(_reach_cases(cases), key=lambda case: -case.matches)
    work = partial(_train_long, seed=cases.settings.seed)
    found = sweep.repeat(work, wanted, RUNS, lambda case: case.matches)
    return [ReachResult(case, found[case]) for case in _reach_cases(cases)]


def _train_long(run: Repetition[ReachCase], seed: int) -> PolicyScore:
    """Return the exact score of the greedy policy after training, over both roles."""
    game, case = _explore(GAME), run.case
    config = TrainConfig(
        learner=case.learner,
        role="alternate",
        schedule=case.schedule,
        seed=seed_for(seed, case.name, case.matches, run.number),
    )
    trainer = Trainer(game.graph, config)
    trainer.run(case.matches)
    return average_scores(
        [
            evaluate_policy(game, role, make_greedy(game.graph, table))
            for role, table in trainer.tables.items()
        ]
    )


@cache
def _explore(game: str) -> WholeGame:
    return explore_game(load_graph(game))


# ── the published program ───────────────────────────────────────────────────────────


def _program_cases(cases: WangCases) -> list[ProgramCase]:
    found = []
    for departures in PROGRAMS:
        for length in PROGRAM_LENGTHS:
            end = cases.scale_length(length)
            label = f"l = {length:,}"
            found.append(ProgramCase(departures, Cosine(end), label, end // WINDOWS))
    for departures in (PROGRAMS[0], ALL):
        end = cases.scale_length(EPSILON_LENGTH)
        for epsilon in (0.1, 0.2):
            schedule, label = Fixed(epsilon, until=end), f"fixed {epsilon:g}"
            found.append(ProgramCase(departures, schedule, label, end // WINDOWS))
    return found


def _run_programs(cases: WangCases, sweep: Sweep) -> list[ProgramResult]:
    work = partial(_play_program, seed=cases.settings.seed)
    wanted = _program_cases(cases)
    found = sweep.repeat(work, wanted, RUNS, lambda case: case.matches)
    levels = {
        case: np.array([wins[0, WINDOWS:].mean() for wins in own])
        for case, own in found.items()
    }
    return [ProgramResult(case, mean_interval(levels[case])) for case in wanted]


def _play_program(run: Repetition[ProgramCase], seed: int) -> Floats:
    case = run.case
    own = seed_for(seed, f"{case.departures} {case.label}", run.number)
    game = _explore(GAME)
    goals = play_program(game, case.departures, case.schedule, case.matches, own)
    return average_windows(goals, case.window, 100.0)


# ── playouts ────────────────────────────────────────────────────────────────────────


def _playout_cases(cases: WangCases) -> list[WangCase]:
    length = cases.scale_length(LENGTHS[0])
    flat = [(f"qm with {n}", QSettings(playouts=n)) for n in PLAYOUTS]
    nested = [
        (f"qm with {n}, nested", QSettings(playouts=n, level=2))
        for n in NESTED_PLAYOUTS
    ]
    return [
        WangCase(name, GAME, length, learner, Cosine(length))
        for name, learner in flat + nested
    ]


def _run_playouts(cases: WangCases, sweep: Sweep) -> list[PlayoutResult]:
    wanted = _playout_cases(cases)
    results = run_cases(wanted, RUNS, cases.settings.seed, sweep)
    curves = {case: measure_curves(results[case], Measure.WINS) for case in wanted}
    return [
        PlayoutResult(case.learner, mean_interval(own.start), mean_interval(own.level))
        for case, own in curves.items()
        if isinstance(case.learner, QSettings)
    ]
