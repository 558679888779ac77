"""Training agents, and testing them on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator, Simulator
from gamelore.experiments.abalearn2003.settings import (
    DISCOUNT,
    Abalearn2003Settings,
    Case,
    Lesson,
    config_for,
)
from gamelore.experiments.statistics import Floats
from gamelore.experiments.sweep import run_tasks, seed_for
from gamelore.games import load, load_features
from gamelore.gdl import to_kif
from gamelore.graph import StateGraph
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.trainer import Trainer
from gamelore.match.batch import BatchResult, play_both_roles
from gamelore.search.alpha_beta import AlphaBetaPlayer
from gamelore.search.evaluator import Evaluator, FeatureEvaluator, HeuristicEvaluator
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import ValueFunction, Weights

WON, LOST, AHEAD, BEHIND, STONES = range(5)
"""Columns of scores: the share of test games won and lost by six stones; in which more
stones were pushed off than lost, and fewer; and the mean of that difference."""


@dataclass(frozen=True)
class Agent:
    """One agent to be trained."""

    case: Case
    number: int


@dataclass(frozen=True)
class Trained:
    """What became of an agent."""

    scores: Floats
    """float64 [points, 5]: against the heuristic player"""
    weights: tuple[Weights, ...]
    """Of the network at each point."""


@dataclass(frozen=True)
class Course:
    """What became of all agents of a case."""

    case: Case
    agents: tuple[Trained, ...]

    @property
    def scores(self) -> Floats:
        """float64 [agents, points, 5]"""
        return np.stack([agent.scores for agent in self.agents])


def run_cases(
    cases: Sequence[Case],
    settings: Abalearn2003Settings,
    jobs: int = 1,
    advance: Callable[[int], None] = lambda games: None,
) -> dict[Case, Course]:
    """All agents of all cases; what comes out does not depend on `jobs`."""
    tasks = [Agent(case, number) for case in cases for number in range(settings.agents)]
    found = run_tasks(
        partial(train, settings=settings),
        tasks,
        jobs,
        lambda task: advance(settings.scaled(task.case.games)),
    )
    count = settings.agents
    return {
        case: Course(case, tuple(found[i * count : (i + 1) * count]))
        for i, case in enumerate(cases)
    }


def train(task: Agent, settings: Abalearn2003Settings) -> Trained:
    """Train one agent, and test it at the points of its case."""
    case = task.case
    seed = seed_for(settings.seed, case.name, task.number)
    heuristic = FeatureEvaluator("heuristic")
    scores, kept = [], []
    for function in _stages(case, settings, seed):
        outcomes = meet(ValueFunctionEvaluator(function), heuristic, settings, seed)
        scores.append(score(simulator_of(settings.game, case.features), outcomes))
        kept.append(function.weights())
    return Trained(np.array(scores), tuple(kept))


def _stages(
    case: Case, settings: Abalearn2003Settings, seed: int
) -> Iterator[ValueFunction]:
    """The network at each point of its training."""
    done = 0
    weights: Weights | None = None
    for number, lesson in enumerate(case.lessons):
        trainer = _course(case, lesson, settings, seed + number)
        assert trainer.function is not None
        if weights is not None:
            trainer.function.load(weights)
        for point in case.points:
            if done < point <= done + lesson.games:
                # Short runs may have several points at one number of games.
                wanted = settings.scaled(point) - settings.scaled(done)
                trainer.run(max(0, wanted - trainer.matches))
                yield trainer.function
        done += lesson.games
        weights = trainer.function.weights()


def _course(
    case: Case, lesson: Lesson, settings: Abalearn2003Settings, seed: int
) -> Trainer:
    simulator = simulator_of(settings.game, case.features)
    config = config_for(case, lesson.opponent, settings, seed)
    if lesson.opponent != "heuristic" or settings.teacher_depth == 1:
        return Trainer(StateGraph(simulator), config)
    players = {
        role: AlphaBetaPlayer(HeuristicEvaluator(), settings.teacher_depth, seed)
        for role in simulator.roles
    }
    return MatchTrainer(StateGraph(simulator), config, opponents=players)


def meet(
    evaluator: Evaluator, other: Evaluator, settings: Abalearn2003Settings, seed: int
) -> tuple[BatchResult, BatchResult]:
    """Test games between two who look one move ahead, half from each seat."""
    simulator = simulator_of(settings.game, "heuristic")
    return play_both_roles(
        simulator, evaluator, other, settings.tests, seed=seed, opening=settings.opening
    )


def score(simulator: Simulator, outcomes: tuple[BatchResult, BatchResult]) -> Floats:
    """float64 [5]: how an agent fared, as the first role and as the second.

    The simulator counts lost stones.
    """
    parts = []
    for role, half in enumerate(outcomes):
        ahead = _lead(simulator, half, role)
        goals = half.goals[:, role]
        columns = goals == 100, goals == 0, ahead > 0, ahead < 0, ahead
        parts.append(np.stack(columns, axis=1).astype(np.float64))
    return np.asarray(np.concatenate(parts).mean(axis=0))


def _lead(
    simulator: Simulator, outcomes: BatchResult, role: int
) -> npt.NDArray[np.float32]:
    """float32 [n]: stones pushed off less stones lost."""
    names = [to_kif(name) for name in simulator.feature_names]
    counts = simulator.feature_counts(outcomes.rows, role)
    lead = counts[:, names.index("(lost other)")] - counts[:, names.index("(lost own)")]
    return np.asarray(lead)


def network(
    case: Case, settings: Abalearn2003Settings, weights: Weights
) -> ValueFunction:
    """A network of an agent as it was."""
    config = config_for(case, "self", settings, 0)
    assert config.function is not None
    graph = StateGraph(simulator_of(settings.game, case.features))
    function = ValueFunction(
        graph, config.function, discount=DISCOUNT, shaping=config.shaping
    )
    function.load(weights)
    return function


@cache
def simulator_of(game: str, features: str) -> CircuitSimulator:
    """The game with some of its features, made when a process first asks for it."""
    rules = load(game)
    return CircuitSimulator(rules, features=load_features(features, rules))
