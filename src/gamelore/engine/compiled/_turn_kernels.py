"""Play matches in 512 lanes that take turns in step: each turn has gates of its own.

    words    uint64 [S, 8]   aligned to 64 bytes
    random   uint64 [4, 4]   aligned to 32 bytes: state of the generators

A lane whose match has ended waits for the turn in which matches begin.
"""

from __future__ import annotations

import numpy as np

from gamelore.circuit.program import GOALS, LEGAL, NEXT, PHASES, TERMINAL
from gamelore.engine.compiled._choice_kernels import choose_groups
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
    record_ends,
    refill,
    run_phase,
    spread,
    value8,
)
from gamelore.engine.compiled._lanes import any_lane, load8, store
from gamelore.kernels import kernel, part

END, PAUSE, FIRST_TURN = range(3, 6)
"""What else `progress` holds here: the number of matches, of steps before a pause, and
the turn in which matches begin."""

_NONE = np.uint64(0)
_ALL = ~np.uint64(0)


@kernel
def gather_turn_starts(program, turn, words, rows, reset, starts):
    """Gather what the reset slots hold in each position of a turn.

    rows: uint64 [n, K], reset: int32 [·] slots, starts: uint64 [n, ·] bits
    """
    base = np.uint64(words.ctypes.data)
    literals = np.empty(reset.shape[0], np.int32)
    for i in range(reset.shape[0]):
        literals[i] = 2 * reset[i]
    for first in range(0, rows.shape[0], LANES):
        end = min(first + LANES, rows.shape[0])
        spread(rows[first:end], words, 1, program.next.shape[0])
        run_phase(program, base, PHASES * turn + TERMINAL)
        gather(words, literals, starts[first:end])


@kernel
def play_turns(program, turns, words, random, tally):
    """Play matches to their ends, from number `progress[BEGUN]` to `progress[END]`.

    Returns PAUSED after so many steps: call again with the same words to go on.
    """
    base = np.uint64(words.ctypes.data)
    playing = np.uint64(tally.live.ctypes.data)
    progress = tally.progress
    begun, steps, end = progress[BEGUN], progress[STEPS], progress[END]
    first_turn = progress[FIRST_TURN]
    limit = tally.length_counts.shape[0] - 1
    pause = steps + progress[PAUSE]
    while begun < end or any_lane(load8(playing, 0)):
        if steps == pause:
            progress[BEGUN], progress[STEPS] = begun, steps
            return PAUSED
        turn = (first_turn + steps) % turns.terminal.shape[0]
        phase = PHASES * turn
        run_phase(program, base, phase + TERMINAL)
        if _find_ends(turns.terminal[turn], words, tally):
            run_phase(program, base, phase + GOALS)
            record_ends(program, turns.goals[turn], words, base, tally, steps)
        if steps >= limit:
            cut_off(tally, steps, limit)
        if _leave(tally) and turn == first_turn and begun < end:
            begun = refill(words, tally, begun, end, steps)
        run_phase(program, base, phase + LEGAL)
        role = choose_groups(turns, turn, base, random, tally.live)
        if role >= 0:
            progress[STUCK_ROLE] = role
            return STUCK
        run_phase(program, base, phase + NEXT)
        take_next_turn(turns.next[turn], base)
        steps += 1
    return FINISHED


@part
def _find_ends(literal, words, tally):
    """Find the lanes whose match has just ended; return whether there are any."""
    flip = _NONE - np.uint64(literal & 1)
    ended = _NONE
    for word in range(WORDS):
        tally.done[word] = (words[literal >> 1, word] ^ flip) & tally.live[word]
        ended |= tally.done[word]
    return ended != _NONE


@part
def _leave(tally):
    """Lanes that are done play no more; return whether any lane is without a match."""
    idle = _NONE
    for word in range(WORDS):
        tally.live[word] &= ~tally.done[word]
        tally.done[word] = ~tally.live[word]
        idle |= tally.done[word]
    return idle != _NONE


@part
def take_next_turn(following, base):
    """Let the next position become the present one.  following: int32 [F]"""
    for fluent in range(following.shape[0]):
        literal = following[fluent]
        if literal != 2 * (1 + fluent):
            store(base, np.int64(1 + fluent) * WORDS, value8(base, literal))
