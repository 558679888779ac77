"""Games between trained agents (Figure 2), and against deep search (Table 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from gamelore.engine.position import Position
from gamelore.experiments.abalearn2003.run import (
    AHEAD,
    Course,
    Trained,
    meet,
    network,
    score,
    simulator_of,
)
from gamelore.experiments.abalearn2003.settings import (
    METHOD_I,
    REFERENCES,
    Abalearn2003Settings,
    Case,
)
from gamelore.experiments.statistics import Floats
from gamelore.experiments.sweep import run_tasks, seed_for
from gamelore.gdl import Fact, to_kif
from gamelore.player import Briefing, Clock, Player
from gamelore.search.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.search.evaluator import HeuristicEvaluator
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import Weights

DEPTHS = (4, 5, 6)
"""Of the searching player in Table 3."""

REPETITIONS = 20
"""How often a position recurs before a game of Table 3 is a tie."""


# ── Figure 2 ────────────────────────────────────────────────────────────────────────


def meet_references(
    course: Course,
    settings: Abalearn2003Settings,
    jobs: int = 1,
    advance: Callable[[int], None] = lambda games: None,
) -> Floats:
    """float64 [agents, points, references]: the networks of each agent's training
    against some of them: the share of games in which they were ahead."""
    found = run_tasks(
        partial(_meet_own, settings=settings),
        list(enumerate(course.agents)),
        jobs,
        lambda task: advance(settings.tests),
    )
    return np.stack(found)


def _meet_own(task: tuple[int, Trained], settings: Abalearn2003Settings) -> Floats:
    number, trained = task
    networks = [network(METHOD_I, settings, w) for w in trained.weights]
    references = [networks[METHOD_I.points.index(games)] for games in REFERENCES]
    seed = seed_for(settings.seed, "figure 2", number)
    shares = [
        [
            score(
                own.graph.simulator,
                meet(
                    ValueFunctionEvaluator(own),
                    ValueFunctionEvaluator(other),
                    settings,
                    seed,
                ),
            )
            for other in references
        ]
        for own in networks
    ]
    return np.array(shares)[:, :, AHEAD]


# ── Table 3 ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Contest:
    """One game against a searching player, which moves first."""

    case: Case
    weights: Weights
    depth: int
    seed: int


@dataclass(frozen=True)
class Duel:
    """How such a game went."""

    case: Case
    depth: int
    won: int
    """Stones pushed off."""
    lost: int
    moves: int
    """Of both sides together."""
    reached: float
    """How deep the other searched to the end, on average over its moves."""


def best_of(course: Course) -> Trained:
    """The agent that did best against the heuristic player at the end."""
    return max(course.agents, key=lambda agent: tuple(agent.scores[-1, AHEAD:]))


def duel(task: Contest, settings: Abalearn2003Settings) -> Duel:
    """Play a game until it ends, or has gone on for long, or goes in circles."""
    simulator = simulator_of(settings.game, task.case.features)
    function = network(task.case, settings, task.weights)
    limits = SearchLimits(task.depth, nodes=settings.search_nodes)
    searcher = AlphaBetaPlayer(HeuristicEvaluator(), seed=task.seed, limits=limits)
    agent = AlphaBetaPlayer(ValueFunctionEvaluator(function), depth=1, seed=task.seed)
    players: tuple[Player, Player] = (searcher, agent)
    for role, player in zip(simulator.roles, players, strict=True):
        player.start(Briefing(simulator, role), Clock())
    position = Position.initial(simulator)
    seen: Counter[frozenset[Fact]] = Counter()
    depths: list[int] = []
    moves = 0
    while not (
        position.is_terminal
        or moves == settings.duel_moves
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
        task.case,
        task.depth,
        won=int(lost["(lost other)"]),
        lost=int(lost["(lost own)"]),
        moves=moves,
        reached=float(np.mean(depths)),
    )


def _board(position: Position) -> frozenset[Fact]:
    """A position but for its clock."""
    return frozenset(f for f in position.facts if not to_kif(f).startswith("(clock"))


def play_duels(
    courses: list[Course],
    settings: Abalearn2003Settings,
    jobs: int = 1,
    advance: Callable[[int], None] = lambda games: None,
) -> list[Duel]:
    """The best agent of each course against search of each depth."""
    contests = [
        Contest(
            course.case,
            best_of(course).weights[-1],
            depth,
            seed_for(settings.seed, "table 3", course.case.name, depth),
        )
        for course in courses
        for depth in DEPTHS
    ]
    return run_tasks(
        partial(duel, settings=settings), contests, jobs, lambda task: advance(1)
    )
