"""The best response to the random player, computed exactly.

Every position of the game is visited, successors first: where the learner moves it gets
the best of them, where the other moves their average.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gamelore.errors import GameloreError
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.schedules import Fixed
from gamelore.learn.trainer import Trainer
from gamelore.values.table import Table

Policy: TypeAlias = Callable[[int], list[int]]
"""From a node of the state graph to the nodes moved to, all equally likely."""

LARGEST = 300_000
_EXPLORING_MATCHES = 1_000_000
"""Random matches at most that find most positions first: a kernel expands a thousand of
them in the time of one call from Python."""
_EXPLORING_PART = 20_000
"""Matches after which there is a look at whether they still find any."""

_SAME = 1e-9  # values that differ by less are equal


class PolicyScore(NamedTuple):
    """The result of a policy against the random player, in per cent."""

    wins: float
    goal: float


@dataclass(frozen=True)
class WholeGame:
    """All positions of a game."""

    graph: StateGraph
    order: list[int]
    """Nodes, each after all of its successors."""
    children: dict[int, list[int]]
    """By node, but for terminal ones."""


def explore_game(graph: StateGraph, largest: int = LARGEST) -> WholeGame:
    """Visit every position; raise `GameloreError` at more than `largest`."""
    trainer, known = Trainer(graph, TrainConfig(schedule=Fixed(1.0))), 0
    while known < len(graph) <= largest and trainer.matches < _EXPLORING_MATCHES:
        known = len(graph)
        trainer.run(_EXPLORING_PART)
    order: list[int] = []
    children: dict[int, list[int]] = {}
    met = {graph.root}
    path = [(graph.root, iter(_children(graph, graph.root, children)))]
    while path:
        node, rest = path[-1]
        child = next((child for child in rest if child not in met), None)
        if child is None:
            order.append(node)
            path.pop()
        else:
            met.add(child)
            path.append((child, iter(_children(graph, child, children))))
        if len(met) > largest:
            name = graph.simulator.game.name
            raise GameloreError(f"{name!r} has more than {largest:,} positions")
    return WholeGame(graph, order, children)


def _children(graph: StateGraph, node: int, known: dict[int, list[int]]) -> list[int]:
    if graph.is_terminal(node):
        return []
    known[node] = [edge.child for edge in graph.edges(node)]
    return known[node]


def find_best_response(
    game: WholeGame, role: int, aim: Literal["wins", "goal"] = "goal"
) -> PolicyScore:
    """Return the score of the best policy of a role, by wins or by its mean goal."""
    index = PolicyScore._fields.index(aim)

    def better(scores: list[PolicyScore]) -> PolicyScore:
        most = max(score[index] for score in scores)
        equal = [o for o in scores if o[index] > most - _SAME]
        return max(equal, key=lambda score: score[1 - index])

    values = _score_terminals(game, role)
    for node in game.order:
        if node in game.children:
            below = [values[child] for child in game.children[node]]
            own = game.graph.mover(node) == role
            values[node] = better(below) if own else average_scores(below)
    return values[game.graph.root]


def evaluate_policy(game: WholeGame, role: int, policy: Policy) -> PolicyScore:
    """Return the score of a role that plays by a policy."""
    values = _score_terminals(game, role)
    for node in game.order:
        if node in game.children:
            own = game.graph.mover(node) == role
            chosen = policy(node) if own else game.children[node]
            values[node] = average_scores([values[child] for child in chosen])
    return values[game.graph.root]


def make_greedy(graph: StateGraph, table: Table) -> Policy:
    """Return the greedy policy of a Q table; it is random where there is no entry."""

    def choose(node: int) -> list[int]:
        best = -np.inf
        chosen: list[int] = []
        edges = graph.edges(node)
        for edge in edges:
            cell = table.find(np.append(graph.row(node), np.uint64(edge.move)))
            if cell is not None and cell.value > best:
                best, chosen = cell.value, [edge.child]
            elif cell is not None and cell.value == best:
                chosen.append(edge.child)
        return chosen or [edge.child for edge in edges]

    return choose


def _score_terminals(game: WholeGame, role: int) -> dict[int, PolicyScore]:
    best = max(game.graph.simulator.goal_values[role])
    goals = {n: int(game.graph.goals(n)[role]) for n in game.order}
    return {
        node: PolicyScore(100.0 * (goal == best), 100.0 * goal / best)
        for node, goal in goals.items()
        if node not in game.children
    }


def average_scores(scores: list[PolicyScore]) -> PolicyScore:
    """Return the mean of scores."""
    wins = sum(score.wins for score in scores)
    goal = sum(score.goal for score in scores)
    return PolicyScore(wins / len(scores), goal / len(scores))
