"""Tuples of digits, drawn by random walks over what occurs together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamelore.values.ntuple.digits import Digit
from gamelore.values.ntuple.together import Clause

_NEIGHBOUR_WEIGHT = 1.0
_ATTEMPTS = 30  # to draw a tuple that is not there yet


@dataclass(frozen=True)
class Surroundings:
    """What a walk over digits goes by."""

    digits: tuple[Digit, ...]
    varied: tuple[int, ...]
    """The digits that walks go to."""
    clauses: tuple[Clause, ...]
    """Of ground rules; walks begin with those that weigh most, each in its turn."""
    neighbours: tuple[tuple[int, int], ...]
    """On the board."""
    images: tuple[tuple[int, ...], ...]
    """Per symmetry, the digit in the place of each digit."""

    def ties(self) -> npt.NDArray[np.float64]:
        """Return float64 [D, D]: how likely a walk goes from one digit to another."""
        ties = np.zeros((len(self.digits), len(self.digits)))
        for clause in self.clauses:
            members = sorted(clause.digits)
            share = clause.weight / (len(members) - 1)
            ties[np.ix_(members, members)] += share
        for one, other in self.neighbours:
            ties[one, other] += _NEIGHBOUR_WEIGHT
            ties[other, one] += _NEIGHBOUR_WEIGHT
        np.fill_diagonal(ties, 0.0)
        return ties

    def starts(self) -> list[tuple[int, ...]]:
        """Return the heaviest clauses, one of those that symmetries map to each other.

        Where there are none, every varied digit is a start.
        """
        if not self.clauses:
            return [(place,) for place in self.varied]
        heaviest = self.clauses[0].weight
        found: dict[tuple[int, ...], None] = {}
        for clause in self.clauses:
            if clause.weight == heaviest:
                images = (
                    tuple(sorted(image[place] for place in clause.digits))
                    for image in self.images
                )
                found.setdefault(min(images))
        return list(found)


def draw_tuples(
    around: Surroundings, count: int, length: int, most: int, seed: int
) -> tuple[tuple[int, ...], ...]:
    """Return tuples of digits, no two with the same digits under a symmetry.

    `count`: how many; `length`: digits in each; `most`: entries of a table, at most.
    The result does not depend on how facts are numbered.
    """
    rng = np.random.default_rng(seed)
    ties, starts = around.ties(), around.starts()
    order = rng.permutation(len(starts))
    length = min(length, len(around.varied))
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for attempt in range(_ATTEMPTS * count):
        if len(found) == count:
            break
        start = starts[order[attempt % len(starts)]]
        drawn = _walk(around, ties, start, (length, most), rng)
        key = min(
            tuple(sorted(image[place] for place in drawn)) for image in around.images
        )
        found.setdefault(key, drawn)
    return tuple(found.values())


def _walk(
    around: Surroundings,
    ties: npt.NDArray[np.float64],
    start: Sequence[int],
    limits: tuple[int, int],
    rng: np.random.Generator,
) -> tuple[int, ...]:
    """Return the digits that a walk comes to, those of its start first.

    limits: how many digits, and how many entries of their table
    """
    digits, (length, most) = around.digits, limits
    chosen: list[int] = []
    entries = 1
    for place in rng.permutation(np.array(start)).tolist():
        if len(chosen) < length and entries * digits[place].radix <= most:
            chosen.append(place)
            entries *= digits[place].radix
    at = chosen[-1] if chosen else int(start[0])
    stuck = 0
    while len(chosen) < length and stuck < 4 * length:
        chances = ties[at]
        if not chances.sum():
            at = around.varied[int(rng.integers(len(around.varied)))]
        else:
            at = int(rng.choice(len(digits), p=chances / chances.sum()))
        fits = entries * digits[at].radix <= most
        if at in chosen or not fits:
            stuck += 1
            at = int(rng.choice(chosen)) if chosen else at
            continue
        stuck = 0
        chosen.append(at)
        entries *= digits[at].radix
    return tuple(chosen)
