"""Expand nodes of a search tree: hundreds of successors to a pass of the circuit.

K words per position, M moves of all roles, R roles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore._hash_kernels import add_row, find_from_slot, first_slot
from gamelore.circuit.program import GOALS, LEGAL, SHARED
from gamelore.engine.compiled._kernels import (
    LANES,
    clear_moves,
    gather_by,
    read_goals,
    run_phase,
)
from gamelore.engine.compiled._lanes import lowest_one
from gamelore.engine.compiled._pass_kernels import (
    find_ended,
    has_ended,
    list_moves,
    load_lanes,
    make_moves,
)
from gamelore.kernels import lean_function, lean_part
from gamelore.search.mcts._tree_kernels import (
    ACTIONS,
    CHANCE,
    CHILDREN,
    EDGES,
    EXPAND_AFTER,
    EXPANDED,
    EXPANDED_NODES,
    FAULT,
    FIRST,
    NODES,
    OPEN,
    QUEUE,
    QUEUED,
    SECOND,
    SIMULTANEOUS,
    SOONEST,
    SUM,
    prove,
    update_proof,
)

FINE, FULL, STUCK, TOO_WIDE, NOT_CONSTANT = range(5)
"""What came of expanding: there is no room for more nodes; a role has no move; too many
joint moves; or two goals have another sum than those before."""

MOST_JOINT_MOVES = 4096
"""Of a position in which several roles choose at once."""

_ROOMY = 0.5  # of the nodes or edges: so many are used without hesitation
_DOUBLINGS = 24.0  # of the playouts before an expansion, per share of the room

_NONE = np.uint64(0)
_ONE = np.uint64(1)


class ExpansionBuffers(NamedTuple):
    """Working arrays of an expansion; the next successors to be computed."""

    words: np.ndarray  # uint64 [S, 8]   512 lanes of the circuit
    rows: np.ndarray  # uint64 [512, K]   positions, then their successors
    legal: np.ndarray  # uint64 [512, ·]   legal moves in bits
    listed: np.ndarray  # int32 [M]   the legal moves of one position, role by role
    ends: np.ndarray  # int64 [R]   where each role's end
    joint: np.ndarray  # int32 [512, R]   the joint move of each successor
    edges: np.ndarray  # int64 [512]   the edge to each
    goals: np.ndarray  # int16 [R]
    movers: np.ndarray  # int16 [512]   the role whose move leads there
    ended: np.ndarray  # uint64 [8]   lanes whose successor is terminal
    block: np.ndarray  # uint64 [64]   for turning rows into lanes and back
    pending: np.ndarray  # int64 [1]   how many successors wait
    adding: np.ndarray  # int32 [F]   how many edges of a node add each fluent; or [0]


@lean_function
def expand_queue(program, tree, buffers):
    """Expand every node of the queue, and see what that proves."""
    count = tree.state[QUEUE]
    nodes = tree.nodes
    for i in range(count):
        _copy_row(nodes.rows, tree.queue[i], buffers.rows, i)
    base = np.uint64(buffers.words.ctypes.data)
    load_lanes(program, buffers, count)
    run_phase(program, base, SHARED)
    run_phase(program, base, LEGAL)
    gather_by(buffers.words, program.legal, buffers.block, buffers.legal[:count])
    status = FINE
    done = 0
    for i in range(count):
        node = np.int64(tree.queue[i])
        list_moves(program, buffers, i)
        status = _make_edges(tree, buffers, node)
        if status != FINE:
            break
        done += 1
        status = _make_children(program, tree, buffers, node)
        if status != FINE:
            break
    if status != NOT_CONSTANT:  # what waits are children of nodes that are done
        found = _compute_children(program, tree, buffers)
        status = found if status == FINE or found != FINE else status
    buffers.pending[0] = 0
    for i in range(count):
        node = np.int64(tree.queue[i])
        if i < done and status != NOT_CONSTANT:
            if buffers.adding.shape[0] and status == FINE:
                _find_keys(tree, node, buffers.adding)
            update_proof(tree, node)
        elif nodes.status[node] == QUEUED:
            nodes.status[node] = OPEN
    tree.state[QUEUE] = 0
    _set_patience(tree)
    return status


@lean_part
def _set_patience(tree):
    """Expand nodes later where little room is left: a tree should never be full."""
    state = tree.state
    used = max(
        np.float64(state[NODES]) / tree.nodes.visits.shape[0],
        np.float64(state[EDGES]) / tree.edges.child.shape[0],
    )
    state[EXPAND_AFTER] = state[SOONEST]
    if used > _ROOMY:
        doublings = np.int64((used - _ROOMY) * _DOUBLINGS)
        state[EXPAND_AFTER] = max(state[SOONEST], 1) << doublings


@lean_part
def _copy_row(source, one, target, other):
    for word in range(source.shape[1]):
        target[other, word] = source[one, word]


@lean_part
def _make_edges(tree, buffers, node):
    """Find who chooses at a node, and make room for its edges."""
    nodes, state = tree.nodes, tree.state
    mover, degree, first = np.int64(0), np.int64(1), np.int64(0)
    choosers = 0
    for role in range(buffers.ends.shape[0]):
        count = buffers.ends[role] - first
        first = buffers.ends[role]
        if count == 0:
            state[FAULT] = node
            return STUCK
        if count > 1:
            choosers += 1
            mover = np.int64(role)
            degree *= count
            if degree > MOST_JOINT_MOVES and choosers > 1:
                state[FAULT] = node
                return TOO_WIDE
    if choosers > 1:
        mover = np.int64(SIMULTANEOUS)
    room = nodes.visits.shape[0] - state[NODES] - buffers.pending[0]
    if state[EDGES] + degree > tree.edges.child.shape[0] or room < degree:
        return FULL
    if choosers > 1:
        if state[ACTIONS] + first > tree.actions.move.shape[0]:
            return FULL
        _make_actions(tree, buffers, node)
    nodes.mover[node] = mover
    nodes.first[node] = state[EDGES]
    nodes.degree[node] = degree
    state[EDGES] += degree
    state[EXPANDED_NODES] += 1
    state[CHILDREN] += degree
    return FINE


@lean_part
def _make_actions(tree, buffers, node):
    """Give each role an action for each of its moves."""
    nodes, state, actions = tree.nodes, tree.state, tree.actions
    nodes.actions[node] = state[ACTIONS]
    first = np.int64(0)
    for role in range(buffers.ends.shape[0]):
        nodes.choices[node, role] = buffers.ends[role] - first
        for i in range(first, buffers.ends[role]):
            action = state[ACTIONS]
            actions.move[action] = buffers.listed[i]
            actions.regret[action] = 0.0
            actions.strategy[action] = 0.0
            state[ACTIONS] += 1
        first = buffers.ends[role]


@lean_part
def _make_children(program, tree, buffers, node):
    """Have the successors of a node computed, once there are enough for a pass."""
    nodes, edges = tree.nodes, tree.edges
    mover = nodes.mover[node]
    moved = mover
    if nodes.degree[node] == 1:
        moved = _next_player(tree, node)
    for i in range(np.int64(nodes.degree[node])):
        place = buffers.pending[0]
        left = i
        for backwards in range(buffers.ends.shape[0]):
            role = buffers.ends.shape[0] - 1 - backwards
            first = buffers.ends[role - 1] if role else 0
            count = buffers.ends[role] - first
            move = buffers.listed[first + left % count]
            left //= count
            before = program.move_ends[role - 1] if role else 0
            buffers.joint[place, role] = move - before
        edge = nodes.first[node] + i
        edges.begun[edge] = 0
        edges.value[edge] = np.float32(0.5)
        edges.key[edge] = -1
        edges.prior[edge] = np.float32(-1.0)
        edges.move[edge] = i if mover == SIMULTANEOUS else buffers.joint[place, mover]
        buffers.edges[place] = edge
        buffers.movers[place] = moved
        _copy_row(nodes.rows, node, buffers.rows, place)
        buffers.pending[0] = place + 1
        if buffers.pending[0] == LANES:
            status = _compute_children(program, tree, buffers)
            if status != FINE:
                return status
    nodes.status[node] = EXPANDED
    return FINE


@lean_part
def _next_player(tree, node):
    """Return whose turn it is where nobody has a choice: in the order of the roles."""
    roles = tree.nodes.sums.shape[1]
    role = np.int64(max(tree.nodes.moved[node], 0) + 1) % roles
    if role == tree.state[CHANCE]:
        role = (role + 1) % roles
    return role


@lean_function
def _compute_children(program, tree, buffers):
    """Compute the successors that wait, and make them nodes."""
    count = buffers.pending[0]
    buffers.pending[0] = 0
    if count == 0:
        return FINE
    base = np.uint64(buffers.words.ctypes.data)
    load_lanes(program, buffers, count)
    clear_moves(program, base)
    for lane in range(count):
        _put_moves(program, buffers.words, lane, buffers.joint[lane])
    make_moves(program, buffers, count)
    if find_ended(program, buffers, count):
        run_phase(program, base, GOALS)
    status = FINE
    for lane in range(count):
        if _add_child(program, tree, buffers, lane) != FINE:
            status = NOT_CONSTANT
    return status


@lean_part
def _put_moves(program, words, lane, moves):
    """Let one lane make a joint move.  moves: int32 [R]"""
    bit = _ONE << np.uint64(lane & 63)
    first = 0
    for role in range(moves.shape[0]):
        words[program.first_move + first + moves[role], lane >> 6] |= bit
        first = program.move_ends[role]


@lean_part
def _add_child(program, tree, buffers, lane):
    """Make the position in a lane a node, unless it is one, and lead its edge there."""
    nodes = tree.nodes
    row = buffers.rows[lane]
    slot = first_slot(nodes.slots, row)
    found = find_from_slot(nodes.slots, nodes.rows, row, slot)
    if found >= 0:
        tree.edges.child[buffers.edges[lane]] = found
        return FINE
    node = tree.state[NODES]
    tree.state[NODES] += 1
    add_row(nodes.slots, nodes.rows, row, found, node)
    tree.edges.child[buffers.edges[lane]] = node
    clear_node(tree, node)
    nodes.moved[node] = buffers.movers[lane]
    if not has_ended(buffers, lane):
        return FINE
    read_goals(program, buffers.words, lane, buffers.goals)
    for role in range(buffers.goals.shape[0]):
        nodes.goals[node, role] = np.float32(max(buffers.goals[role], 0))
    prove(tree, node)
    if tree.state[SUM] >= 0:
        first, second = tree.state[FIRST], tree.state[SECOND]
        value = nodes.goals[node, first]
        nodes.bounds[node, 0] = value
        nodes.bounds[node, 1] = value
        if value + nodes.goals[node, second] != tree.state[SUM]:
            return NOT_CONSTANT
    return FINE


@lean_part
def _find_keys(tree, node, adding):
    """Find for each edge a fluent that it adds, and no other edge of the node does."""
    nodes, edges = tree.nodes, tree.edges
    row = nodes.rows[node]
    first, end = nodes.first[node], nodes.first[node] + nodes.degree[node]
    if end - first < 2:
        return
    for number in range(3):  # count, find, clear
        for edge in range(first, end):
            other = nodes.rows[edges.child[edge]]
            for word in range(row.shape[0]):
                left = other[word] & ~row[word]
                while left:
                    fluent = 64 * word + lowest_one(left)
                    left &= left - _ONE
                    if number == 0:
                        adding[fluent] += 1
                    elif number == 2:
                        adding[fluent] = 0
                    elif adding[fluent] == 1:
                        edges.key[edge] = fluent


@lean_part
def clear_node(tree, node):
    """Make a node one that nothing is known of."""
    nodes = tree.nodes
    nodes.visits[node] = 0
    nodes.begun[node] = 0
    nodes.status[node] = OPEN
    nodes.mover[node] = 0
    nodes.moved[node] = 0
    nodes.first[node] = 0
    nodes.degree[node] = 0
    nodes.table[node] = 0
    for role in range(nodes.sums.shape[1]):
        nodes.sums[node, role] = 0.0
        nodes.goals[node, role] = np.float32(0.0)
    low, high = 0.0, 100.0
    if tree.state[SUM] >= 0:
        role = tree.state[FIRST]
        low, high = tree.goal_range[role, 0], tree.goal_range[role, 1]
        other = tree.state[SECOND]
        low = max(low, tree.state[SUM] - tree.goal_range[other, 1])
        high = min(high, tree.state[SUM] - tree.goal_range[other, 0])
    nodes.bounds[node, 0] = np.float32(low)
    nodes.bounds[node, 1] = np.float32(high)
