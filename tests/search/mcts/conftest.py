"""Brute force, random positions and checks of trees, for tests of tree search."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
import pytest

from gamelore._hash_kernels import find_row
from gamelore.engine import Simulator
from gamelore.engine.simulator import Row
from gamelore.search.mcts import CircuitTree, _tree_kernels
from gamelore.search.mcts._tree_kernels import EXPANDED, PROVEN, SIMULTANEOUS
from gamelore.search.mcts.arrays import join_spans

Goals: TypeAlias = tuple[float, ...]
Solve: TypeAlias = Callable[[Simulator, Row], dict[bytes, set[Goals]]]
Walk: TypeAlias = Callable[[Simulator, int, int], Row]


class Graph:
    """All positions below one, by number, the nearest first."""

    def __init__(self, engine: Simulator, root: Row) -> None:
        self.rows = [root]
        numbers = {root.tobytes(): 0}
        self.children: list[list[int]] = []
        self.mover: list[int] = []
        self.goals: list[Goals | None] = []
        while len(self.children) < len(self.rows):
            level = np.stack(self.rows[len(self.children) :])
            for goals, ended in zip(
                np.maximum(engine.goals(level), 0).astype(float).tolist(),
                engine.terminal(level),
                strict=True,
            ):
                self.goals.append(tuple(goals) if ended else None)
            choices = np.stack([one.sum(axis=1) for one in engine.legal(level)], axis=1)
            choosers = (choices > 1).sum(axis=1)
            assert ((choosers <= 1) | engine.terminal(level)).all(), "not in turns"
            self.mover += choices.argmax(axis=1).tolist()
            first = len(self.children)
            self.children += [[] for _ in level]
            expansion = engine.expand(level)
            for parent, child in zip(
                expansion.parents, expansion.successors, strict=True
            ):
                key = child.tobytes()
                if key not in numbers:
                    numbers[key] = len(self.rows)
                    self.rows.append(child)
                self.children[first + parent].append(numbers[key])


def _is_constant(graph: Graph, players: Sequence[int]) -> bool:
    ended = [goals for goals in graph.goals if goals is not None]
    return len(players) == 2 and len({sum(g[p] for p in players) for g in ended}) == 1


def _minimax(graph: Graph, players: Sequence[int]) -> list[set[Goals]]:
    """The goals of the first two roles, in a constant-sum game, with dice or without.

    Bounds of values are improved until they meet, so that positions may repeat.
    """
    first, second = players
    assert (first, second) == (0, 1)
    total = next(g[first] + g[second] for g in graph.goals if g is not None)
    reached = [g[first] for g in graph.goals if g is not None]
    ends = [
        [bound if goals is None else goals[first] for goals in graph.goals]
        for bound in (min(reached), max(reached))
    ]
    for bounds in ends:
        change = math.inf
        while change > 1e-9:
            change = 0.0
            for node in range(len(bounds) - 1, -1, -1):
                if graph.goals[node] is not None:
                    continue
                values = [bounds[child] for child in graph.children[node]]
                mover = graph.mover[node]
                value = sum(values) / len(values)
                if mover == first:
                    value = max(values)
                elif mover == second:
                    value = min(values)
                change = max(change, abs(value - bounds[node]))
                bounds[node] = value
    return [
        {(low, total - low)} if high - low < 1e-6 else set()
        for low, high in zip(*ends, strict=True)
    ]


def _max_n(graph: Graph) -> list[set[Goals]]:
    """The goals that are possible where each role chooses for itself.

    There are several where a role is indifferent. Positions must not repeat.
    """
    found: list[set[Goals]] = [set() if g is None else {g} for g in graph.goals]
    changed = True
    while changed:
        changed = False
        for node in range(len(found) - 1, -1, -1):
            if found[node] or not all(found[c] for c in graph.children[node]):
                continue
            mover = graph.mover[node]
            below = [found[child] for child in graph.children[node]]
            least = [min(goals[mover] for goals in one) for one in below]
            found[node] = {
                goals
                for i, one in enumerate(below)
                for goals in one
                if all(goals[mover] >= m for j, m in enumerate(least) if j != i)
            }
            changed = True
    return found


def _solve(engine: Simulator, root: Row) -> dict[bytes, set[Goals]]:
    graph = Graph(engine, root)
    players = [i for i, role in enumerate(engine.roles) if role != "random"]
    found = _minimax(graph, players) if _is_constant(graph, players) else _max_n(graph)
    rows = (row.tobytes() for row in graph.rows)
    return dict(zip(rows, found, strict=True))


def _walk(engine: Simulator, plies: int, seed: int) -> Row:
    random = np.random.default_rng(seed)
    while True:
        row = engine.initial_row()
        for _ in range(plies):
            following = engine.expand(row[np.newaxis]).successors
            row = following[int(random.integers(len(following)))].copy()
            if engine.terminal(row[np.newaxis])[0]:
                break
        else:
            return row


@pytest.fixture(scope="session")
def solve() -> Solve:
    """Return the possible goals of all positions below one, by brute force."""
    known: dict[tuple[int, bytes], dict[bytes, set[Goals]]] = {}

    def solve(engine: Simulator, root: Row) -> dict[bytes, set[Goals]]:
        key = id(engine), root.tobytes()
        if key not in known:
            known[key] = _solve(engine, root)
        return known[key]

    return solve


@pytest.fixture(scope="session")
def walk() -> Walk:
    """Return a position after some random moves, one that is not terminal."""
    return _walk


@pytest.fixture(scope="session")
def proven_goals() -> Callable[[CircuitTree], Iterator[tuple[bytes, list[float]]]]:
    """Return rows and goals of all nodes of a tree that are proven."""

    def find(tree: CircuitTree) -> Iterator[tuple[bytes, list[float]]]:
        nodes = tree._tree.nodes
        for node in np.flatnonzero(nodes.status[: tree.nodes] == PROVEN):
            yield nodes.rows[node].tobytes(), nodes.goals[node].tolist()

    return find


@pytest.fixture(scope="session")
def check_tree() -> Callable[[CircuitTree], None]:
    """Check what must hold in every tree, by the simulator and plain Python."""
    return _check_tree


def _check_tree(tree: CircuitTree) -> None:
    """No descents may be under way."""
    arrays, engine = tree._tree, tree.engine
    nodes, edges, state = arrays.nodes, arrays.edges, arrays.state
    count = tree.nodes
    total = int(state[_tree_kernels.SUM])
    assert (nodes.visits[:count] == nodes.begun[:count]).all()
    for node in range(count):
        assert find_row(nodes.slots, nodes.rows, nodes.rows[node]) == node
    if total >= 0:
        players = [state[_tree_kernels.FIRST], state[_tree_kernels.SECOND]]
        both = nodes.sums[:count, players].sum(axis=1)
        assert both == pytest.approx(total * nodes.visits[:count])
    incoming = np.zeros(count, np.int64)
    parents = np.zeros(count, np.int64)
    inner = np.flatnonzero(nodes.degree[:count])
    spans = join_spans(nodes.first[inner], nodes.degree[inner])
    np.add.at(incoming, edges.child[spans], edges.begun[spans])
    np.add.at(parents, edges.child[spans], 1)
    expansion = engine.expand(nodes.rows[inner])
    assert (nodes.rows[edges.child[spans]] == expansion.successors).all()
    movers = nodes.mover[inner][expansion.parents]
    moves = expansion.moves[np.arange(len(spans)), movers]
    assert (edges.move[spans] == moves)[movers != SIMULTANEOUS].all()
    others = np.arange(count) != state[_tree_kernels.ROOT]
    met = others & (parents > 0)
    assert (incoming[met] <= nodes.visits[:count][met]).all()
    for inside in np.flatnonzero(nodes.status[:count] == EXPANDED):
        if nodes.mover[inside] not in (SIMULTANEOUS, state[_tree_kernels.CHANCE]):
            _check_edges(tree, int(inside))


def _span(tree: CircuitTree, node: int) -> slice:
    nodes = tree._tree.nodes
    return slice(nodes.first[node], nodes.first[node] + nodes.degree[node])


def _check_edges(tree: CircuitTree, node: int) -> None:
    """Check the values of edges, and that nothing is excluded that may be best."""
    arrays = tree._tree
    nodes, edges, state = arrays.nodes, arrays.edges, arrays.state
    mover, span = int(nodes.mover[node]), _span(tree, node)
    lowest, highest = arrays.goal_range[mover]
    if state[_tree_kernels.SUM] < 0:
        return
    children = edges.child[span]
    bounds = nodes.bounds[children].astype(float)
    if mover == state[_tree_kernels.SECOND]:
        bounds = state[_tree_kernels.SUM] - bounds[:, ::-1]
    excluded = edges.value[span] < 0
    assert (bounds[excluded, 1] <= bounds[:, 0].max()).all()
    assert not excluded.all()
    for i, child in enumerate(children):
        begun = edges.begun[span][i]
        if excluded[i] or not begun or begun < nodes.visits[child]:
            continue  # descents on other ways have changed the mean since
        if nodes.status[child] == PROVEN:
            continue  # perhaps since the last descent
        mean = nodes.sums[child, mover] / nodes.visits[child]
        within = min(max(mean, bounds[i, 0]), bounds[i, 1])
        scaled = [(one - lowest) / (highest - lowest) for one in (mean, within)]
        assert np.abs(edges.value[span][i] - scaled).min() < 1e-5
