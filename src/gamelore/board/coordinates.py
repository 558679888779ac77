"""Which arguments of a fact say where, and which say what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gamelore.board.families import Family, Words
from gamelore.board.order import Orders, is_number

Use = Literal["cells", "edges", "stack", "array", "point", "scores", "state", "beside"]


@dataclass(frozen=True)
class Encoding:
    """Which arguments of a family's facts are coordinates, and which name the piece."""

    family: Family
    use: Use
    where: tuple[int, ...] = ()
    """The arguments that are coordinates, a board's number first."""
    what: tuple[int, ...] = ()
    """The arguments that name the piece."""
    full: bool = False
    """Whether every cell has such a fact, at the start at least."""
    selector: int | None = None
    """Which coordinate selects a board, where the other one names its cells."""
    partner: Family | None = None
    """The family of the other coordinate, where each is a fact of its own."""

    @property
    def size(self) -> int:
        """How many cells its coordinates allow."""
        size = 1
        for i in self.where:
            size *= len(self.family.domains[i])
        return size if self.where else 0

    def find_cell(self, words: Words) -> Words:
        """Return the coordinates of a fact with these arguments."""
        if self.use == "state":
            return (self.family.functor,)
        return tuple(words[i] for i in self.where)

    def find_content(self, words: Words) -> Words:
        """Return the piece of a fact with these arguments."""
        return tuple(words[i] for i in self.what)


def infer_encoding(family: Family, roles: frozenset[str], orders: Orders) -> Encoding:
    """Return what the arguments of a family most likely mean."""
    ordered = [
        axis is not None and not family.domains[i] <= roles
        for i, axis in enumerate(family.axes)
    ]
    if family.arity >= 4 and all(ordered[:4]) and find_ends(family) is not None:
        rest = tuple(range(4, family.arity))
        return Encoding(family, "edges", (0, 1, 2, 3), rest)
    if family.arity == 2 and _is_stack(family):
        return Encoding(family, "stack", (0, 1))
    if _is_array(family):
        return Encoding(family, "array", (), tuple(range(family.arity)))
    runs = _runs(ordered)
    full = _find_full(family, runs)
    if full is not None:
        return _encode_cells(family, full, full=True)
    listed = _find_listed(family, roles) or _find_rows(family, orders)
    if listed is not None:
        return _encode_cells(family, listed, full=True)
    if not runs:
        return Encoding(family, "beside")
    run = max(runs, key=len)  # the first of the longest
    if len(run) < 2:
        return Encoding(family, "beside")
    if len(run) == family.arity >= 3:
        run = run[:-1]
    elif len(run) > 4:
        run = run[:2]
    chosen = _add_selector(family, run)
    return _encode_cells(family, chosen, full=len(chosen) > len(run))


def _encode_cells(family: Family, where: Sequence[int], full: bool) -> Encoding:
    what = tuple(i for i in range(family.arity) if i not in where)
    return Encoding(family, "cells", tuple(where), what, full)


def _runs(ordered: Sequence[bool]) -> list[tuple[int, ...]]:
    """Return the runs of neighbouring arguments that are ordered."""
    runs: list[tuple[int, ...]] = []
    start = 0
    for i, flag in enumerate([*ordered, False]):
        if not flag:
            if i > start:
                runs.append(tuple(range(start, i)))
            start = i + 1
    return runs


def _find_full(family: Family, runs: list[tuple[int, ...]]) -> tuple[int, ...] | None:
    """Return the fewest arguments of a run that number the facts of the start."""
    options = [
        run[start : start + length]
        for run in runs
        for length in range(1, min(4, len(run)) + 1)
        for start in range(len(run) - length + 1)
        if length < family.arity
    ]
    for option in sorted(options, key=len):
        if len(option) == 1 and len(family.domains[option[0]]) < 3:
            continue
        if family.covers(option):
            return option
    for option in sorted(options, key=len, reverse=True):
        selected = _add_selector(family, option)
        if len(option) >= 2 and len(selected) > len(option):
            return selected
    return None


def _find_listed(family: Family, roles: frozenset[str]) -> tuple[int, int] | None:
    """Return two arguments with the same names that have every pair at the start.

    Nothing orders the names, but the board is whole: they count as listed.
    """
    for i in range(family.arity - 1 if family.arity > 2 else 0):
        names = family.domains[i]
        same = names == family.domains[i + 1] and len(names) >= 3
        if same and not names & roles and family.covers((i, i + 1)):
            return i, i + 1
    return None


def _find_rows(family: Family, orders: Orders) -> tuple[int, int] | None:
    """Return two coordinates of which the second is ordered in each row by itself.

    Rows that are set in by half a cell have names of their own in some rule sheets.
    """
    for i in range(family.arity - 1 if family.arity > 2 else 0):
        rows: dict[str, list[str]] = {}
        for words in family.initial:
            rows.setdefault(words[i], []).append(words[i + 1])
        if (
            len(rows) >= 3
            and family.axes[i] is not None
            and family.axes[i + 1] is None
            and family.is_unique(family.initial, (i, i + 1))
            and all(len(row) >= 3 and orders.axis(row) for row in rows.values())
        ):
            return i, i + 1
    return None


def _add_selector(family: Family, run: Sequence[int]) -> tuple[int, ...]:
    """Return the coordinates with the argument that tells boards apart, if any does.

    Each of several boards then has every cell.
    """
    if not family.initial or family.is_unique(family.initial, run):
        return tuple(run)
    for i in range(family.arity):
        if i not in run and len(run) < family.arity - 1 and family.covers((i, *run)):
            return (i, *run)
    return tuple(run)


def find_ends(family: Family) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return the arguments of the two cells that a family of edges joins.

    They are written `x y x2 y2`, or `x x2 y y2`; None if they are not side by side in
    every fact of the start, or in every possible one if there are none.
    """
    facts = family.initial or family.possible
    if not facts:
        return None
    for one, other in (((0, 1), (2, 3)), ((0, 2), (1, 3))):
        if all(
            abs(_distance(family, one[0], other[0], words)) <= 1
            and abs(_distance(family, one[1], other[1], words)) <= 1
            and (words[one[0]], words[one[1]]) != (words[other[0]], words[other[1]])
            for words in facts
        ):
            return one, other
    return None


def _distance(family: Family, i: int, j: int, words: Words) -> float:
    """How far apart two arguments are on an axis that has both."""
    for axis in (family.axes[i], family.axes[j]):
        if axis is not None and words[i] in axis.rank and words[j] in axis.rank:
            return axis.rank[words[j]] - axis.rank[words[i]]
    common = family.domains[i] & family.domains[j]
    return 1.0 if 2 * len(common) >= len(family.domains[i]) else 9.0


def _is_array(family: Family) -> bool:
    """Whether one fact lists things in order: `(order p3 p1 p2 p4)`."""
    return (
        family.arity >= 4
        and len(family.initial) == 1
        and len(set(family.domains)) == 1
        and len(set(family.initial[0])) == family.arity
    )


def _is_stack(family: Family) -> bool:
    """Whether facts say what lies on what: `(on a b)`."""
    upper, lower = family.domains
    facts = family.combinations
    if not family.initial or not facts or len(upper & lower) < 2 or len(upper) > 16:
        return False
    if any(a == b for a, b in family.initial) or any(map(is_number, upper & lower)):
        return False
    pairs = [(a, b) for a, b in family.initial]
    below = dict(pairs)
    if len(below) < len(family.initial):
        below = {b: a for a, b in family.initial}
    for start in below:
        seen = {start}
        step = below[start]
        while step in below and step not in seen:
            seen.add(step)
            step = below[step]
        if step in seen:
            return False
    return family.known is None or len(facts) >= len(upper)
