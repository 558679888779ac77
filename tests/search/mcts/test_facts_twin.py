"""Playouts that moves share by facts, beside a twin in plain Python.

One playout is under way at a time. The twin is told how each ended, and nothing else:
it counts by itself, and must descend to the same leaf as the kernels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pytest

from gamelore.engine import CircuitSimulator, simulator
from gamelore.games import load
from gamelore.search.mcts import CircuitTree, TreeSettings
from gamelore.search.mcts._tree_kernels import EXPANDED, EXPLORATION, ROOT, Tree

ENOUGH = 64  # visits of a node that counts facts
ONE_LANE = 16  # as a budget, it lets one playout be under way at a time


@dataclass
class Counted:
    """What the twin knows of a node."""

    visits: int = 0
    begun: int = 0
    goals: float = 0.0
    """Of the first player, from 0 to 1, summed up."""
    facts: npt.NDArray[np.float64] | None = None
    """Per fluent, the playouts that ended with it, and their summed goals."""
    chosen: dict[int, int] = field(default_factory=dict)
    """Per edge, how often."""

    def value(self, mover: int) -> float:
        mean = self.goals / self.visits if self.visits else 0.5
        return mean if mover == 0 else 1 - mean


class SharingTwin:
    """UCT with RAVE over facts, of which only the shape of the tree is given."""

    def __init__(self, tree: CircuitTree, rave: int) -> None:
        self.shape = tree._tree
        self.rave = rave
        self.exploration = float(tree._tree.parameters[EXPLORATION])
        self.nodes: dict[int, Counted] = {}

    def at(self, node: int) -> Counted:
        return self.nodes.setdefault(node, Counted())

    def descend(self, depth: int) -> list[int]:
        """Return the edges to the leaf that is next, so many.

        By now the leaf itself may have been expanded, so its depth is given.
        """
        node = tree_root(self.shape)
        edges: list[int] = []
        table = None
        self.at(node).begun += 1
        while self.shape.nodes.status[node] == EXPANDED and len(edges) < depth:
            counted = self.at(node)
            if counted.facts is not None:
                table = counted.facts
            edge = self._choose(node, table)
            counted.chosen[edge] = counted.chosen.get(edge, 0) + 1
            edges.append(edge)
            node = int(self.shape.edges.child[edge])
            self.at(node).begun += 1
        return edges

    def _choose(self, node: int, table: npt.NDArray[np.float64] | None) -> int:
        nodes, edges = self.shape.nodes, self.shape.edges
        counted, mover = self.at(node), int(nodes.mover[node])
        bounds = {}
        first = int(nodes.first[node])
        for edge in range(first, first + int(nodes.degree[node])):
            begun = counted.chosen.get(edge, 0)
            value = counted.value(mover)
            if begun:
                value = self.at(int(edges.child[edge])).value(mover)
            key = int(edges.key[edge])
            if table is not None and key >= 0 and table[0, key]:
                count, goals = table[:, key]
                mean = goals / count if mover == 0 else 1 - goals / count
                share = count / (count + begun + begun * count / self.rave)
                value = (1 - share) * value + share * mean
            bonus = math.sqrt(math.log(counted.begun + 1) / (begun + 1))
            bounds[edge] = value + self.exploration * bonus
        return max(bounds, key=lambda edge: bounds[edge])

    def back_up(
        self, path: list[int], facts: npt.NDArray[np.bool_], goal: float
    ) -> None:
        """Count how the playout from the leaf of a path ended."""
        for node in path:
            counted = self.at(node)
            if counted.facts is not None:
                counted.facts[:, facts] += np.array([[1.0], [goal]])
        for node in path:
            counted = self.at(node)
            counted.visits += 1
            counted.goals += goal
            if counted.visits >= ENOUGH and counted.facts is None:
                counted.facts = np.zeros((2, len(facts)))


def tree_root(tree: Tree) -> int:
    return int(tree.state[ROOT])


def find_table(tree: CircuitTree, node: int) -> npt.NDArray[np.float64] | None:
    number = int(tree._tree.nodes.table[node]) - 1
    if number < 0:
        return None
    facts = tree._tree.facts
    return np.array([facts.playouts[number], facts.goals[number]], np.float64)


@pytest.mark.parametrize("rave", [50, 1000])
def test_shared_playouts_equal_their_twin(rave: int) -> None:
    engine = simulator(load("hex-5x5"))
    assert isinstance(engine, CircuitSimulator)
    settings = TreeSettings(
        playouts=ONE_LANE, playouts_per_leaf=1, rave=rave, nodes=20_000, decisive=False
    )
    tree = CircuitTree(engine, settings, 1)
    tree.set_root(engine.initial_row())
    root = tree_root(tree._tree)
    twin = SharingTwin(tree, rave)
    before, goals = np.zeros((2, len(engine.fluents))), 0.0
    path: list[int] = []
    for number in range(1500):
        tree.search(1)
        if path:
            goal = (float(tree._tree.nodes.sums[root, 0]) - goals) / 100
            goals = float(tree._tree.nodes.sums[root, 0])
            after = find_table(tree, root)
            ended = np.zeros(len(engine.fluents), np.bool_)
            if after is not None:
                ended = after[0] > before[0]
                before = after
            if ended.any():
                row = engine.encode(
                    [engine.fluents[int(i)] for i in np.flatnonzero(ended)]
                )
                assert engine.terminal(row[np.newaxis])[0]
                assert engine.goals(row[np.newaxis])[0, 0] == 100 * goal
            twin.back_up(path, ended, goal)
        tickets = tree._tree.tickets
        depth = int(tickets.depth[0])
        assert tickets.edges[0, 1 : depth + 1].tolist() == twin.descend(depth), number
        path = tickets.nodes[0, : depth + 1].tolist()
    counting = [node for node, one in twin.nodes.items() if one.facts is not None]
    assert len(counting) > 3
    for node in counting:
        table, own = find_table(tree, node), twin.at(node).facts
        assert table is not None
        assert own is not None
        assert np.array_equal(table, own)
