"""What simulators share that go from one position to the next, without lanes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.engine.simulator import NO_GOAL, Playouts
from gamelore.gdl import Fact, to_kif

PlayOut: TypeAlias = Callable[[int, Random], tuple[Sequence[int] | None, int]]
"""Plays on from a position, by its number, to the end: the goals, None if the match was
cut off, and how many moves it took."""


def tally_playouts(
    play_out: PlayOut, shape: tuple[int, int], count: int, seed: int
) -> Playouts:
    """Return statistics of `count` playouts from each position.

    shape: how many positions and roles there are
    """
    sums, squares = np.zeros(shape), np.zeros(shape)
    lengths = np.zeros(shape[0], np.int64)
    goal_counts: tuple[Counter[int], ...] = tuple(Counter() for _ in range(shape[1]))
    length_counts: Counter[int] = Counter()
    cut_off = 0
    for n in range(shape[0]):
        for i in range(count):
            goals, length = play_out(n, Random(f"{seed} {n} {i}"))
            lengths[n] += length
            length_counts[length] += 1
            if goals is None:
                cut_off += 1
                continue
            for role, goal in enumerate(goals):
                goal_counts[role][goal] += 1
                if goal != NO_GOAL:
                    sums[n, role] += goal
                    squares[n, role] += goal * goal
    return Playouts(count, sums, squares, lengths, goal_counts, length_counts, cut_off)


def make_fact_matrix(
    positions: Sequence[frozenset[Fact]], numbers: dict[Fact, int]
) -> npt.NDArray[np.bool_]:
    """Return which facts hold, bool [n, F]; numbers those that have none yet."""
    for facts in positions:
        for fact in sorted(facts.difference(numbers), key=to_kif):
            numbers[fact] = len(numbers)
    matrix = np.zeros((len(positions), len(numbers)), np.bool_)
    for n, facts in enumerate(positions):
        matrix[n, [numbers[fact] for fact in facts]] = True
    return matrix
