"""Running courses of learning, each as often as there are rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from gamelore.experiments.sweep import graph_of, run_tasks, seed_for
from gamelore.experiments.wang2018.settings import Case
from gamelore.learn.config import TrainConfig
from gamelore.learn.trainer import Trainer

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Round:
    """One repetition of a course of learning."""

    case: Case
    number: int


@dataclass(frozen=True)
class Course:
    """What became of all rounds of a case, in per cent, window by window."""

    case: Case
    wins: Floats
    """float64 [rounds, windows]: matches won"""
    goals: Floats
    """float64 [rounds, windows]: the mean goal; a draw counts half"""


def run_cases(
    cases: Sequence[Case],
    rounds: int,
    seed: int,
    jobs: int = 1,
    advance: Callable[[int], None] = lambda matches: None,
) -> dict[Case, Course]:
    """All rounds of all cases; what comes out does not depend on `jobs`."""
    tasks = [Round(case, number) for case in cases for number in range(rounds)]
    found = run_tasks(
        partial(run_round, seed=seed),
        tasks,
        jobs,
        lambda task: advance(task.case.matches),
    )
    courses = {}
    for i, case in enumerate(cases):
        own = np.stack(found[i * rounds : (i + 1) * rounds])
        courses[case] = Course(case, own[:, 0], own[:, 1])
    return courses


def run_round(task: Round, seed: int) -> Floats:
    """float64 [2, windows]: the wins and the mean goal in each window."""
    case = task.case
    graph = graph_of(case.game)
    config = TrainConfig(
        learner=case.learner,
        role="alternate",
        schedule=case.schedule,
        seed=seed_for(seed, case.name, task.number),
    )
    trainer = Trainer(graph, config)
    rewards = trainer.run(case.matches).rewards
    best = max(max(graph.simulator.goal_values[role]) for role in trainer.players)
    return in_windows(rewards, case.window, best)


def in_windows(rewards: Floats, window: int, best: float) -> Floats:
    """float64 [2, windows]: per cent of matches won, and the mean goal, in windows."""
    parts = rewards.reshape(-1, window)
    wins = 100.0 * (parts == best).mean(axis=1)
    return np.stack([wins, 100.0 * parts.mean(axis=1) / best])
