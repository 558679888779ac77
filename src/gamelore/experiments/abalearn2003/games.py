"""Games between trained agents (Figure 2), and against deep search (Table 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from gamelore.engine.position import Position
from gamelore.experiments.abalearn2003.run import (
    AHEAD,
    AbalearnCaseResult,
    TrainedAgent,
    load_simulator,
    meet,
    restore_network,
)
from gamelore.experiments.abalearn2003.settings import (
    METHOD_I,
    REFERENCES,
    Abalearn2003Settings,
    AbalearnCase,
    apply_reading,
)
from gamelore.experiments.statistics import Floats
from gamelore.experiments.sweep import Sweep, seed_for
from gamelore.gdl import Fact, to_kif
from gamelore.player import Briefing, Clock, Player
from gamelore.search.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.search.evaluator import HeuristicEvaluator
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import Weights


class PublishedDuel(NamedTuple):
    """A game of Table 3."""

    won: int
    lost: int
    moves: int


TABLE_3 = {
    "Method I": {
        4: PublishedDuel(0, 0, 31),
        5: PublishedDuel(0, 0, 23),
        6: PublishedDuel(0, 2, 61),
    },
    "Method II": {
        4: PublishedDuel(0, 0, 29),
        5: PublishedDuel(0, 0, 21),
        6: PublishedDuel(0, 0, 42),
    },
}
"""Stones won, stones lost and moves against the commercial program, by its depth."""


DEPTHS = (4, 5, 6)
"""Of the searching player in Table 3."""

REPETITIONS = 20
"""How often a position recurs before a game of Table 3 is a tie."""


# ── Figure 2 ────────────────────────────────────────────────────────────────────────


def meet_references(
    result: AbalearnCaseResult, settings: Abalearn2003Settings, sweep: Sweep
) -> Floats:
    """Return the share of games in which each network is ahead of the references.

    float64 [agents, points, references]: every agent meets its own networks
    """
    work = partial(_meet_own, settings=settings)
    tasks = list(enumerate(result.agents))
    return np.stack(sweep.run(work, tasks, lambda task: settings.tests))


def _meet_own(task: tuple[int, TrainedAgent], settings: Abalearn2003Settings) -> Floats:
    number, trained = task
    networks = [restore_network(METHOD_I, settings, w) for w in trained.weights]
    references = [networks[METHOD_I.points.index(games)] for games in REFERENCES]
    seed = seed_for(settings.seed, "figure 2", number)
    shares = [
        [meet(own, other, settings, seed) for other in references] for own in networks
    ]
    return np.array(shares)[:, :, AHEAD]


# ── Table 3 ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class DuelTask:
    """A game against a searching player, which moves first."""

    reading: str
    case: AbalearnCase
    weights: Weights
    depth: int
    seed: int


@dataclass(frozen=True)
class Duel:
    """The result of such a game."""

    reading: str
    case: AbalearnCase
    depth: int
    won: int
    """Stones pushed off."""
    lost: int
    moves: int
    """Of both sides together."""
    reached: float
    """The depth that the other searched completely, on average over its moves."""


def pick_best(result: AbalearnCaseResult) -> TrainedAgent:
    """Return the agent with the best score against the heuristic player at the end."""
    return max(result.agents, key=lambda agent: tuple(agent.scores[-1, AHEAD:]))


def find_published(case: AbalearnCase, depth: int) -> PublishedDuel:
    """Return the paper's game of a case."""
    return TABLE_3[case.name.partition(",")[0]][depth]


def play_duel(task: DuelTask, settings: Abalearn2003Settings) -> Duel:
    """Play a game until it ends, reaches the move limit or repeats itself."""
    settings = apply_reading(task.reading, settings)
    simulator = load_simulator(settings.game, task.case.features)
    function = restore_network(task.case, settings, task.weights)
    limits = SearchLimits(task.depth, nodes=settings.search_nodes)
    searcher = AlphaBetaPlayer(HeuristicEvaluator(), seed=task.seed, limits=limits)
    agent = AlphaBetaPlayer(ValueFunctionEvaluator(function), depth=1, seed=task.seed)
    players: tuple[Player, Player] = (searcher, agent)
    for role, player in zip(simulator.roles, players, strict=True):
        player.start(Briefing(simulator, role), Clock())
    position = Position.initial(simulator)
    most = settings.duel_moves or find_published(task.case, task.depth).moves
    seen: Counter[frozenset[Fact]] = Counter()
    depths: list[int] = []
    moves = 0
    while not (
        position.is_terminal
        or moves == most
        or max(seen.values(), default=0) == REPETITIONS
    ):
        joint = tuple(player.choose(position, Clock()) for player in players)
        if moves % 2 == 0:
            depths.append(searcher.reached)
        position = position.advance(joint)
        seen[_board(position)] += 1
        moves += 1
    names = [to_kif(name) for name in simulator.feature_names]
    counts = simulator.feature_counts(position.row[None], 1)[0].tolist()
    lost = dict(zip(names, counts, strict=True))
    return Duel(
        task.reading,
        task.case,
        task.depth,
        won=int(lost["(lost other)"]),
        lost=int(lost["(lost own)"]),
        moves=moves,
        reached=float(np.mean(depths)),
    )


def _board(position: Position) -> frozenset[Fact]:
    """Return the facts of a position without its clock."""
    return frozenset(f for f in position.facts if not to_kif(f).startswith("(clock"))


def play_duels(
    results: Mapping[str, Sequence[AbalearnCaseResult]],
    settings: Abalearn2003Settings,
    sweep: Sweep,
) -> list[Duel]:
    """Have the best agent of each case play search of each depth, by reading."""
    tasks = [
        DuelTask(
            reading,
            result.case,
            pick_best(result).weights[-1],
            depth,
            seed_for(settings.seed, "table 3", result.case.name, depth),
        )
        for reading, found in results.items()
        for result in found
        for depth in reversed(DEPTHS)  # what takes longest is not to come last
    ]
    duels = sweep.run(partial(play_duel, settings=settings), tasks, lambda task: 1)
    return sorted(duels, key=lambda duel: duel.depth)
