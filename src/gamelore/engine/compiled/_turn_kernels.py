"""Play matches in 512 lanes that take turns in step: each turn has gates of its own.

    words    uint64 [S, 8]   aligned to 64 bytes

A lane whose match has ended waits for the turn in which matches begin. Where goals
take many gates, the positions in which matches have ended wait, too, for others that
end in the same turn: goals are computed for many lanes at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.circuit.program import (
    BOTH,
    EITHER,
    EVERY,
    GOALS,
    LEGAL,
    MAJORITY,
    NEXT,
    PHASES,
    TERMINAL,
)
from gamelore.engine.compiled._group_kernels import choose_groups
from gamelore.engine.compiled._kernels import (
    BEGUN,
    FINISHED,
    LANES,
    PAUSED,
    STEPS,
    STUCK,
    STUCK_ROLE,
    WORDS,
    cut_off,
    gather,
    record_goals,
    record_lengths,
    refill,
    run_phase,
    spread,
    value8,
)
from gamelore.engine.compiled._lanes import (
    any_lane,
    load8,
    lowest_one,
    splat8,
    store,
)
from gamelore.kernels import lean, lean_function, lean_part

FULL = 3
"""What else `play_turns` returns."""

END, PAUSE, FIRST_TURN = range(3, 6)
"""What else `progress` holds here: the number of matches, of steps before a pause, and
the turn in which matches begin."""

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_TWO = np.uint64(2)
_ALL = ~np.uint64(0)


class Ended(NamedTuple):
    """Positions in which matches have ended, whose goals are not known yet.

    T turns, F fluents. Those of a turn are in the lanes in which they were played.
    """

    words: np.ndarray  # uint64 [T F, 8] aligned; none if goals are computed at once
    lanes: np.ndarray  # uint64 [T, 8]   aligned: lanes that hold such a position
    origin: np.ndarray  # int32 [T, 512]   the start position of its match


@lean
def gather_turn_starts(program, turn, words, rows, literals, starts):
    """Gather literals in each position of a turn, after its terminal phase.

    rows: uint64 [n, K], literals: int32 [·], starts: uint64 [n, ·] bits
    """
    base = np.uint64(words.ctypes.data)
    for first in range(0, rows.shape[0], LANES):
        end = min(first + LANES, rows.shape[0])
        spread(rows[first:end], words, 1, program.next.shape[0])
        run_turn_phase(program, base, PHASES * turn + TERMINAL)
        gather(words, literals, starts[first:end])


@lean
def play_turns(program, turns, words, choices, tally, ended):
    """Play matches to their ends, from number `progress[BEGUN]` to `progress[END]`.

    Returns PAUSED after so many steps: call again with the same words to go on. Returns
    FULL where `ended` must be emptied first, and FINISHED with what is left in it.
    """
    base = np.uint64(words.ctypes.data)
    playing = np.uint64(tally.live.ctypes.data)
    progress = tally.progress
    begun, steps, end = progress[BEGUN], progress[STEPS], progress[END]
    first_turn = progress[FIRST_TURN]
    limit = tally.length_counts.shape[0] - 1
    pause = steps + progress[PAUSE]
    wait = ended.words.shape[0] > 0
    while begun < end or any_lane(load8(playing, 0)):
        if steps == pause:
            progress[BEGUN], progress[STEPS] = begun, steps
            return PAUSED
        turn = (first_turn + steps) % turns.terminal.shape[0]
        phase = PHASES * turn
        run_turn_phase(program, base, phase + TERMINAL)
        if _find_ends(turns.terminal[turn], words, tally):
            if wait:
                if not _keep_ends(turns, base, tally, ended, turn):
                    progress[BEGUN], progress[STEPS] = begun, steps
                    return FULL
            else:
                run_turn_phase(program, base, phase + GOALS)
                record_goals(
                    program, turns.goals[turn], words, tally, tally.done, tally.origin
                )
            record_lengths(tally, steps)
        if steps >= limit:
            cut_off(tally, steps, limit)
        if _leave(tally) and turn == first_turn and begun < end:
            begun = refill(words, tally, begun, end, steps)
        run_turn_phase(program, base, phase + LEGAL)
        role = choose_groups(turns, turn, base, choices, tally.live)
        if role >= 0:
            progress[STUCK_ROLE] = role
            return STUCK
        run_turn_phase(program, base, phase + NEXT)
        take_next_turn(turns.next[turn], base)
        steps += 1
    progress[BEGUN], progress[STEPS] = begun, steps
    return FINISHED


@lean_function
def _keep_ends(turns, base, tally, ended, turn):
    """Keep the positions of matches that are done; return whether there was room."""
    taken = _NONE
    for word in range(WORDS):
        taken |= ended.lanes[turn, word] & tally.done[word]
    if taken != _NONE:
        return False
    done = load8(np.uint64(tally.done.ctypes.data), 0)
    kept = np.uint64(ended.words.ctypes.data)
    fluents = turns.next.shape[1]
    for fluent in range(fluents):
        place = np.int64(turn * fluents + fluent) * WORDS
        value = load8(base, np.int64(1 + fluent) * WORDS) & done
        store(kept, place, (load8(kept, place) & ~done) | value)
    for word in range(WORDS):
        lanes = tally.done[word]
        ended.lanes[turn, word] |= lanes
        while lanes:
            lane = 64 * word + lowest_one(lanes)
            ended.origin[turn, lane] = tally.origin[lane]
            lanes &= lanes - _ONE
    return True


@lean
def record_ended(program, turns, words, tally, ended):
    """Add up the goals of the positions that matches have ended in, and drop these.

    Of what words held, the fluents stay.
    """
    base = np.uint64(words.ctypes.data)
    for turn in range(ended.lanes.shape[0]):
        lanes = ended.lanes[turn]
        if any_lane(load8(np.uint64(lanes.ctypes.data), 0)):
            _exchange_fluents(turns, base, ended, turn)
            run_turn_phase(program, base, PHASES * turn + TERMINAL)
            run_turn_phase(program, base, PHASES * turn + GOALS)
            origin = ended.origin[turn]
            record_goals(program, turns.goals[turn], words, tally, lanes, origin)
            _exchange_fluents(turns, base, ended, turn)
            for word in range(WORDS):
                lanes[word] = _NONE


@lean_function
def _exchange_fluents(turns, base, ended, turn):
    """Exchange the present positions with those that a turn's matches ended in."""
    kept = np.uint64(ended.words.ctypes.data)
    fluents = turns.next.shape[1]
    for fluent in range(fluents):
        here = np.int64(1 + fluent) * WORDS
        there = np.int64(turn * fluents + fluent) * WORDS
        value = load8(base, here)
        store(base, here, load8(kept, there))
        store(kept, there, value)


@lean_part
def run_turn_phase(program, base, phase):
    """Run one phase of the programs of turns: cells, or gates if there are none."""
    if program.cells.shape[0] > 0:
        _run_phase_in_cells(program, base, phase)
    else:
        run_phase(program, base, phase)


@lean_function
def _run_phase_in_cells(program, base, phase):
    """Run one phase of programs that have cells."""
    runs = program.cell_runs
    for run in range(program.cell_phases[phase, 0], program.cell_phases[phase, 1]):
        code = np.uint64(runs[run, 0])
        one = splat8(_NONE - (code & _ONE))
        other = splat8(_NONE - ((code >> _ONE) & _ONE))
        third = splat8(_NONE - ((code >> _TWO) & _ONE))
        span = np.uint64(runs[run, 1]), np.uint64(runs[run, 2])
        kind = runs[run, 0] >> 3
        if kind == BOTH:
            _evaluate_pairs(program.cells, base, span, one, other)
        else:
            _evaluate_triples(program.cells, base, span, kind, (one, other, third))


@lean_part
def _evaluate_pairs(cells, base, span, one, other):
    """Evaluate cells of two inputs: these are inverted as the masks say in all."""
    for i in range(span[0], span[1]):
        a = load8(base, np.int64(cells[i, 0])) ^ one
        b = load8(base, np.int64(cells[i, 1])) ^ other
        store(base, np.int64(cells[i, 3]), a & b)


@lean_part
def _evaluate_triples(cells, base, span, kind, masks):
    """Evaluate cells of three inputs, all of the same kind."""
    first, end = span
    one, other, third = masks
    if kind == EVERY:
        for i in range(first, end):
            a = load8(base, np.int64(cells[i, 0])) ^ one
            b = load8(base, np.int64(cells[i, 1])) ^ other
            c = load8(base, np.int64(cells[i, 2])) ^ third
            store(base, np.int64(cells[i, 3]), a & b & c)
    elif kind == EITHER:
        for i in range(first, end):
            a = load8(base, np.int64(cells[i, 0])) ^ one
            b = load8(base, np.int64(cells[i, 1])) ^ other
            c = load8(base, np.int64(cells[i, 2])) ^ third
            store(base, np.int64(cells[i, 3]), (a | b) & c)
    elif kind == MAJORITY:
        for i in range(first, end):
            a = load8(base, np.int64(cells[i, 0])) ^ one
            b = load8(base, np.int64(cells[i, 1])) ^ other
            c = load8(base, np.int64(cells[i, 2])) ^ third
            store(base, np.int64(cells[i, 3]), (a & b) | (c & (a | b)))
    else:
        for i in range(first, end):
            a = load8(base, np.int64(cells[i, 0])) ^ one
            b = load8(base, np.int64(cells[i, 1])) ^ other
            c = load8(base, np.int64(cells[i, 2])) ^ third
            store(base, np.int64(cells[i, 3]), b ^ (c & (a ^ b)))


@lean_part
def _find_ends(literal, words, tally):
    """Find the lanes whose match has just ended; return whether there are any."""
    flip = _NONE - np.uint64(literal & 1)
    ended = _NONE
    for word in range(WORDS):
        tally.done[word] = (words[literal >> 1, word] ^ flip) & tally.live[word]
        ended |= tally.done[word]
    return ended != _NONE


@lean_part
def _leave(tally):
    """Lanes that are done play no more; return whether any lane is without a match."""
    idle = _NONE
    for word in range(WORDS):
        tally.live[word] &= ~tally.done[word]
        tally.done[word] = ~tally.live[word]
        idle |= tally.done[word]
    return idle != _NONE


@lean_part
def take_next_turn(following, base):
    """Let the next position become the present one.  following: int32 [F]"""
    for fluent in range(following.shape[0]):
        literal = following[fluent]
        if literal != 2 * (1 + fluent):
            store(base, np.int64(1 + fluent) * WORDS, value8(base, literal))
