"""Number positions as they are met, and find their successors.

N nodes, E edges, K words per position, R roles, M moves of all roles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gamelore.circuit.schedule import GOALS, LEGAL, NEXT, SHARED, TERMINAL, Program
from gamelore.engine.compiled._kernels_64 import (
    LANES,
    Moves,
    broadcast,
    choose_moves,
    clear_moves,
    copy_words,
    gather_changed,
    list_moves,
    read_goals,
    run_phase,
    take_next,
    value_of,
)
from gamelore.engine.compiled._lanes import prefetch
from gamelore.graph._cofactor_kernels import (
    Turns,
    find_turn,
    list_turn_moves,
    settle_turn,
)
from gamelore.kernels import lean, lean_part, lean_recursion

ENDED, UNSEEN = -1, -2
"""In place of the role to move: a terminal position, and one not expanded yet."""

FINE, NO_ROOM, SIMULTANEOUS, STUCK, UNKNOWN = range(5)
"""What came of expanding a node."""

_ONE = np.uint64(1)
_ALL = ~np.uint64(0)


class Nodes(NamedTuple):
    """Positions by number, with their successors."""

    rows: np.ndarray  # uint64 [N, K]   the positions
    slots: np.ndarray  # int32 [power of two]   hash table: node + 1, or 0
    mover: np.ndarray  # int8 [N]   the role to move, ENDED or UNSEEN
    first: np.ndarray  # int64 [N]   the first edge of each node
    degree: np.ndarray  # int32 [N]   how many edges it has
    goals: np.ndarray  # int16 [N, R]   of terminal nodes
    child: np.ndarray  # int32 [E]   where an edge leads
    move: np.ndarray  # int32 [E]   the mover's move, by its number
    outlook: np.ndarray  # int8 [E]   what a move leads to within a turn, or UNSEEN
    used: np.ndarray  # int64 [3]   nodes and edges in use; how often all was forgotten
    passive: np.ndarray  # bool [M]   moves that mean waiting
    narrow: np.ndarray  # uint64 [2, 2 S]   room for the circuit; none without one
    words: np.ndarray  # uint64 [S, 8]   and for 512 lanes of it
    turns: Turns  # the circuit while one role moves
    moves: Moves  # room for the moves of the node being expanded,
    fresh: np.ndarray  # uint64 [64, K]   some of its successors,
    places: np.ndarray  # int64 [64]   and the slots to look for them in


# ── randomness ──────────────────────────────────────────────────────────────────────


@lean_part
def draw(state):
    """The next 64 random bits, by xoshiro256++.  state: uint64 [4]"""
    total = state[0] + state[3]
    result = ((total << np.uint64(23)) | (total >> np.uint64(41))) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << np.uint64(45)) | (state[3] >> np.uint64(19))
    return result


@lean_part
def draw_below(state, count):
    """A random number from 0 to count - 1, exactly uniform."""
    if count <= 1:
        return 0
    mask = np.uint64(count - 1)
    mask |= mask >> np.uint64(1)
    mask |= mask >> np.uint64(2)
    mask |= mask >> np.uint64(4)
    mask |= mask >> np.uint64(8)
    mask |= mask >> np.uint64(16)
    while True:
        number = np.int64((draw(state) >> np.uint64(32)) & mask)
        if number < count:
            return number


@lean_part
def draw_unit(state):
    """A random number from 0 to 1, 1 excluded."""
    return np.float64(draw(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


# ── the hash table ──────────────────────────────────────────────────────────────────


@lean_part
def hash_row(row):
    """A hash of all the words of a row."""
    value = np.uint64(0x9E3779B97F4A7C15)
    for i in range(row.shape[0]):
        value ^= row[i]
        value *= np.uint64(0xFF51AFD7ED558CCD)
        value ^= value >> np.uint64(32)
    value *= np.uint64(0xC4CEB9FE1A85EC53)
    return value ^ (value >> np.uint64(29))


@lean
def find_row(slots, rows, row):
    """The number of a row, or the slot for it as -1 - slot if it is not there."""
    return find_from(slots, rows, row, first_slot(slots, row))


@lean_part
def first_slot(slots, row):
    """The slot from which on a row is to be looked for."""
    return np.int64(hash_row(row) & np.uint64(slots.shape[0] - 1))


@lean_part
def find_from(slots, rows, row, slot):
    """The same as `find_row` finds, from a row's first slot on."""
    mask = np.int64(slots.shape[0] - 1)
    while slots[slot]:
        number = slots[slot] - 1
        same = True
        for word in range(row.shape[0]):
            if rows[number, word] != row[word]:
                same = False
                break
        if same:
            return np.int64(number)
        slot = (slot + 1) & mask
    return -1 - slot


@lean
def add_row(slots, rows, row, found, number):
    """Give a row that was not found its number."""
    slots[-1 - found] = number + 1
    for word in range(row.shape[0]):
        rows[number, word] = row[word]


@lean
def hash_again(slots, rows, count):
    """Fill empty slots with all rows, after the table has grown."""
    mask = np.int64(slots.shape[0] - 1)
    for number in range(count):
        slot = np.int64(hash_row(rows[number]) & np.uint64(mask))
        while slots[slot]:
            slot = (slot + 1) & mask
        slots[slot] = number + 1


# ── successors ──────────────────────────────────────────────────────────────────────


def expand(program, nodes, node):
    """Find the successors of a new node: FINE, or why that was not possible.

    Large, and called from everywhere: so kernels have a pointer to it.
    """
    if nodes.narrow.shape[1] == 0:
        return np.int64(UNKNOWN)
    words, kept, moves = nodes.narrow[0], nodes.narrow[1], nodes.moves
    broadcast(program, words, nodes.rows[node])
    turn = find_turn(nodes.turns, nodes.rows[node])
    _find_moves(program, nodes, turn)
    mover, status = _find_mover(nodes)
    if status != FINE:
        return np.int64(status)
    begin = moves.ends[mover - 1] if mover else 0
    count = moves.ends[mover] - begin
    if nodes.used[0] + count > nodes.rows.shape[0]:
        return np.int64(NO_ROOM)
    if nodes.used[1] + count > nodes.child.shape[0]:
        return np.int64(NO_ROOM)
    if count > LANES and turn < 0:
        copy_words(words, kept)
    first_edge = nodes.used[1]
    start = program.move_ends[mover - 1] if mover else 0
    for done in range(0, count, LANES):
        if done and turn < 0:
            copy_words(kept, words)
        elif done:
            broadcast(program, words, nodes.rows[node])
        lanes = min(LANES, count - done)
        choose_moves(program, words, moves, mover, begin + done, lanes)
        _find_next(program, nodes, turn)
        clear_moves(program, words, moves, mover, begin + done, lanes)
        gather_changed(program, words, nodes.rows[node], nodes.fresh, lanes)
        _add_children(program, nodes, lanes, first_edge + done)
        for lane in range(lanes):
            move = moves.legal[begin + done + lane]
            nodes.move[first_edge + done + lane] = move - start
    nodes.mover[node] = mover
    nodes.first[node] = first_edge
    nodes.degree[node] = count
    nodes.used[1] += count
    return np.int64(FINE)


@lean_part
def _find_moves(program, nodes, turn):
    """Find the legal moves, by the circuit of a turn if there is one."""
    words, turns = nodes.narrow[0], nodes.turns
    if turn < 0:
        run_phase(program, words, SHARED)
        run_phase(program, words, LEGAL)
        list_moves(program, words, nodes.moves)
    else:
        settle_turn(turns, turn, words, 0, turns.ends[turn, 0])
        list_turn_moves(turns, turn, words, nodes.moves)


@lean_part
def _find_next(program, nodes, turn):
    """Let the next positions become the present ones, likewise."""
    words, turns = nodes.narrow[0], nodes.turns
    if turn < 0:
        run_phase(program, words, NEXT)
        take_next(program.next, words)
    else:
        settle_turn(turns, turn, words, turns.ends[turn, 0], turns.ends[turn, 1])
        take_next(turns.next[turn], words)


@lean_part
def find_chooser(moves):
    """The role that has a choice, or -1; FINE, or why there is no such role."""
    chooser = -1
    first = 0
    for role in range(moves.ends.shape[0]):
        count = moves.ends[role] - first
        first = moves.ends[role]
        if count == 0:
            return role, STUCK
        if count > 1:
            if chooser >= 0:
                return role, SIMULTANEOUS
            chooser = role
    return chooser, FINE


@lean_part
def _find_mover(nodes):
    """The role that has a choice, or, where none has, the one that does not wait."""
    mover, status = find_chooser(nodes.moves)
    if mover >= 0:
        return mover, status
    mover = 0
    for role in range(nodes.moves.ends.shape[0] - 1, -1, -1):
        if not nodes.passive[nodes.moves.legal[role]]:
            mover = role
    return mover, status


@lean_part
def _add_children(program, nodes, lanes, edge):
    """Number the positions in the first lanes, and lay edges to them."""
    words, rows = nodes.narrow[0], nodes.fresh
    for lane in range(lanes):
        # The table is large: by the time it is looked at, all it takes is there.
        nodes.places[lane] = first_slot(nodes.slots, rows[lane])
        prefetch(nodes.slots, nodes.places[lane])
    run_phase(program, words, TERMINAL)
    ended = value_of(words, program.terminal) & (_ALL >> np.uint64(LANES - lanes))
    if ended:
        run_phase(program, words, GOALS)
    for lane in range(lanes):
        number = find_from(nodes.slots, nodes.rows, rows[lane], nodes.places[lane])
        if number < 0:
            found = number
            number = nodes.used[0]
            add_row(nodes.slots, nodes.rows, rows[lane], found, number)
            nodes.used[0] += 1
            nodes.mover[number] = UNSEEN
            if (ended >> np.uint64(lane)) & _ONE:
                nodes.mover[number] = ENDED
                read_goals(program, words, lane, nodes.goals[number])
        nodes.child[edge + lane] = number
        nodes.outlook[edge + lane] = UNSEEN


class GraphArrays(NamedTuple):
    """A state graph as kernels see it."""

    program: Program
    nodes: Nodes
    expand: Any  # pointer to `expand`


@lean_part
def open_up(graph, node):
    """Make sure that a node's successors are known."""
    if graph.nodes.mover[node] != UNSEEN:
        return np.int64(FINE)
    return graph.expand(graph.program, graph.nodes, node)


@lean
def expand_node(graph, node):
    """Make sure that a node's successors are known, when Python asks."""
    return open_up(graph, node)


# ── one turn ahead ──────────────────────────────────────────────────────────────────

LOSING, OPEN, WINNING = range(3)
"""What a move leads to: the other wins at once, neither, or the mover has won."""


@lean_part
def find_outlooks(graph, best, worst, node):
    """Find what each move of a node leads to, for the role that moves.

    best, worst: int16 [R]   each role's highest and lowest goal
    """
    nodes = graph.nodes
    status = open_up(graph, node)
    if status != FINE:
        return status
    mover = nodes.mover[node]
    first = nodes.first[node]
    if mover == ENDED or nodes.outlook[first] != UNSEEN:
        return np.int64(FINE)
    for edge in range(first, first + nodes.degree[node]):
        child = nodes.child[edge]
        if nodes.mover[child] == ENDED:
            nodes.outlook[edge] = _judge(nodes.goals[child, mover], mover, best, worst)
            continue
        status = open_up(graph, child)
        if status != FINE:
            nodes.outlook[first] = UNSEEN
            return status
        nodes.outlook[edge] = OPEN
        if nodes.mover[child] == mover:
            continue
        start = nodes.first[child]
        for reply in range(start, start + nodes.degree[child]):
            leaf = nodes.child[reply]
            if nodes.mover[leaf] == ENDED:
                outcome = _judge(nodes.goals[leaf, mover], mover, best, worst)
                if outcome == LOSING:
                    nodes.outlook[edge] = LOSING
                    break
    return np.int64(FINE)


@lean_part
def _judge(goal, role, best, worst):
    if best[role] == worst[role]:
        return OPEN
    if goal == best[role]:
        return WINNING
    return LOSING if goal == worst[role] else OPEN


# ── search of a fixed depth ─────────────────────────────────────────────────────────

MINIMAX, MAXMAX, AVGMAX = range(3)
"""What the others are taken to do: their best, our best, or anything."""


@lean_recursion
def look_ahead(graph, role, node, depth, rule, unknown):
    """A node's value for a role: the goal of terminal nodes, `unknown` of open leaves.

    Not a number where a node could not be expanded.
    """
    nodes = graph.nodes
    mover = nodes.mover[node]
    if mover == ENDED:
        return np.float64(nodes.goals[node, role])
    if depth == 0:
        return np.float64(unknown)
    if open_up(graph, node) != FINE:
        return np.nan
    mover = nodes.mover[node]
    first = nodes.first[node]
    highest, lowest, total = -np.inf, np.inf, 0.0
    for edge in range(first, first + nodes.degree[node]):
        child = nodes.child[edge]
        value = look_ahead(graph, role, child, depth - 1, rule, unknown)
        highest, lowest, total = max(highest, value), min(lowest, value), total + value
    if np.isnan(total):
        return np.nan
    if mover == role or rule == MAXMAX:
        return highest
    if rule == MINIMAX:
        return lowest
    return total / nodes.degree[node]


# ── patterns ───────────────────────────────────────────────────────────────────────


class Shapes(NamedTuple):
    """Sets of shapes by number.  C outcomes; a shape is an outcome, open, or a set.

    Shape i < C is a terminal node of outcome i, shape C an open leaf; every other one
    is an open node with the set of the shapes below it. Equal sets have one number.
    """

    outcome: np.ndarray  # int16 [101]   a goal's outcome
    open_leaf: np.ndarray  # int32 [1]   C
    first: np.ndarray  # int32 [·]   where a shape's set begins in `items`
    size: np.ndarray  # int32 [·]
    items: np.ndarray  # int32 [·]   shapes, ascending
    slots: np.ndarray  # int32 [power of two]   hash table: shape + 1, or 0
    used: np.ndarray  # int64 [2]   shapes and items in use
    known: np.ndarray  # int32 [depth + 1, N]   a node's shape, or 0 where not yet known
    recall: np.ndarray  # int32 [1]   plies at the bottom that are remembered, or 0
    below: np.ndarray  # int32 [depth + 1, ·]   room for the set being collected


NO_SHAPE = -1


@lean_part
def find_shape(graph, shapes, role, node, depth):
    """The number of the pattern under a node, or NO_SHAPE where there is no room.

    Its last `recall` plies, if there are any, are not searched: they are known where
    the pattern of that many plies was found before, and open everywhere else.
    """
    recall = np.int64(shapes.recall[0])
    if recall:
        own = _search_shape(graph, shapes, role, node, recall, np.int64(0))
        if own == NO_SHAPE:
            return np.int64(NO_SHAPE)
    return _search_shape(graph, shapes, role, node, np.int64(depth), recall)


@lean_recursion
def _search_shape(graph, shapes, role, node, depth, recall):
    nodes = graph.nodes
    if nodes.mover[node] == ENDED:
        goal = nodes.goals[node, role]
        return np.int64(shapes.outcome[min(max(goal, 0), 100)])
    if depth == 0:
        return np.int64(shapes.open_leaf[0])
    known = shapes.known[depth, node]
    if known:
        return np.int64(known)
    if depth == recall:
        return np.int64(shapes.open_leaf[0])
    if open_up(graph, node) != FINE:
        return NO_SHAPE
    below = shapes.below[depth]
    count = 0
    for edge in range(nodes.first[node], nodes.first[node] + nodes.degree[node]):
        child = nodes.child[edge]
        shape = _search_shape(graph, shapes, role, child, depth - 1, recall)
        if shape == NO_SHAPE:
            return NO_SHAPE
        place = 0
        while place < count and below[place] < shape:
            place += 1
        if place < count and below[place] == shape:
            continue
        if count == below.shape[0]:
            return NO_SHAPE
        for i in range(count, place, -1):
            below[i] = below[i - 1]
        below[place] = shape
        count += 1
    result = number_set(shapes, below[:count])
    if result != NO_SHAPE and recall == 0:
        shapes.known[depth, node] = result
    return result


@lean
def find_shapes(graph, shapes, role, wanted, depth, found):
    """The patterns under many nodes; how many were found before room ran out.

    wanted: int32 [·] nodes, found: int32 [·]
    """
    for i in range(wanted.shape[0]):
        shape = find_shape(graph, shapes, role, wanted[i], depth)
        if shape == NO_SHAPE:
            return i
        found[i] = shape
    return wanted.shape[0]


@lean_part
def _hash_set(below):
    value = np.uint64(14695981039346656037)
    for i in range(below.shape[0]):
        value = (value ^ np.uint64(below[i])) * np.uint64(1099511628211)
    return value ^ (value >> np.uint64(32))


@lean
def hash_sets_again(shapes, first):
    """Fill empty slots with all sets from a number on, after the table has grown."""
    mask = np.int64(shapes.slots.shape[0] - 1)
    for number in range(first, shapes.used[0]):
        begin = shapes.first[number]
        below = shapes.items[begin : begin + shapes.size[number]]
        slot = np.int64(_hash_set(below) & np.uint64(mask))
        while shapes.slots[slot]:
            slot = (slot + 1) & mask
        shapes.slots[slot] = number + 1


@lean
def number_set(shapes, below):
    """The number of a set of shapes, new if it was not met before."""
    mask = np.int64(shapes.slots.shape[0] - 1)
    slot = np.int64(_hash_set(below) & np.uint64(mask))
    while shapes.slots[slot]:
        number = shapes.slots[slot] - 1
        first = shapes.first[number]
        same = shapes.size[number] == below.shape[0]
        if same:
            for i in range(below.shape[0]):
                same = same and shapes.items[first + i] == below[i]
        if same:
            return np.int64(number)
        slot = (slot + 1) & mask
    number = shapes.used[0]
    if number == shapes.first.shape[0]:
        return NO_SHAPE
    if shapes.used[1] + below.shape[0] > shapes.items.shape[0]:
        return NO_SHAPE
    shapes.slots[slot] = number + 1
    shapes.first[number] = shapes.used[1]
    shapes.size[number] = below.shape[0]
    for i in range(below.shape[0]):
        shapes.items[shapes.used[1] + i] = below[i]
    shapes.used[0] += 1
    shapes.used[1] += below.shape[0]
    return number
