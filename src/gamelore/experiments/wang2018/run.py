"""Training every learner against the random player."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from gamelore.experiments.statistics import Floats
from gamelore.experiments.sweep import Repetition, Sweep, load_graph, seed_for
from gamelore.experiments.wang2018.settings import WangCase
from gamelore.learn.config import TrainConfig
from gamelore.learn.trainer import Trainer


@dataclass(frozen=True)
class WangCaseResult:
    """The learning curves of all runs of a case, in per cent, by window."""

    case: WangCase
    wins: Floats
    """float64 [runs, windows]: matches won"""
    goals: Floats
    """float64 [runs, windows]: the mean goal; a draw counts half"""


def run_cases(
    cases: Sequence[WangCase], runs: int, seed: int, sweep: Sweep
) -> dict[WangCase, WangCaseResult]:
    """Return the learning curves of so many runs of every case."""
    work = partial(train, seed=seed)
    found = sweep.repeat(work, cases, runs, lambda case: case.matches)
    curves = {case: np.stack(own) for case, own in found.items()}
    return {case: WangCaseResult(case, c[:, 0], c[:, 1]) for case, c in curves.items()}


def train(run: Repetition[WangCase], seed: int) -> Floats:
    """Return the win rate and the mean goal in each window: float64 [2, windows]."""
    case = run.case
    graph = load_graph(case.game)
    config = TrainConfig(
        learner=case.learner,
        role="alternate",
        schedule=case.schedule,
        seed=seed_for(seed, case.name, run.number),
    )
    trainer = Trainer(graph, config)
    rewards = trainer.run(case.matches).rewards
    best = max(max(graph.simulator.goal_values[role]) for role in trainer.players)
    return average_windows(rewards, case.window, best)


def average_windows(rewards: Floats, window: int, best: float) -> Floats:
    """Return the per cent of matches won, and of the best goal: float64 [2, windows].

    rewards: float64 [matches], a whole number of windows
    """
    parts = rewards.reshape(-1, window)
    wins = 100.0 * (parts == best).mean(axis=1)
    return np.stack([wins, 100.0 * parts.mean(axis=1) / best])
