"""Value functions with weights: what they say of positions, and how matches teach them.

N nodes of the state graph, K words per position, I inputs, H hidden units in eights, F
features, T positions of the longest match.

The inputs of a position are its fluents, a bit each, then its features, then a bias
that is always 1; `places` says which input a fluent is, for each of two views.

Weights stand still while a match is played; it is learned from once it has ended. So
the sums into the hidden units are carried from position to position, and only inputs
that changed are added or taken away.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gamelore.circuit.program import FEATURES, Program
from gamelore.engine.compiled._feature_kernels import (
    FeatureProgram,
    count_features,
    count_rows,
)
from gamelore.engine.compiled._kernels_64 import run_phase
from gamelore.engine.compiled._lanes import count_ones, lowest_one
from gamelore.graph._kernels import ENDED, FINE
from gamelore.kernels import lean, lean_part

NO_FUNCTION, LINEAR, NETWORK = range(3)
"""Kinds of value functions; without one, values are in a table."""

IDENTITY, SIGMOID, TANH = range(3)
"""What units do with their sums."""

KNOWN, LEARNED, VALUED = range(3)
"""What the end of a match is worth: its reward; what is learned of it, from its reward;
or its reward and what the function says of it besides."""

DIVERGED = 96
"""A status: an error beyond all measure. The weights are as before the match."""

_ONE = np.uint64(1)
_NOTHING = np.float32(0.0)
_UNIT = np.float32(1.0)
_HALF = np.float32(0.5)
_EDGE = np.float32(9.0)


class Rule(NamedTuple):
    """How to learn."""

    step_size: float
    discount: float
    trace_decay: float
    risk: float
    chance: int  # the role `random`, or -1


class Moves(NamedTuple):
    """The moves of a match to learn from, in the first places."""

    nodes: np.ndarray  # int32 [·]   where they were made
    edges: np.ndarray  # int64 [·]


class Lens(NamedTuple):
    """The features of positions as the first and the second role see them."""

    views: tuple[FeatureProgram, FeatureProgram]
    counts: np.ndarray  # float32 [2, N, C]
    measured: np.ndarray  # uint8 [2, N]   1: has been counted
    waiting: np.ndarray  # int64 [64]   nodes that are to be counted together,
    rows: np.ndarray  # uint64 [64, K]   their positions,
    columns: np.ndarray  # float32 [64, C]   and what is counted
    words: np.ndarray  # uint64 [2 S]   for the circuit
    room: np.ndarray  # uint64 [64]


class Trail(NamedTuple):
    """Room for the positions of a match that is being learned from."""

    nodes: np.ndarray  # int64 [T]
    sums: np.ndarray  # float32 [T, H]   into hidden units, by the weights before
    slopes: np.ndarray  # float32 [T, H]   of values by those sums
    gains: np.ndarray  # float64 [T]   how much of its gradient a position adds
    traces: np.ndarray  # float64 [T]   its share of errors to come
    alike: np.ndarray  # float64 [T]   inputs it has in common with another
    shares: np.ndarray  # float32 [3, H + 8]   of weights to the output: their traces,
    # their changes, and what they were
    direct: np.ndarray  # float64 [3, I]   the same of linear weights
    hidden: np.ndarray  # float32 [I, H]   weights to hidden units as they were


class Function(NamedTuple):
    """A value function: its weights, and room to work in."""

    kind: int  # NO_FUNCTION, LINEAR or NETWORK
    activation: int  # of hidden units
    output: int  # of the output
    units: int  # hidden units that there are; the others of H stay 0
    fluents: int  # so many inputs are fluents, none if they are not used
    places: np.ndarray  # int32 [2, 64 · K]   the input of each fluent, by view
    features: int  # F
    online: int  # 1: each update changes the predictions that follow it
    ends: int  # KNOWN, LEARNED or VALUED
    sees_ends: int  # 1: choices go by the reward of an end, not by its value
    arrives: int  # 1: a position learns from the error that is found on reaching it
    foresight: float  # what values count in choices beside rewards, or 0: these do not
    hidden: np.ndarray  # float32 [I, H]
    out: np.ndarray  # float32 [H + 8]   the bias at H
    direct: np.ndarray  # float64 [I]   of linear functions
    scale: np.ndarray  # float64 [R, 2]   reward = goal · first + second
    shaping: np.ndarray  # float32 [F]   reward of a feature's going up by 1
    place: np.ndarray  # int64 [2]   the node and view that `sums` are of, or -1
    sums: np.ndarray  # float32 [2, H]   of that node, and room for another
    worth: np.ndarray  # float64 [·]   values of the moves of a node
    trail: Trail
    lens: Lens


class Mind(NamedTuple):
    """A value function, and how it is asked and taught."""

    function: Function
    judge: Any  # pointer to what says how good moves are by the function
    teach: Any  # pointer to what teaches it a match
    program: Program  # which counts its features


# ── units ───────────────────────────────────────────────────────────────────────────


@lean_part
def squash(x):
    """tanh(x) to within 1e-6, by a quotient of polynomials; float32."""
    x = min(max(x, -_EDGE), _EDGE)
    u = x * x
    over = np.float32(-4.933863436098212e-09) * u + np.float32(6.4293423968637064e-06)
    over = over * u + np.float32(0.002592305411365619)
    over = over * u + np.float32(0.12606818992511143)
    over = (over * u + np.float32(0.9999976251024486)) * x
    under = np.float32(0.00018374760108097566) * u + np.float32(0.02239824247236075)
    under = under * u + np.float32(0.45939344058414927)
    return over / (under * u + _UNIT)


@lean_part
def shape_of(activation):
    """A unit as level + height · tanh(pace · sum)."""
    if activation == SIGMOID:
        return _HALF, _HALF, _HALF
    return _NOTHING, _UNIT, _UNIT


@lean_part
def finish(output, total):
    """What the output makes of its sum, and how fast that rises with the sum."""
    if output == IDENTITY:
        return np.float64(total), np.float64(1.0)
    level, height, pace = shape_of(output)
    curve = squash(pace * total)
    slope = pace * height * (_UNIT - curve * curve)
    return np.float64(level + height * curve), np.float64(slope)


@lean_part
def total_of(terms):
    """Their sum, in eight parts, so that it does not depend on who compiles it."""
    a = b = c = d = e = f = g = h = _NOTHING
    for part in range(np.uint64(terms.shape[0] // 8)):
        i = part << np.uint64(3)
        a += terms[i]
        b += terms[i | np.uint64(1)]
        c += terms[i | np.uint64(2)]
        d += terms[i | np.uint64(3)]
        e += terms[i | np.uint64(4)]
        f += terms[i | np.uint64(5)]
        g += terms[i | np.uint64(6)]
        h += terms[i | np.uint64(7)]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@lean_part
def output_of(function, work):
    """The sum into the output.  work: float32 [H] sums into hidden units, used up"""
    level, height, pace = shape_of(function.activation)
    out = function.out
    for j in range(work.shape[0]):
        work[j] = out[j] * (level + height * squash(pace * work[j]))
    return total_of(work) + out[work.shape[0]]


# ── inputs ──────────────────────────────────────────────────────────────────────────


@lean_part
def measure_moves(program, nodes, function, view, node):
    """Count the features of an expanded node, and of where its moves lead."""
    if function.features == 0:
        return
    waiting = _ask_for(program, nodes, function, view, node, 0)
    first = nodes.first[node]
    for edge in range(first, first + nodes.degree[node]):
        child = nodes.child[edge]
        waiting = _ask_for(program, nodes, function, view, child, waiting)
    _count_waiting(program, nodes, function, view, waiting)


@lean_part
def measure_trail(program, nodes, function, view, length):
    """Count the features of the positions of a match, its end included."""
    if function.features == 0:
        return
    waiting = 0
    for t in range(length + 1):
        place = function.trail.nodes[t]
        waiting = _ask_for(program, nodes, function, view, place, waiting)
    _count_waiting(program, nodes, function, view, waiting)


@lean_part
def _ask_for(program, nodes, function, view, node, waiting):
    """Have a node counted, soon; how many wait for that."""
    lens = function.lens
    if lens.measured[view, node]:
        return waiting
    if waiting == lens.waiting.shape[0]:
        _count_waiting(program, nodes, function, view, waiting)
        waiting = 0
    lens.measured[view, node] = 1
    lens.waiting[waiting] = node
    for word in range(lens.rows.shape[1]):
        lens.rows[waiting, word] = nodes.rows[node, word]
    return waiting + 1


@lean
def _count_waiting(program, nodes, function, view, waiting):
    lens = function.lens
    features = lens.views[0] if view == 0 else lens.views[1]
    words, rows = lens.words, lens.rows[:waiting]
    count_rows(program, features, words, rows, lens.room, lens.columns)
    for lane in range(waiting):
        counts = lens.counts[view, lens.waiting[lane]]
        for column in range(counts.shape[0]):
            counts[column] = lens.columns[lane, column]


@lean_part
def _add(target, weights, i, times):
    for j in range(target.shape[0]):
        target[j] += times * weights[i, j]


@lean_part
def sum_row(function, view, row, counts, target):
    """The sums into the hidden units, from nothing.

    row: uint64 [K], counts: float32 [·] its features, target: float32 [H]
    """
    weights = function.hidden
    bias = weights.shape[0] - 1
    for j in range(target.shape[0]):
        target[j] = weights[bias, j]
    if function.fluents:
        for word in range(row.shape[0]):
            bits = row[word]
            while bits:
                place = function.places[view, 64 * word + lowest_one(bits)]
                _add(target, weights, place, _UNIT)
                bits &= bits - _ONE
    for feature in range(function.features):
        if counts[feature] != _NOTHING:
            _add(target, weights, function.fluents + feature, counts[feature])


@lean_part
def shift_row(function, view, row, counts, other, other_counts, target):
    """Turn the sums of a position into those of another.  target: float32 [H]"""
    weights = function.hidden
    if function.fluents:
        for word in range(row.shape[0]):
            after = other[word]
            bits = row[word] ^ after
            while bits:
                bit = lowest_one(bits)
                gone = (after >> np.uint64(bit)) & _ONE == np.uint64(0)
                place = function.places[view, 64 * word + bit]
                _add(target, weights, place, -_UNIT if gone else _UNIT)
                bits &= bits - _ONE
    for feature in range(function.features):
        more = other_counts[feature] - counts[feature]
        if more != _NOTHING:
            _add(target, weights, function.fluents + feature, more)


@lean_part
def sum_up(nodes, function, view, node, target):
    """The sums into the hidden units at a node, from nothing.  target: float32 [H]"""
    counts = function.lens.counts[view]
    sum_row(function, view, nodes.rows[node], counts[node], target)


@lean_part
def shift(nodes, function, view, node, other, target):
    """Turn the sums of a node into those of another.  target: float32 [H]"""
    counts = function.lens.counts[view]
    before, after = nodes.rows[node], nodes.rows[other]
    shift_row(function, view, before, counts[node], after, counts[other], target)


@lean_part
def likeness(nodes, function, view, node, other):
    """The product of the inputs of two nodes, bias included."""
    product = 1.0
    if function.fluents:
        for word in range(nodes.rows.shape[1]):
            both = nodes.rows[node, word] & nodes.rows[other, word]
            product += np.float64(count_ones(both))
    counts = function.lens.counts
    for feature in range(function.features):
        one, two = counts[view, node, feature], counts[view, other, feature]
        product += np.float64(one) * np.float64(two)
    return product


@lean_part
def weigh_row(function, view, row, counts):
    """What a linear function sums up.  row: uint64 [K], counts: float32 [·]"""
    weights = function.direct
    total = 0.0
    if function.fluents:
        for word in range(row.shape[0]):
            bits = row[word]
            while bits:
                total += weights[function.places[view, 64 * word + lowest_one(bits)]]
                bits &= bits - _ONE
    for feature in range(function.features):
        total += weights[function.fluents + feature] * np.float64(counts[feature])
    return total + weights[weights.shape[0] - 1]


@lean_part
def weigh(nodes, function, view, node):
    """What a linear function sums up at a node."""
    counts = function.lens.counts[view]
    return weigh_row(function, view, nodes.rows[node], counts[node])


@lean_part
def reward_of(nodes, function, node, role):
    """What the end of a match is worth to a role."""
    scale = function.scale
    return scale[role, 0] * np.float64(nodes.goals[node, role]) + scale[role, 1]


@lean_part
def bonus(function, counts, others):
    """The reward for what becomes of features.  counts, others: float32 [·]"""
    total = 0.0
    for feature in range(function.features):
        more = others[feature] - counts[feature]
        total += np.float64(function.shaping[feature]) * np.float64(more)
    return total


# ── judging ─────────────────────────────────────────────────────────────────────────


@lean_part
def see_rewards(nodes, function, view, node):
    """Make values of moves into what they earn, and less of what follows."""
    if function.foresight == 0.0:
        return
    counts = function.lens.counts[view]
    first = nodes.first[node]
    for i in range(nodes.degree[node]):
        child = nodes.child[first + i]
        ended = nodes.mover[child] == ENDED and function.sees_ends
        earned = bonus(function, counts[node], counts[child])
        following = 1.0 if ended else function.foresight
        function.worth[i] = earned + following * function.worth[i]


def judge_linear(program, nodes, function, node, role):
    """Put what each move of an expanded node leads to, for a role, into `worth`."""
    view = min(role, 1)
    measure_moves(program, nodes, function, view, node)
    first = nodes.first[node]
    for i in range(nodes.degree[node]):
        child = nodes.child[first + i]
        if nodes.mover[child] == ENDED and function.sees_ends:
            function.worth[i] = reward_of(nodes, function, child, role)
        else:
            total = weigh(nodes, function, view, child)
            function.worth[i] = linear_value(function, total)
    see_rewards(nodes, function, view, node)
    return np.int64(FINE)


@lean_part
def linear_value(function, total):
    if function.output == IDENTITY:
        return total
    value, _ = finish(function.output, np.float32(total))
    return value


def judge_network(program, nodes, function, node, role):
    """The same by a network, from the sums of the node itself."""
    view = min(role, 1)
    measure_moves(program, nodes, function, view, node)
    place, sums, work = function.place, function.sums[0], function.sums[1]
    if place[0] < 0 or place[1] != view:
        sum_up(nodes, function, view, node, sums)
    elif place[0] != node:
        shift(nodes, function, view, place[0], node, sums)
    place[0] = node
    place[1] = view
    first = nodes.first[node]
    for i in range(nodes.degree[node]):
        child = nodes.child[first + i]
        if nodes.mover[child] == ENDED and function.sees_ends:
            function.worth[i] = reward_of(nodes, function, child, role)
            continue
        for j in range(work.shape[0]):
            work[j] = sums[j]
        shift(nodes, function, view, node, child, work)
        function.worth[i] = output_of(function, work)
    # Apart, so that the processor works on several at once.
    for i in range(nodes.degree[node]):
        ended = nodes.mover[nodes.child[first + i]] == ENDED and function.sees_ends
        if not ended:
            total = np.float32(function.worth[i])
            function.worth[i], _ = finish(function.output, total)
    see_rewards(nodes, function, view, node)
    return np.int64(FINE)


def judge_nothing(program, nodes, function, node, role):
    """In the place of a function, where values are in a table."""
    return np.int64(FINE)


class Opinion(NamedTuple):
    """A value function as a search asks it."""

    function: Function
    side: int  # the role whose goals values are of, or -1: of the role that has moved
    middle: float  # what both roles' values of a position add up to
    columns: np.ndarray  # float32 [64, C]   features of the positions


def judge_positions(program, opinion, judged, count, mover, role):
    """Find what positions are worth to a role, once the mover has moved; for searches.

    judged: the positions in the first lanes of `words`, their `rows` and their `parent`
    """
    function, columns = opinion.function, opinion.columns
    viewer = mover if opinion.side < 0 else opinion.side
    view = min(viewer, 1)
    if function.features:
        lens = function.lens
        features = lens.views[0] if view == 0 else lens.views[1]
        run_phase(program, judged.words, FEATURES)
        count_features(features, judged.words, count, lens.room, columns)
    first, work = function.sums[0], function.sums[1]
    if function.kind == NETWORK:
        sum_row(function, view, judged.rows[0], columns[0], first)
    for lane in range(count):
        row = judged.rows[lane]
        if function.kind == LINEAR:
            total = weigh_row(function, view, row, columns[lane])
            value = linear_value(function, total)
        else:
            for j in range(work.shape[0]):
                work[j] = first[j]
            before, counts = judged.rows[0], columns[0]
            shift_row(function, view, before, counts, row, columns[lane], work)
            value, _ = finish(function.output, output_of(function, work))
        if function.foresight > 0.0:
            # What was earned before the search is the same in all it compares.
            value *= function.foresight
            for feature in range(function.features):
                reward = np.float64(function.shaping[feature])
                value += reward * np.float64(columns[lane, feature])
        judged.values[lane] = value if viewer == role else opinion.middle - value
    return np.int64(FINE)


NO_FEATURES = FeatureProgram(
    atoms=np.zeros(0, np.int32),
    blocks=np.zeros(0, np.int32),
    masks=np.zeros(0, np.uint64),
    columns=np.zeros(0, np.int32),
    weights=np.zeros(0, np.float32),
    averages=np.zeros((0, 2), np.int32),
    width=0,
)
"""For games without any."""
