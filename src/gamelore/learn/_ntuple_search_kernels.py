"""Values by a short search over a state graph, which n-tuple networks learn from.

Values are those of one role: the viewer is that role, and the role `random` or -1,
whose moves are averaged. The search is alpha-beta; the move with the best value one
move ahead comes first.
"""

from __future__ import annotations

import numpy as np

from gamelore.graph._kernels import ENDED, FINE, ensure_expanded
from gamelore.kernels import lean_function, lean_part
from gamelore.values._function_kernels import terminal_reward
from gamelore.values._ntuple_kernels import value_tuple_moves

ANYTHING = (-np.inf, np.inf)
"""The window of a search for an exact value."""


@lean_function
def expand_below(graph, node, depth):
    """Expand what a search needs; return a status, and the node that it is about."""
    nodes = graph.nodes
    if nodes.mover[node] == ENDED:
        return np.int64(FINE), np.int64(node)
    status = ensure_expanded(graph, node)
    if status != FINE or depth == 1:
        return status, np.int64(node)
    first = nodes.first[node]
    for edge in range(first, first + nodes.degree[node]):
        status, failed = expand_below(graph, np.int64(nodes.child[edge]), depth - 1)
        if status != FINE:
            return status, failed
    return np.int64(FINE), np.int64(node)


@lean_part
def expand_targets(graph, handle, trajectory):
    """Expand all that targets of a match are searched in; return the same.

    Nothing can be missing then while weights change.
    """
    depth = np.int64(handle.function.updates.search_depth)
    status, failed = np.int64(FINE), np.int64(0)
    if depth > 1:
        for t in range(trajectory.length[0]):
            node = np.int64(graph.nodes.child[trajectory.edges[t]])
            status, failed = expand_below(graph, node, depth)
            if status != FINE:
                break
    return status, failed


@lean_part
def _average(values, count):
    total = 0.0
    for i in range(count):
        total += values[i]
    return total / count


@lean_function
def search_value(nodes, function, viewer, node, depth, window):
    """Return the minimax value of a node, so many moves ahead, by the function.

    Outside the window it is a bound. All that is needed must be expanded.
    """
    role, chance = viewer
    mover = nodes.mover[node]
    if mover == ENDED:
        return np.float64(terminal_reward(nodes, function, node, role))
    value_tuple_moves(nodes, function, node, role)
    values = function.workspace.move_values
    first, degree = nodes.first[node], nodes.degree[node]
    if mover == chance:
        if depth == 1:
            return np.float64(_average(values, degree))
        total = 0.0
        for i in range(degree):
            child = np.int64(nodes.child[first + i])
            total += search_value(nodes, function, viewer, child, depth - 1, ANYTHING)
        return total / degree
    sign = 1.0 if mover == role else -1.0
    favourite = 0
    for i in range(1, degree):
        if sign * values[i] > sign * values[favourite]:
            favourite = i
    if depth == 1:
        return np.float64(values[favourite])
    low, high = window
    best = -sign * np.inf
    for number in range(degree):  # the favourite, then those before and after it
        i = favourite if number == 0 else number - (number <= favourite)
        child = np.int64(nodes.child[first + i])
        value = search_value(nodes, function, viewer, child, depth - 1, (low, high))
        if sign * value > sign * best:
            best = value
        if sign > 0.0:
            low = max(low, best)
        else:
            high = min(high, best)
        if low >= high:
            break
    return best
