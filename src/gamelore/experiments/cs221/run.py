"""Learning by self-play, interrupted by tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from gamelore.experiments.cs221.settings import POINTS, Case, CS221Settings, config_for
from gamelore.experiments.statistics import Floats
from gamelore.experiments.sweep import graph_of, run_tasks, seed_for
from gamelore.learn.trainer import Trainer
from gamelore.match.batch import play_both_roles
from gamelore.search.evaluator import Evaluator, ZeroEvaluator
from gamelore.search.playouts import PlayoutEvaluator
from gamelore.values.evaluator import ValueFunctionEvaluator


@dataclass(frozen=True)
class Run:
    """One repetition of a case."""

    case: Case
    number: int


@dataclass(frozen=True)
class Course:
    """What became of all runs of a case: scores in per cent, a draw counting half."""

    case: Case
    against_random: Floats
    """float64 [runs, POINTS + 1]: before anything was learned, and at each point"""
    against_playouts: Floats
    """float64 [runs]: at the end, against Monte Carlo"""


def run_cases(
    cases: Sequence[Case],
    settings: CS221Settings,
    jobs: int = 1,
    advance: Callable[[int], None] = lambda matches: None,
) -> dict[Case, Course]:
    """All runs of all cases; what comes out does not depend on `jobs`."""
    tasks = [Run(case, number) for case in cases for number in range(settings.runs)]
    found = run_tasks(
        partial(run_once, settings=settings),
        tasks,
        jobs,
        lambda task: advance(task.case.matches),
    )
    courses = {}
    for i, case in enumerate(cases):
        own = np.stack(found[i * settings.runs : (i + 1) * settings.runs])
        courses[case] = Course(case, own[:, :-1], own[:, -1])
    return courses


def run_once(task: Run, settings: CS221Settings) -> Floats:
    """float64 [POINTS + 2]: the scores against the random player, then Monte Carlo."""
    case = task.case
    # The same seeds for all ways to learn a game, so that runs make pairs.
    seed = seed_for(settings.seed, case.game, task.number)
    trainer = Trainer(graph_of(case.game), config_for(case, settings, seed))
    scores = [_score(trainer, ZeroEvaluator(), settings, seed)]
    for point in range(POINTS):
        trainer.run(case.step)
        scores.append(_score(trainer, ZeroEvaluator(), settings, seed + point + 1))
    playouts = PlayoutEvaluator(settings.playouts, seed)
    scores.append(_score(trainer, playouts, settings, seed))
    return np.array(scores)


def _score(
    trainer: Trainer, other: Evaluator, settings: CS221Settings, seed: int
) -> float:
    """Per cent of test matches won, a draw counting half."""
    assert trainer.function is not None
    evaluator = ValueFunctionEvaluator(trainer.function)
    simulator = trainer.graph.simulator
    halves = play_both_roles(simulator, evaluator, other, settings.tests, seed=seed)
    points = sum(
        half.score(role) * len(half.rows)
        for role, half in enumerate(halves)
        if len(half.rows)
    )
    return 100.0 * points / settings.tests
