"""Training by self-play, interrupted by test matches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from gamelore.experiments.cs221.settings import (
    POINTS,
    CS221Case,
    CS221Settings,
    list_cases,
    make_config,
)
from gamelore.experiments.statistics import Floats
from gamelore.experiments.sweep import Repetition, Sweep, load_graph, seed_for
from gamelore.learn.trainer import Trainer
from gamelore.match.batch import play_both_roles
from gamelore.search.evaluator import Evaluator, ZeroEvaluator
from gamelore.search.playouts import PlayoutEvaluator
from gamelore.values.evaluator import ValueFunctionEvaluator


@dataclass(frozen=True)
class CS221CaseResult:
    """The scores of all runs of a case, in per cent, a draw counting half."""

    case: CS221Case
    against_random: Floats
    """float64 [runs, POINTS + 1]: before any training, and at each point"""
    against_playouts: Floats
    """float64 [runs]: at the end, against Monte Carlo"""


def count_matches(settings: CS221Settings) -> int:
    """Return how many training matches the settings ask for."""
    return settings.runs * sum(case.matches for case in list_cases(settings))


def run_cases(settings: CS221Settings, sweep: Sweep) -> list[CS221CaseResult]:
    """Train and test every learner of every game."""
    work = partial(train, settings=settings)
    cases = list_cases(settings)
    found = sweep.repeat(work, cases, settings.runs, lambda case: case.matches)
    scores = {case: np.stack(runs) for case, runs in found.items()}
    return [CS221CaseResult(case, s[:, :-1], s[:, -1]) for case, s in scores.items()]


def train(run: Repetition[CS221Case], settings: CS221Settings) -> Floats:
    """Return the scores of one run against the random player, then Monte Carlo.

    float64 [POINTS + 2]
    """
    case = run.case
    # The same seeds for all learners of a game, so that runs make pairs.
    seed = seed_for(settings.seed, case.game, run.number)
    trainer = Trainer(load_graph(case.game), make_config(case, settings, seed))
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
    """Return the per cent of test matches won, a draw counting half."""
    assert trainer.function is not None
    own = ValueFunctionEvaluator(trainer.function)
    simulator = trainer.graph.simulator
    halves = play_both_roles(simulator, own, other, settings.tests, seed=seed)
    points = sum(
        half.score(role) * len(half.rows)
        for role, half in enumerate(halves)
        if len(half.rows)
    )
    return 100.0 * points / settings.tests
