"""Networks of policy and value: evaluated, and learned from samples.  float32

Two hidden layers of rectified units. Inputs are facts, 0 or 1, so that the first layer
adds up a row of weights for each fact that is true, and the second one a row for each
unit that is not 0. Of the policy only legal moves are computed.

n positions, K words per position, I facts, H and G hidden units in eights, R roles,
M moves of all roles, L legal moves of a position, V views, P parameters, S samples.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamelore.engine.compiled._lanes import lowest_one
from gamelore.kernels import lean, lean_part
from gamelore.values._unit_kernels import ONE, ZERO, add_up

_ONE = np.uint64(1)
_LEAST = np.float32(1e-7)

VALUE_LOSS, POLICY_LOSS, FACTS_LOSS = range(3)
"""Indices into the sums of losses."""


class NetworkWeights(NamedTuple):
    """The parameters, or their gradient: parts of one array."""

    first: np.ndarray  # float32 [I + 1, H]   the last row is the bias
    second: np.ndarray  # float32 [H + 1, G]
    value: np.ndarray  # float32 [R, G]
    value_bias: np.ndarray  # float32 [R]
    policy: np.ndarray  # float32 [M, G]
    policy_bias: np.ndarray  # float32 [M]
    facts: np.ndarray  # float32 [I or 0, G]   of the facts at the end of the match
    facts_bias: np.ndarray  # float32 [I or 0]


class Views(NamedTuple):
    """How a position is seen: names of facts, moves and roles, exchanged or not."""

    facts: np.ndarray  # int32 [V, 64 · K]   the input of each fact
    moves: np.ndarray  # int32 [V, M]   the output of each move
    roles: np.ndarray  # int32 [V, R]   the output of each role


class NetworkBuffers(NamedTuple):
    """Working arrays of one thread."""

    first: np.ndarray  # float32 [H]   levels of units
    second: np.ndarray  # float32 [G]
    terms: np.ndarray  # float32 [G]
    first_slope: np.ndarray  # float32 [H]   derivatives of the loss
    second_slope: np.ndarray  # float32 [G]
    values: np.ndarray  # float32 [R]
    logits: np.ndarray  # float32 [L]


class Network(NamedTuple):
    """A network as kernels see it."""

    weights: NetworkWeights
    views: Views
    buffers: NetworkBuffers


class Samples(NamedTuple):
    """Positions with what is to be learned of them."""

    rows: np.ndarray  # uint64 [S, K]
    views: np.ndarray  # int32 [S]
    moves: np.ndarray  # int32 [S, L]   legal ones, role by role, of M
    counts: np.ndarray  # int32 [S, R]   how many of each role; 0 of one without choice
    policy: np.ndarray  # float32 [S, L]   their probabilities
    values: np.ndarray  # float32 [S, R]   in 0 to 1
    weights: np.ndarray  # float32 [S]   of the policy
    ends: np.ndarray  # uint64 [S, K]   the terminal position


class LossRule(NamedTuple):
    """What is minimised: a weighted sum of cross-entropies."""

    value: float
    policy: float
    facts: float


class OptimiserState(NamedTuple):
    """Adam: moments of the gradient, and steps so far."""

    mean: np.ndarray  # float32 [P]
    square: np.ndarray  # float32 [P]
    steps: np.ndarray  # int64 [1]


class OptimiserRule(NamedTuple):
    """How far a step goes."""

    step_size: float
    mean_decay: float
    square_decay: float
    weight_decay: float
    longest: float  # norm of the gradient at most


# ── forward ─────────────────────────────────────────────────────────────────────────


@lean_part
def _add_row(target, weights, i, times):
    for j in range(target.shape[0]):
        target[j] += times * weights[i, j]


@lean_part
def _add(target, source, times):
    for j in range(target.shape[0]):
        target[j] += times * source[j]


@lean_part
def _rectify(target):
    for j in range(target.shape[0]):
        target[j] = max(target[j], ZERO)


@lean_part
def _dot(levels, weights, i, terms):
    for j in range(terms.shape[0]):
        terms[j] = levels[j] * weights[i, j]
    return add_up(terms)


@lean_part
def _logistic(total):
    return ONE / (ONE + np.float32(math.exp(-total)))


@lean_part
def evaluate_units(network, view, row):
    """Compute the levels of all hidden units at a position.  row: uint64 [K]"""
    weights, buffers = network.weights, network.buffers
    places = network.views.facts[view]
    first, second = buffers.first, buffers.second
    bias = weights.first.shape[0] - 1
    for j in range(first.shape[0]):
        first[j] = weights.first[bias, j]
    for word in range(row.shape[0]):
        bits = row[word]
        while bits:
            _add_row(first, weights.first, places[64 * word + lowest_one(bits)], ONE)
            bits &= bits - _ONE
    _rectify(first)
    units = first.shape[0]
    for j in range(second.shape[0]):
        second[j] = weights.second[units, j]
    for i in range(units):
        if first[i] > ZERO:
            _add_row(second, weights.second, i, first[i])
    _rectify(second)


@lean_part
def evaluate_values(network, view):
    """Put the values of all roles, in 0 to 1, into the buffer, once units are known."""
    weights, buffers = network.weights, network.buffers
    for role in range(buffers.values.shape[0]):
        place = network.views.roles[view, role]
        total = _dot(buffers.second, weights.value, place, buffers.terms)
        buffers.values[role] = _logistic(total + weights.value_bias[place])


@lean_part
def move_logit(network, view, move):
    """Return the logit of a move, of M, once units are known."""
    weights, buffers = network.weights, network.buffers
    place = network.views.moves[view, move]
    total = _dot(buffers.second, weights.policy, place, buffers.terms)
    return total + weights.policy_bias[place]


@lean
def evaluate_positions(network, rows, views, values):
    """Evaluate positions.  rows: uint64 [n, K], views: int32 [n], values [n, R]"""
    for i in range(rows.shape[0]):
        evaluate_units(network, views[i], rows[i])
        evaluate_values(network, views[i])
        for role in range(values.shape[1]):
            values[i, role] = network.buffers.values[role]


@lean
def evaluate_moves(network, rows, views, moves, counts, logits):
    """Compute logits of moves.  moves, logits: [n, L], counts: int32 [n]"""
    for i in range(rows.shape[0]):
        evaluate_units(network, views[i], rows[i])
        for k in range(counts[i]):
            logits[i, k] = move_logit(network, views[i], moves[i, k])


# ── backward ────────────────────────────────────────────────────────────────────────


@lean
def add_gradient(network, gradient, rule, samples, picked, losses):
    """Add the gradient of the mean loss over picked samples.

    gradient: `NetworkWeights`, picked: int64 [n], losses: float64 [3], sums
    """
    share = np.float32(1.0 / picked.shape[0])
    slope = network.buffers.second_slope
    for i in range(picked.shape[0]):
        sample = picked[i]
        evaluate_units(network, samples.views[sample], samples.rows[sample])
        for j in range(slope.shape[0]):
            slope[j] = ZERO
        losses[VALUE_LOSS] += _learn_values(
            network, gradient, samples, sample, share * np.float32(rule.value)
        )
        weight = np.float32(rule.policy) * samples.weights[sample]
        if weight > ZERO:
            losses[POLICY_LOSS] += _learn_policy(
                network, gradient, samples, sample, share * weight
            )
        if rule.facts > 0.0:
            losses[FACTS_LOSS] += _learn_facts(
                network, gradient, samples, sample, share * np.float32(rule.facts)
            )
        _learn_units(network, gradient, samples, sample)


@lean_part
def _learn_head(network, weights, gradient, place, error):
    """Add the gradient of one output, whose derivative is the error."""
    second, slope = network.buffers.second, network.buffers.second_slope
    for j in range(second.shape[0]):
        gradient[place, j] += error * second[j]
        slope[j] += error * weights[place, j]


@lean_part
def _cross_entropy(target, share):
    return -np.float64(target) * math.log(np.float64(max(share, _LEAST)))


@lean_part
def _learn_values(network, gradient, samples, sample, weight):
    """Add the gradient of the values; return their cross-entropy."""
    view = samples.views[sample]
    evaluate_values(network, view)
    loss = 0.0
    for role in range(samples.values.shape[1]):
        place = network.views.roles[view, role]
        found, target = network.buffers.values[role], samples.values[sample, role]
        loss += _cross_entropy(target, found) + _cross_entropy(
            ONE - target, ONE - found
        )
        error = weight * (found - target)
        gradient.value_bias[place] += error
        _learn_head(network, network.weights.value, gradient.value, place, error)
    return loss


@lean_part
def _learn_policy(network, gradient, samples, sample, weight):
    """Add the gradient of the policies of all roles; return their cross-entropy."""
    view, moves = samples.views[sample], samples.moves[sample]
    logits = network.buffers.logits
    loss = 0.0
    first = 0
    for role in range(samples.counts.shape[1]):
        end = first + samples.counts[sample, role]
        for k in range(first, end):
            logits[k] = move_logit(network, view, moves[k])
        make_shares(logits, first, end)
        for k in range(first, end):
            target = samples.policy[sample, k]
            loss += _cross_entropy(target, logits[k])
            place = network.views.moves[view, moves[k]]
            error = weight * (logits[k] - target)
            gradient.policy_bias[place] += error
            _learn_head(network, network.weights.policy, gradient.policy, place, error)
        first = end
    return loss


@lean_part
def make_shares(logits, first, end):
    """Turn logits first … end into probabilities, in place."""
    if first == end:
        return
    highest = logits[first]
    for k in range(first, end):
        highest = max(highest, logits[k])
    total = ZERO
    for k in range(first, end):
        logits[k] = np.float32(math.exp(logits[k] - highest))
        total += logits[k]
    for k in range(first, end):
        logits[k] /= total


@lean_part
def _learn_facts(network, gradient, samples, sample, weight):
    """Add the gradient of the facts at the end of the match; return the loss."""
    weights, buffers = network.weights, network.buffers
    view, end = samples.views[sample], samples.ends[sample]
    count = weights.facts.shape[0]
    weight /= np.float32(count)
    loss = 0.0
    for fact in range(count):
        place = network.views.facts[view, fact]
        total = _dot(buffers.second, weights.facts, place, buffers.terms)
        found = _logistic(total + weights.facts_bias[place])
        target = np.float32((end[fact >> 6] >> np.uint64(fact & 63)) & _ONE)
        loss += _cross_entropy(target, found) + _cross_entropy(
            ONE - target, ONE - found
        )
        error = weight * (found - target)
        gradient.facts_bias[place] += error
        _learn_head(network, weights.facts, gradient.facts, place, error)
    return loss / count


@lean_part
def _learn_units(network, gradient, samples, sample):
    """Add the gradient of both hidden layers, from the slope at the second."""
    weights, buffers = network.weights, network.buffers
    first, second = buffers.first, buffers.second
    slope, first_slope = buffers.second_slope, buffers.first_slope
    units = first.shape[0]
    for j in range(second.shape[0]):
        if second[j] <= ZERO:
            slope[j] = ZERO
        gradient.second[units, j] += slope[j]
    for i in range(units):
        first_slope[i] = ZERO
        if first[i] > ZERO:
            _add(gradient.second[i], slope, first[i])
            first_slope[i] = _dot(slope, weights.second, i, buffers.terms)
    row, places = samples.rows[sample], network.views.facts[samples.views[sample]]
    _add(gradient.first[weights.first.shape[0] - 1], first_slope, ONE)
    for word in range(row.shape[0]):
        bits = row[word]
        while bits:
            place = places[64 * word + lowest_one(bits)]
            _add(gradient.first[place], first_slope, ONE)
            bits &= bits - _ONE


@lean
def step(parameters, gradient, state, rule):
    """Take a step of Adam down the gradient, and clear it; return its norm before.

    parameters, gradient: float32 [P]. Nothing changes where the norm is not finite.
    """
    total = 0.0
    for i in range(gradient.shape[0]):
        total += np.float64(gradient[i]) * np.float64(gradient[i])
    norm = math.sqrt(total)
    if not math.isfinite(norm):
        return norm
    state.steps[0] += 1
    count = np.float64(state.steps[0])
    scale = ONE if norm <= rule.longest else np.float32(rule.longest / norm)
    one, other = np.float32(rule.mean_decay), np.float32(rule.square_decay)
    root = np.float32(math.sqrt(1.0 - math.pow(rule.square_decay, count)))
    far = np.float32(rule.step_size / (1.0 - math.pow(rule.mean_decay, count))) * root
    kept = np.float32(1.0 - rule.step_size * rule.weight_decay)
    least = np.float32(1e-8) * root
    for i in range(parameters.shape[0]):
        slope = scale * gradient[i]
        state.mean[i] = one * state.mean[i] + (ONE - one) * slope
        state.square[i] = other * state.square[i] + (ONE - other) * slope * slope
        move = state.mean[i] / (np.sqrt(state.square[i]) + least)
        parameters[i] = kept * parameters[i] - far * move
        gradient[i] = ZERO
    return norm
