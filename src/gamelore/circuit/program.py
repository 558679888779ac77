"""A scheduled circuit, as kernels run it: gates, phases and slots in flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]

TERMINAL, GOALS, LEGAL, NEXT, FEATURES, SHARED = range(6)
PHASES = 6
"""Phases; SHARED is the part of TERMINAL that LEGAL and NEXT need."""

GATES, LOOP = range(2)

SLOT_WORDS = 8
"""Words of a slot, for 512 lanes."""

BOTH, EVERY, EITHER, MAJORITY, SELECT = range(5)
"""Kinds of cells: a and b; a, b and c; (a or b) and c; two of three; a if c, else b."""

BLOCK = 15
"""Moves that kernels count together."""

BLOCK_SLOTS = 4
"""Slots for the count of a block, a plane in each."""

MANY = BLOCK * BLOCK
"""Moves whose blocks are counted together, where there are more than that."""

MANY_SLOTS = 8 + BLOCK * BLOCK_SLOTS
"""Slots for the count of so many moves and of each of their blocks."""

PART_PLANES = 6
"""Bits of the number of legal rows of a product of moves, or of its columns."""

MOST_PARTS = 4 * BLOCK
"""Rows that a product may have, and columns."""

PRODUCT_SLOTS = 1 + 4 * PART_PLANES
"""Slots for a product: who picks it, and the counts of rows, of columns and of both."""


NO_MOVE = -1
"""The number of what is a part of moves in the whole game."""

UNKNOWN = -1
"""The value of a fluent that does not tell a turn from others."""


class Program(NamedTuple):
    """A scheduled circuit in flat arrays.  G gates, F fluents, M moves, R roles.

    Literals are `2 * slot + inverted`. Where there are cells, they compute in the same
    slots what gates do for later gates, phases and outputs: kernels run either. The
    code of a run of cells is `8 * kind`, with a bit for each input that is inverted;
    words are `8 * slot`.
    """

    slots: int
    left: Ints  # int32 [G]   first literal of each gate
    right: Ints  # int32 [G]   second literal
    slot: Ints  # int32 [G]   where the result goes
    segments: Ints  # int32 [·, 3]   GATES, first gate, end | LOOP, first run, end
    phases: Ints  # int32 [6, 2]   first segment and end of each phase
    runs: Ints  # int32 [·, 4]   one loop variable: first gate, end, literal, its slot
    terminal: int  # literal
    goals: Ints  # int32 [·]   literals, roles one after the other
    goal_values: Ints  # int32 [·]
    goal_ends: Ints  # int32 [R]
    legal: Ints  # int32 [M]   literals, roles one after the other
    move_ends: Ints  # int32 [R]
    first_move: int  # slot
    fluents: Ints  # int32 [F]   literals of the present position
    next: Ints  # int32 [F]   literals of the next one
    carried: Ints  # int32 [·]   slots of the terminal phase that later phases read
    features: Ints  # int32 [·]   literals of feature atoms, views one after the other
    cells: Ints  # int32 [C, 4]   words of inputs, and where the result goes; C may be 0
    cell_runs: Ints  # int32 [·, 3]   code, first cell, end
    cell_phases: Ints  # int32 [6, 2]   first run and end of each phase


class Turns(NamedTuple):
    """The programs of T turns, one after the other, for playouts in step.

    Their gates are in one `Program`, whose phases are those of the first turn, then of
    the second … Moves are numbered by turn, by role within it, and are those that the
    role can choose from: M in all. The rows and columns of P products are numbered as
    if they were moves, after those of their turn; their number in the whole game is
    `NO_MOVE`. R roles, G goals, F fluents, C fluents that have one value in some turn.
    """

    fluents: Ints  # int32 [C]
    values: Ints  # int32 [T, C]   0, 1 or `UNKNOWN`
    terminal: Ints  # int32 [T]   literals
    goals: Ints  # int32 [T, G]   literals
    next: Ints  # int32 [T, F]   literals
    moves: Ints  # int32 [M]   numbers in the whole game, roles one after the other
    legal: Ints  # int32 [M]   literals
    move_ends: Ints  # int32 [T, R]
    products: Ints  # int32 [P, 3]   the first of its rows, of its columns; the end
    product_ends: Ints  # int32 [T]
    groups: Ints  # int32 [·]   slots of the groups each move is in
    group_ends: Ints  # int32 [M]
    group_slots: Ints  # int32 [T, 2]   first and end of the slots of groups
    carried: Ints  # int32 [·]   slots of terminal phases that later phases read
    carried_ends: Ints  # int32 [T]
    single: Ints  # int32 [T]   1 where each move is in one group, which is its own
    scratch: int  # the first slot for counts of moves


def empty_program() -> Program:
    """Return the program of a circuit without gates, moves or outputs."""
    none = np.zeros(0, np.int32)
    return Program(
        slots=0,
        left=none,
        right=none,
        slot=none,
        segments=none.reshape(0, 3),
        phases=np.zeros((6, 2), np.int32),
        runs=none.reshape(0, 4),
        terminal=0,
        goals=none,
        goal_values=none,
        goal_ends=none,
        legal=none,
        move_ends=none,
        first_move=0,
        fluents=none,
        next=none,
        carried=none,
        features=none,
        cells=none.reshape(0, 4),
        cell_runs=none.reshape(0, 3),
        cell_phases=np.zeros((0, 2), np.int32),
    )
