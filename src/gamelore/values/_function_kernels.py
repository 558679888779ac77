"""Value functions with weights as kernels see them: their arrays, inputs and rewards.

N nodes of the state graph, K words per position, R roles, I inputs, H hidden units in
eights, F features, C columns they are counted in, T positions of the longest match.

The inputs of a position are its fluents, a bit each, then its features, then a bias
that is always 1. A position has two views, that of the first player and that of the
second: each has its own numbers of fluents and counts of features.

Weights stand still while a match is played, and it is learned from once it has ended;
except where they are updated during play.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gamelore.circuit.program import Program
from gamelore.engine.compiled._feature_kernels import FeatureProgram, count_rows
from gamelore.engine.compiled._lanes import count_ones
from gamelore.graph._kernels import ENDED
from gamelore.kernels import lean_function, lean_part
from gamelore.values._ntuple_kernels import TupleArrays, TupleBuffers

LINEAR, NETWORK, NTUPLE = range(3)
"""Kinds of value functions."""

REWARD, BOOTSTRAP, BOTH = range(3)
"""What the position before the terminal one is updated towards: the reward; the value
of the terminal position, which learns the reward itself; or both added up."""

OFFLINE, ONLINE, DURING_PLAY = range(3)
"""When weights change: after a match, all predictions having been made by the weights
before it; after a match, each update changing the predictions that follow; or while it
is played."""

DIVERGED = 96
"""A status: an error grew without bound. The weights are as before the match."""


class FunctionShape(NamedTuple):
    """How values are computed from weights."""

    kind: int  # LINEAR, NETWORK or NTUPLE
    activation: int  # of hidden units
    output: int  # of the output
    units: int  # hidden units that there are; the others of H stay 0
    bias: int  # 1: the bias of a linear function is learned
    coherence: int  # 1: each weight of an n-tuple network has its own step size


class FeatureCache(NamedTuple):
    """The features of nodes, counted when they are first needed, 64 nodes at a time."""

    programs: tuple[FeatureProgram, FeatureProgram]  # by view
    counts: np.ndarray  # float32 [2, N, C]
    counted: np.ndarray  # uint8 [2, N]   1: the counts are there
    pending: np.ndarray  # int64 [64]   nodes that are to be counted together,
    rows: np.ndarray  # uint64 [64, K]   their positions,
    columns: np.ndarray  # float32 [64, C]   and what is counted
    words: np.ndarray  # uint64 [2 S]   64 lanes of the circuit
    block: np.ndarray  # uint64 [64]   buffer for counting


class Inputs(NamedTuple):
    """How a position becomes the inputs of a function."""

    views: np.ndarray  # int64 [R]   the view of each role: 0 or 1
    fluents: int  # so many inputs are fluents, none if they are not used
    places: np.ndarray  # int32 [2, 64 · K]   the input of each fluent, by view
    features: int  # F
    cache: FeatureCache


class SelectionRule(NamedTuple):
    """What moves are chosen by."""

    terminal_lookahead: int  # 1: a move that ends the match counts by its reward
    discount: float  # of values beside shaping rewards; 0: rewards do not count


class UpdateRule(NamedTuple):
    """How matches change the weights."""

    mode: int  # OFFLINE, ONLINE or DURING_PLAY
    terminal_target: int  # REWARD, BOOTSTRAP or BOTH
    successor_trace: int  # 1: the trace includes the successor when an error is applied
    mover_risk: int  # 1: κ weighs errors as gains of who moves, not of whose values
    best_after_random: int  # 1: the best move is the target where a random one was made
    search_depth: int  # moves ahead that targets are searched
    tree_updates: int  # 1: the successors of positions learn from that search, too


class RewardScale(NamedTuple):
    """What is earned in a match."""

    goals: np.ndarray  # float64 [R, 2]   reward = goal · first + second
    shaping: np.ndarray  # float32 [F]   reward of a feature's going up by 1


class WeightArrays(NamedTuple):
    """The weights; arrays of the other kind are empty."""

    hidden: np.ndarray  # float32 [I, H]
    output: np.ndarray  # float32 [H + 8]   the bias at H
    linear: np.ndarray  # float64 [I]
    tuples: TupleArrays


class PositionBuffers(NamedTuple):
    """The positions of the match that is being learned from."""

    nodes: np.ndarray  # int64 [T]
    sums: np.ndarray  # float32 [T, H]   into hidden units, by the weights before
    gradients: np.ndarray  # float32 [T, H]   of values by those sums
    steps: np.ndarray  # float64 [T]   how much of its gradient a position adds
    traces: np.ndarray  # float64 [T]   its share of errors to come
    similarity: np.ndarray  # float64 [T]   product of its inputs and another's


class WeightBuffers(NamedTuple):
    """Three rows for each weight: its trace, its change, and what it was before.

    During play there is no change, and the first two rows are traces by view.
    """

    output: np.ndarray  # float32 [3, H + 8]
    linear: np.ndarray  # float64 [3, I]
    hidden: np.ndarray  # float32 [I, H]   what weights to hidden units were before
    traces: np.ndarray  # float32 [2, I, H]   their traces during play, by view


class Workspace(NamedTuple):
    """Buffers of one function; no two threads may share them."""

    summed: np.ndarray  # int64 [2]   the node and view that sums[0] is of, or -1
    sums: np.ndarray  # float32 [2, H]   into hidden units; the second is scratch
    move_values: np.ndarray  # float64 [·]   of the moves of a node
    positions: PositionBuffers
    weights: WeightBuffers
    tuples: TupleBuffers


class FunctionArrays(NamedTuple):
    """A value function as kernels see it."""

    shape: FunctionShape
    inputs: Inputs
    selection: SelectionRule
    updates: UpdateRule
    rewards: RewardScale
    weights: WeightArrays
    workspace: Workspace


class FunctionHandle(NamedTuple):
    """A value function, and pointers to what evaluates and updates it."""

    function: FunctionArrays
    evaluate: Any  # fills `move_values`: of program, nodes, function, node, role
    update: Any  # learns a match: of program, nodes, function, learner, match
    program: Program  # which counts its features


# ── inputs ──────────────────────────────────────────────────────────────────────────


@lean_part
def cache_moves(program, nodes, function, view, node):
    """Count the features of an expanded node, and of its successors."""
    if function.inputs.features == 0:
        return
    pending = _request(program, nodes, function, view, node, 0)
    first = nodes.first[node]
    for edge in range(first, first + nodes.degree[node]):
        child = nodes.child[edge]
        pending = _request(program, nodes, function, view, child, pending)
    _count_pending(program, function, view, pending)


@lean_part
def cache_positions(program, nodes, function, view, length):
    """Count the features of the positions of a match, the terminal one included."""
    if function.inputs.features == 0:
        return
    pending = 0
    for t in range(length + 1):
        node = function.workspace.positions.nodes[t]
        pending = _request(program, nodes, function, view, node, pending)
    _count_pending(program, function, view, pending)


@lean_part
def _request(program, nodes, function, view, node, pending):
    """Have a node counted unless it is; return how many are pending."""
    cache = function.inputs.cache
    if cache.counted[view, node]:
        return pending
    if pending == cache.pending.shape[0]:
        _count_pending(program, function, view, pending)
        pending = 0
    cache.counted[view, node] = 1
    cache.pending[pending] = node
    for word in range(cache.rows.shape[1]):
        cache.rows[pending, word] = nodes.rows[node, word]
    return pending + 1


@lean_function
def _count_pending(program, function, view, pending):
    cache = function.inputs.cache
    features = cache.programs[0] if view == 0 else cache.programs[1]
    words, rows = cache.words, cache.rows[:pending]
    count_rows(program, features, words, rows, cache.block, cache.columns)
    for lane in range(pending):
        counts = cache.counts[view, cache.pending[lane]]
        for column in range(counts.shape[0]):
            counts[column] = cache.columns[lane, column]


@lean_part
def input_product(nodes, function, view, node, other):
    """Return the product of the inputs of two nodes, bias included."""
    inputs = function.inputs
    product = 1.0
    if inputs.fluents:
        for word in range(nodes.rows.shape[1]):
            both = nodes.rows[node, word] & nodes.rows[other, word]
            product += np.float64(count_ones(both))
    counts = inputs.cache.counts
    for feature in range(inputs.features):
        one, two = counts[view, node, feature], counts[view, other, feature]
        product += np.float64(one) * np.float64(two)
    return product


# ── rewards ─────────────────────────────────────────────────────────────────────────


@lean_part
def terminal_reward(nodes, function, node, role):
    """Return the reward of a terminal node to a role."""
    scale = function.rewards.goals
    return scale[role, 0] * np.float64(nodes.goals[node, role]) + scale[role, 1]


@lean_part
def shaping_reward(function, counts, next_counts):
    """Return the reward for a change of features.  counts, next_counts: float32 [·]"""
    total = 0.0
    for feature in range(function.inputs.features):
        more = next_counts[feature] - counts[feature]
        total += np.float64(function.rewards.shaping[feature]) * np.float64(more)
    return total


@lean_part
def is_known_end(nodes, function, node):
    """Return whether a node counts by its reward when moves are chosen."""
    return nodes.mover[node] == ENDED and function.selection.terminal_lookahead


@lean_part
def add_shaping_rewards(nodes, function, view, node):
    """Make each value v of a move r + γ v, if shaping rewards count in choices."""
    discount = function.selection.discount
    if discount == 0.0:
        return
    counts = function.inputs.cache.counts[view]
    values = function.workspace.move_values
    first = nodes.first[node]
    for i in range(nodes.degree[node]):
        child = nodes.child[first + i]
        reward = shaping_reward(function, counts[node], counts[child])
        following = 1.0 if is_known_end(nodes, function, child) else discount
        values[i] = reward + following * values[i]


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
