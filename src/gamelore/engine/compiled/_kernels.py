"""Run a scheduled circuit for 512 games at once.

S slots of W = 8 words; game i is bit i % 64 of word i // 64 of every slot's row.
A position outside of the slots is a row of K words, one bit per fluent.

    words    uint64 [S, 8]   aligned to 64 bytes
    random   uint64 [4, 4]   aligned to 32 bytes: state of the generators
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.circuit.program import GATES, GOALS, LEGAL, NEXT, SHARED, TERMINAL
from gamelore.engine.compiled._choice_kernels import WORDS as WORDS
from gamelore.engine.compiled._choice_kernels import choose_moves as choose_moves
from gamelore.engine.compiled._lanes import (
    any_lane,
    block_on_stack,
    count_ones,
    load8,
    lowest_one,
    splat8,
    store,
)
from gamelore.kernels import lean, lean_function, lean_part

LANES = 64 * WORDS

FINISHED, STUCK, PAUSED = range(3)
BEGUN, STEPS, STUCK_ROLE = range(3)
"""What `progress` holds."""

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_TWO = np.uint64(2)
_ALL = ~np.uint64(0)


class Tally(NamedTuple):
    """Sums over playouts, and what each lane is playing.  n positions, R roles."""

    starts: np.ndarray  # uint64 [n, ·]   bits of the reset slots, per start position
    reset: np.ndarray  # int32 [·]   slots that say where a match begins
    origin: np.ndarray  # int32 [512]   the start position of each lane's match
    began: np.ndarray  # int64 [512]   the step at which it began
    live: np.ndarray  # uint64 [8]   lanes that play
    done: np.ndarray  # uint64 [8]   lanes whose match has just ended
    valid: np.ndarray  # uint64 [8]   aligned: lanes in which a role has one goal
    goal_sums: np.ndarray  # float64 [n, R]
    goal_squares: np.ndarray  # float64 [n, R]
    lengths: np.ndarray  # int64 [n]
    goal_counts: np.ndarray  # int64 [·]   per goal literal
    length_counts: np.ndarray  # int64 [move limit + 1]
    cut_off: np.ndarray  # int64 [1]
    progress: np.ndarray  # int64 [3]   matches begun, steps, a role without a move
    per_start: int  # playouts from each position


# ── gates ───────────────────────────────────────────────────────────────────────────


@lean_function
def value8(base, literal):
    """The lanes of a literal."""
    flip = _NONE - np.uint64(literal & 1)
    return load8(base, np.int64(literal >> 1) * WORDS) ^ splat8(flip)


@lean_function
def evaluate_gates(program, base, first, end):
    """Evaluate a range of gates in order, in place."""
    left, right, slot = program.left, program.right, program.slot
    for gate in range(first, end):
        both = value8(base, left[gate]) & value8(base, right[gate])
        store(base, np.int64(slot[gate]) * WORDS, both)


@lean_function
def repeat_until_stable(program, base, first, end):
    """Find the least fixed point of a loop's variables, to and fro over its runs."""
    runs = program.runs
    for run in range(first, end):
        store(base, np.int64(runs[run, 3]) * WORDS, splat8(_NONE))
    backwards = False
    changed = True
    while changed:
        changed = False
        for i in range(end - first):
            run = end - 1 - i if backwards else first + i
            evaluate_gates(program, base, runs[run, 0], runs[run, 1])
            variable = np.int64(runs[run, 3]) * WORDS
            new = value8(base, runs[run, 2])
            old = load8(base, variable)
            if any_lane(new & ~old):
                changed = True
                store(base, variable, old | new)
        backwards = not backwards


@lean_function
def run_phase(program, base, phase):
    """Run one phase of the program: its gates and its loops."""
    for segment in range(program.phases[phase, 0], program.phases[phase, 1]):
        first, end = program.segments[segment, 1], program.segments[segment, 2]
        if program.segments[segment, 0] == GATES:
            evaluate_gates(program, base, first, end)
        else:
            repeat_until_stable(program, base, first, end)


@lean_function
def take_next(program, base):
    """Let the next position become the present one."""
    for fluent in range(program.next.shape[0]):
        literal = program.next[fluent]
        if literal != 2 * (1 + fluent):
            store(base, np.int64(1 + fluent) * WORDS, value8(base, literal))


# ── rows of bits and lanes ──────────────────────────────────────────────────────────


@lean_part
def transpose(block):
    """Transpose 64 × 64 bits in place.  block: uint64 [64]"""
    # Each with a width of its own, so that LLVM makes vectors of them.
    _exchange(block, np.uint64(32), np.uint64(0x00000000FFFFFFFF))
    _exchange(block, np.uint64(16), np.uint64(0x0000FFFF0000FFFF))
    _exchange(block, np.uint64(8), np.uint64(0x00FF00FF00FF00FF))
    _exchange(block, np.uint64(4), np.uint64(0x0F0F0F0F0F0F0F0F))
    _exchange(block, np.uint64(2), np.uint64(0x3333333333333333))
    _exchange(block, np.uint64(1), np.uint64(0x5555555555555555))


@lean_part
def _exchange(block, width, mask):
    """Exchange bits that are `width` apart between rows that are so far apart."""
    for pair in range(np.uint64(32) // width):
        first = _TWO * width * pair
        for i in range(first, first + width):
            swap = ((block[i] >> width) ^ block[i + width]) & mask
            block[i] ^= swap << width
            block[i + width] ^= swap


@lean_function
def spread(rows, words, first_slot, count):
    """Rows of bits into lanes: bit b of row i becomes lane i of slot first_slot + b.

    rows: uint64 [at most 512, ·]
    """
    spread_by(rows, words, block_on_stack(), first_slot, count)


@lean_part
def spread_by(rows, words, block, first_slot, count):
    """The same by a buffer: uint64 [64]."""
    for column in range((count + 63) // 64):
        bits = min(64, count - 64 * column)
        for word in range((rows.shape[0] + 63) // 64):
            lanes = min(64, rows.shape[0] - 64 * word)
            for i in range(64):
                block[i] = rows[64 * word + i, column] if i < lanes else _NONE
            transpose(block)
            for b in range(bits):
                words[first_slot + 64 * column + b, word] = block[b]


@lean_function
def gather(words, literals, rows):
    """Lanes into rows of bits: lane i of literal b becomes bit b of row i."""
    gather_by(words, literals, block_on_stack(), rows)


@lean_part
def gather_by(words, literals, block, rows):
    """The same by a buffer: uint64 [64]."""
    count = literals.shape[0]
    for column in range((count + 63) // 64):
        bits = min(64, count - 64 * column)
        for word in range((rows.shape[0] + 63) // 64):
            lanes = min(64, rows.shape[0] - 64 * word)
            for b in range(64):
                block[b] = _NONE
                if b < bits:
                    literal = literals[64 * column + b]
                    flip = _NONE - np.uint64(literal & 1)
                    block[b] = words[literal >> 1, word] ^ flip
            transpose(block)
            for i in range(lanes):
                rows[64 * word + i, column] = block[i]


@lean_function
def read_bit(words, literal, lane):
    flip = np.uint64(literal & 1)
    return ((words[literal >> 1, lane >> 6] >> np.uint64(lane & 63)) & _ONE) ^ flip


@lean
def view(program, words, rows, legal, terminal, goals):
    """Compute legal moves, ends and goals of positions.

    rows: uint64 [n, K], legal: uint64 [n, ·] bits, terminal: bool [n],
    goals: int16 [n, R]
    """
    base = np.uint64(words.ctypes.data)
    for first in range(0, rows.shape[0], LANES):
        end = min(first + LANES, rows.shape[0])
        spread(rows[first:end], words, 1, program.next.shape[0])
        run_phase(program, base, TERMINAL)
        for i in range(first, end):
            terminal[i] = read_bit(words, program.terminal, i - first) == _ONE
        run_phase(program, base, GOALS)
        for i in range(first, end):
            read_goals(program, words, i - first, goals[i])
        run_phase(program, base, LEGAL)
        gather(words, program.legal, legal[first:end])


@lean_function
def read_goals(program, words, lane, goals):
    """Read one lane's goals; -1 where there is none, or more.  goals: int16 [R]"""
    first = 0
    for role in range(program.goal_ends.shape[0]):
        found = 0
        for g in range(first, program.goal_ends[role]):
            if read_bit(words, program.goals[g], lane) == _ONE:
                found += 1
                goals[role] = program.goal_values[g]
        if found != 1:
            goals[role] = -1
        first = program.goal_ends[role]


@lean
def step(program, words, rows, moves, following):
    """Compute the positions after one joint move each.

    rows, following: uint64 [n, K], moves: int32 [n, R]. Returns the first row whose
    joint move is not legal, or -1.
    """
    base = np.uint64(words.ctypes.data)
    illegal = -1
    for first in range(0, rows.shape[0], LANES):
        end = min(first + LANES, rows.shape[0])
        spread(rows[first:end], words, 1, program.next.shape[0])
        clear_moves(program, base)
        for i in range(first, end):
            _put_moves(program, words, i - first, moves[i])
        run_phase(program, base, SHARED)
        run_phase(program, base, LEGAL)
        for i in range(first, end):
            if illegal < 0 and not _is_legal(program, words, i - first, moves[i]):
                illegal = i
        run_phase(program, base, NEXT)
        take_next(program, base)
        gather(words, program.fluents, following[first:end])
    return illegal


@lean_function
def _put_moves(program, words, lane, moves):
    """Let one lane make a joint move, without what is no move.  moves: int32 [R]"""
    bit = _ONE << np.uint64(lane & 63)
    first = 0
    for role in range(moves.shape[0]):
        move = first + moves[role]
        if first <= move < program.move_ends[role]:
            words[program.first_move + move, lane >> 6] |= bit
        first = program.move_ends[role]


@lean_function
def _is_legal(program, words, lane, moves):
    """Return whether all moves are legal, once LEGAL has run.  moves: int32 [R]"""
    first = 0
    for role in range(moves.shape[0]):
        move = first + moves[role]
        if not first <= move < program.move_ends[role]:
            return False
        if read_bit(words, program.legal[move], lane) != _ONE:
            return False
        first = program.move_ends[role]
    return True


@lean
def find_beyond(rows, bits):
    """Return the first row with a bit beyond so many in its last word, or -1."""
    if bits < 64 and rows.shape[1]:
        last = rows.shape[1] - 1
        for row in range(rows.shape[0]):
            if rows[row, last] >> np.uint64(bits):
                return row
    return -1


@lean_function
def clear_moves(program, base):
    """Let nobody move."""
    for move in range(program.legal.shape[0]):
        store(base, np.int64(program.first_move + move) * WORDS, splat8(_NONE))


# ── playouts ────────────────────────────────────────────────────────────────────────


@lean
def gather_starts(program, words, rows, literals, starts):
    """Gather literals in each position, after the terminal phase.

    rows: uint64 [n, K], literals: int32 [·], starts: uint64 [n, ·] bits
    """
    base = np.uint64(words.ctypes.data)
    for first in range(0, rows.shape[0], LANES):
        end = min(first + LANES, rows.shape[0])
        spread(rows[first:end], words, 1, program.next.shape[0])
        run_phase(program, base, TERMINAL)
        gather(words, literals, starts[first:end])


@lean
def play_out(program, words, random, tally, end, pause):
    """Play matches to their ends, from number `progress[BEGUN]` to `end`.

    A lane whose match has ended begins the next one at once, until none is left.
    Returns PAUSED after so many steps: call again with the same words to go on.
    """
    base = np.uint64(words.ctypes.data)
    begun = tally.progress[BEGUN]
    steps = tally.progress[STEPS]
    if steps == 0:
        for word in range(WORDS):
            tally.live[word] = _NONE
            tally.done[word] = _ALL
        begun = refill(words, tally, begun, end, 0)
    limit = tally.length_counts.shape[0] - 1
    pause += steps
    while any_lane(load8(np.uint64(tally.live.ctypes.data), 0)):
        if steps == pause:
            tally.progress[BEGUN] = begun
            tally.progress[STEPS] = steps
            return PAUSED
        run_phase(program, base, TERMINAL)
        flip = _NONE - np.uint64(program.terminal & 1)
        ended = _NONE
        for word in range(WORDS):
            terminal = words[program.terminal >> 1, word] ^ flip
            tally.done[word] = terminal & tally.live[word]
            ended |= tally.done[word]
        if ended:
            run_phase(program, base, GOALS)
            record_ends(program, program.goals, words, tally, steps)
        if steps >= limit:
            ended |= cut_off(tally, steps, limit)
        if ended:
            begun = refill(words, tally, begun, end, steps)
        run_phase(program, base, LEGAL)
        role = choose_moves(program, base, random, tally.live)
        if role >= 0:
            tally.progress[STUCK_ROLE] = role
            return STUCK
        run_phase(program, base, NEXT)
        take_next(program, base)
        steps += 1
    return FINISHED


@lean_function
def record_ends(program, goals, words, tally, steps):
    """Add up the matches that are done: their goals and their lengths.

    goals: int32 [·], literals
    """
    record_goals(program, goals, words, tally, tally.done, tally.origin)
    record_lengths(tally, steps)


@lean_function
def record_goals(program, goals, words, tally, done, origin):
    """Add up the goals in the lanes that are done.

    goals: int32 [·] literals, done: uint64 [8], aligned, origin: int32 [512]
    """
    base = np.uint64(words.ctypes.data)
    lanes_done = load8(np.uint64(done.ctypes.data), 0)
    single = tally.starts.shape[0] == 1
    valid = tally.valid
    first = 0
    for role in range(program.goal_ends.shape[0]):
        end = program.goal_ends[role]
        once = splat8(_NONE)
        twice = splat8(_NONE)
        for g in range(first, end):
            reached = value8(base, goals[g]) & lanes_done
            twice = twice | (once & reached)
            once = once | reached
        store(np.uint64(valid.ctypes.data), 0, once & ~twice)
        for g in range(first, end):
            literal = goals[g]
            flip = _NONE - np.uint64(literal & 1)
            for word in range(WORDS):
                lanes = (words[literal >> 1, word] ^ flip) & valid[word]
                tally.goal_counts[g] += np.int64(count_ones(lanes))
                if not single:
                    credit = role, program.goal_values[g]
                    _credit(tally, lanes, word, origin, credit)
        first = end


@lean_function
def record_lengths(tally, steps):
    """Add up how long the matches were that are done."""
    for word in range(WORDS):
        lanes = tally.done[word]
        while lanes:
            lane = 64 * word + lowest_one(lanes)
            length = steps - tally.began[lane]
            tally.lengths[tally.origin[lane]] += length
            tally.length_counts[length] += 1
            lanes &= lanes - _ONE


@lean_function
def _credit(tally, lanes, word, origin, credit):
    role, value = credit
    while lanes:
        start = origin[64 * word + lowest_one(lanes)]
        tally.goal_sums[start, role] += value
        tally.goal_squares[start, role] += value * value
        lanes &= lanes - _ONE


@lean_function
def cut_off(tally, steps, limit):
    """End the matches that have reached the limit; return whether there were any."""
    some = _NONE
    for word in range(WORDS):
        lanes = tally.live[word] & ~tally.done[word]
        while lanes:
            bit = lanes & (_NONE - lanes)
            lane = 64 * word + lowest_one(lanes)
            if steps - tally.began[lane] >= limit:
                tally.done[word] |= bit
                some |= bit
                tally.cut_off[0] += 1
                tally.lengths[tally.origin[lane]] += limit
                tally.length_counts[limit] += 1
            lanes &= lanes - _ONE
    return some


@lean_function
def refill(words, tally, begun, end, steps):
    """Begin new matches in the lanes that are done; return how many have begun."""
    for word in range(WORDS):
        lanes = tally.done[word]
        filled = _NONE
        while lanes and begun < end:
            lane = 64 * word + lowest_one(lanes)
            filled |= lanes & (_NONE - lanes)
            tally.origin[lane] = begun // tally.per_start
            tally.began[lane] = steps
            begun += 1
            lanes &= lanes - _ONE
        tally.live[word] = (tally.live[word] & ~tally.done[word]) | filled
        tally.done[word] = filled
    if tally.starts.shape[0] == 1:
        _put_start(words, tally)
    else:
        _put_starts(words, tally)
    return begun


@lean_function
def _put_start(words, tally):
    """Put the one start position into lanes that begin a match: those that are done."""
    base = np.uint64(words.ctypes.data)
    filled = load8(np.uint64(tally.done.ctypes.data), 0)
    for i in range(tally.reset.shape[0]):
        word = np.int64(tally.reset[i]) * WORDS
        lanes = load8(base, word)
        if (tally.starts[0, i >> 6] >> np.uint64(i & 63)) & _ONE:
            store(base, word, lanes | filled)
        else:
            store(base, word, lanes & ~filled)


@lean_function
def _put_starts(words, tally):
    """Put start positions into lanes that begin a match: those that are done."""
    for word in range(WORDS):
        filled = tally.done[word]
        if not filled:
            continue
        for i in range(tally.reset.shape[0]):
            words[tally.reset[i], word] &= ~filled
        while filled:
            bit_number = lowest_one(filled)
            row = tally.starts[tally.origin[64 * word + bit_number]]
            for i in range(tally.reset.shape[0]):
                bit = (row[i >> 6] >> np.uint64(i & 63)) & _ONE
                words[tally.reset[i], word] |= bit << np.uint64(bit_number)
            filled &= filled - _ONE
