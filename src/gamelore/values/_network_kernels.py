"""Networks with one hidden layer, evaluated on the state graph.

Sums into the hidden units are carried from position to position: only inputs that
changed are added or taken away.

K words per position, H hidden units in eights, F features.
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
from gamelore.values._unit_kernels import (
    ONE,
    ZERO,
    activate,
    add_up,
    as_tanh,
    fast_tanh,
)

_ONE = np.uint64(1)


@lean_part
def _add(target, weights, i, times):
    for j in range(target.shape[0]):
        target[j] += times * weights[i, j]


@lean_part
def sum_row(function, view, row, counts, target):
    """Compute the sums into the hidden units of a position, from nothing.

    row: uint64 [K], counts: float32 [·] its features, target: float32 [H]
    """
    weights, inputs = function.weights.hidden, function.inputs
    bias = weights.shape[0] - 1
    for j in range(target.shape[0]):
        target[j] = weights[bias, j]
    if inputs.fluents:
        for word in range(row.shape[0]):
            bits = row[word]
            while bits:
                place = inputs.places[view, 64 * word + lowest_one(bits)]
                _add(target, weights, place, ONE)
                bits &= bits - _ONE
    for feature in range(inputs.features):
        if counts[feature] != ZERO:
            _add(target, weights, inputs.fluents + feature, counts[feature])


@lean_part
def shift_row(function, view, before, after, target):
    """Turn the sums of a position into those of another.  target: float32 [H]

    before, after: each a row, uint64 [K], and its features, float32 [·]
    """
    row, counts = before
    next_row, next_counts = after
    weights, inputs = function.weights.hidden, function.inputs
    if inputs.fluents:
        for word in range(row.shape[0]):
            present = next_row[word]
            bits = row[word] ^ present
            while bits:
                bit = lowest_one(bits)
                gone = (present >> np.uint64(bit)) & _ONE == np.uint64(0)
                place = inputs.places[view, 64 * word + bit]
                _add(target, weights, place, -ONE if gone else ONE)
                bits &= bits - _ONE
    for feature in range(inputs.features):
        more = next_counts[feature] - counts[feature]
        if more != ZERO:
            _add(target, weights, inputs.fluents + feature, more)


@lean_part
def sum_node(nodes, function, view, node, target):
    """Compute the sums into the hidden units of a node, from nothing."""
    counts = function.inputs.cache.counts[view]
    sum_row(function, view, nodes.rows[node], counts[node], target)


@lean_part
def shift_node(nodes, function, view, node, other, target):
    """Turn the sums of a node into those of another.  target: float32 [H]"""
    counts = function.inputs.cache.counts[view]
    before = nodes.rows[node], counts[node]
    after = nodes.rows[other], counts[other]
    shift_row(function, view, before, after, target)


@lean_part
def output_sum(function, sums):
    """Return the sum into the output.  sums: float32 [H] into hidden units, used up"""
    level, height, pace = as_tanh(function.shape.activation)
    weights = function.weights.output
    for j in range(sums.shape[0]):
        sums[j] = weights[j] * (level + height * fast_tanh(pace * sums[j]))
    return add_up(sums) + weights[sums.shape[0]]


@lean_part
def network_value(function, sums):
    """Return the value at some sums into hidden units, which are used up."""
    value, _ = activate(function.shape.output, output_sum(function, sums))
    return value


def evaluate_network_moves(program, nodes, function, node, role):
    """Put the value of each move of an expanded node, to a role, into `move_values`."""
    view = function.inputs.views[role]
    cache_moves(program, nodes, function, view, node)
    workspace = function.workspace
    summed, sums, scratch = workspace.summed, workspace.sums[0], workspace.sums[1]
    values = workspace.move_values
    if summed[0] < 0 or summed[1] != view:
        sum_node(nodes, function, view, node, sums)
    elif summed[0] != node:
        shift_node(nodes, function, view, summed[0], node, sums)
    summed[0] = node
    summed[1] = view
    first = nodes.first[node]
    for i in range(nodes.degree[node]):
        child = nodes.child[first + i]
        if is_known_end(nodes, function, child):
            values[i] = terminal_reward(nodes, function, child, role)
            continue
        for j in range(scratch.shape[0]):
            scratch[j] = sums[j]
        shift_node(nodes, function, view, node, child, scratch)
        values[i] = output_sum(function, scratch)
    # In a loop of its own, so that the processor works on several at once.
    for i in range(nodes.degree[node]):
        if not is_known_end(nodes, function, nodes.child[first + i]):
            values[i], _ = activate(function.shape.output, values[i])
    add_shaping_rewards(nodes, function, view, node)
    return np.int64(FINE)
