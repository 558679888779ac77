"""Run a circuit as it is while one role moves: most of it is known then.

P turns, K words per position, G gates, F fluents, M moves, R roles. Words and literals
are those of `_narrow_kernels`, and so are the slots.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.engine.compiled._kernels_64 import bit_of, settle
from gamelore.kernels import lean_part


class Turns(NamedTuple):
    """What is left of the gates for legal moves and the next position, turn by turn.

    Gates for the next position spare the slots of those before them, so that they may
    run again for other moves.
    """

    masks: np.ndarray  # uint64 [P, K]   the fluents that say whose turn it is
    values: np.ndarray  # uint64 [P, K]   and what they are
    left: np.ndarray  # int32 [P, G]
    right: np.ndarray  # int32 [P, G]
    slot: np.ndarray  # int32 [P, G]
    ends: np.ndarray  # int64 [P, 2]   of the gates for moves, and of those after them
    moves: np.ndarray  # int32 [P, M]   moves that may be legal, roles in order
    legal: np.ndarray  # int32 [P, M]   their literals
    move_ends: np.ndarray  # int64 [P, R]   where each role's end
    next: np.ndarray  # int32 [P, F]   literals of the next position


class _Gates(NamedTuple):
    left: np.ndarray  # int32 [G]
    right: np.ndarray  # int32 [G]
    slot: np.ndarray  # int32 [G]


@lean_part
def find_turn(turns, row):
    """The turn that a position belongs to, or -1.  row: uint64 [K]"""
    for turn in range(turns.masks.shape[0]):
        same = True
        for word in range(row.shape[0]):
            told = row[word] & turns.masks[turn, word]
            same = same and told == turns.values[turn, word]
        if same:
            return turn
    return -1


@lean_part
def settle_turn(turns, turn, words, first, end):
    """Settle a range of the gates of a turn."""
    gates = _Gates(turns.left[turn], turns.right[turn], turns.slot[turn])
    settle(gates, words, first, end)


@lean_part
def list_turn_moves(turns, turn, words, moves):
    """Find the legal moves in the first lane."""
    candidates, literals = turns.moves[turn], turns.legal[turn]
    count = np.uint64(0)
    first = np.uint64(0)
    for role in range(moves.ends.shape[0]):
        end = np.uint64(turns.move_ends[turn, role])
        for i in range(first, end):
            moves.legal[count] = candidates[i]
            count += bit_of(words, literals[i], 0)
        moves.ends[role] = count
        first = end
