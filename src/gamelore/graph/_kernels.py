"""The state graph: positions by number, and the successors of each.

N nodes, E edges, K words per position, R roles, M moves of all roles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gamelore._hash_kernels import add_row, find_from_slot, first_slot
from gamelore.circuit.program import GOALS, LEGAL, NEXT, SHARED, TERMINAL, Program
from gamelore.engine.compiled._kernels_64 import (
    LANES,
    Moves,
    broadcast,
    choose_moves,
    clear_moves,
    copy_words,
    gather_changed,
    list_moves,
    read,
    read_goals,
    run_phase,
    take_next,
)
from gamelore.engine.compiled._lanes import prefetch
from gamelore.graph._cofactor_kernels import (
    Cofactors,
    evaluate_cofactor,
    find_cofactor,
    list_cofactor_moves,
)
from gamelore.kernels import lean, lean_part

ENDED, UNSEEN = -1, -2
"""In place of the role to move: a terminal position, and one not expanded yet."""

FINE, FULL, SIMULTANEOUS, STUCK, UNKNOWN = range(5)
"""What came of expanding a node."""

_ONE = np.uint64(1)
_ALL = ~np.uint64(0)


class ExpansionBuffers(NamedTuple):
    """What expanding a node works with."""

    players_first: np.ndarray  # int64 [R]   the roles, the role `random` last
    passive: np.ndarray  # bool [M]   moves that mean waiting
    words64: np.ndarray  # uint64 [2, 2 S]   64 lanes of the circuit, twice; or none
    words512: np.ndarray  # uint64 [S, 8]   512 lanes of it
    cofactors: Cofactors  # the circuit while one role moves
    moves: Moves  # the legal moves of the node,
    successors: np.ndarray  # uint64 [64, K]   some of its successors,
    first_slots: np.ndarray  # int64 [64]   and where the hash table may have them


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
    outcome: np.ndarray  # int8 [E]   LOSING, OPEN or WINNING; UNSEEN if not found yet
    used: np.ndarray  # int64 [3]   nodes and edges in use; how often all was cleared
    expansion: ExpansionBuffers


class GraphArrays(NamedTuple):
    """A state graph as kernels see it."""

    program: Program
    nodes: Nodes
    expand: Any  # pointer to `expand`


def expand(program, nodes, node):
    """Find the successors of a new node; return FINE, or why that was not possible.

    Large, and called from everywhere: so kernels call it through a pointer.
    """
    buffers = nodes.expansion
    if buffers.words64.shape[1] == 0:
        return np.int64(UNKNOWN)
    words, saved, moves = buffers.words64[0], buffers.words64[1], buffers.moves
    broadcast(program, words, nodes.rows[node])
    cofactor = find_cofactor(buffers.cofactors, nodes.rows[node])
    _find_moves(program, buffers, cofactor)
    mover, status = _find_mover(buffers)
    if status != FINE:
        return np.int64(status)
    begin = moves.ends[mover - 1] if mover else 0
    count = moves.ends[mover] - begin
    if nodes.used[0] + count > nodes.rows.shape[0]:
        return np.int64(FULL)
    if nodes.used[1] + count > nodes.child.shape[0]:
        return np.int64(FULL)
    if count > LANES and cofactor < 0:
        copy_words(words, saved)
    first_edge = nodes.used[1]
    start = program.move_ends[mover - 1] if mover else 0
    for done in range(0, count, LANES):
        if done and cofactor < 0:
            copy_words(saved, words)
        elif done:
            broadcast(program, words, nodes.rows[node])
        lanes = min(LANES, count - done)
        choose_moves(program, words, moves, mover, begin + done, lanes)
        _find_next(program, buffers, cofactor)
        clear_moves(program, words, moves, mover, begin + done, lanes)
        gather_changed(program, words, nodes.rows[node], buffers.successors, lanes)
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
def _find_moves(program, buffers, cofactor):
    """List the legal moves, by a cofactor circuit if there is one."""
    words, cofactors = buffers.words64[0], buffers.cofactors
    if cofactor < 0:
        run_phase(program, words, SHARED)
        run_phase(program, words, LEGAL)
        list_moves(program, words, buffers.moves)
    else:
        evaluate_cofactor(cofactors, cofactor, words, 0, cofactors.ends[cofactor, 0])
        list_cofactor_moves(cofactors, cofactor, words, buffers.moves)


@lean_part
def _find_next(program, buffers, cofactor):
    """Replace the positions in the lanes by the next ones, likewise."""
    words, cofactors = buffers.words64[0], buffers.cofactors
    if cofactor < 0:
        run_phase(program, words, NEXT)
        take_next(program.next, words)
    else:
        first, end = cofactors.ends[cofactor, 0], cofactors.ends[cofactor, 1]
        evaluate_cofactor(cofactors, cofactor, words, first, end)
        take_next(cofactors.next[cofactor], words)


@lean_part
def find_chooser(moves):
    """Return the role that has a choice, or -1, and FINE; or why there is none."""
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
def _find_mover(buffers):
    """Return the role that has a choice, else the first that does not wait."""
    mover, status = find_chooser(buffers.moves)
    if mover >= 0:
        return mover, status
    order = buffers.players_first
    mover = order[0]
    for i in range(order.shape[0] - 1, -1, -1):
        if not buffers.passive[buffers.moves.legal[order[i]]]:
            mover = order[i]
    return mover, status


@lean_part
def _add_children(program, nodes, lanes, edge):
    """Number the positions in the first lanes, and add edges to them."""
    buffers = nodes.expansion
    words, rows, slots = buffers.words64[0], buffers.successors, buffers.first_slots
    for lane in range(lanes):
        # The hash table is large: prefetched, it is in the cache when it is read.
        slots[lane] = first_slot(nodes.slots, rows[lane])
        prefetch(nodes.slots, slots[lane])
    run_phase(program, words, TERMINAL)
    ended = read(words, program.terminal) & (_ALL >> np.uint64(LANES - lanes))
    if ended:
        run_phase(program, words, GOALS)
    for lane in range(lanes):
        number = find_from_slot(nodes.slots, nodes.rows, rows[lane], slots[lane])
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
        nodes.outcome[edge + lane] = UNSEEN


@lean_part
def ensure_expanded(graph, node):
    """Find a node's successors unless they are known; return a status."""
    if graph.nodes.mover[node] != UNSEEN:
        return np.int64(FINE)
    return graph.expand(graph.program, graph.nodes, node)


@lean
def expand_node(graph, node):
    """The same for Python."""
    return ensure_expanded(graph, node)
