"""Tree patterns: the shape of the game tree under a node, as sets of sets.

N nodes of the state graph.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.graph._kernels import ENDED, FINE, ensure_expanded
from gamelore.kernels import lean, lean_function, lean_part


class Shapes(NamedTuple):
    """Sets of shapes by number.  C outcomes; a shape is an outcome, open, or a set.

    Shape i < C is a terminal node of outcome i, shape C an open leaf; every other one
    is an open node with the set of the shapes below it. Equal sets have one number.
    """

    outcome: np.ndarray  # int16 [101]   a goal's outcome
    open_leaf: np.ndarray  # int32 [1]   C
    first: np.ndarray  # int32 [·]   where a shape's set begins in `items`
    size: np.ndarray  # int32 [·]
    items: np.ndarray  # int32 [·]   shapes, ascending
    slots: np.ndarray  # int32 [power of two]   hash table: shape + 1, or 0
    used: np.ndarray  # int64 [2]   shapes and items in use
    known: np.ndarray  # int32 [depth + 1, N]   a node's shape, or 0 where not yet known
    recall: np.ndarray  # int32 [1]   plies at the bottom that are remembered, or 0
    below: np.ndarray  # int32 [depth + 1, ·]   buffer for the set being collected


NO_SHAPE = -1


@lean_part
def find_shape(graph, shapes, role, node, depth):
    """Return the number of the pattern under a node, or NO_SHAPE if buffers are full.

    Its last `recall` plies, if there are any, are not searched: they are known where
    the pattern of that many plies was found before, and open everywhere else.
    """
    recall = np.int64(shapes.recall[0])
    if recall:
        own = _search_shape(graph, shapes, role, node, recall, np.int64(0))
        if own == NO_SHAPE:
            return np.int64(NO_SHAPE)
    return _search_shape(graph, shapes, role, node, np.int64(depth), recall)


@lean_function
def _search_shape(graph, shapes, role, node, depth, recall):
    nodes = graph.nodes
    if nodes.mover[node] == ENDED:
        goal = nodes.goals[node, role]
        return np.int64(shapes.outcome[min(max(goal, 0), 100)])
    if depth == 0:
        return np.int64(shapes.open_leaf[0])
    known = shapes.known[depth, node]
    if known:
        return np.int64(known)
    if depth == recall:
        return np.int64(shapes.open_leaf[0])
    if ensure_expanded(graph, node) != FINE:
        return NO_SHAPE
    below = shapes.below[depth]
    count = 0
    for edge in range(nodes.first[node], nodes.first[node] + nodes.degree[node]):
        child = nodes.child[edge]
        shape = _search_shape(graph, shapes, role, child, depth - 1, recall)
        if shape == NO_SHAPE:
            return NO_SHAPE
        place = 0
        while place < count and below[place] < shape:
            place += 1
        if place < count and below[place] == shape:
            continue
        if count == below.shape[0]:
            return NO_SHAPE
        for i in range(count, place, -1):
            below[i] = below[i - 1]
        below[place] = shape
        count += 1
    result = number_set(shapes, below[:count])
    if result != NO_SHAPE and recall == 0:
        shapes.known[depth, node] = result
    return result


@lean
def find_shapes(graph, shapes, role, wanted, depth, found):
    """Find the patterns under many nodes; return how many, before buffers were full.

    wanted: int32 [·] nodes, found: int32 [·]
    """
    for i in range(wanted.shape[0]):
        shape = find_shape(graph, shapes, role, wanted[i], depth)
        if shape == NO_SHAPE:
            return i
        found[i] = shape
    return wanted.shape[0]


@lean_part
def _hash_set(below):
    value = np.uint64(14695981039346656037)
    for i in range(below.shape[0]):
        value = (value ^ np.uint64(below[i])) * np.uint64(1099511628211)
    return value ^ (value >> np.uint64(32))


@lean
def hash_sets_again(shapes, first):
    """Fill empty slots with all sets from a number on, after the table has grown."""
    mask = np.int64(shapes.slots.shape[0] - 1)
    for number in range(first, shapes.used[0]):
        begin = shapes.first[number]
        below = shapes.items[begin : begin + shapes.size[number]]
        slot = np.int64(_hash_set(below) & np.uint64(mask))
        while shapes.slots[slot]:
            slot = (slot + 1) & mask
        shapes.slots[slot] = number + 1


@lean_function
def number_set(shapes, below):
    """Return the number of a set of shapes, new if it was not met before."""
    mask = np.int64(shapes.slots.shape[0] - 1)
    slot = np.int64(_hash_set(below) & np.uint64(mask))
    while shapes.slots[slot]:
        number = shapes.slots[slot] - 1
        first = shapes.first[number]
        same = shapes.size[number] == below.shape[0]
        if same:
            for i in range(below.shape[0]):
                same = same and shapes.items[first + i] == below[i]
        if same:
            return np.int64(number)
        slot = (slot + 1) & mask
    number = shapes.used[0]
    if number == shapes.first.shape[0]:
        return NO_SHAPE
    if shapes.used[1] + below.shape[0] > shapes.items.shape[0]:
        return NO_SHAPE
    shapes.slots[slot] = number + 1
    shapes.first[number] = shapes.used[1]
    shapes.size[number] = below.shape[0]
    for i in range(below.shape[0]):
        shapes.items[shapes.used[1] + i] = below[i]
    shapes.used[0] += 1
    shapes.used[1] += below.shape[0]
    return number


@lean
def number_one_set(shapes, below):
    """The same for Python."""
    return number_set(shapes, below)
