"""Training agents, and testing them in between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator, Simulator
from gamelore.experiments.abalearn2003.settings import (
    DISCOUNT,
    Abalearn2003Settings,
    AbalearnCase,
    TrainingPhase,
    apply_reading,
    make_config,
)
from gamelore.experiments.statistics import Floats
from gamelore.experiments.sweep import Repetition, Sweep, seed_for
from gamelore.games import load, load_features
from gamelore.gdl import to_kif
from gamelore.graph import StateGraph
from gamelore.learn.function_matches import FunctionMatches
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.opponents import FeaturePlayer, make_function
from gamelore.learn.trainer import Trainer
from gamelore.match.batch import BatchResult
from gamelore.search.alpha_beta import AlphaBetaPlayer
from gamelore.search.evaluator import HeuristicEvaluator
from gamelore.values.functions import ValueFunction, Weights

WON, LOST, AHEAD, BEHIND, STONES = range(5)
"""Columns of scores: the share of test games won and lost by six stones; in which more
stones were pushed off than lost, and fewer; and the mean of that difference."""


@dataclass(frozen=True)
class TrainedAgent:
    """An agent at each point of its training."""

    scores: Floats
    """float64 [points, 5]: against the heuristic player"""
    weights: tuple[Weights, ...]
    """Of the network at each point."""


@dataclass(frozen=True)
class AbalearnCaseResult:
    """All agents of a case."""

    case: AbalearnCase
    agents: Sequence[TrainedAgent]

    @property
    def scores(self) -> Floats:
        """float64 [agents, points, 5]"""
        return np.stack([agent.scores for agent in self.agents])


@dataclass(frozen=True)
class ReadingCase:
    """A case in one reading of the paper."""

    reading: str
    case: AbalearnCase


def run_cases(
    readings: Sequence[str],
    cases: Sequence[AbalearnCase],
    settings: Abalearn2003Settings,
    sweep: Sweep,
) -> dict[str, dict[AbalearnCase, AbalearnCaseResult]]:
    """Train all agents of all cases, in every reading."""
    found = sweep.repeat(
        partial(train_in_reading, settings=settings),
        [ReadingCase(reading, case) for reading in readings for case in cases],
        settings.runs,
        lambda one: settings.scale_games(one.case.games),
    )
    return {
        reading: {
            case: AbalearnCaseResult(case, found[ReadingCase(reading, case)])
            for case in cases
        }
        for reading in readings
    }


def train_in_reading(
    run: Repetition[ReadingCase], settings: Abalearn2003Settings
) -> TrainedAgent:
    """Train one agent in a reading; the same seeds in each."""
    one = Repetition(run.case.case, run.number)
    return train(one, apply_reading(run.case.reading, settings))


def train(
    run: Repetition[AbalearnCase], settings: Abalearn2003Settings
) -> TrainedAgent:
    """Train one agent, and test it at the points of its case."""
    case = run.case
    seed = seed_for(settings.seed, case.seed_name or case.name, run.number)
    heuristic = load_heuristic(settings.game)
    scores, kept = [], []
    for function in _train_to_points(case, settings, seed):
        scores.append(meet(function, heuristic, settings, seed))
        kept.append(function.weights())
    return TrainedAgent(np.array(scores), tuple(kept))


def _train_to_points(
    case: AbalearnCase, settings: Abalearn2003Settings, seed: int
) -> Iterator[ValueFunction]:
    """Yield the network at each point of its training."""
    done = 0
    weights: Weights | None = None
    for number, phase in enumerate(case.phases):
        trainer = _make_trainer(case, phase, settings, seed + number)
        assert trainer.function is not None
        if weights is not None:
            trainer.function.load(weights)
        for point in case.points:
            if done < point <= done + phase.games:
                # Short runs may have several points at one number of games.
                wanted = settings.scale_games(point) - settings.scale_games(done)
                trainer.run(max(0, wanted - trainer.matches))
                yield trainer.function
        done += phase.games
        weights = trainer.function.weights()


def _make_trainer(
    case: AbalearnCase, phase: TrainingPhase, settings: Abalearn2003Settings, seed: int
) -> Trainer:
    graph = load_graph(settings.game, case.features)
    config = make_config(case, phase.opponent, settings, seed)
    if phase.opponent != "heuristic" or settings.heuristic_depth == 1:
        return Trainer(graph, config)
    players = {
        role: AlphaBetaPlayer(HeuristicEvaluator(), settings.heuristic_depth, seed)
        for role in graph.simulator.roles
    }
    return MatchTrainer(graph, config, opponents=players)


def meet(
    function: ValueFunction,
    other: ValueFunction,
    settings: Abalearn2003Settings,
    seed: int,
) -> Floats:
    """Return the scores of a function over test games against another: float64 [5].

    Each moves first in half of them.
    """
    matches = FunctionMatches.between(function, other)
    outcomes = matches.play_both_roles(
        settings.tests, seed=seed, opening=settings.opening
    )
    return score(function.graph.simulator, outcomes)


def score(simulator: Simulator, outcomes: tuple[BatchResult, BatchResult]) -> Floats:
    """Return the scores of an agent over games as the first role and as the second.

    float64 [5]; the simulator counts lost stones.
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
    """Return stones pushed off less stones lost: float32 [n]."""
    names = [to_kif(name) for name in simulator.feature_names]
    counts = simulator.feature_counts(outcomes.rows, role)
    lead = counts[:, names.index("(lost other)")] - counts[:, names.index("(lost own)")]
    return np.asarray(lead)


def restore_network(
    case: AbalearnCase, settings: Abalearn2003Settings, weights: Weights
) -> ValueFunction:
    """Return a network with the weights of an agent."""
    config = make_config(case, "self", settings, 0)
    assert config.value_function is not None
    graph = load_graph(settings.game, case.features)
    function = ValueFunction(
        graph, config.value_function, discount=DISCOUNT, shaping=config.shaping
    )
    function.load(weights)
    return function


@cache
def load_heuristic(game: str) -> ValueFunction:
    """Return what the heuristic player goes by."""
    return make_function(FeaturePlayer("heuristic"), load_simulator(game, "heuristic"))


@cache
def load_graph(game: str, features: str) -> StateGraph:
    """Return a state graph of the game; trainers and matches copy it empty."""
    return StateGraph(load_simulator(game, features))


@cache
def load_simulator(game: str, features: str) -> CircuitSimulator:
    """Return the game with some of its features, one simulator for each process."""
    rules = load(game)
    return CircuitSimulator(rules, features=load_features(features, rules))
