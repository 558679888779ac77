"""Alpha-beta over a circuit, one ply to the frame.

D plies, S positions on the stack, T entries of the table, K words per position, M moves
of all roles, R roles.

A node is expanded in one 64-lane pass: each of its moves is a lane, and the evaluator
values all children in the same lanes. The stack holds the children of every node
between the root and the current node. Nothing is recursive: a search can pause at any
node and resume with the same result.

Values are those of one role, the searching role. It maximises, every other role
minimises, and moves of the role `random` are averaged.

A selective search first asks of every move but the first whether it is better at all
(a null window), and of moves that come late in the order it asks less deep: late move
reductions. What looks better is searched again, to the full depth. What it proves holds
all the same, since a proof ends in terminal positions.

An extending search looks on where no role has a choice: such a position costs no depth
and is no leaf. Where captures are forced, as in draughts, values are then those of
positions after the exchange.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore._hash_kernels import hash_row
from gamelore.circuit.program import FEATURES, GOALS, LEGAL, SHARED, TERMINAL
from gamelore.engine.compiled._feature_kernels import FeatureProgram as FeatureProgram
from gamelore.engine.compiled._feature_kernels import count_features
from gamelore.engine.compiled._kernels_64 import LANES as LANES
from gamelore.engine.compiled._kernels_64 import (
    Moves,
    broadcast,
    copy_words,
    gather_changed,
    list_moves,
    make_moves,
    read,
    read_goals,
    run_phase,
)
from gamelore.graph._kernels import FINE, find_chooser
from gamelore.graph._kernels import FULL as FULL
from gamelore.graph._kernels import SIMULTANEOUS as SIMULTANEOUS
from gamelore.kernels import lean, lean_part
from gamelore.search._policy_kernels import AT_LEAST, AT_MOST, EXACT

DONE, PAUSED = 16, 17
"""Results of `search_on`, besides the status of a node that cannot be expanded."""

PLY, USED, NODES, LEAVES, ROLE, CHANCE, AGE, FAVOURITE = range(8)
NEEDS_ROWS, SELECTIVE, EXTENDING = range(8, 11)
"""Indices into the state: the current frame; positions on the stack; nodes expanded and
positions evaluated so far; the searching role; the role `random` or -1; the number of
the search; the root's move to try first or -1; 1 if the evaluator reads rows; 1 if
late moves are searched less deep; and 1 if forced moves cost no depth."""
STATE_SIZE = 11

MOST_FORCED = 32
"""Plies by which forced moves make a path longer at most."""

NEW = -1  # the degree of a node that was not expanded yet
NO_MOVE = -1
_SOON = 1e300  # a key above that of any value
_STEPS = 256  # from node to node, for each that may be expanded
_LEAST_REDUCED = 3  # depth of a node whose late moves are searched less deep, by …
_REDUCTION = 0.4  # … times the logarithms of that depth and of their place in the order
_ROUNDING = 0.3

_ONE = np.uint64(1)
_ALL = ~np.uint64(0)


class Stack(NamedTuple):
    """The root, then the children of each node on the current path."""

    rows: np.ndarray  # uint64 [S, K]
    moves: np.ndarray  # int32 [S]   the move that led there, among those of all roles
    values: np.ndarray  # float64 [S]   of goals where terminal, else the evaluator's
    ended: np.ndarray  # bool [S]   whether terminal
    forced: np.ndarray  # bool [S]   whether no role has a choice, if that extends
    order: np.ndarray  # int32 [S]   siblings in the order they are searched
    keys: np.ndarray  # float64 [S, 2]   sort keys of that order, the first before all


class Frames(NamedTuple):
    """The nodes on the path from the root, one for each ply."""

    place: np.ndarray  # int64 [D]   on the stack
    depth: np.ndarray  # int64 [D]   plies still to search below
    mover: np.ndarray  # int64 [D]
    first: np.ndarray  # int64 [D]   of its children on the stack
    degree: np.ndarray  # int64 [D]   of its children, or NEW
    seen: np.ndarray  # int64 [D]   of its children, how many have been searched
    scouts: np.ndarray  # bool [D]   whether its child is only asked if it is better
    window: np.ndarray  # float64 [D, 4]   low and high, as they are and were at first
    best: np.ndarray  # float64 [D]   the value so far; a sum where chance moves
    move: np.ndarray  # int32 [D]   the move that it comes from


class TranspositionTable(NamedTuple):
    """The transposition table: two entries to choose from for each position."""

    rows: np.ndarray  # uint64 [T, K]
    depth: np.ndarray  # int16 [T]   0 where there is no entry
    bound: np.ndarray  # int8 [T]   EXACT, AT_LEAST or AT_MOST
    value: np.ndarray  # float64 [T]
    move: np.ndarray  # int32 [T]   the best, or the one that refutes the rest
    age: np.ndarray  # int64 [T]   the search that made it


class Buffers(NamedTuple):
    """Working arrays of expanding a node."""

    words: np.ndarray  # uint64 [2, 2 slots]   for the circuit, and for a copy
    moves: Moves
    rows: np.ndarray  # uint64 [64, K]
    values: np.ndarray  # float64 [64]
    goals: np.ndarray  # int16 [R]


class Search(NamedTuple):
    """The complete state of a search."""

    state: np.ndarray  # int64 [STATE_SIZE]
    seed: np.ndarray  # uint64 [1]   decides between equal moves of the root
    scale: np.ndarray  # float64 [2]   a goal g has the value first · g + second
    killers: np.ndarray  # int32 [D, 2]   moves that cut off siblings, latest first
    history: np.ndarray  # float64 [M]   how often moves cut off, and how much
    stack: Stack
    frames: Frames
    table: TranspositionTable
    buffers: Buffers


# ── evaluators ──────────────────────────────────────────────────────────────────────


class LeafBatch(NamedTuple):
    """Positions to evaluate, in the first lanes of a circuit and as rows."""

    words: np.ndarray  # uint64 [2 slots]
    parent: np.ndarray  # uint64 [K]   their common parent
    rows: np.ndarray  # uint64 [64, K]
    values: np.ndarray  # float64 [64]   the result


class Constant(NamedTuple):
    """The same value for every position."""

    value: np.ndarray  # float64 [1]


class FeatureWeights(NamedTuple):
    """Features of positions, a weight for each, and working arrays."""

    features: FeatureProgram
    weights: np.ndarray  # float64 [F]
    buffer: np.ndarray  # uint64 [64]
    columns: np.ndarray  # float32 [64, C]


def evaluate_constant(program, constant, batch, count, mover, role):
    """Give all positions the same value."""
    for lane in range(count):
        batch.values[lane] = constant.value[0]
    return np.int64(FINE)


def evaluate_features(program, weighted, batch, count, mover, role):
    """Give each position the weighted sum of its features."""
    run_phase(program, batch.words, FEATURES)
    columns, weights = weighted.columns, weighted.weights
    count_features(weighted.features, batch.words, count, weighted.buffer, columns)
    for lane in range(count):
        total = 0.0
        for feature in range(weights.shape[0]):
            total += weights[feature] * np.float64(columns[lane, feature])
        batch.values[lane] = total
    return np.int64(FINE)


# ── searching ───────────────────────────────────────────────────────────────────────


@lean
def search_on(program, search, evaluate, data, budget):
    """Resume a search for up to `budget` nodes, or fewer where each leads to much work.

    Returns DONE, PAUSED, or the status of a node that could not be expanded.
    """
    state, frames, stack = search.state, search.frames, search.stack
    limit = state[NODES] + budget
    steps = _STEPS * budget
    while True:
        steps -= 1
        if steps < 0:  # the table knows nearly all there is to search
            return np.int64(PAUSED)
        ply = state[PLY]
        if frames.degree[ply] == NEW:
            if ply and _recall(search, ply):
                _go_back(search, ply)
                continue
            if state[NODES] >= limit:
                return np.int64(PAUSED)
            status = _expand(program, search, evaluate, data, ply)
            if status != FINE:
                return status
            _put_in_order(search, ply)
        child = _next_child(search, ply)
        if child < 0:
            _finish(search, ply)
            if ply == 0:
                return np.int64(DONE)
            _go_back(search, ply)
        elif stack.ended[child] or _depth_below(search, ply, child) == 0:
            _take(search, ply, child, stack.values[child])
        else:
            frames.scouts[ply] = _is_late(search, ply)
            _descend(search, ply, child)


@lean_part
def _open_window(frames, ply, low, high):
    window = frames.window[ply]
    window[0] = window[2] = low
    window[1] = window[3] = high


@lean_part
def _depth_below(search, ply, child):
    """Return the plies to search below a child: one more where its move is forced."""
    frames = search.frames
    depth = frames.depth[ply]
    if search.stack.forced[child] and ply + depth < frames.depth[0] + MOST_FORCED:
        return depth
    return depth - 1


@lean_part
def _descend(search, ply, child):
    """Open a frame for a child."""
    frames = search.frames
    frames.place[ply + 1] = child
    frames.depth[ply + 1] = _depth_below(search, ply, child)
    frames.degree[ply + 1] = NEW
    low, high = frames.window[ply, 0], frames.window[ply, 1]
    if frames.mover[ply] == search.state[CHANCE]:
        low, high = -np.inf, np.inf  # the mean needs the exact value of every child
    elif frames.scouts[ply]:
        frames.depth[ply + 1] -= _reduction(search, ply)
        if frames.mover[ply] == search.state[ROLE]:
            high = np.nextafter(low, np.inf)
        else:
            low = np.nextafter(high, -np.inf)
    _open_window(frames, ply + 1, low, high)
    search.state[PLY] = ply + 1


@lean_part
def _is_late(search, ply):
    """Return whether to ask first if the next child is better than those before."""
    frames = search.frames
    if not search.state[SELECTIVE] or frames.mover[ply] == search.state[CHANCE]:
        return False
    if frames.seen[ply] == 1:  # the first child, which is counted already
        return False
    low, high = frames.window[ply, 0], frames.window[ply, 1]
    if _reduction(search, ply):
        return True
    return high > np.nextafter(low, np.inf)  # else the window is a null window anyway


@lean_part
def _reduction(search, ply):
    """Return by how much less deep the next child is searched at first."""
    frames = search.frames
    depth, number = frames.depth[ply], frames.seen[ply]
    if depth < _LEAST_REDUCED:
        return np.int64(0)
    scale = np.log(np.float64(depth)) * np.log(np.float64(number))
    return min(np.int64(_REDUCTION * scale + _ROUNDING), depth - 2)


@lean_part
def _go_back(search, ply):
    """Close a frame and pass its value to the parent; search it again if it is better
    than was expected."""
    frames = search.frames
    if frames.degree[ply] != NEW:
        search.state[USED] = frames.first[ply]
    parent, value = ply - 1, frames.best[ply]
    if frames.scouts[parent]:
        frames.scouts[parent] = False
        if frames.mover[parent] == search.state[ROLE]:
            better = value > frames.window[parent, 0]
        else:
            better = value < frames.window[parent, 1]
        if better:
            _descend(search, parent, frames.place[ply])
            return
    search.state[PLY] = parent
    _take(search, parent, frames.place[ply], value)


@lean_part
def _take(search, ply, child, value):
    """Update a node by the value of a child."""
    frames, mover = search.frames, search.frames.mover[ply]
    window = frames.window[ply]
    if mover == search.state[CHANCE]:
        frames.best[ply] += value
    elif mover == search.state[ROLE]:
        if value > frames.best[ply] or frames.move[ply] == NO_MOVE:
            frames.best[ply] = value
            frames.move[ply] = search.stack.moves[child]
        window[0] = max(window[0], value)
    else:
        if value < frames.best[ply] or frames.move[ply] == NO_MOVE:
            frames.best[ply] = value
            frames.move[ply] = search.stack.moves[child]
        window[1] = min(window[1], value)


@lean_part
def _finish(search, ply):
    """Complete the value of a node, and store it in the table."""
    frames, state = search.frames, search.state
    window = frames.window[ply]
    value, bound = frames.best[ply], EXACT
    if frames.mover[ply] == state[CHANCE]:
        value /= frames.degree[ply]
        frames.best[ply] = value
    elif value <= window[2]:
        bound = AT_MOST
    elif value >= window[3]:
        bound = AT_LEAST
    if window[0] >= window[1] and frames.move[ply] != NO_MOVE:
        _note_cut(search, ply)
    _keep(search, ply, value, bound)


# ── the order of moves ──────────────────────────────────────────────────────────────


@lean_part
def _put_in_order(search, ply):
    """Sort children: the table's move, then the killers, then by evaluated value.

    Equal values are ordered by the history heuristic; at the root, at random. The last
    ply needs no order: its values are all known.
    """
    stack, frames = search.stack, search.frames
    first, count = frames.first[ply], frames.degree[ply]
    for place in range(first, first + count):
        stack.order[place] = place
    if frames.depth[ply] == 1 and ply and not search.state[EXTENDING]:
        return
    _find_keys(search, ply)
    for i in range(first + 1, first + count):
        j = i
        while j > first and _precedes(stack, i, stack.order[j - 1]):
            stack.order[j] = stack.order[j - 1]
            j -= 1
        stack.order[j] = i


@lean_part
def _find_keys(search, ply):
    """Compute the sort keys of the children of a node."""
    stack, frames, state = search.stack, search.frames, search.state
    first = frames.first[ply]
    favourite = state[FAVOURITE] if ply == 0 else _known_move(search, ply)
    sign = 1.0 if frames.mover[ply] == state[ROLE] else -1.0
    for child in range(first, first + frames.degree[ply]):
        move = stack.moves[child]
        key = sign * stack.values[child]
        if move == favourite:
            key = np.inf
        elif ply and move == search.killers[ply, 0]:
            key = _SOON
        elif ply and move == search.killers[ply, 1]:
            key = _SOON / 2.0
        stack.keys[child, 0] = key
        stack.keys[child, 1] = search.history[move] if ply else _tie_break(search, move)


@lean_part
def _precedes(stack, one, other):
    """Return whether a position is searched before another."""
    if stack.keys[one, 0] != stack.keys[other, 0]:
        return stack.keys[one, 0] > stack.keys[other, 0]
    return stack.keys[one, 1] > stack.keys[other, 1]


@lean_part
def _tie_break(search, move):
    """Return a random number for a move of the root, the same at every depth."""
    value = search.seed[0] + np.uint64(move + 1) * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.float64(value >> np.uint64(11))


@lean_part
def _next_child(search, ply):
    """Return the place of the next child to search; -1 if none is left or needed."""
    frames = search.frames
    seen, window = frames.seen[ply], frames.window[ply]
    if seen == frames.degree[ply] or window[0] >= window[1]:
        return np.int64(-1)
    frames.seen[ply] = seen + 1
    return np.int64(search.stack.order[frames.first[ply] + seen])


@lean_part
def _note_cut(search, ply):
    """Record the move that caused a cutoff."""
    move, killers = search.frames.move[ply], search.killers
    depth = np.float64(search.frames.depth[ply])
    search.history[move] += depth * depth
    if killers[ply, 0] != move:
        killers[ply, 1] = killers[ply, 0]
        killers[ply, 0] = move


# ── the transposition table ─────────────────────────────────────────────────────────


@lean_part
def _find(search, ply):
    """Return the table's entry of a node, or -1."""
    table = search.table
    row = search.stack.rows[search.frames.place[ply]]
    slot = np.int64(hash_row(row) & np.uint64(table.depth.shape[0] - 1))
    for entry in (slot, slot ^ 1):
        if table.depth[entry]:
            same = True
            for word in range(row.shape[0]):
                if table.rows[entry, word] != row[word]:
                    same = False
                    break
            if same:
                return entry
    return np.int64(-1)


@lean_part
def _recall(search, ply):
    """Return whether the table decides the value of a node; then sets `best` to it."""
    frames, table = search.frames, search.table
    entry = _find(search, ply)
    if entry < 0 or table.depth[entry] < frames.depth[ply]:
        return False
    if not search.state[SELECTIVE] and table.depth[entry] > frames.depth[ply]:
        return False  # the value is to be that of this depth
    value, bound = table.value[entry], table.bound[entry]
    window = frames.window[ply]
    if (
        bound == EXACT
        or (bound == AT_LEAST and value >= window[1])
        or (bound == AT_MOST and value <= window[0])
    ):
        frames.best[ply] = value
        return True
    return False


@lean_part
def _known_move(search, ply):
    """Return the best move of a node by an earlier search, or NO_MOVE."""
    entry = _find(search, ply)
    return NO_MOVE if entry < 0 else np.int64(search.table.move[entry])


@lean_part
def _keep(search, ply, value, bound):
    """Store the value of a node in the table.

    Of its two entries, the first is replaced only by a value of at least the same depth
    as long as it is of this search; the second is always replaced.
    """
    table, frames, age = search.table, search.frames, search.state[AGE]
    row = search.stack.rows[frames.place[ply]]
    depth = frames.depth[ply]
    entry = _find(search, ply)
    if entry < 0:
        slot = np.int64(hash_row(row) & np.uint64(table.depth.shape[0] - 1))
        entry = slot
        if table.age[slot] == age and table.depth[slot] > depth:
            entry = slot ^ 1
    for word in range(row.shape[0]):
        table.rows[entry, word] = row[word]
    table.depth[entry] = depth
    table.bound[entry] = bound
    table.value[entry] = value
    table.move[entry] = frames.move[ply]
    table.age[entry] = age


# ── successors ──────────────────────────────────────────────────────────────────────


@lean_part
def _expand(program, search, evaluate, data, ply):
    """Put the children of a node on the stack, evaluated."""
    stack, frames, state = search.stack, search.frames, search.state
    buffers = search.buffers
    words, kept = buffers.words[0], buffers.words[1]
    row = stack.rows[frames.place[ply]]
    broadcast(program, words, row)
    run_phase(program, words, SHARED)
    run_phase(program, words, LEGAL)
    list_moves(program, words, buffers.moves)
    chooser, status = find_chooser(buffers.moves)
    if status != FINE:
        return np.int64(status)
    mover = max(chooser, 0)
    begin = buffers.moves.ends[mover - 1] if mover else 0
    count = buffers.moves.ends[mover] - begin
    first = state[USED]
    if first + count > stack.moves.shape[0]:
        return np.int64(FULL)
    if count > LANES:
        copy_words(words, kept)
    needs_rows = frames.depth[ply] > 1 or state[NEEDS_ROWS] > 0
    needs_rows = needs_rows or state[EXTENDING] > 0
    for done in range(0, count, LANES):
        if done:
            copy_words(kept, words)
        lanes = min(LANES, count - done)
        make_moves(program, words, buffers.moves, mover, begin + done, lanes)
        if needs_rows:
            gather_changed(program, words, row, buffers.rows, lanes)
        batch = LeafBatch(words, row, buffers.rows, buffers.values)
        evaluate(program, data, batch, lanes, mover, state[ROLE])
        block = buffers.moves.legal[begin + done : begin + done + lanes]
        _push(program, search, block, first + done, needs_rows)
    frames.mover[ply] = mover
    frames.first[ply] = first
    frames.degree[ply] = count
    frames.seen[ply] = 0
    frames.scouts[ply] = False
    frames.best[ply] = 0.0
    frames.move[ply] = NO_MOVE
    state[USED] = first + count
    state[NODES] += 1
    state[LEAVES] += count
    return np.int64(FINE)


@lean_part
def _push(program, search, block, place, with_rows):
    """Put the positions in the lanes on the stack, terminal ones by their goals."""
    stack, buffers = search.stack, search.buffers
    words = buffers.words[0]
    run_phase(program, words, TERMINAL)
    ended = read(words, program.terminal)
    if ended & (_ALL >> np.uint64(LANES - block.shape[0])):
        run_phase(program, words, GOALS)
    for lane in range(block.shape[0]):
        child = place + lane
        stack.moves[child] = block[lane]
        if with_rows:
            for word in range(stack.rows.shape[1]):
                stack.rows[child, word] = buffers.rows[lane, word]
        stack.ended[child] = (ended >> np.uint64(lane)) & _ONE != np.uint64(0)
        stack.forced[child] = False
        stack.values[child] = buffers.values[lane]
        if stack.ended[child]:
            read_goals(program, words, lane, buffers.goals)
            goal = np.float64(max(buffers.goals[search.state[ROLE]], 0))
            stack.values[child] = search.scale[0] * goal + search.scale[1]
    if search.state[EXTENDING]:  # last, since phases share slots
        forced = _find_forced(program, words) & ~ended
        for lane in range(block.shape[0]):
            stack.forced[place + lane] = (forced >> np.uint64(lane)) & _ONE != ~_ALL


@lean_part
def _find_forced(program, words):
    """Return the lanes in which every role has one legal move; after TERMINAL."""
    run_phase(program, words, LEGAL)
    forced, first = _ALL, np.uint64(0)
    for role in range(program.move_ends.shape[0]):
        one, more = ~_ALL, ~_ALL
        end = np.uint64(program.move_ends[role])
        for move in range(first, end):
            legal = read(words, program.legal[move])
            more |= one & legal
            one |= legal
        forced &= one & ~more
        first = end
    return forced
