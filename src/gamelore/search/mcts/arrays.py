"""The arrays of a search tree: allocated, and cut down to what matters."""

from __future__ import annotations

import os

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

_TREE_MEMORY = 1 << 30  # bytes of a tree
_FEWEST_NODES = 100_000  # of it, however wide they are
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
    return 3 * nodes + _SPARE_EDGES


def count_nodes(width: int, roles: int) -> int:
    """Return how many nodes of rows so wide fit into the memory of a tree."""
    memory = min(_TREE_MEMORY, _physical_memory() // 8)
    nodes, edges = allocate_nodes(1, width, roles), allocate_edges(1)
    node = sum(array.nbytes for array in nodes) + 8 * len(nodes.slots)
    edge = sum(array.nbytes for array in edges)
    return max(_FEWEST_NODES, memory // (node + 3 * edge))


def _physical_memory() -> int:
    """Return the bytes of memory of this machine, as far as the system tells."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 8 * _TREE_MEMORY


def forget(tree: Tree, most: int) -> None:
    """Leave at most so many nodes below the root in the tree, the most visited.

    There must be no descents under way, and no actions. What stays moves to the front
    of the arrays.
    """
    used = int(tree.state[_tree_kernels.NODES])
    kept = _find_visited(tree, most)
    count = len(kept)
    nodes, edges, state = tree.nodes, tree.edges, tree.state
    number = np.zeros(used, np.int32)
    number[kept] = np.arange(count)
    places = join_spans(nodes.first[kept], nodes.degree[kept])
    for array in edges:
        array[: len(places)] = array[places]
    edges.child[: len(places)] = number[edges.child[: len(places)]]
    for name, array in nodes._asdict().items():
        if name != "slots":
            array[:count] = array[kept]
    degree = nodes.degree[:count].astype(np.int64)
    nodes.first[:count] = np.cumsum(degree) - degree
    nodes.slots[:] = 0
    rehash(nodes.slots, nodes.rows, count)
    if state[_tree_kernels.EVALUATED] >= 0:
        tree.estimates[:count] = tree.estimates[kept]
        state[_tree_kernels.EVALUATED] = count
    state[_tree_kernels.ROOT] = number[int(state[_tree_kernels.ROOT])]
    state[_tree_kernels.NODES] = count
    state[_tree_kernels.EDGES] = len(places)
    _forget_facts(tree, count)


def _forget_facts(tree: Tree, count: int) -> None:
    """Leave only the statistics of facts that belong to the first `count` nodes."""
    facts, table = tree.facts, tree.nodes.table
    owners = np.flatnonzero(table[:count])
    owners = owners[np.argsort(table[owners])]
    for array in facts.playouts, facts.goals:
        array[: len(owners)] = array[table[owners] - 1]
        array[len(owners) : int(facts.used[0])] = 0.0
    table[owners] = np.arange(1, len(owners) + 1)
    facts.used[0] = len(owners)


def clear_node(nodes: Nodes, node: int) -> None:
    """Make a node one that nothing is known of, whatever was there before."""
    for name, array in nodes._asdict().items():
        if name != "slots":
            array[node] = 0


def _find_visited(tree: Tree, most: int) -> npt.NDArray[np.int64]:
    """Return the root, the nodes below it that were visited most, and their children.

    Nodes that were expanded and visited less become leaves again.
    """
    nodes = tree.nodes
    root = int(tree.state[_tree_kernels.ROOT])
    found = _find_below(tree, 0)
    least = 0
    if len(found) > most:
        inner = found[(nodes.status[found] == EXPANDED) & (found != root)]
        inner = inner[np.argsort(-nodes.begun[inner], kind="stable")]
        room = most - 1 - int(nodes.degree[root])
        last = int(np.searchsorted(np.cumsum(nodes.degree[inner]), room, side="right"))
        if last < len(inner):
            least = int(nodes.begun[inner[last]]) + 1
        found = _find_below(tree, least)
    expanded = nodes.status[found] == EXPANDED
    rarely = (nodes.begun[found] < least) & (found != root)
    nodes.status[found[expanded & rarely]] = OPEN
    leaves = found[nodes.status[found] != EXPANDED]
    nodes.first[leaves] = 0
    nodes.degree[leaves] = 0
    return found


def _find_below(tree: Tree, least: int) -> npt.NDArray[np.int64]:
    """Return the root, and all children of it and of nodes with so many playouts."""
    nodes, edges = tree.nodes, tree.edges
    root = int(tree.state[_tree_kernels.ROOT])
    used = int(tree.state[_tree_kernels.NODES])
    kept = np.zeros(used, np.bool_)
    place = np.empty(used, np.int32)
    level = np.array([root])
    kept[root] = True
    while len(level):
        often = (nodes.begun[level] >= least) | (level == root)
        inner = level[(nodes.status[level] == EXPANDED) & often]
        spans = join_spans(nodes.first[inner], nodes.degree[inner])
        children = edges.child[spans]
        children = children[~kept[children]]
        order = np.arange(len(children), dtype=np.int32)
        place[children] = order  # of several edges to a node, one is the last
        level = children[place[children] == order].astype(np.int64)
        kept[level] = True
    return np.flatnonzero(kept)
