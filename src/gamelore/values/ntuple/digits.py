"""Digits: groups of facts of which at most one is true, as one position has them.

In Connect Four, the facts about one cell are a digit with three values: empty, red and
yellow. A fact that goes with no other is a digit with two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
import numpy.typing as npt

from gamelore.board.families import split_fact
from gamelore.engine import CircuitSimulator
from gamelore.gdl import Fact
from gamelore.values.ntuple.sampling import Sample, list_successors

_MOST_VALUES = 16
_MOST_KEPT = 6  # arguments that facts of a group have in common, and one more
_SUPPORT_POSITIONS = 200
_MOST_COMMON = 0.98  # share of positions in which a digit that varies has one value


@dataclass(frozen=True)
class Digit:
    """Facts that exclude each other; the value is the place of the true one from 1."""

    facts: tuple[int, ...]
    """By their number."""
    support: int | None = None
    """The digit without which this one stays at 0, and with which it can change: in
    Connect Four the cell below. Two digits count as one with the value 1 more where the
    support is not 0, which tells cells that can be filled from those that cannot."""

    @property
    def radix(self) -> int:
        """How many values it has."""
        return len(self.facts) + 1 + (self.support is not None)


def find_digits(
    simulator: CircuitSimulator, sample: Sample, turns: Sequence[int] = ()
) -> tuple[Digit, ...]:
    """Return digits of all facts but `turns`; each fact is in one of them."""
    groups: list[tuple[int, ...]] = []
    families: dict[str, list[int]] = defaultdict(list)
    words = [split_fact(fluent) for fluent in simulator.fluents]
    for number, (key, _) in enumerate(words):
        if number not in turns:
            families[key].append(number)
    for members in families.values():
        arguments = {number: words[number][1] for number in members}
        groups += _group_family(arguments, sample.bits)
    ordered = sorted(groups, key=lambda group: _text_key(simulator.fluents, group))
    digits = tuple(Digit(group) for group in ordered)
    return _add_supports(simulator, sample, digits)


def _text_key(fluents: Sequence[Fact], group: Sequence[int]) -> str:
    return min(str(fluents[number]) for number in group)


def _group_family(
    arguments: dict[int, tuple[str, ...]], bits: npt.NDArray[np.bool_]
) -> list[tuple[int, ...]]:
    """Return the groups of one family: facts that agree in some arguments.

    Those are chosen that make the fewest groups of facts that exclude each other.
    """
    members = sorted(arguments, key=lambda number: arguments[number])
    best: list[tuple[int, ...]] = [(number,) for number in members]
    arity = len(next(iter(arguments.values())))
    for kept in chain.from_iterable(
        combinations(range(arity), size) for size in range(min(arity, _MOST_KEPT))
    ):
        by_kept: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number in members:
            by_kept[tuple(arguments[number][i] for i in kept)].append(number)
        found = list(map(tuple, by_kept.values()))
        fits = all(
            len(group) < _MOST_VALUES and bits[:, group].sum(axis=1).max() <= 1
            for group in found
        )
        if fits and len(found) < len(best):
            best = found
    return best


def find_varied(digits: Sequence[Digit], sample: Sample) -> frozenset[int]:
    """Return the digits whose values vary in random play, by their places; or all.

    The others say next to nothing of a position: in draughts, the square of the piece
    that goes on jumping.
    """
    varied = set()
    for place, digit in enumerate(digits):
        shares = sample.bits[:, digit.facts].mean(axis=0)
        if max(shares.max(), 1 - shares.sum()) <= _MOST_COMMON:
            varied.add(place)
    return frozenset(varied or range(len(digits)))


# ── supports ────────────────────────────────────────────────────────────────────────


def _add_supports(
    simulator: CircuitSimulator, sample: Sample, digits: tuple[Digit, ...]
) -> tuple[Digit, ...]:
    """Return the digits with those that they depend on, where sampled play shows it.

    Digit e supports digit c if, while c is 0, some move changes c exactly where e is
    not 0, whoever is to move; and c is never other than 0 while e is 0.
    """
    chosen = np.linspace(0, len(sample.rows) - 1, _SUPPORT_POSITIONS).astype(int)
    states, reached = [], []
    for place in np.unique(chosen):
        row = sample.rows[place]
        if simulator.terminal(row[None])[0]:
            continue
        successors = list_successors(simulator, row)
        if successors is None:
            return digits
        now = sample.bits[place]
        states.append(now)
        reached.append(now | simulator.fact_matrix(successors).any(axis=0))
    if not states:
        return digits
    set_now, can_be = (_nonzero(digits, np.array(bits)) for bits in (states, reached))
    return tuple(
        Digit(digit.facts, _find_support(place, set_now, can_be))
        for place, digit in enumerate(digits)
    )


def _nonzero(
    digits: Sequence[Digit], bits: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Return bool [n, D]: the digits that are not 0.  bits: bool [n, F]"""
    facts = np.concatenate([one.facts for one in digits])
    first = np.cumsum([0, *(len(one.facts) for one in digits[:-1])])
    found: npt.NDArray[np.bool_] = np.logical_or.reduceat(bits[:, facts], first, axis=1)
    return found


def _find_support(
    place: int, now: npt.NDArray[np.bool_], reached: npt.NDArray[np.bool_]
) -> int | None:
    """Return the only digit that supports one, if there is one.

    now, reached: bool [n, D], what is not 0 in a position, and what some move makes so
    """
    unset = ~now[:, place]
    can_change = reached[unset, place]
    if len(can_change) < 20 or can_change.all() or not can_change.any():
        return None
    same = (now[unset] == can_change[:, None]).all(axis=0)
    implied = (now[now[:, place]]).all(axis=0)
    found = np.flatnonzero(same & implied)
    return int(found[0]) if len(found) == 1 and found[0] != place else None
