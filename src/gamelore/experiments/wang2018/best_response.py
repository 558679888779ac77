"""The best there is against the random player, worked out exactly.

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
"""From a node of the state graph to the nodes one moves to, each as likely as the
others."""

LARGEST = 300_000
_SCOUTS = 1_000_000
"""Random matches that find most positions first: a kernel opens up a thousand of them
in the time that one call of it from Python takes."""

_SAME = 1e-9  # values that differ by less are equal


class Outcome(NamedTuple):
    """What a policy gets against the random player, in per cent."""

    wins: float
    goal: float


@dataclass(frozen=True)
class WholeGame:
    """All positions of a game."""

    graph: StateGraph
    order: list[int]
    """Nodes, each after all of its successors."""
    children: dict[int, list[int]]
    """Of every node that is not terminal."""


def whole_game(graph: StateGraph, largest: int = LARGEST) -> WholeGame:
    """Visit every position; `GameloreError` if there are more than `largest`."""
    Trainer(graph, TrainConfig(schedule=Fixed(1.0))).run(_SCOUTS)
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


def best_response(
    game: WholeGame, role: int, aim: Literal["wins", "goal"] = "goal"
) -> Outcome:
    """What a role gets that plays for wins, or for its mean goal, as well as can be."""
    index = Outcome._fields.index(aim)

    def better(outcomes: list[Outcome]) -> Outcome:
        most = max(outcome[index] for outcome in outcomes)
        equal = [o for o in outcomes if o[index] > most - _SAME]
        return max(equal, key=lambda outcome: outcome[1 - index])

    values = _outcomes_of_ends(game, role)
    for node in game.order:
        if node in game.children:
            below = [values[child] for child in game.children[node]]
            own = game.graph.mover(node) == role
            values[node] = better(below) if own else _average(below)
    return values[game.graph.root]


def evaluate(game: WholeGame, role: int, policy: Policy) -> Outcome:
    """What a role gets that plays by a policy."""
    values = _outcomes_of_ends(game, role)
    for node in game.order:
        if node in game.children:
            own = game.graph.mover(node) == role
            chosen = policy(node) if own else game.children[node]
            values[node] = _average([values[child] for child in chosen])
    return values[game.graph.root]


def greedy(graph: StateGraph, table: Table) -> Policy:
    """The policy of a Q table without exploration: the best known, any if none is."""

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


def over_seats(outcomes: list[Outcome]) -> Outcome:
    """The average of what is got from either seat."""
    return _average(outcomes)


def _outcomes_of_ends(game: WholeGame, role: int) -> dict[int, Outcome]:
    best = max(game.graph.simulator.goal_values[role])
    goals = {n: int(game.graph.goals(n)[role]) for n in game.order}
    return {
        node: Outcome(100.0 * (goal == best), 100.0 * goal / best)
        for node, goal in goals.items()
        if node not in game.children
    }


def _average(outcomes: list[Outcome]) -> Outcome:
    wins = sum(outcome.wins for outcome in outcomes)
    goal = sum(outcome.goal for outcome in outcomes)
    return Outcome(wins / len(outcomes), goal / len(outcomes))
