"""Evaluate cofactor circuits: the circuit with the fluents fixed that say who moves.

C cofactors, K words per position, G gates, F fluents, M moves, R roles. Words, literals
and slots are those of the 64-lane kernels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.engine.compiled._kernels_64 import evaluate_gates, read_bit
from gamelore.kernels import lean_part


class Cofactors(NamedTuple):
    """What is left of the gates for legal moves and the next position, by mover.

    Gates for the next position leave the slots of those before them alone, so that they
    can run again for other moves.
    """

    masks: np.ndarray  # uint64 [C, K]   the fluents that are fixed
    values: np.ndarray  # uint64 [C, K]   and their values
    left: np.ndarray  # int32 [C, G]
    right: np.ndarray  # int32 [C, G]
    slot: np.ndarray  # int32 [C, G]
    ends: np.ndarray  # int64 [C, 2]   of the gates for moves, and of those after them
    moves: np.ndarray  # int32 [C, M]   moves that may be legal, roles in order
    legal: np.ndarray  # int32 [C, M]   their literals
    move_ends: np.ndarray  # int64 [C, R]   where each role's end
    next: np.ndarray  # int32 [C, F]   literals of the next position


class _Gates(NamedTuple):
    left: np.ndarray  # int32 [G]
    right: np.ndarray  # int32 [G]
    slot: np.ndarray  # int32 [G]


@lean_part
def find_cofactor(cofactors, row):
    """Return the cofactor that holds in a position, or -1.  row: uint64 [K]"""
    for number in range(cofactors.masks.shape[0]):
        same = True
        for word in range(row.shape[0]):
            fixed = row[word] & cofactors.masks[number, word]
            same = same and fixed == cofactors.values[number, word]
        if same:
            return number
    return -1


@lean_part
def evaluate_cofactor(cofactors, number, words, first, end):
    """Evaluate a range of the gates of a cofactor."""
    gates = _Gates(
        cofactors.left[number], cofactors.right[number], cofactors.slot[number]
    )
    evaluate_gates(gates, words, first, end)


@lean_part
def list_cofactor_moves(cofactors, number, words, moves):
    """List the legal moves in the first lane."""
    candidates, literals = cofactors.moves[number], cofactors.legal[number]
    count = np.uint64(0)
    first = np.uint64(0)
    for role in range(moves.ends.shape[0]):
        end = np.uint64(cofactors.move_ends[number, role])
        for i in range(first, end):
            moves.legal[count] = candidates[i]
            count += read_bit(words, literals[i], 0)
        moves.ends[role] = count
        first = end
