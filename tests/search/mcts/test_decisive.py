"""Playouts that see one move ahead, against the same policy in plain Python."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from gamelore.engine import CircuitSimulator
from gamelore.engine.simulator import Row
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.search.mcts import CircuitTree, TreeSettings, _tree_kernels

TWICE = """
(role a) (role b) (role random) (init (step 0)) (init (points 0))
(<= (control a) (true (step 0))) (<= (control a) (true (step 1)))
(<= (control random) (true (step 2))) (<= (control b) (true (step 3)))
(<= (control a) (true (step 4)))
(roles a) (roles b) (roles random)
(move 1) (move 2) (move 3)
(<= (legal ?r (pick ?x)) (control ?r) (move ?x))
(<= (legal ?r noop) (roles ?r) (not (control ?r)))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(plus 0 1 1) (plus 0 2 2) (plus 0 3 3) (plus 1 1 2) (plus 1 2 3) (plus 1 3 4)
(plus 2 1 3) (plus 2 2 4) (plus 2 3 0) (plus 3 1 4) (plus 3 2 0) (plus 3 3 1)
(plus 4 1 0) (plus 4 2 1) (plus 4 3 2)
(<= (next (points ?z)) (does ?r (pick ?x)) (true (points ?y)) (plus ?y ?x ?z))
(<= terminal (true (step 5)))
(<= terminal (true (points 4)))
(<= (goal a 100) (true (points 4)) (not odd))
(<= (goal b 0) (true (points 4)) (not odd))
(<= (goal a 0) (true (points 4)) odd)
(<= (goal b 100) (true (points 4)) odd)
(<= (goal a 50) (not (true (points 4)))) (<= (goal b 50) (not (true (points 4))))
(goal random 0)
(<= odd (true (step 3))) (<= odd (true (step 4)))
"""
"""a moves twice, then a die, then b, then a; whose turn makes four points wins."""


class Policy:
    """What decisive playouts do, from the definition."""

    def __init__(self, engine: CircuitSimulator, trapping: bool = False) -> None:
        """`trapping`: matches end where a trap is set; there are two players."""
        self.engine = engine
        self.trapping = trapping
        self.best = [max(goals) for goals in engine.goal_values]
        self.expected = cache(self._expected)
        self._successors = cache(self._find_successors)

    def _find_successors(self, key: bytes) -> tuple[list[int], list[bytes]]:
        """The role that has a choice, or all where none has, and all successors."""
        row = np.frombuffer(key, np.uint64)[None]
        choosers = [r for r, one in enumerate(self.engine.legal(row)) if one.sum() > 1]
        expansion = self.engine.expand(row)
        keys = [successor.tobytes() for successor in expansion.successors]
        return choosers or list(range(len(self.engine.roles))), keys

    def goals(self, key: bytes) -> list[int] | None:
        row = np.frombuffer(key, np.uint64)[None]
        ended = self.engine.terminal(row)[0]
        return self.engine.goals(row)[0].tolist() if ended else None

    def wins(self, key: bytes) -> dict[int, list[bytes]]:
        """By roles that may move, the successors by which they win at once."""
        movers, following = self._successors(key)
        ends = [(child, self.goals(child)) for child in following]
        return {
            mover: [
                c for c, goals in ends if goals and goals[mover] == self.best[mover]
            ]
            for mover in movers
            if self.engine.roles[mover] != "random"
        }

    def _is_mistake(self, movers: list[int], child: bytes) -> bool:
        if len(movers) > 1 or self.engine.roles[movers[0]] == "random":
            return False
        if self.goals(child):
            return False
        wins = self.wins(child)
        return any(wins[other] for other in wins if other != movers[0])

    def _find_trapper(self, key: bytes) -> int | None:
        """The role that can make a safe move after which the other one is beaten.

        Of two players whose goals are 0, 50 and 100 and have a constant sum.
        """
        movers, following = self._successors(key)
        if not self.trapping or len(movers) > 1 or self.wins(key)[movers[0]]:
            return None
        return movers[0] if any(map(self._is_beaten, following)) else None

    def _is_beaten(self, key: bytes) -> bool:
        if self.goals(key):
            return False
        movers, following = self._successors(key)
        mistakes = all(self._is_mistake(movers, child) for child in following)
        return len(movers) == 1 and not self.wins(key)[movers[0]] and mistakes

    def _expected(self, key: bytes) -> tuple[float, ...]:
        """The mean goals of playouts from a position."""
        goals = self.goals(key)
        if goals is not None:
            return tuple(map(float, goals))
        if (trapper := self._find_trapper(key)) is not None:
            return tuple(
                100.0 if r == trapper else 0.0 for r in range(len(self.engine.roles))
            )
        chosen = [child for wins in self.wins(key).values() for child in wins]
        movers, following = self._successors(key)
        if not chosen:
            chosen = [c for c in following if not self._is_mistake(movers, c)]
        values = [self.expected(child) for child in chosen or following]
        return tuple(sum(column) / len(values) for column in zip(*values, strict=True))


def check_means(engine: CircuitSimulator, row: Row, trapping: bool = False) -> None:
    """Play out from all successors of a position, and compare the means."""
    settings = TreeSettings(expand_after=10**9, exploration=50, playouts_per_leaf=8)
    tree = CircuitTree(engine, settings, seed=4)
    assert tree.sees_wins
    tree.set_root(row)
    tree.search(40_000)
    policy = Policy(engine, trapping)
    nodes, edges = tree._tree.nodes, tree._tree.edges
    root = int(tree._tree.state[_tree_kernels.ROOT])
    first = int(nodes.first[root])
    children = edges.child[first : first + int(nodes.degree[root])]
    for child in np.unique(children[nodes.visits[children] > 0]):
        visits = int(nodes.visits[child])
        expected = policy.expected(nodes.rows[child].tobytes())
        means = nodes.sums[child] / visits
        for role, (mean, value) in enumerate(zip(means, expected, strict=True)):
            if engine.roles[role] != "random":
                assert abs(mean - value) <= 5 * 50 / math.sqrt(visits)


@pytest.mark.parametrize(
    ("name", "plies"),
    [("tictactoe", 2), ("tictactoe", 3), ("connect-3", 15), ("trio-3x3", 2)],
)
def test_means_of_playouts_are_as_defined(name: str, plies: int, walk: Any) -> None:
    engine = CircuitSimulator(load(name))
    trapping = len(engine.roles) == 2
    check_means(engine, walk(engine, plies, plies), trapping)


def test_dice_and_own_moves_are_not_taken_back() -> None:
    engine = CircuitSimulator(Game.from_kif(TWICE))
    check_means(engine, engine.initial_row())


def test_a_playout_takes_a_win(walk: Any) -> None:
    engine = CircuitSimulator(load("connect-3"))
    settings = TreeSettings(expand_after=10**9)
    policy = Policy(engine)
    found = 0
    for seed in range(30):
        row = walk(engine, 8, seed)
        tree = CircuitTree(engine, settings, seed=seed)
        tree.set_root(row)
        tree.search(3000)
        nodes, state = tree._tree.nodes, tree._tree.state
        first = int(nodes.first[state[_tree_kernels.ROOT]])
        degree = int(nodes.degree[state[_tree_kernels.ROOT]])
        for child in tree._tree.edges.child[first : first + degree]:
            for mover, wins in policy.wins(nodes.rows[child].tobytes()).items():
                if wins and nodes.visits[child]:
                    found += 1
                    assert nodes.sums[child, mover] == 100 * nodes.visits[child]
    assert found > 10
