"""Linear value functions: v = output(w · x), evaluated on the state graph.

K words per position, F features.
"""

from __future__ import annotations

import numpy as np

from gamelore.engine.compiled._lanes import lowest_one
from gamelore.graph._kernels import FINE
from gamelore.kernels import lean_part
from gamelore.values._function_kernels import (
    add_shaping_rewards,
    cache_moves,
    is_known_end,
    terminal_reward,
)
from gamelore.values._unit_kernels import IDENTITY, activate

_ONE = np.uint64(1)


@lean_part
def linear_sum(function, view, row, counts):
    """Return w · x of a position.  row: uint64 [K], counts: float32 [·] its features"""
    weights, inputs = function.weights.linear, function.inputs
    total = 0.0
    if inputs.fluents:
        for word in range(row.shape[0]):
            bits = row[word]
            while bits:
                total += weights[inputs.places[view, 64 * word + lowest_one(bits)]]
                bits &= bits - _ONE
    for feature in range(inputs.features):
        total += weights[inputs.fluents + feature] * np.float64(counts[feature])
    return total + weights[weights.shape[0] - 1]


@lean_part
def linear_value(function, view, row, counts):
    """Return the value of a position, and its derivative by w · x."""
    total = linear_sum(function, view, row, counts)
    if function.shape.output == IDENTITY:
        return total, 1.0
    return activate(function.shape.output, total)


@lean_part
def linear_node_value(nodes, function, view, node):
    """Return the same of a node."""
    counts = function.inputs.cache.counts[view]
    return linear_value(function, view, nodes.rows[node], counts[node])


@lean_part
def add_inputs(nodes, function, view, node, target, times):
    """Add the inputs of a node to weights, or to their traces.  target: float64 [I]"""
    inputs = function.inputs
    if inputs.fluents:
        for word in range(nodes.rows.shape[1]):
            bits = nodes.rows[node, word]
            while bits:
                target[inputs.places[view, 64 * word + lowest_one(bits)]] += times
                bits &= bits - _ONE
    for feature in range(inputs.features):
        count = np.float64(inputs.cache.counts[view, node, feature])
        target[inputs.fluents + feature] += times * count
    if function.shape.bias:
        target[target.shape[0] - 1] += times


def evaluate_linear_moves(program, nodes, function, node, role):
    """Put the value of each move of an expanded node, to a role, into `move_values`."""
    view = function.inputs.views[role]
    cache_moves(program, nodes, function, view, node)
    values = function.workspace.move_values
    first = nodes.first[node]
    for i in range(nodes.degree[node]):
        child = nodes.child[first + i]
        if is_known_end(nodes, function, child):
            values[i] = terminal_reward(nodes, function, child, role)
        else:
            values[i], _ = linear_node_value(nodes, function, view, child)
    add_shaping_rewards(nodes, function, view, node)
    return np.int64(FINE)
