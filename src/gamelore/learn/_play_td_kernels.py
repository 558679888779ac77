"""TD(λ) for value functions while a match is played: one update after each move.

Every move is then chosen with the weights of that moment. A match in which both players
learn from their own moves has two trajectories with a trace each; a trace is known by
the view of the role that learns.

I inputs, H hidden units in eights.
"""

from __future__ import annotations

import numpy as np

from gamelore.engine.compiled._lanes import lowest_one
from gamelore.graph._kernels import ENDED, FINE
from gamelore.kernels import lean_part
from gamelore.learn._learner_kernels import LARGEST_ERROR, find_mover_error
from gamelore.values._function_kernels import (
    DIVERGED,
    cache_positions,
    shaping_reward,
    terminal_reward,
)
from gamelore.values._linear_kernels import add_inputs, linear_node_value
from gamelore.values._network_kernels import network_value, sum_node
from gamelore.values._unit_kernels import (
    ONE,
    ZERO,
    activate,
    add_up,
    as_tanh,
    fast_tanh,
)

_ONE = np.uint64(1)

GOES_ON = -1
"""The end of a match that is still being played."""


@lean_part
def find_sign(nodes, function, learner, node, role):
    """Return 1, or -1 where κ weighs an error as the gain of another who moves."""
    mover = nodes.mover[node]
    other = mover >= 0 and mover != role and mover != learner.perspective.chance
    return -1.0 if other and function.updates.mover_risk else 1.0


# ── the latest move ─────────────────────────────────────────────────────────────────


@lean_part
def _find_step(nodes, function, match):
    """Note the last two positions of a match; return whether there is a step to learn.

    The trace is cleared at the first position.
    """
    trajectory, positions = match.trajectory, function.workspace.positions.nodes
    last = trajectory.length[0] - 1
    if match.end == GOES_ON:
        if last == 0:
            _clear_traces(function, function.inputs.views[match.role])
            return False
        positions[1] = nodes.child[trajectory.edges[last]]
        last -= 1
    else:
        positions[1] = match.end
        if last >= 0 and nodes.mover[nodes.child[trajectory.edges[last]]] == ENDED:
            last -= 1
    if last < 0:
        return False
    positions[0] = nodes.child[trajectory.edges[last]]
    return True


@lean_part
def _clear_traces(function, view):
    buffers = function.workspace.weights
    for j in range(buffers.output.shape[1]):
        buffers.output[view, j] = ZERO
    for i in range(buffers.linear.shape[1]):
        buffers.linear[view, i] = 0.0
    for i in range(buffers.traces.shape[1]):
        for j in range(buffers.traces.shape[2]):
            buffers.traces[view, i, j] = ZERO


@lean_part
def _find_reward(nodes, function, view, match):
    """Return the reward from one of the last two positions to the other."""
    noted = function.workspace.positions.nodes
    before, after = noted[0], noted[1]
    counts = function.inputs.cache.counts[view]
    reward = shaping_reward(function, counts[before], counts[after])
    if match.end != GOES_ON:
        reward += terminal_reward(nodes, function, match.end, match.role)
    return reward


@lean_part
def _find_error(nodes, function, learner, match, values):
    """Return the error of the last step.  values: of its positions, before and after"""
    view = function.inputs.views[match.role]
    before = function.workspace.positions.nodes[0]
    prediction, following = values
    target = _find_reward(nodes, function, view, match)
    if match.end == GOES_ON:
        target += learner.rates.discount * following
    sign = find_sign(nodes, function, learner, before, match.role)
    return find_mover_error(learner.rates, sign, prediction, target)


# ── linear functions ────────────────────────────────────────────────────────────────


@lean_part
def decay_trace(trace, rates):
    """Decay a trace.  float64 [I]"""
    for i in range(trace.shape[0]):
        trace[i] *= rates.trace_decay


@lean_part
def step_linear(program, nodes, function, learner, match):
    """Learn from the latest move of a match; return FINE or DIVERGED."""
    if not _find_step(nodes, function, match):
        return np.int64(FINE)
    view, rates = function.inputs.views[match.role], learner.rates
    cache_positions(program, nodes, function, view, 1)
    noted = function.workspace.positions.nodes
    before, after = noted[0], noted[1]
    prediction, slope = linear_node_value(nodes, function, view, before)
    following, _ = linear_node_value(nodes, function, view, after)
    values = prediction, following
    error = _find_error(nodes, function, learner, match, values)
    if not abs(error) < LARGEST_ERROR:
        return np.int64(DIVERGED)
    trace = function.workspace.weights.linear[view]
    decay_trace(trace, rates)
    add_inputs(nodes, function, view, before, trace, rates.step_size * slope)
    weights = function.weights.linear
    for i in range(weights.shape[0]):
        weights[i] += error * trace[i]
    return np.int64(FINE)


# ── networks ────────────────────────────────────────────────────────────────────────


@lean_part
def extend_output_trace(function, rates, sums, gradients, trace):
    """Add the gradient at a position to the trace of the output; return its value.

    sums: float32 [H] into its hidden units, used up; gradients: float32 [H] becomes the
    slopes of its value by these sums; trace: float32 [H + 8]
    """
    level, height, pace = as_tanh(function.shape.activation)
    output = function.weights.output
    units = sums.shape[0]
    for j in range(units):
        gradients[j] = fast_tanh(pace * sums[j])
        sums[j] = output[j] * (level + height * gradients[j])
    value, slope = activate(function.shape.output, add_up(sums) + output[units])
    gradient = np.float32(slope)
    decay = np.float32(rates.trace_decay)
    for j in range(units):
        trace[j] = decay * trace[j] + gradient * (level + height * gradients[j])
    trace[units] = decay * trace[units] + gradient
    for j in range(units):
        curve = gradients[j]
        gradients[j] = gradient * output[j] * pace * height * (ONE - curve * curve)
    return value


@lean_part
def step_network(program, nodes, function, learner, match):
    """Learn from the latest move of a match; return FINE or DIVERGED."""
    if not _find_step(nodes, function, match):
        return np.int64(FINE)
    view, rates = function.inputs.views[match.role], learner.rates
    cache_positions(program, nodes, function, view, 1)
    workspace, hidden = function.workspace, function.weights.hidden
    before, after = workspace.positions.nodes[0], workspace.positions.nodes[1]
    gradients, sums = workspace.positions.gradients[0], workspace.positions.sums[0]
    sum_node(nodes, function, view, after, sums)
    following = network_value(function, sums)
    sum_node(nodes, function, view, before, sums)
    trace = workspace.weights.output[view]
    prediction = extend_output_trace(function, rates, sums, gradients, trace)
    values = prediction, following
    error = _find_error(nodes, function, learner, match, values)
    if not abs(error) < LARGEST_ERROR:
        return np.int64(DIVERGED)
    _extend_hidden_trace(nodes, function, view, rates)
    step = np.float32(rates.step_size * error)
    output, units = function.weights.output, function.shape.units
    for j in range(units):
        output[j] += step * trace[j]
    bias = output.shape[0] - 8
    output[bias] += step * trace[bias]
    traces = workspace.weights.traces[view]
    for i in range(hidden.shape[0]):
        for j in range(hidden.shape[1]):
            hidden[i, j] += step * traces[i, j]
    workspace.summed[0] = -1  # its sums are by other weights now
    return np.int64(FINE)


@lean_part
def _extend_hidden_trace(nodes, function, view, rates):
    """Add the gradient at the last position but one to the trace of hidden weights."""
    workspace, inputs = function.workspace, function.inputs
    traces, gradients = workspace.weights.traces[view], workspace.positions.gradients[0]
    node = workspace.positions.nodes[0]
    decay = np.float32(rates.trace_decay)
    for i in range(traces.shape[0]):
        for j in range(traces.shape[1]):
            traces[i, j] *= decay
    if inputs.fluents:
        for word in range(nodes.rows.shape[1]):
            bits = nodes.rows[node, word]
            while bits:
                place = inputs.places[view, 64 * word + lowest_one(bits)]
                _add(traces[place], gradients, ONE)
                bits &= bits - _ONE
    for feature in range(inputs.features):
        count = inputs.cache.counts[view, node, feature]
        _add(traces[inputs.fluents + feature], gradients, count)
    _add(traces[traces.shape[0] - 1], gradients, ONE)


@lean_part
def _add(target, gradients, times):
    for j in range(target.shape[0]):
        target[j] += times * gradients[j]


# ── matches that cannot be finished ─────────────────────────────────────────────────


@lean_part
def save_weights(function):
    """Remember the weights before a match."""
    weights, buffers = function.weights, function.workspace.weights
    _copy(weights.output, buffers.output[2])
    _copy(weights.linear, buffers.linear[2])
    for i in range(weights.hidden.shape[0]):
        _copy(weights.hidden[i], buffers.hidden[i])


@lean_part
def restore_weights(function):
    """Put the weights back as they were before a match."""
    weights, buffers = function.weights, function.workspace.weights
    _copy(buffers.output[2], weights.output)
    _copy(buffers.linear[2], weights.linear)
    for i in range(weights.hidden.shape[0]):
        _copy(buffers.hidden[i], weights.hidden[i])
    function.workspace.summed[0] = -1


@lean_part
def _copy(source, target):
    for i in range(target.shape[0]):
        target[i] = source[i]
