"""n-tuple networks: v = 1 / (1 + exp(-x)), x the sum of one weight of every slot.

K words per position, F facts, V views, C codings, S slots, E entries of the codings, W
weights, T positions of the longest match.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.engine.compiled._lanes import count_ones, lowest_one
from gamelore.graph._kernels import ENDED, FINE
from gamelore.kernels import lean_part
from gamelore.values._unit_kernels import SIGMOID, ZERO, activate

_ONE = np.uint64(1)


class TupleArrays(NamedTuple):
    """The tables of an n-tuple network, and how positions find their weights."""

    turns: np.ndarray  # int32 [V]   the fact that says that it is view v, or -1
    codings: np.ndarray  # int32 [V]   the coding of each view
    signs: np.ndarray  # float32 [V]   1, or -1 where players are exchanged
    bases: np.ndarray  # int64 [V, S]   where the table of each slot begins
    first: np.ndarray  # int32 [C, F + 1]   a fact's entries begin here, and end there
    slots: np.ndarray  # int32 [E]   a slot that the fact counts in,
    steps: np.ndarray  # int32 [E]   and what it adds to the slot's place
    weights: np.ndarray  # float32 [W + ·]
    changes: np.ndarray  # float32 [W + ·, 2]   sums of errors, and of their sizes


class TupleBuffers(NamedTuple):
    """Buffers of an n-tuple network; no two threads may share them."""

    places: np.ndarray  # int32 [C, S]   of the node that `summed` names
    sums: np.ndarray  # float32 [V]   of its weights, as each view has them
    is_summed: np.ndarray  # uint8 [V]
    moved: np.ndarray  # int32 [S]   how far a slot's place has moved from there
    touched: np.ndarray  # int32 [S]   the slots that have,
    is_touched: np.ndarray  # uint8 [S]   as a set
    match_places: np.ndarray  # int32 [T, S]   of the positions of a match,
    match_views: np.ndarray  # int32 [T]   and their views
    row: np.ndarray  # uint64 [K]   the position that `turn_reference` was given last
    is_known: np.ndarray  # uint8 [1]   whether there is one


@lean_part
def find_view(tuples, row):
    """Return the view of a position.  row: uint64 [K]"""
    for view in range(tuples.turns.shape[0]):
        fact = tuples.turns[view]
        if fact >= 0 and (row[fact >> 6] >> np.uint64(fact & 63)) & _ONE:
            return view
    return 0


@lean_part
def find_places(tuples, coding, row, places):
    """Find the place of every slot, from nothing.  places: int32 [S]"""
    for slot in range(places.shape[0]):
        places[slot] = 0
    for word in range(row.shape[0]):
        bits = row[word]
        while bits:
            fact = 64 * word + lowest_one(bits)
            first, end = tuples.first[coding, fact], tuples.first[coding, fact + 1]
            for entry in range(first, end):
                places[tuples.slots[entry]] += tuples.steps[entry]
            bits &= bits - _ONE


@lean_part
def shift_places(tuples, coding, before, after, places):
    """Turn the places of a position into those of another.  places: int32 [S]"""
    for word in range(before.shape[0]):
        bits = before[word] ^ after[word]
        while bits:
            bit = lowest_one(bits)
            fact = 64 * word + bit
            sign = 1 if (after[word] >> np.uint64(bit)) & _ONE else -1
            first, end = tuples.first[coding, fact], tuples.first[coding, fact + 1]
            for entry in range(first, end):
                places[tuples.slots[entry]] += sign * tuples.steps[entry]
            bits &= bits - _ONE


@lean_part
def sum_weights(tuples, view, places):
    """Return the sum of the weights at some places.  places: int32 [S]"""
    total = ZERO
    for slot in range(places.shape[0]):
        total += tuples.weights[tuples.bases[view, slot] + places[slot]]
    return total


@lean_part
def shifted_value(tuples, buffers, before, after):
    """Return the value of a position near the one whose places are known.

    before, after: uint64 [K]   that position, and the one to be valued
    """
    view = find_view(tuples, after)
    coding = tuples.codings[view]
    places = buffers.places[coding]
    if not buffers.is_summed[view]:
        buffers.sums[view] = sum_weights(tuples, view, places)
        buffers.is_summed[view] = 1
    count = 0
    for word in range(before.shape[0]):
        bits = before[word] ^ after[word]
        while bits:
            bit = lowest_one(bits)
            fact = 64 * word + bit
            sign = 1 if (after[word] >> np.uint64(bit)) & _ONE else -1
            first, end = tuples.first[coding, fact], tuples.first[coding, fact + 1]
            for entry in range(first, end):
                slot = tuples.slots[entry]
                if not buffers.is_touched[slot]:
                    buffers.is_touched[slot] = 1
                    buffers.moved[slot] = 0
                    buffers.touched[count] = slot
                    count += 1
                buffers.moved[slot] += sign * tuples.steps[entry]
            bits &= bits - _ONE
    total = buffers.sums[view]
    for i in range(count):
        slot = buffers.touched[i]
        old = tuples.bases[view, slot] + places[slot]
        total += tuples.weights[old + buffers.moved[slot]] - tuples.weights[old]
        buffers.is_touched[slot] = 0
    value, _ = activate(SIGMOID, tuples.signs[view] * total)
    return value


@lean_part
def set_reference(tuples, buffers, row):
    """Make a position the one whose places are known.  row: uint64 [K]"""
    buffers.is_known[0] = 0
    for coding in range(buffers.places.shape[0]):
        find_places(tuples, coding, row, buffers.places[coding])
    for view in range(buffers.is_summed.shape[0]):
        buffers.is_summed[view] = 0


@lean_part
def is_nearer(one, row):
    """Return whether a position differs from one in fewer facts than from nothing."""
    apart = facts = np.uint64(0)
    for word in range(row.shape[0]):
        apart += count_ones(one[word] ^ row[word])
        facts += count_ones(row[word])
    return apart < facts


@lean_part
def turn_reference(tuples, buffers, row):
    """Do the same, from the position before where that is nearer than nothing."""
    if buffers.is_known[0] and is_nearer(buffers.row, row):
        for coding in range(buffers.places.shape[0]):
            places = buffers.places[coding]
            shift_places(tuples, coding, buffers.row, row, places)
        for view in range(buffers.is_summed.shape[0]):
            buffers.is_summed[view] = 0
    else:
        set_reference(tuples, buffers, row)
    for word in range(row.shape[0]):
        buffers.row[word] = row[word]
    buffers.is_known[0] = 1


@lean_part
def move_reference(nodes, function, node):
    """Make a node the position whose places are known, and forget sums of weights."""
    tuples, summed = function.weights.tuples, function.workspace.summed
    buffers = function.workspace.tuples
    if summed[0] < 0:
        set_reference(tuples, buffers, nodes.rows[node])
    else:
        before, after = nodes.rows[summed[0]], nodes.rows[node]
        for coding in range(buffers.places.shape[0]):
            shift_places(tuples, coding, before, after, buffers.places[coding])
        for view in range(buffers.is_summed.shape[0]):
            buffers.is_summed[view] = 0  # weights may have changed
    summed[0] = node


def evaluate_tuple_moves(program, nodes, function, node, role):
    """Do the same as `value_tuple_moves`; through a pointer."""
    value_tuple_moves(nodes, function, node, role)
    return np.int64(FINE)


@lean_part
def value_tuple_moves(nodes, function, node, role):
    """Put the value of each move of an expanded node into `move_values`.

    Values are those of the first player, as the only perspective there is.
    """
    tuples, workspace = function.weights.tuples, function.workspace
    buffers = workspace.tuples
    values, goals = workspace.move_values, function.rewards.goals
    move_reference(nodes, function, node)
    first = nodes.first[node]
    for i in range(nodes.degree[node]):
        child = nodes.child[first + i]
        if nodes.mover[child] == ENDED:
            goal = np.float64(nodes.goals[child, role])
            values[i] = goals[role, 0] * goal + goals[role, 1]
        else:
            row = nodes.rows[child]
            values[i] = shifted_value(tuples, buffers, nodes.rows[node], row)
