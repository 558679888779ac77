"""How matches teach value functions: TD(λ) over the positions of a match.

A match is learned from once it has ended, move by move. The weights from inputs to
hidden units are changed last, all at once. What the updates so far would have added to
the sums of a position follows from how alike the inputs of two positions are, so the
predictions are those of weights that change with every move, at a fraction of the work.

I inputs, H hidden units in eights, T positions of the longest match.
"""

from __future__ import annotations

import numpy as np

from gamelore.engine.compiled._lanes import lowest_one
from gamelore.graph._kernels import ENDED, FINE
from gamelore.kernels import lean_part
from gamelore.values._function_kernels import (
    DIVERGED,
    IDENTITY,
    LEARNED,
    VALUED,
    bonus,
    finish,
    likeness,
    measure_trail,
    output_of,
    reward_of,
    shape_of,
    shift,
    squash,
    sum_up,
    total_of,
    weigh,
)

LARGEST_ERROR = 1e15
_ONE = np.uint64(1)
_NOTHING = np.float32(0.0)
_UNIT = np.float32(1.0)


@lean_part
def lay_trail(nodes, function, edges, count, end):
    """Note the positions to learn from, and the end if it is looked at; their number.

    edges: int64 [·]   the moves that led to them
    """
    places = function.trail.nodes
    length = 0
    for t in range(count):
        child = nodes.child[edges[t]]
        if nodes.mover[child] != ENDED:
            places[length] = child
            length += 1
    if function.ends == LEARNED:
        places[length] = end
        length += 1
    places[length] = end
    return length


@lean_part
def earned_at(nodes, function, view, t, length, end, role):
    """The reward for going on from a position of the trail."""
    places, counts = function.trail.nodes, function.lens.counts[view]
    earned = bonus(function, counts[places[t]], counts[places[t + 1]])
    if t + 1 == length:
        earned += reward_of(nodes, function, end, role)
    return earned


@lean_part
def error_of(rule, prediction, target):
    """A temporal difference, seen with more or less liking for risk."""
    error = target - prediction
    return (1.0 - rule.risk) * error if error > 0.0 else (1.0 + rule.risk) * error


def teach_linear(program, nodes, function, rule, moves, count, end, role):
    """Fold a match in by TD(λ); FINE or DIVERGED."""
    view = min(role, 1)
    length = lay_trail(nodes, function, moves.edges, count, end)
    measure_trail(program, nodes, function, view, length)
    looked_at = length + (function.ends == VALUED)
    places = function.trail.nodes
    weights = function.direct
    trace, change, kept = (
        function.trail.direct[0],
        function.trail.direct[1],
        function.trail.direct[2],
    )
    for i in range(weights.shape[0]):
        trace[i] = 0.0
        change[i] = 0.0
        kept[i] = weights[i]
    for t in range(length):
        prediction, slope = weighed(nodes, function, view, places[t])
        following, next_slope = 0.0, 0.0
        if t + 1 < looked_at or function.arrives:
            following, next_slope = weighed(nodes, function, view, places[t + 1])
        if t + 1 >= looked_at:
            following = 0.0
        target = earned_at(nodes, function, view, t, length, end, role)
        target += rule.discount * following
        error = error_of(rule, prediction, target)
        if not abs(error) < LARGEST_ERROR:
            for i in range(weights.shape[0]):
                weights[i] = kept[i]
            return np.int64(DIVERGED)
        if t == 0 or not function.arrives:
            _renew_trace(nodes, function, view, places[t], rule, slope)
        if function.arrives:
            _renew_trace(nodes, function, view, places[t + 1], rule, next_slope)
        if function.online:
            for i in range(weights.shape[0]):
                weights[i] += error * trace[i]
        else:
            for i in range(weights.shape[0]):
                change[i] += error * trace[i]
    if not function.online:
        for i in range(weights.shape[0]):
            weights[i] += change[i]
    return np.int64(FINE)


@lean_part
def weighed(nodes, function, view, node):
    """What a linear function says of a node, and how fast that rises with its sum."""
    total = weigh(nodes, function, view, node)
    if function.output == IDENTITY:
        return total, 1.0
    return finish(function.output, np.float32(total))


@lean_part
def _renew_trace(nodes, function, view, node, rule, slope):
    """Let the trace fade, and add the inputs of a node to it."""
    trace = function.trail.direct[0]
    for i in range(trace.shape[0]):
        trace[i] *= rule.trace_decay
    leave_trace(nodes, function, view, node, trace, rule.step_size * slope)


@lean_part
def leave_trace(nodes, function, view, node, trace, share):
    """Add the inputs of a node to a trace."""
    if function.fluents:
        for word in range(nodes.rows.shape[1]):
            bits = nodes.rows[node, word]
            while bits:
                trace[function.places[view, 64 * word + lowest_one(bits)]] += share
                bits &= bits - _ONE
    for feature in range(function.features):
        count = np.float64(function.lens.counts[view, node, feature])
        trace[function.fluents + feature] += share * count
    if function.units:  # of a linear function: whether it has a bias
        trace[trace.shape[0] - 1] += share


@lean_part
def _correct(function, t, noted, work):
    """The sums at a position of the trail, by the weights as they are by now.

    The weights to hidden units change after the match only; but what the updates so
    far would add to the sums follows from how alike its inputs are to those of the
    positions noted by then.
    """
    trail = function.trail
    for j in range(work.shape[0]):
        work[j] = trail.sums[t, j]
    if function.online:
        for k in range(noted):
            share = np.float32(trail.gains[k] * trail.alike[k])
            for j in range(work.shape[0]):
                work[j] += share * trail.slopes[k, j]


@lean_part
def note_slopes(function, rule, t, work):
    """Keep the gradient at a position of the trail: its value.  work: float32 [H]"""
    level, height, pace = shape_of(function.activation)
    trail, out = function.trail, function.out
    slopes = trail.slopes[t]
    traces = trail.shares[0]
    units = work.shape[0]
    for j in range(units):
        slopes[j] = squash(pace * work[j])
        work[j] = out[j] * (level + height * slopes[j])
    value, slope = finish(function.output, total_of(work) + out[units])
    gradient = np.float32(slope)
    decay = np.float32(rule.trace_decay)
    for j in range(units):
        traces[j] = decay * traces[j] + gradient * (level + height * slopes[j])
    traces[units] = decay * traces[units] + gradient
    for j in range(units):
        curve = slopes[j]
        slopes[j] = gradient * out[j] * pace * height * (_UNIT - curve * curve)
    for k in range(t):
        trail.traces[k] *= rule.trace_decay
    trail.traces[t] = 1.0
    trail.gains[t] = 0.0
    return value


def teach_network(program, nodes, function, rule, moves, count, end, role):
    """Fold a match in by TD(λ); FINE or DIVERGED."""
    view = min(role, 1)
    length = lay_trail(nodes, function, moves.edges, count, end)
    if length == 0:
        return np.int64(FINE)
    measure_trail(program, nodes, function, view, length)
    looked_at = length + (function.ends == VALUED)
    trail, out, work = function.trail, function.out, function.sums[1]
    change, kept = trail.shares[1], trail.shares[2]
    for j in range(out.shape[0]):
        trail.shares[0, j] = _NOTHING
        change[j] = _NOTHING
        kept[j] = out[j]
    sum_up(nodes, function, view, trail.nodes[0], trail.sums[0])
    arrives = function.arrives
    for t in range(length):
        if t and arrives:
            _correct(function, t, t + 1, work)
            prediction, _ = finish(function.output, output_of(function, work))
        else:
            _correct(function, t, t, work)
            prediction = note_slopes(function, rule, t, work)
        following = 0.0
        if t + 1 < looked_at or arrives:
            _go_on(nodes, function, view, t)
            _correct(function, t + 1, t + 1, work)
            if arrives:
                following = note_slopes(function, rule, t + 1, work)
            else:
                following, _ = finish(function.output, output_of(function, work))
        if t + 1 >= looked_at:
            following = 0.0
        target = earned_at(nodes, function, view, t, length, end, role)
        error = error_of(rule, prediction, target + rule.discount * following)
        if not abs(error) < LARGEST_ERROR:
            for j in range(out.shape[0]):
                out[j] = kept[j]
            return np.int64(DIVERGED)
        step = rule.step_size * error
        for k in range(t + 1 + arrives):
            trail.gains[k] += step * trail.traces[k]
        for j in range(function.units):
            change[j] += np.float32(step) * trail.shares[0, j]
        bias = out.shape[0] - 8
        change[bias] += np.float32(step) * trail.shares[0, bias]
        if function.online:
            for j in range(out.shape[0]):
                out[j] = kept[j] + change[j]
    for j in range(out.shape[0]):
        out[j] = kept[j] + change[j]
    change_hidden(nodes, function, view, length + arrives)
    return np.int64(FINE)


@lean_part
def _go_on(nodes, function, view, t):
    """Find the sums at the next position, and how alike it is to all up to it."""
    trail = function.trail
    before, after = trail.nodes[t], trail.nodes[t + 1]
    for j in range(trail.sums.shape[1]):
        trail.sums[t + 1, j] = trail.sums[t, j]
    shift(nodes, function, view, before, after, trail.sums[t + 1])
    for k in range(t + 1 + function.arrives):
        trail.alike[k] = likeness(nodes, function, view, trail.nodes[k], after)


@lean_part
def change_hidden(nodes, function, view, length):
    """Add up what all positions of the trail add to the weights of their inputs.

    An input that is there from one position to another gets the sum of theirs: that of
    the first and all after it, less that of those after the last.
    """
    trail, weights = function.trail, function.hidden
    sums, places = trail.sums, trail.nodes
    for t in range(length - 1, -1, -1):
        gain = np.float32(trail.gains[t])
        for j in range(sums.shape[1]):
            trail.slopes[t, j] *= gain
        for feature in range(function.features):
            count = function.lens.counts[view, places[t], feature]
            for j in range(sums.shape[1]):
                weights[function.fluents + feature, j] += count * trail.slopes[t, j]
        for j in range(sums.shape[1]):
            after = sums[t + 1, j] if t + 1 < length else _NOTHING
            sums[t, j] = after + trail.slopes[t, j]
    bias = weights.shape[0] - 1
    for j in range(sums.shape[1]):
        weights[bias, j] += sums[0, j]
    if function.fluents == 0:
        return
    for word in range(nodes.rows.shape[1]):
        before = np.uint64(0)
        for t in range(length):
            after = nodes.rows[places[t], word]
            bits = before ^ after
            while bits:
                bit = lowest_one(bits)
                gone = (after >> np.uint64(bit)) & _ONE == np.uint64(0)
                times = -_UNIT if gone else _UNIT
                place = function.places[view, 64 * word + bit]
                for j in range(sums.shape[1]):
                    weights[place, j] += times * sums[t, j]
                bits &= bits - _ONE
            before = after


def teach_nothing(program, nodes, function, rule, moves, count, end, role):
    """In the place of a function, where values are in a table."""
    return np.int64(FINE)
