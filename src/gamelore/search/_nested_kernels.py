"""Nested Monte Carlo search of level 2: playouts in which all moves are played out.

All playouts of a decision run in batches of 512.
n playouts in progress, s successors, K words per position, R roles, M moves of all.
"""

from __future__ import annotations

import numpy as np

from gamelore._random_kernels import draw_below
from gamelore.engine.compiled._kernels import LANES, step, view
from gamelore.kernels import part
from gamelore.search._policy_kernels import FAILED, pick_best, play_from

DISCOUNT = 0.99
"""Per move, of the difference between a goal and the middle."""
MIDDLE = 50.0
"""The middle of all possible goals."""
LONGEST = 200
"""The number of moves after which a nested playout continues at random."""

_ONE = np.uint64(1)
_STUCK = -1  # in place of the role to move: some role cannot


def search_nested(program, nodes, playouts, stream, node):
    """Return the edge that nested playouts choose; kernels call it by a pointer."""
    if nodes.expansion.words512.shape[0] == 0:
        return np.int64(FAILED)
    first, degree = nodes.first[node], nodes.degree[node]
    role = nodes.mover[node]
    sums = np.zeros(degree)
    total = degree * playouts.per_move
    for begin in range(0, total, LANES):
        n = min(LANES, total - begin)
        rows = np.empty((n, nodes.rows.shape[1]), np.uint64)
        for i in range(n):
            child = nodes.child[first + (begin + i) // playouts.per_move]
            rows[i] = nodes.rows[child]
        words = nodes.expansion.words512
        values = _play_searching(program, words, playouts, stream, rows, role)
        for i in range(n):
            sums[(begin + i) // playouts.per_move] += values[i]
    return first + pick_best(stream, sums)


@part
def _play_searching(program, words, playouts, stream, rows, role):
    """Play out positions, each role choosing by one playout of each move.

    rows: uint64 [n, K], overwritten. Returns the values to a role, float64 [n].
    """
    values = np.zeros(rows.shape[0])
    roles = program.move_ends.shape[0]
    number = np.arange(rows.shape[0])
    weight = 1.0
    for _ in range(LONGEST):
        n = rows.shape[0]
        legal = np.zeros((n, (program.legal.shape[0] + 63) // 64), np.uint64)
        ended = np.zeros(n, np.bool_)
        goals = np.zeros((n, roles), np.int16)
        view(program, words, rows, legal, ended, goals)
        going = 0
        for i in range(n):
            if ended[i]:
                values[number[i]] = weight * (max(goals[i, role], 0) - MIDDLE)
            else:
                number[going] = number[i]
                rows[going] = rows[i]
                legal[going] = legal[i]
                going += 1
        if going == 0:
            return values
        rows = rows[:going]
        _advance(program, words, playouts, stream, rows, legal[:going])
        weight *= DISCOUNT
    tally = play_from(program, words, playouts.reset, stream, rows, 1)
    for i in range(rows.shape[0]):
        values[number[i]] = weight * _playout_value(tally, i, role)
    return values


@part
def _playout_value(tally, start, role):
    """Return the value to a role of the only playout from a start."""
    goal = tally.goal_sums[start, role]
    return DISCOUNT ** tally.lengths[start] * (goal - MIDDLE)


@part
def _advance(program, words, playouts, stream, rows, legal):
    """Replace positions by the successors that their movers choose.

    rows: uint64 [n, K], legal: uint64 [n, ·] bits. Where a role cannot move, the
    position stays.
    """
    n = rows.shape[0]
    movers = np.empty(n, np.int64)
    ends = np.empty(n, np.int64)
    s = 0
    for i in range(n):
        movers[i], count = _find_choice(program, legal[i])
        s += count
        ends[i] = s
    if s == 0:
        return
    origins = np.empty((s, rows.shape[1]), np.uint64)
    moves = np.empty((s, program.move_ends.shape[0]), np.int32)
    begin = 0
    for i in range(n):
        origins[begin : ends[i]] = rows[i]
        _list_moves(program, legal[i], movers[i], moves[begin : ends[i]])
        begin = ends[i]
    successors = np.empty((s, rows.shape[1]), np.uint64)
    step(program, words, origins, moves, successors)
    tally = play_from(program, words, playouts.reset, stream, successors, 1)
    begin = 0
    for i in range(n):
        count = ends[i] - begin
        if count > 0:
            choice = _choose(tally, stream, begin, count, movers[i], playouts.chance)
            rows[i] = successors[begin + choice]
        begin = ends[i]


@part
def _choose(tally, stream, begin, count, mover, chance):
    """Which of a mover's moves went best in their playouts; of chance's, any."""
    if mover == chance:
        return draw_below(stream, count)
    values = np.empty(count)
    for j in range(count):
        values[j] = _playout_value(tally, begin + j, mover)
    return pick_best(stream, values)


@part
def _is_legal(legal, move):
    return (legal[move >> 6] >> np.uint64(move & 63)) & _ONE == _ONE


@part
def _find_choice(program, legal):
    """The role that has a choice, the first if none has, and between how many moves."""
    mover = 0
    most = 1
    first = 0
    for role in range(program.move_ends.shape[0]):
        count = 0
        for move in range(first, program.move_ends[role]):
            if _is_legal(legal, move):
                count += 1
        first = program.move_ends[role]
        if count == 0:
            return _STUCK, 0
        if count > most:
            mover, most = role, count
    return mover, most


@part
def _list_moves(program, legal, mover, moves):
    """A joint move for each of the mover's; the others make their first.

    moves: int32 [·, R]
    """
    first = 0
    for role in range(program.move_ends.shape[0]):
        listed = 0
        for move in range(first, program.move_ends[role]):
            if listed < moves.shape[0] and _is_legal(legal, move):
                moves[listed, role] = move - first
                listed += 1
                if role != mover:
                    moves[:, role] = move - first
                    break
        first = program.move_ends[role]
