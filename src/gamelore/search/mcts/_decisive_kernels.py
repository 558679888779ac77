"""Playouts that see one move ahead: take a win at once, and do not let one happen.

A role that can win at once makes such a move. If it has a choice, and another role
chose the move before, that was a mistake: its lane goes back to the position before it,
where another move is tried. Only where every move is a mistake one of them stands.
(Teytaud and Teytaud: decisive and anti-decisive moves.) Dice make no mistakes, nor does
a role that moves twice.

F fluents, M moves of all roles, R roles. Arrays of lanes are uint64 [·, 8], aligned.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.circuit.program import FEATURES
from gamelore.engine.compiled._kernels import WORDS, run_phase, value8
from gamelore.engine.compiled._lanes import load8, splat8, store
from gamelore.kernels import lean_part

_NONE = np.uint64(0)


class Lookahead(NamedTuple):
    """What lanes remember of their last move."""

    before: np.ndarray  # uint64 [F, 8]   the position before it
    made: np.ndarray  # uint64 [M, 8]   the joint move
    tried: np.ndarray  # uint64 [M, 8]   moves that were mistakes there
    chooses: np.ndarray  # uint64 [R, 8]   lanes in which a role has a choice now
    chose: np.ndarray  # uint64 [R, 8]   those in which it had one before
    careful: np.ndarray  # uint64 [R]   all ones for roles that take mistakes back
    undoable: np.ndarray  # uint64 [8]   lanes that can go back
    undone: np.ndarray  # uint64 [8]   lanes that do in this step
    returned: np.ndarray  # uint64 [8]   lanes that did in the step before


@lean_part
def look_ahead(program, base, choice, ahead):
    """Find the moves that lanes choose from, and the lanes that go back."""
    run_phase(program, base, FEATURES)
    tried = np.uint64(ahead.tried.ctypes.data)
    undoable = np.uint64(ahead.undoable.ctypes.data)
    returned = load8(np.uint64(ahead.returned.ctypes.data), 0)
    chooses = np.uint64(ahead.chooses.ctypes.data)
    mistaken = splat8(_NONE)
    untried = splat8(_NONE)
    first = 0
    for role in range(choice.move_ends.shape[0]):
        winnable = splat8(_NONE)
        once = splat8(_NONE)
        twice = splat8(_NONE)
        for move in range(first, choice.move_ends[role]):
            winnable = winnable | value8(base, program.features[move])
            legal = value8(base, program.legal[move])
            twice = twice | (once & legal)
            once = once | legal
            untried = untried | (legal & ~(load8(tried, move * WORDS) & returned))
        store(chooses, role * WORDS, twice)
        mistaken = mistaken | (winnable & twice & _others_chose(ahead, role))
        first = choice.move_ends[role]
    undone = mistaken & load8(undoable, 0)
    store(np.uint64(ahead.undone.ctypes.data), 0, undone)
    chose = np.uint64(ahead.chose.ctypes.data)
    first = 0
    for role in range(choice.move_ends.shape[0]):
        end = choice.move_ends[role]
        wins = splat8(_NONE)
        fresh = splat8(_NONE)
        for move in range(first, end):
            wins = wins | value8(base, program.features[move])
            legal = value8(base, program.legal[move])
            fresh = fresh | (legal & ~(load8(tried, move * WORDS) & returned))
        for move in range(first, end):
            legal = value8(base, program.legal[move])
            kept = legal & ~(load8(tried, move * WORDS) & returned & fresh)
            win = value8(base, program.features[move])
            chosen = (kept & ~wins) | win
            store(base, np.int64(choice.legal[move] >> 1) * WORDS, chosen)
        store(chose, role * WORDS, load8(chooses, role * WORDS))
        first = end
    # A lane with no move left to try keeps the next one, whatever it is.
    store(undoable, 0, untried & ~undone)


@lean_part
def _others_chose(ahead, role):
    """Return the lanes whose last move another role chose, one that is careful."""
    chose = np.uint64(ahead.chose.ctypes.data)
    found = splat8(_NONE)
    for other in range(ahead.chose.shape[0]):
        if other != role:
            found = found | (load8(chose, other * WORDS) & splat8(ahead.careful[other]))
    return found


@lean_part
def remember(program, base, ahead):
    """Keep positions and moves of this step, before the next position is taken."""
    before = np.uint64(ahead.before.ctypes.data)
    undone = load8(np.uint64(ahead.undone.ctypes.data), 0)
    for fluent in range(ahead.before.shape[0]):
        now = load8(base, (1 + fluent) * WORDS)
        old = load8(before, fluent * WORDS)
        store(before, fluent * WORDS, (now & ~undone) | (old & undone))
    made = np.uint64(ahead.made.ctypes.data)
    tried = np.uint64(ahead.tried.ctypes.data)
    returns = np.uint64(ahead.returned.ctypes.data)
    again = load8(returns, 0)
    store(returns, 0, undone)
    for move in range(ahead.made.shape[0]):
        last = load8(made, move * WORDS)
        known = load8(tried, move * WORDS)
        store(
            tried, move * WORDS, ((known | last) & undone) | (known & again & ~undone)
        )
        now = load8(base, np.int64(program.first_move + move) * WORDS)
        store(made, move * WORDS, now & ~undone)


@lean_part
def go_back(base, ahead):
    """Put the position before the last move into the lanes that go back."""
    before = np.uint64(ahead.before.ctypes.data)
    undone = load8(np.uint64(ahead.undone.ctypes.data), 0)
    for fluent in range(ahead.before.shape[0]):
        now = load8(base, (1 + fluent) * WORDS)
        old = load8(before, fluent * WORDS)
        store(base, (1 + fluent) * WORDS, (now & ~undone) | (old & undone))
