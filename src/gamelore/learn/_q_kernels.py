"""How matches teach value functions by Q-learning: towards the best that may follow.

The value of a move is that of the afterstate it leads to, as with TD; but its target
comes from the best move at the decision that follows, not from the one that was taken.
The best is the highest where the learner's side moves and the lowest where another
does. Where chance moves nobody chooses, and what happened is the target.

There are no traces, so an update goes to the weights of a single position: at once, or
after the match.

I inputs, H hidden units in eights, T positions of the longest match.
"""

from __future__ import annotations

import numpy as np

from gamelore.graph._kernels import ENDED, FINE
from gamelore.kernels import lean_part
from gamelore.learn._td_kernels import (
    LARGEST_ERROR,
    change_hidden,
    error_of,
    leave_trace,
    note_slopes,
    weighed,
)
from gamelore.values._function_kernels import (
    DIVERGED,
    KNOWN,
    LEARNED,
    bonus,
    finish,
    linear_value,
    measure_moves,
    measure_trail,
    output_of,
    reward_of,
    shift,
    sum_up,
    weigh,
)

_NOTHING = np.float32(0.0)
_THE_END = -1


# ── what may follow ─────────────────────────────────────────────────────────────────


@lean_part
def _measure(program, nodes, function, view, moves, count, end):
    """Count the features of all positions that a match teaches, or might have met."""
    for t in range(count):
        measure_moves(program, nodes, function, view, np.int64(moves.nodes[t]))
    function.trail.nodes[0] = end
    measure_trail(program, nodes, function, view, 0)


@lean_part
def _count_positions(nodes, function, moves, count):
    """How many positions learn: all but an end, unless it is learned of."""
    length = count
    if count > 0 and nodes.mover[nodes.child[moves.edges[count - 1]]] == ENDED:
        length -= 1
    return length + (function.ends == LEARNED)


@lean_part
def _position(nodes, moves, count, t, end):
    """A position that learns; the end comes after all others."""
    return np.int64(nodes.child[moves.edges[t]]) if t < count else np.int64(end)


@lean_part
def _following(nodes, rule, moves, count, t, role):
    """The edges that may be taken next: the first, how many, and who wants what.

    _THE_END in the place of the first where the match ended before another decision.
    """
    if t + 1 >= count:
        return np.int64(_THE_END), np.int64(1), 1.0
    decision = moves.nodes[t + 1]
    mover = nodes.mover[decision]
    if mover == rule.chance:
        return np.int64(moves.edges[t + 1]), np.int64(1), 1.0
    sign = 1.0 if mover == role else -1.0
    return nodes.first[decision], np.int64(nodes.degree[decision]), sign


@lean_part
def _afterstate(nodes, first, i, end):
    return np.int64(end) if first == _THE_END else np.int64(nodes.child[first + i])


@lean_part
def _is_valued(nodes, function, node):
    """Whether what the function says of a node counts."""
    return nodes.mover[node] != ENDED or function.ends != KNOWN


@lean_part
def _earned(nodes, function, view, node, after, role):
    """The reward for going on from a node to an afterstate."""
    counts = function.lens.counts[view]
    earned = bonus(function, counts[node], counts[after])
    if nodes.mover[after] == ENDED and function.ends != LEARNED:
        earned += reward_of(nodes, function, after, role)
    return earned


# ── linear functions ────────────────────────────────────────────────────────────────


@lean_part
def _linear_target(nodes, function, rule, view, moves, count, t, end, role):
    """What a position should have been worth."""
    node = _position(nodes, moves, count, t, end)
    if node == end:
        return reward_of(nodes, function, end, role)
    first, number, sign = _following(nodes, rule, moves, count, t, role)
    best = -np.inf
    for i in range(number):
        after = _afterstate(nodes, first, i, end)
        worth = _earned(nodes, function, view, node, after, role)
        if _is_valued(nodes, function, after):
            total = weigh(nodes, function, view, after)
            worth += rule.discount * linear_value(function, total)
        if sign * worth > best:
            best = sign * worth
    return sign * best


def teach_linear(program, nodes, function, rule, moves, count, end, role):
    """Fold a match in by Q-learning; FINE or DIVERGED."""
    view = min(role, 1)
    _measure(program, nodes, function, view, moves, count, end)
    weights = function.direct
    change, kept = function.trail.direct[1], function.trail.direct[2]
    for i in range(weights.shape[0]):
        change[i] = 0.0
        kept[i] = weights[i]
    for t in range(_count_positions(nodes, function, moves, count)):
        node = _position(nodes, moves, count, t, end)
        prediction, slope = weighed(nodes, function, view, node)
        target = _linear_target(nodes, function, rule, view, moves, count, t, end, role)
        error = error_of(rule, prediction, target)
        if not abs(error) < LARGEST_ERROR:
            for i in range(weights.shape[0]):
                weights[i] = kept[i]
            return np.int64(DIVERGED)
        changed = weights if function.online else change
        share = error * (rule.step_size * slope)
        leave_trace(nodes, function, view, node, changed, share)
    if not function.online:
        for i in range(weights.shape[0]):
            weights[i] += change[i]
    return np.int64(FINE)


# ── networks ────────────────────────────────────────────────────────────────────────


@lean_part
def _network_target(nodes, function, rule, view, moves, count, t, end, role):
    """The same by a network, from the sums of the position, which are used up."""
    node = _position(nodes, moves, count, t, end)
    if node == end:
        return reward_of(nodes, function, end, role)
    sums, work = function.sums[0], function.sums[1]
    before = node
    if t + 1 < count:
        before = np.int64(moves.nodes[t + 1])
        if before != node:
            shift(nodes, function, view, node, before, sums)
    first, number, sign = _following(nodes, rule, moves, count, t, role)
    best = -np.inf
    for i in range(number):
        after = _afterstate(nodes, first, i, end)
        worth = _earned(nodes, function, view, node, after, role)
        if _is_valued(nodes, function, after):
            for j in range(work.shape[0]):
                work[j] = sums[j]
            shift(nodes, function, view, before, after, work)
            value, _ = finish(function.output, output_of(function, work))
            worth += rule.discount * value
        if sign * worth > best:
            best = sign * worth
    return sign * best


@lean_part
def _keep(function):
    """Remember the weights, and that nothing is to be changed yet."""
    out, hidden, trail = function.out, function.hidden, function.trail
    for j in range(out.shape[0]):
        trail.shares[0, j] = _NOTHING
        trail.shares[1, j] = _NOTHING
        trail.shares[2, j] = out[j]
    if function.online:
        for i in range(hidden.shape[0]):
            for j in range(hidden.shape[1]):
                trail.hidden[i, j] = hidden[i, j]


@lean_part
def _restore(function):
    """Put the weights back as they were before the match."""
    out, hidden, trail = function.out, function.hidden, function.trail
    for j in range(out.shape[0]):
        out[j] = trail.shares[2, j]
    if function.online:
        for i in range(hidden.shape[0]):
            for j in range(hidden.shape[1]):
                hidden[i, j] = trail.hidden[i, j]


@lean_part
def _change(nodes, function, view, length):
    """Change all weights by what the first positions of the trail add to them."""
    out, change, kept = function.out, function.trail.shares[1], function.trail.shares[2]
    for j in range(out.shape[0]):
        out[j] = kept[j] + change[j]
    change_hidden(nodes, function, view, length)


def teach_network(program, nodes, function, rule, moves, count, end, role):
    """Fold a match in by Q-learning; FINE or DIVERGED."""
    view = min(role, 1)
    _measure(program, nodes, function, view, moves, count, end)
    trail, sums, work = function.trail, function.sums[0], function.sums[1]
    function.place[0] = -1  # its sums are used here
    traces, change = trail.shares[0], trail.shares[1]
    bias = work.shape[0]
    length = _count_positions(nodes, function, moves, count)
    _keep(function)
    for t in range(length):
        slot = 0 if function.online else t
        node = _position(nodes, moves, count, t, end)
        trail.nodes[slot] = node
        sum_up(nodes, function, view, node, sums)
        for j in range(work.shape[0]):
            work[j] = sums[j]
        prediction = note_slopes(function, rule, slot, work)
        target = _network_target(
            nodes, function, rule, view, moves, count, t, end, role
        )
        error = error_of(rule, prediction, target)
        if not abs(error) < LARGEST_ERROR:
            _restore(function)
            return np.int64(DIVERGED)
        step = rule.step_size * error
        trail.gains[slot] = step
        for j in range(function.units):
            change[j] += np.float32(step) * traces[j]
        change[bias] += np.float32(step) * traces[bias]
        if function.online:
            _change(nodes, function, view, 1)
    if not function.online and length > 0:
        _change(nodes, function, view, length)
    return np.int64(FINE)
