"""Q-learning for value functions: towards the best that may follow.

The value of a move is that of the afterstate it leads to, as with TD; but its target
comes from the best move at the next decision, not from the one that was taken. The best
is the highest where the learner's role moves and the lowest where another does. Where
chance moves nobody chooses, and what happened is the target.

There are no traces, so an update goes to the weights of a single position: at once, or
after the match.

I inputs, H hidden units in eights, T positions of the longest match.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.graph._kernels import ENDED, FINE
from gamelore.kernels import lean_part
from gamelore.learn._learner_kernels import LARGEST_ERROR, find_error
from gamelore.learn._td_kernels import (
    add_step,
    apply_change,
    note_gradient,
    update_hidden,
)
from gamelore.values._function_kernels import (
    BOOTSTRAP,
    DIVERGED,
    OFFLINE,
    REWARD,
    cache_moves,
    cache_positions,
    shaping_reward,
    terminal_reward,
)
from gamelore.values._linear_kernels import add_inputs, linear_node_value
from gamelore.values._network_kernels import network_value, shift_node, sum_node
from gamelore.values._unit_kernels import ZERO


class Successors(NamedTuple):
    """What may follow an afterstate."""

    node: int  # the afterstate
    decision: int  # the node of the next decision, or the afterstate if there is none
    first: int  # the first edge of that decision, or -1 where the match ends
    number: int  # how many edges there are
    sign: float  # 1 where the highest value is taken, -1 where the lowest


# ── what may follow ─────────────────────────────────────────────────────────────────


@lean_part
def _cache_match(program, nodes, function, view, match):
    """Count the features of all positions that a match met or might have met."""
    trajectory = match.trajectory
    for t in range(trajectory.length[0]):
        node = np.int64(trajectory.nodes[t])
        cache_moves(program, nodes, function, view, node)
    function.workspace.positions.nodes[0] = match.end
    cache_positions(program, nodes, function, view, 0)


@lean_part
def _count_positions(nodes, function, trajectory):
    """Return how many positions are learned from."""
    length = trajectory.length[0]
    if length > 0 and nodes.mover[nodes.child[trajectory.edges[length - 1]]] == ENDED:
        length -= 1
    return length + (function.updates.terminal_target == BOOTSTRAP)


@lean_part
def _find_position(nodes, match, t):
    """Return position t; the terminal one comes after all others."""
    trajectory = match.trajectory
    if t < trajectory.length[0]:
        return np.int64(nodes.child[trajectory.edges[t]])
    return np.int64(match.end)


@lean_part
def _find_successors(nodes, learner, match, t):
    """Return what may follow position t."""
    trajectory = match.trajectory
    node = _find_position(nodes, match, t)
    if t + 1 >= trajectory.length[0]:
        return Successors(node, node, np.int64(-1), np.int64(1), 1.0)
    decision = np.int64(trajectory.nodes[t + 1])
    mover = nodes.mover[decision]
    if mover == learner.perspective.chance:
        edge = np.int64(trajectory.edges[t + 1])
        return Successors(node, decision, edge, np.int64(1), 1.0)
    sign = 1.0 if mover == match.role else -1.0
    first, count = np.int64(nodes.first[decision]), np.int64(nodes.degree[decision])
    return Successors(node, decision, first, count, sign)


@lean_part
def _find_afterstate(nodes, successors, match, i):
    """Return afterstate i of those that may follow."""
    if successors.first < 0:
        return np.int64(match.end)
    return np.int64(nodes.child[successors.first + i])


@lean_part
def _has_value(nodes, function, node):
    """Return whether a target includes the function's value of a node."""
    return nodes.mover[node] != ENDED or function.updates.terminal_target != REWARD


@lean_part
def _reward(nodes, function, view, node, after, role):
    """Return the reward for going on from a node to an afterstate."""
    counts = function.inputs.cache.counts[view]
    reward = shaping_reward(function, counts[node], counts[after])
    if nodes.mover[after] == ENDED and function.updates.terminal_target != BOOTSTRAP:
        reward += terminal_reward(nodes, function, after, role)
    return reward


# ── linear functions ────────────────────────────────────────────────────────────────


@lean_part
def _linear_target(nodes, function, learner, match, t):
    """Return the target of position t."""
    role = match.role
    view = function.inputs.views[role]
    successors = _find_successors(nodes, learner, match, t)
    if successors.node == match.end:
        return terminal_reward(nodes, function, match.end, role)
    best = -np.inf
    for i in range(successors.number):
        after = _find_afterstate(nodes, successors, match, i)
        value = _reward(nodes, function, view, successors.node, after, role)
        if _has_value(nodes, function, after):
            following, _ = linear_node_value(nodes, function, view, after)
            value += learner.rates.discount * following
        if successors.sign * value > best:
            best = successors.sign * value
    return successors.sign * best


def update_linear_q(program, nodes, function, learner, match):
    """Learn from a match by Q-learning; return FINE or DIVERGED."""
    rates, updates = learner.rates, function.updates
    view = function.inputs.views[match.role]
    _cache_match(program, nodes, function, view, match)
    weights, buffers = function.weights.linear, function.workspace.weights.linear
    change, saved = buffers[1], buffers[2]
    for i in range(weights.shape[0]):
        change[i] = 0.0
        saved[i] = weights[i]
    changed = change if updates.mode == OFFLINE else weights
    for t in range(_count_positions(nodes, function, match.trajectory)):
        node = _find_position(nodes, match, t)
        prediction, slope = linear_node_value(nodes, function, view, node)
        target = _linear_target(nodes, function, learner, match, t)
        error = find_error(rates, prediction, target)
        if not abs(error) < LARGEST_ERROR:
            for i in range(weights.shape[0]):
                weights[i] = saved[i]
            return np.int64(DIVERGED)
        step = error * (rates.step_size * slope)
        add_inputs(nodes, function, view, node, changed, step)
    if updates.mode == OFFLINE:
        for i in range(weights.shape[0]):
            weights[i] += change[i]
    return np.int64(FINE)


# ── networks ────────────────────────────────────────────────────────────────────────


@lean_part
def _network_target(nodes, function, learner, match, t):
    """Return the target of position t, from its sums, which are used up."""
    role = match.role
    view = function.inputs.views[role]
    successors = _find_successors(nodes, learner, match, t)
    node, decision = successors.node, successors.decision
    if node == match.end:
        return terminal_reward(nodes, function, match.end, role)
    sums, scratch = function.workspace.sums[0], function.workspace.sums[1]
    if decision != node:
        shift_node(nodes, function, view, node, decision, sums)
    best = -np.inf
    for i in range(successors.number):
        after = _find_afterstate(nodes, successors, match, i)
        value = _reward(nodes, function, view, node, after, role)
        if _has_value(nodes, function, after):
            for j in range(scratch.shape[0]):
                scratch[j] = sums[j]
            shift_node(nodes, function, view, decision, after, scratch)
            value += learner.rates.discount * network_value(function, scratch)
        if successors.sign * value > best:
            best = successors.sign * value
    return successors.sign * best


@lean_part
def _save(function):
    """Remember the weights, and that nothing is to be changed yet."""
    output, hidden = function.weights.output, function.weights.hidden
    buffers = function.workspace.weights
    for j in range(output.shape[0]):
        buffers.output[0, j] = ZERO
        buffers.output[1, j] = ZERO
        buffers.output[2, j] = output[j]
    if function.updates.mode != OFFLINE:
        for i in range(hidden.shape[0]):
            for j in range(hidden.shape[1]):
                buffers.hidden[i, j] = hidden[i, j]


@lean_part
def _restore(function):
    """Put the weights back as they were before the match."""
    output, hidden = function.weights.output, function.weights.hidden
    buffers = function.workspace.weights
    for j in range(output.shape[0]):
        output[j] = buffers.output[2, j]
    if function.updates.mode != OFFLINE:
        for i in range(hidden.shape[0]):
            for j in range(hidden.shape[1]):
                hidden[i, j] = buffers.hidden[i, j]


def update_network_q(program, nodes, function, learner, match):
    """Learn from a match by Q-learning; return FINE or DIVERGED."""
    rates, updates = learner.rates, function.updates
    view = function.inputs.views[match.role]
    _cache_match(program, nodes, function, view, match)
    workspace = function.workspace
    positions, sums, scratch = workspace.positions, workspace.sums[0], workspace.sums[1]
    workspace.summed[0] = -1  # its sums are used here
    length = _count_positions(nodes, function, match.trajectory)
    _save(function)
    for t in range(length):
        slot = t if updates.mode == OFFLINE else 0
        node = _find_position(nodes, match, t)
        positions.nodes[slot] = node
        sum_node(nodes, function, view, node, sums)
        for j in range(scratch.shape[0]):
            scratch[j] = sums[j]
        prediction = note_gradient(function, rates, slot, scratch)
        target = _network_target(nodes, function, learner, match, t)
        error = find_error(rates, prediction, target)
        if not abs(error) < LARGEST_ERROR:
            _restore(function)
            return np.int64(DIVERGED)
        step = rates.step_size * error
        positions.steps[slot] = step
        add_step(function, step)
        if updates.mode != OFFLINE:
            apply_change(function)
            update_hidden(nodes, function, view, 1)
    if updates.mode == OFFLINE and length > 0:
        apply_change(function)
        update_hidden(nodes, function, view, length)
    return np.int64(FINE)
