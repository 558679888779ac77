"""Search a game of one player layer by layer: all positions after so many moves.

Positions are known again by a fingerprint of 128 bits, so that only those of the two
layers in work are kept as rows.

N nodes, C rows of a layer, K words per position, M moves, S slots of the circuit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.circuit.program import GOALS, LEGAL, SHARED
from gamelore.engine.compiled._kernels import LANES as LANES
from gamelore.engine.compiled._kernels import (
    clear_moves,
    gather_by,
    read_goals,
    run_phase,
    spread_by,
)
from gamelore.engine.compiled._lanes import count_ones, lowest_one
from gamelore.engine.compiled._pass_kernels import (
    find_ended,
    has_ended,
    load_lanes,
    make_moves,
)
from gamelore.kernels import lean, lean_part

FINE, FULL = range(2)
"""What came of expanding: there is no room for all successors of the next positions."""

USED, CURSOR, COUNT, FOLLOWING, WORK, EXPANDED, BEST_GOAL, BEST_NODE = range(8)
"""What `state` holds: nodes; rows of this layer that are expanded, and all of them;
rows of the next one; successors computed, of so many positions; the best goal of a
terminal position, and its node."""

_AIM = 2048  # successors of the positions whose moves are found in one pass

_NONE = np.uint64(0)
_ONE = np.uint64(1)


class Layers(NamedTuple):
    """Nodes by number, the rows of this layer and of the next."""

    prints: np.ndarray  # uint64 [N, 2]   fingerprints
    slots: np.ndarray  # int32 [power of two]   a node + 1, or 0
    parent: np.ndarray  # int32 [N]
    move: np.ndarray  # int32 [N]   the move that leads here
    rows: np.ndarray  # uint64 [C, K]
    nodes: np.ndarray  # int32 [C]   the node of each row
    next_rows: np.ndarray  # uint64 [C, K]
    next_nodes: np.ndarray  # int32 [C]
    state: np.ndarray  # int64 [8]


class LayerBuffers(NamedTuple):
    """Working arrays: 512 positions, and 512 successors."""

    words: np.ndarray  # uint64 [S, 8]   lanes of the circuit
    parents: np.ndarray  # uint64 [512, K]
    legal: np.ndarray  # uint64 [512, ·]   legal moves in bits
    rows: np.ndarray  # uint64 [512, K]   successors
    places: np.ndarray  # int64 [512]   which of the parents each comes from
    moves: np.ndarray  # int64 [512]
    ended: np.ndarray  # uint64 [8]   lanes whose successor is terminal
    goals: np.ndarray  # int16 [1]
    block: np.ndarray  # uint64 [64]   for turning rows into lanes and back


@lean
def expand_layer(program, layers, buffers, quota):
    """Expand positions of this layer, until so many successors have been computed."""
    state = layers.state
    until = state[WORK] + quota
    while state[CURSOR] < state[COUNT] and state[WORK] < until:
        batch = _AIM * (1 + state[EXPANDED]) // (1 + state[WORK])
        count = min(max(1, min(batch, LANES)), state[COUNT] - state[CURSOR])
        successors = _find_moves(program, layers, buffers, count)
        free = min(
            layers.parent.shape[0] - state[USED],
            layers.next_nodes.shape[0] - state[FOLLOWING],
        )
        if successors > free:
            return FULL
        _expand(program, layers, buffers, count)
        state[CURSOR] += count
        state[EXPANDED] += count
        state[WORK] += successors
    return FINE


@lean_part
def _find_moves(program, layers, buffers, count):
    """Find the legal moves of the next positions; return how many there are in all."""
    first = layers.state[CURSOR]
    for i in range(count):
        for word in range(layers.rows.shape[1]):
            buffers.parents[i, word] = layers.rows[first + i, word]
    base = np.uint64(buffers.words.ctypes.data)
    fluents = program.next.shape[0]
    spread_by(buffers.parents[:count], buffers.words, buffers.block, 1, fluents)
    run_phase(program, base, SHARED)
    run_phase(program, base, LEGAL)
    gather_by(buffers.words, program.legal, buffers.block, buffers.legal[:count])
    total = 0
    for i in range(count):
        for word in range(buffers.legal.shape[1]):
            total += np.int64(count_ones(buffers.legal[i, word]))
    return total


@lean_part
def _expand(program, layers, buffers, count):
    """Make every legal move of the positions whose moves were found."""
    pending = 0
    for i in range(count):
        for word in range(buffers.legal.shape[1]):
            left = buffers.legal[i, word]
            while left:
                buffers.places[pending] = i
                buffers.moves[pending] = 64 * word + lowest_one(left)
                left &= left - _ONE
                pending += 1
                if pending == LANES:
                    _advance(program, layers, buffers, pending)
                    pending = 0
    if pending:
        _advance(program, layers, buffers, pending)


@lean_part
def _advance(program, layers, buffers, count):
    """Compute successors, and keep those that are new."""
    words, state = buffers.words, layers.state
    for lane in range(count):
        for word in range(buffers.rows.shape[1]):
            buffers.rows[lane, word] = buffers.parents[buffers.places[lane], word]
    rows = buffers.rows[:count]
    load_lanes(program, buffers, count)
    clear_moves(program, np.uint64(words.ctypes.data))
    for lane in range(count):
        slot = program.first_move + buffers.moves[lane]
        words[slot, lane >> 6] |= _ONE << np.uint64(lane & 63)
    make_moves(program, buffers, count)
    if find_ended(program, buffers, count):
        run_phase(program, np.uint64(words.ctypes.data), GOALS)
    for lane in range(count):
        node = add_print(layers, rows[lane])
        if node < 0:
            continue
        layers.parent[node] = layers.nodes[state[CURSOR] + buffers.places[lane]]
        layers.move[node] = buffers.moves[lane]
        if has_ended(buffers, lane):
            read_goals(program, words, lane, buffers.goals)
            if buffers.goals[0] > state[BEST_GOAL]:
                state[BEST_GOAL] = buffers.goals[0]
                state[BEST_NODE] = node
            continue
        place = state[FOLLOWING]
        for word in range(rows.shape[1]):
            layers.next_rows[place, word] = rows[lane, word]
        layers.next_nodes[place] = node
        state[FOLLOWING] += 1


@lean_part
def read_lanes(words, literal, lanes):
    """Copy the lanes of a literal, before its slot is used again.  lanes: uint64 [8]"""
    flip = _NONE - np.uint64(literal & 1)
    for word in range(lanes.shape[0]):
        lanes[word] = words[literal >> 1, word] ^ flip


@lean_part
def add_print(layers, row):
    """Return a new node for a position, or -1 if it was met before."""
    one = np.uint64(0x9E3779B97F4A7C15)
    other = np.uint64(0xD1B54A32D192ED03)
    for i in range(row.shape[0]):
        one = (one ^ row[i]) * np.uint64(0xFF51AFD7ED558CCD)
        one ^= one >> np.uint64(32)
        other = (other + row[i]) * np.uint64(0xC4CEB9FE1A85EC53)
        other ^= other >> np.uint64(29)
    one *= np.uint64(0xC4CEB9FE1A85EC53)
    one ^= one >> np.uint64(29)
    mask = np.int64(layers.slots.shape[0] - 1)
    slot = np.int64(one) & mask
    while layers.slots[slot]:
        number = layers.slots[slot] - 1
        if layers.prints[number, 0] == one and layers.prints[number, 1] == other:
            return np.int64(-1)
        slot = (slot + 1) & mask
    node = layers.state[USED]
    layers.slots[slot] = node + 1
    layers.prints[node, 0] = one
    layers.prints[node, 1] = other
    layers.state[USED] += 1
    return node


@lean
def add_root(layers, row):
    """Begin with one position.  row: uint64 [K]"""
    node = add_print(layers, row)
    layers.parent[node] = -1
    layers.move[node] = -1
    for word in range(row.shape[0]):
        layers.rows[0, word] = row[word]
    layers.nodes[0] = node
    layers.state[CURSOR] = 0
    layers.state[COUNT] = 1
    layers.state[FOLLOWING] = 0


@lean
def index_prints(layers):
    """Fill empty slots with all nodes, after the table has grown."""
    mask = np.int64(layers.slots.shape[0] - 1)
    for node in range(layers.state[USED]):
        slot = np.int64(layers.prints[node, 0]) & mask
        while layers.slots[slot]:
            slot = (slot + 1) & mask
        layers.slots[slot] = node + 1
