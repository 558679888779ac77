"""Run a scheduled circuit for at most 64 games: one word per slot.

The same program as in `_kernels`, for the successors of one position, where most of 512
lanes would be empty. There are words for a slot and for its complement, so that a
literal is the index of its word: a pass takes half the time of one with 512 lanes.

    words   uint64 [2 S]   game i is bit i of every literal's word; words[1] is all ones
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.circuit.program import GATES, GOALS, LEGAL, NEXT, SHARED, TERMINAL
from gamelore.engine.compiled._lanes import lowest_one
from gamelore.kernels import lean, lean_part

LANES = 64

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_ALL = ~np.uint64(0)


class Moves(NamedTuple):
    """A buffer for the legal moves of a position."""

    legal: np.ndarray  # int32 [M]   by number, roles one after the other
    ends: np.ndarray  # int64 [R]   where each role's end


@lean_part
def read(words, literal):
    """Return the lanes of a literal."""
    return words[np.uint64(literal)]  # unsigned: numba asks no more of it


@lean_part
def put(words, slot, lanes):
    """Give a slot its lanes."""
    literal = np.uint64(slot) << _ONE
    words[literal] = lanes
    words[literal | _ONE] = ~lanes


@lean_part
def read_bit(words, literal, lane):
    """Return one lane of a literal."""
    return (read(words, literal) >> np.uint64(lane)) & _ONE


@lean_part
def evaluate_gates(program, words, first, end):
    """Evaluate a range of gates in order, in place."""
    left, right, slot = program.left, program.right, program.slot
    # Unsigned: numba has signed indices count from the end, at half the cost of a gate.
    for gate in range(np.uint64(first), np.uint64(end)):
        both = read(words, left[gate]) & read(words, right[gate])
        put(words, slot[gate], both)


@lean_part
def repeat_until_stable(program, words, first, end):
    """Find the least fixed point of a loop's variables, to and fro over its runs."""
    runs = program.runs
    for run in range(first, end):
        put(words, runs[run, 3], _NONE)
    backwards = False
    changed = True
    while changed:
        changed = False
        for i in range(end - first):
            run = end - 1 - i if backwards else first + i
            evaluate_gates(program, words, runs[run, 0], runs[run, 1])
            old = read(words, 2 * runs[run, 3])
            new = read(words, runs[run, 2])
            if new & ~old:
                changed = True
                put(words, runs[run, 3], old | new)
        backwards = not backwards


@lean_part
def run_phase(program, words, phase):
    """Run one phase of the program: its gates and its loops."""
    for segment in range(program.phases[phase, 0], program.phases[phase, 1]):
        first, end = program.segments[segment, 1], program.segments[segment, 2]
        if program.segments[segment, 0] == GATES:
            evaluate_gates(program, words, first, end)
        else:
            repeat_until_stable(program, words, first, end)


@lean_part
def broadcast(program, words, row):
    """Put one position into every lane.  row: uint64 [K]"""
    for fluent in range(np.uint64(program.next.shape[0])):
        bit = (row[fluent >> np.uint64(6)] >> (fluent & np.uint64(63))) & _ONE
        put(words, fluent + _ONE, _NONE - bit)


@lean_part
def list_moves(program, words, moves):
    """Find the legal moves in the first lane."""
    count = np.uint64(0)
    first = np.uint64(0)
    for role in range(moves.ends.shape[0]):
        end = np.uint64(program.move_ends[role])
        for move in range(first, end):
            moves.legal[count] = move  # stays if it is legal: that is hard to foresee
            count += read_bit(words, program.legal[move], 0)
        moves.ends[role] = count
        first = end


@lean_part
def make_moves(program, words, moves, mover, first, count):
    """Lane i makes the mover's move legal[first + i]; other roles have only one."""
    choose_moves(program, words, moves, mover, first, count)
    run_phase(program, words, NEXT)
    take_next(program.next, words)
    clear_moves(program, words, moves, mover, first, count)


@lean_part
def choose_moves(program, words, moves, mover, first, count):
    """Put moves into lanes, where there are none."""
    _put_others(program, words, moves, mover, _ALL)
    for lane in range(count):
        move = moves.legal[first + lane]
        put(words, program.first_move + move, _ONE << np.uint64(lane))


@lean_part
def clear_moves(program, words, moves, mover, first, count):
    """Take the same moves away again: to clear them all would take longer."""
    _put_others(program, words, moves, mover, _NONE)
    for lane in range(count):
        put(words, program.first_move + moves.legal[first + lane], _NONE)


@lean_part
def _put_others(program, words, moves, mover, lanes):
    """Put lanes at the moves of the roles that have but one."""
    begin = moves.ends[mover - 1] if mover else 0
    for i in range(begin):
        put(words, program.first_move + moves.legal[i], lanes)
    for i in range(moves.ends[mover], moves.ends[moves.ends.shape[0] - 1]):
        put(words, program.first_move + moves.legal[i], lanes)


@lean_part
def copy_words(source, target):
    """Copy the lanes of all literals."""
    for i in range(np.uint64(source.shape[0])):
        target[i] = source[i]


@lean_part
def take_next(following, words):
    """Let the next position become the present one.  following: int32 [F] literals"""
    for fluent in range(np.uint64(following.shape[0])):
        put(words, fluent + _ONE, read(words, following[fluent]))


@lean_part
def gather_changed(program, words, parent, rows, count):
    """Gather the lanes' positions as rows, all successors of one parent.

    They differ from it in little, so only that is written.
    parent: uint64 [K], rows: uint64 [at least count, K]
    """
    for lane in range(count):
        for word in range(parent.shape[0]):
            rows[lane, word] = parent[word]
    present = _ALL >> np.uint64(LANES - count)
    for fluent in range(np.uint64(program.fluents.shape[0])):
        word, place = fluent >> np.uint64(6), fluent & np.uint64(63)
        bit = (parent[word] >> place) & _ONE
        changed = (read(words, program.fluents[fluent]) ^ (_NONE - bit)) & present
        while changed:
            lane = np.uint64(lowest_one(changed))
            rows[lane, word] ^= _ONE << place
            changed &= changed - _ONE


@lean_part
def read_goals(program, words, lane, goals):
    """Read one lane's goals; -1 where there is none, or more.  goals: int16 [R]"""
    first = 0
    for role in range(program.goal_ends.shape[0]):
        found = 0
        for g in range(first, program.goal_ends[role]):
            if read_bit(words, program.goals[g], lane):
                found += 1
                goals[role] = program.goal_values[g]
        if found != 1:
            goals[role] = -1
        first = program.goal_ends[role]


@lean
def view_one(program, words, row, legal, goals):
    """Compute legal moves and goals of one position; return whether it is terminal.

    row: uint64 [K], legal: uint64 [·] bits, cleared, goals: int16 [R]
    """
    broadcast(program, words, row)
    run_phase(program, words, TERMINAL)
    terminal = read_bit(words, program.terminal, 0) == _ONE
    run_phase(program, words, GOALS)
    read_goals(program, words, 0, goals)
    run_phase(program, words, LEGAL)
    for move in range(program.legal.shape[0]):
        bit = read_bit(words, program.legal[move], 0)
        legal[move >> 6] |= bit << np.uint64(move & 63)
    return terminal


@lean
def step_one(program, words, row, moves, following):
    """Compute the position after a joint move.

    row, following: uint64 [K], following cleared, moves: int32 [R]
    """
    broadcast(program, words, row)
    _choose(program, words, moves, _ALL)
    run_phase(program, words, SHARED)
    run_phase(program, words, LEGAL)
    run_phase(program, words, NEXT)
    for fluent in range(program.next.shape[0]):
        bit = read_bit(words, program.next[fluent], 0)
        following[fluent >> 6] |= bit << np.uint64(fluent & 63)
    _choose(program, words, moves, _NONE)  # which may be the next position itself


@lean_part
def _choose(program, words, moves, lanes):
    """Put lanes at each role's move."""
    offset = program.first_move
    for role in range(moves.shape[0]):
        put(words, offset + moves[role], lanes)
        offset = program.first_move + program.move_ends[role]
