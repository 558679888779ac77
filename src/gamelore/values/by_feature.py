"""Numbers given for features by name: scales of inputs, and rewards for shaping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.errors import GameloreError
from gamelore.gdl import Term, to_kif

ByFeature: TypeAlias = tuple[tuple[str, float], ...]
"""Features by name, and a number for each."""


def numbers_by_feature(
    names: Sequence[Term], given: ByFeature, other: float
) -> npt.NDArray[np.float64]:
    """float64 [F]: what is given for each feature, or another number."""
    known = list(map(to_kif, names))
    numbers = np.full(len(known), other)
    for name, number in given:
        if name not in known:
            raise unknown_feature(name, names)
        numbers[known.index(name)] = number
    return numbers


def unknown_feature(name: str, known: Sequence[Term]) -> GameloreError:
    there_are = ", ".join(map(to_kif, known)) or "none: give the game a features file"
    return GameloreError(f"no feature {name}: there are {there_are}")
