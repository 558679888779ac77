"""What kernels choose moves with; what only games of many moves need is left out."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gamelore.circuit.program import Turns
from gamelore.engine.compiled._group_kernels import MOST_SOME, Choices, MoveArrays
from gamelore.engine.compiled._many_kernels import choose_many_groups
from gamelore.kernels import absent_address, lean_pointer

_NONE = np.zeros(0, np.int32)
_MOVES = MoveArrays(_NONE, _NONE, _NONE, _NONE.reshape(0, 3), _NONE, _NONE)
_TYPES = (0, _MOVES, (0, 0, 0, 0), np.uint64(0), np.uint64(0), np.uint64(0))
"""Examples of what `choose_many_groups` returns and takes."""


def make_choices(turns: Turns, random: npt.NDArray[np.uint64]) -> Choices:
    """Return what moves of these turns are chosen with.

    random: uint64 [4, 4], aligned: generators
    """
    address = load_many_moves().address if has_many(turns) else absent_address()
    return Choices(random, np.uint64(address))


def has_many(turns: Turns) -> bool:
    """Return whether a role has so many moves in a turn that these take a kernel."""
    counts = np.diff(turns.move_ends.ravel(), prepend=0)
    return bool((counts > MOST_SOME).any())


@cache
def load_many_moves() -> Any:
    """Return the pointer to `choose_many_groups`, compiled or loaded.

    Games of many moves need it; to load it before one comes saves time of its clocks.
    """
    return lean_pointer(choose_many_groups, *_TYPES)
