"""The arrays of a search tree: allocated, and cut down to what matters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gamelore._hash_kernels import rehash
from gamelore.search.mcts import _tree_kernels
from gamelore.search.mcts._tree_kernels import (
    EXPANDED,
    OPEN,
    Actions,
    Edges,
    FactTables,
    Nodes,
    Tickets,
    Tree,
)
from gamelore.search.mcts.settings import LANES

DEEPEST = 256
"""Moves from the root to a leaf at most."""

_TABLE_MEMORY = 1 << 26  # bytes of the statistics of facts
_SPARE_EDGES = 8192  # more than any one node has


def join_spans(
    first: npt.NDArray[np.int64], count: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Return the numbers first … first + count of all spans, one after the other."""
    total = count.astype(np.int64)
    ends = np.cumsum(total)
    shifts = np.repeat(first - (ends - total), total)
    return shifts + np.arange(int(total.sum()))


def allocate_nodes(count: int, width: int, roles: int) -> Nodes:
    return Nodes(
        rows=np.zeros((count, width), np.uint64),
        visits=np.zeros(count, np.int32),
        begun=np.zeros(count, np.int32),
        sums=np.zeros((count, roles)),
        status=np.zeros(count, np.int8),
        mover=np.zeros(count, np.int16),
        moved=np.zeros(count, np.int16),
        first=np.zeros(count, np.int64),
        degree=np.zeros(count, np.int32),
        actions=np.zeros(count, np.int64),
        choices=np.zeros((count, roles), np.int32),
        goals=np.zeros((count, roles), np.float32),
        bounds=np.zeros((count, 2), np.float32),
        proof=np.zeros(count, np.int64),
        table=np.zeros(count, np.int32),
        slots=np.zeros(1 << (2 * count - 1).bit_length(), np.int32),
    )


def allocate_edges(count: int) -> Edges:
    return Edges(
        child=np.zeros(count, np.int32),
        move=np.zeros(count, np.int32),
        begun=np.zeros(count, np.int32),
        value=np.zeros(count, np.float32),
        key=np.zeros(count, np.int32),
        prior=np.zeros(count, np.float32),
    )


def allocate_actions(count: int) -> Actions:
    return Actions(
        move=np.zeros(count, np.int32),
        regret=np.zeros(count),
        strategy=np.zeros(count),
    )


def allocate_facts(fluents: int) -> FactTables:
    """Return statistics of so many facts for as many nodes as memory is worth."""
    count = max(1, _TABLE_MEMORY // (8 * fluents)) if fluents else 0
    return FactTables(
        playouts=np.zeros((count, fluents), np.float32),
        goals=np.zeros((count, fluents), np.float32),
        used=np.zeros(1, np.int64),
        true=np.zeros(fluents + 1, np.int32),
    )


def allocate_tickets(roles: int) -> Tickets:
    """Return room for as many descents as there are lanes, and one more."""
    count = LANES + 1
    return Tickets(
        nodes=np.zeros((count, DEEPEST), np.int32),
        edges=np.zeros((count, DEEPEST), np.int64),
        depth=np.zeros(count, np.int32),
        left=np.zeros(count, np.int32),
        sums=np.zeros((count, roles)),
    )


def count_edges(nodes: int) -> int:
    """Return for how many edges to make room; transpositions need more of them."""
    return 2 * nodes + _SPARE_EDGES


def forget(tree: Tree, most: int) -> Tree:
    """Return the tree with at most so many nodes below its root, the most visited.

    There must be no descents under way, and no actions.
    """
    kept = _find_visited(tree, most)
    state, old = tree.state, tree.nodes
    size = len(old.visits)
    nodes = _copy_nodes(old, kept)
    places = join_spans(old.first[kept], old.degree[kept])
    edges = allocate_edges(len(tree.edges.child))
    for name, array in tree.edges._asdict().items():
        getattr(edges, name)[: len(places)] = array[places]
    number = np.zeros(size, np.int32)
    number[kept] = np.arange(len(kept))
    edges.child[: len(places)] = number[edges.child[: len(places)]]
    degree = nodes.degree[: len(kept)].astype(np.int64)
    nodes.first[: len(kept)] = np.cumsum(degree) - degree
    state[_tree_kernels.ROOT] = number[int(state[_tree_kernels.ROOT])]
    estimates = np.zeros_like(tree.estimates)
    if state[_tree_kernels.EVALUATED] >= 0:
        estimates[: len(kept)] = tree.estimates[kept]
        state[_tree_kernels.EVALUATED] = len(kept)
    state[_tree_kernels.NODES] = len(kept)
    state[_tree_kernels.EDGES] = len(places)
    facts = allocate_facts(tree.facts.playouts.shape[1])
    nodes.table[:] = 0
    return tree._replace(nodes=nodes, edges=edges, estimates=estimates, facts=facts)


def _copy_nodes(old: Nodes, kept: npt.NDArray[np.int64]) -> Nodes:
    nodes = allocate_nodes(len(old.visits), old.rows.shape[1], old.sums.shape[1])
    for name, array in old._asdict().items():
        if name != "slots":
            getattr(nodes, name)[: len(kept)] = array[kept]
    rehash(nodes.slots, nodes.rows, len(kept))
    return nodes


def _find_visited(tree: Tree, most: int) -> npt.NDArray[np.int64]:
    """Return the root, the nodes below it that were visited most, and their children.

    Nodes that were expanded and visited less become leaves again.
    """
    nodes, edges = tree.nodes, tree.edges
    root = int(tree.state[_tree_kernels.ROOT])
    least = int(tree.state[_tree_kernels.WEIGHT])
    while True:
        kept = np.zeros(len(nodes.visits), np.bool_)
        level = np.array([root])
        kept[level] = True
        while len(level):
            inner = level[
                (nodes.status[level] == EXPANDED)
                & ((nodes.begun[level] >= least) | (level == root))
            ]
            spans = join_spans(nodes.first[inner], nodes.degree[inner])
            children = edges.child[spans]
            level = np.unique(children[~kept[children]]).astype(np.int64)
            kept[level] = True
        if kept.sum() <= most or least > 1 << 31:
            break
        least *= 2
    found = np.flatnonzero(kept)
    rarely = (nodes.begun[found] < least) & (found != root)
    nodes.status[found[(nodes.status[found] == EXPANDED) & rarely]] = OPEN
    leaves = found[nodes.status[found] != EXPANDED]
    nodes.first[leaves] = 0
    nodes.degree[leaves] = 0
    return found
