"""TD(λ) for value functions, over the positions of a match.

A match is learned from while it is played, by the kernels of `_play_td_kernels`; or
once it has ended, move by move, by those below. In these the weights from inputs to
hidden units are changed last, all at once. What the updates so far would have added to
the sums of a position follows from the product of its inputs and those of positions
before it, so the predictions are those of weights that change with every move, at a
fraction of the work.

I inputs, H hidden units in eights, T positions of the longest match.
"""

from __future__ import annotations

import numpy as np

from gamelore.engine.compiled._lanes import lowest_one
from gamelore.graph._kernels import ENDED, FINE
from gamelore.kernels import lean_part
from gamelore.learn._learner_kernels import LARGEST_ERROR, find_mover_error
from gamelore.learn._play_td_kernels import (
    decay_trace,
    extend_output_trace,
    find_sign,
    step_linear,
    step_network,
)
from gamelore.values._function_kernels import (
    BOOTSTRAP,
    BOTH,
    DIVERGED,
    DURING_PLAY,
    OFFLINE,
    cache_positions,
    input_product,
    shaping_reward,
    terminal_reward,
)
from gamelore.values._linear_kernels import add_inputs, linear_node_value
from gamelore.values._network_kernels import network_value, shift_node, sum_node
from gamelore.values._unit_kernels import ONE, ZERO

_ONE = np.uint64(1)


# ── positions and rewards ───────────────────────────────────────────────────────────


@lean_part
def list_positions(nodes, function, match):
    """List the positions to learn from, then the terminal one; return their number.

    The terminal position is itself learned from if targets bootstrap from it.
    """
    trajectory, positions = match.trajectory, function.workspace.positions.nodes
    length = 0
    for t in range(trajectory.length[0]):
        child = nodes.child[trajectory.edges[t]]
        if nodes.mover[child] != ENDED:
            positions[length] = child
            length += 1
    if function.updates.terminal_target == BOOTSTRAP:
        positions[length] = match.end
        length += 1
    positions[length] = match.end
    return length


@lean_part
def _reward(nodes, function, view, t, length, match):
    """Return the reward from position t to the next."""
    positions = function.workspace.positions.nodes
    counts = function.inputs.cache.counts[view]
    now, following = positions[t], positions[t + 1]
    reward = shaping_reward(function, counts[now], counts[following])
    if t + 1 == length:
        reward += terminal_reward(nodes, function, match.end, match.role)
    return reward


# ── linear functions ────────────────────────────────────────────────────────────────


def update_linear_td(program, nodes, function, learner, match):
    """Learn from a match by TD(λ); return FINE or DIVERGED."""
    rates, updates = learner.rates, function.updates
    if updates.mode == DURING_PLAY:
        return step_linear(program, nodes, function, learner, match)
    view = function.inputs.views[match.role]
    length = list_positions(nodes, function, match)
    cache_positions(program, nodes, function, view, length)
    evaluated = length + (updates.terminal_target == BOTH)
    positions = function.workspace.positions.nodes
    weights, buffers = function.weights.linear, function.workspace.weights.linear
    trace, change, saved = buffers[0], buffers[1], buffers[2]
    for i in range(weights.shape[0]):
        trace[i] = 0.0
        change[i] = 0.0
        saved[i] = weights[i]
    for t in range(length):
        prediction, slope = linear_node_value(nodes, function, view, positions[t])
        following, next_slope = 0.0, 0.0
        if t + 1 < evaluated or updates.successor_trace:
            node = positions[t + 1]
            following, next_slope = linear_node_value(nodes, function, view, node)
        if t + 1 >= evaluated:
            following = 0.0
        target = _reward(nodes, function, view, t, length, match)
        target += rates.discount * following
        sign = find_sign(nodes, function, learner, positions[t], match.role)
        error = find_mover_error(rates, sign, prediction, target)
        if not abs(error) < LARGEST_ERROR:
            for i in range(weights.shape[0]):
                weights[i] = saved[i]
            return np.int64(DIVERGED)
        if t == 0 or not updates.successor_trace:
            decay_trace(trace, rates)
            step = rates.step_size * slope
            add_inputs(nodes, function, view, positions[t], trace, step)
        if updates.successor_trace:
            decay_trace(trace, rates)
            step = rates.step_size * next_slope
            add_inputs(nodes, function, view, positions[t + 1], trace, step)
        changed = change if updates.mode == OFFLINE else weights
        for i in range(weights.shape[0]):
            changed[i] += error * trace[i]
    if updates.mode == OFFLINE:
        for i in range(weights.shape[0]):
            weights[i] += change[i]
    return np.int64(FINE)


# ── networks ────────────────────────────────────────────────────────────────────────


def update_network_td(program, nodes, function, learner, match):
    """Learn from a match by TD(λ); return FINE or DIVERGED."""
    rates, updates = learner.rates, function.updates
    if updates.mode == DURING_PLAY:
        return step_network(program, nodes, function, learner, match)
    view = function.inputs.views[match.role]
    length = list_positions(nodes, function, match)
    if length == 0:
        return np.int64(FINE)
    cache_positions(program, nodes, function, view, length)
    evaluated = length + (updates.terminal_target == BOTH)
    workspace, output = function.workspace, function.weights.output
    positions, scratch = workspace.positions, workspace.sums[1]
    buffers = workspace.weights.output
    trace, change, saved = buffers[0], buffers[1], buffers[2]
    for j in range(output.shape[0]):
        trace[j] = ZERO
        change[j] = ZERO
        saved[j] = output[j]
    sum_node(nodes, function, view, positions.nodes[0], positions.sums[0])
    successor = updates.successor_trace
    for t in range(length):
        if t and successor:
            _current_sums(function, t, t + 1, scratch)
            prediction = network_value(function, scratch)
        else:
            _current_sums(function, t, t, scratch)
            prediction = note_gradient(function, rates, t, scratch)
        following = 0.0
        if t + 1 < evaluated or successor:
            _advance(nodes, function, view, t)
            _current_sums(function, t + 1, t + 1, scratch)
            if successor:
                following = note_gradient(function, rates, t + 1, scratch)
            else:
                following = network_value(function, scratch)
        if t + 1 >= evaluated:
            following = 0.0
        reward = _reward(nodes, function, view, t, length, match)
        target = reward + rates.discount * following
        sign = find_sign(nodes, function, learner, positions.nodes[t], match.role)
        error = find_mover_error(rates, sign, prediction, target)
        if not abs(error) < LARGEST_ERROR:
            for j in range(output.shape[0]):
                output[j] = saved[j]
            return np.int64(DIVERGED)
        step = rates.step_size * error
        for k in range(t + 1 + successor):
            positions.steps[k] += step * positions.traces[k]
        add_step(function, step)
        if updates.mode != OFFLINE:
            apply_change(function)
    apply_change(function)
    update_hidden(nodes, function, view, length + successor)
    return np.int64(FINE)


@lean_part
def add_step(function, step):
    """Add an error's step along the trace to the change of the output's weights."""
    trace = function.workspace.weights.output[0]
    change = function.workspace.weights.output[1]
    for j in range(function.shape.units):
        change[j] += np.float32(step) * trace[j]
    bias = trace.shape[0] - 8
    change[bias] += np.float32(step) * trace[bias]


@lean_part
def apply_change(function):
    """Let the weights of the output be what they were, and the change so far."""
    output, buffers = function.weights.output, function.workspace.weights.output
    for j in range(output.shape[0]):
        output[j] = buffers[2, j] + buffers[1, j]


@lean_part
def _current_sums(function, t, noted, target):
    """Compute the sums at position t by the weights as they are by now.

    Weights to hidden units change after the match only; but what the updates so far
    would add to the sums follows from the products of its inputs and those of the
    positions noted by then.
    """
    positions = function.workspace.positions
    for j in range(target.shape[0]):
        target[j] = positions.sums[t, j]
    if function.updates.mode != OFFLINE:
        for k in range(noted):
            share = np.float32(positions.steps[k] * positions.similarity[k])
            for j in range(target.shape[0]):
                target[j] += share * positions.gradients[k, j]


@lean_part
def note_gradient(function, rates, t, sums):
    """Keep the gradient at position t, and add it to the trace; return its value.

    sums: float32 [H] into its hidden units, used up
    """
    positions = function.workspace.positions
    gradients = positions.gradients[t]
    trace = function.workspace.weights.output[0]
    value = extend_output_trace(function, rates, sums, gradients, trace)
    for k in range(t):
        positions.traces[k] *= rates.trace_decay
    positions.traces[t] = 1.0
    positions.steps[t] = 0.0
    return value


@lean_part
def _advance(nodes, function, view, t):
    """Find the sums at the next position, and its products with all up to it."""
    positions = function.workspace.positions
    before, after = positions.nodes[t], positions.nodes[t + 1]
    for j in range(positions.sums.shape[1]):
        positions.sums[t + 1, j] = positions.sums[t, j]
    shift_node(nodes, function, view, before, after, positions.sums[t + 1])
    for k in range(t + 1 + function.updates.successor_trace):
        node = positions.nodes[k]
        positions.similarity[k] = input_product(nodes, function, view, node, after)


@lean_part
def update_hidden(nodes, function, view, length):
    """Add to the weights of inputs what all positions of the match add to them.

    An input that is there from one position to another gets the sum of theirs: that of
    the first and all after it, less that of those after the last.
    """
    positions, inputs = function.workspace.positions, function.inputs
    weights, sums = function.weights.hidden, positions.sums
    for t in range(length - 1, -1, -1):
        step = np.float32(positions.steps[t])
        for j in range(sums.shape[1]):
            positions.gradients[t, j] *= step
        for feature in range(inputs.features):
            count = inputs.cache.counts[view, positions.nodes[t], feature]
            row = weights[inputs.fluents + feature]
            for j in range(sums.shape[1]):
                row[j] += count * positions.gradients[t, j]
        for j in range(sums.shape[1]):
            after = sums[t + 1, j] if t + 1 < length else ZERO
            sums[t, j] = after + positions.gradients[t, j]
    bias = weights.shape[0] - 1
    for j in range(sums.shape[1]):
        weights[bias, j] += sums[0, j]
    if inputs.fluents:
        _update_fluents(nodes, function, view, length)


@lean_part
def _update_fluents(nodes, function, view, length):
    """Add the same to the weights of fluents, at the positions where they change."""
    places, weights = function.inputs.places, function.weights.hidden
    positions = function.workspace.positions
    sums = positions.sums
    for word in range(nodes.rows.shape[1]):
        before = np.uint64(0)
        for t in range(length):
            after = nodes.rows[positions.nodes[t], word]
            bits = before ^ after
            while bits:
                bit = lowest_one(bits)
                gone = (after >> np.uint64(bit)) & _ONE == np.uint64(0)
                times = -ONE if gone else ONE
                place = places[view, 64 * word + bit]
                for j in range(sums.shape[1]):
                    weights[place, j] += times * sums[t, j]
                bits &= bits - _ONE
            before = after
