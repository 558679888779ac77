"""Passes of the circuit over up to 512 positions, for kernels that search and learn.

Each takes a bundle of working arrays with `words` uint64 [S, 8], `rows` uint64 [512, K]
and `block` uint64 [64]; some need `ended` uint64 [8], `legal` uint64 [512, W], `listed`
int [M] and `ends` int [R], too. The first `count` lanes hold positions.
"""

from __future__ import annotations

import numpy as np

from gamelore.circuit.program import LEGAL, NEXT, SHARED, TERMINAL
from gamelore.engine.compiled._kernels import (
    gather_by,
    run_phase,
    spread_by,
    take_next,
)
from gamelore.engine.compiled._lanes import lowest_one
from gamelore.kernels import lean_part

_NONE = np.uint64(0)
_ONE = np.uint64(1)


@lean_part
def load_lanes(program, passes, count):
    """Put the rows of the first lanes into the words of the circuit."""
    spread_by(passes.rows[:count], passes.words, passes.block, 1, program.next.shape[0])


@lean_part
def make_moves(program, passes, count):
    """Make the joint moves that are set in the words; `rows` has the successors."""
    base = np.uint64(passes.words.ctypes.data)
    run_phase(program, base, SHARED)
    run_phase(program, base, LEGAL)
    run_phase(program, base, NEXT)
    take_next(program, base)
    gather_by(passes.words, program.fluents, passes.block, passes.rows[:count])


@lean_part
def find_ended(program, passes, count):
    """Find the lanes with a terminal position; return whether there are any."""
    words = passes.words
    run_phase(program, np.uint64(words.ctypes.data), TERMINAL)
    flip = _NONE - np.uint64(program.terminal & 1)
    some = _NONE
    for word in range((count + 63) >> 6):  # before other phases use the slot
        passes.ended[word] = words[program.terminal >> 1, word] ^ flip
        some |= passes.ended[word]
    return some != _NONE


@lean_part
def has_ended(passes, lane):
    """Return whether the position in a lane is terminal."""
    return (passes.ended[lane >> 6] >> np.uint64(lane & 63)) & _ONE != _NONE


@lean_part
def list_moves(program, passes, lane):
    """List the legal moves in a lane by number, role by role."""
    bits = passes.legal[lane]
    count = 0
    role = 0
    for word in range(bits.shape[0]):
        left = bits[word]
        while left:
            move = 64 * word + lowest_one(left)
            left &= left - _ONE
            while move >= program.move_ends[role]:
                passes.ends[role] = count
                role += 1
            passes.listed[count] = move
            count += 1
    while role < passes.ends.shape[0]:
        passes.ends[role] = count
        role += 1
