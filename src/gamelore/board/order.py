"""Ordered constants: what makes an axis of a board.

Constants are ordered by their numbers, by a chain of facts such as `(succ a b)`, or by
their names (`c1`, `c2`, … or `a`, `b`, …). Numbers go first; chains order what was
given other names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from gamelore.board.statics import Statics
from gamelore.gdl import Term

_NUMBERED = re.compile(r"([^0-9]*?)[-_]?(-?[0-9]+)", re.DOTALL)


_FIRST = ("n", "north", "up", "top")
"""Where a circle of names starts, if one of these is on it."""


@dataclass(frozen=True)
class Axis:
    """Constants in order."""

    names: tuple[str, ...]
    kind: Literal["number", "chain", "name", "listed"]
    cyclic: bool = False
    """Whether the first follows the last."""

    @cached_property
    def rank(self) -> dict[str, int]:
        """The place of each constant, from 0; numbers keep their distances."""
        if self.kind == "number":
            first = int(self.names[0])
            return {name: int(name) - first for name in self.names}
        return {name: i for i, name in enumerate(self.names)}

    @property
    def length(self) -> int:
        """How many places there are from the first to the last."""
        return 1 + max(self.rank.values(), default=-1)


def is_number(name: str) -> bool:
    """Whether a constant is an integer in decimal digits."""
    return re.fullmatch(r"-?[0-9]{1,9}", name) is not None


def natural(name: str) -> tuple[str, int, str]:
    """Sort key: numbers by value, and names that end in a number by that."""
    match = _NUMBERED.fullmatch(name)
    return (match[1], int(match[2][:18]), name) if match else (name, -1, name)


class Orders:
    """Finds the order of a set of constants."""

    def __init__(self, statics: Statics) -> None:
        self._next = [*_find_chains(statics)]
        self._known: dict[frozenset[str], Axis | None] = {}

    def axis(self, names: Iterable[str]) -> Axis | None:
        """Return the constants in order; None if nothing orders them."""
        key = frozenset(names)
        if key not in self._known:
            self._known[key] = self._find(key)
        return self._known[key]

    def _find(self, names: frozenset[str]) -> Axis | None:
        if len(names) < 2:
            return None
        if all(map(is_number, names)):
            in_order = sorted(names, key=int)
            span = int(in_order[-1]) - int(in_order[0]) + 1
            if span <= 2 * len(names) + 2:
                return Axis(tuple(in_order), "number")
        by_name = sorted(names, key=natural)
        regular = _is_regular(by_name)
        if regular:
            return Axis(tuple(by_name), "name")
        return self._find_chain(names) or _find_rest(by_name)

    def _find_chain(self, names: frozenset[str]) -> Axis | None:
        """Return the constants along the chain that covers them all, if one does."""
        if len(names) < 3:
            return None
        for following in self._next:
            own = {a: b for a, b in following.items() if a in names and b in names}
            if len(own) < len(names) - 1:
                continue
            starts = names - set(own.values())
            name = min(starts or names, key=lambda one: (one not in _FIRST, one))
            path = [name]
            while own.get(name, path[0]) not in path:
                name = own[name]
                path.append(name)
            if len(path) == len(names):
                return Axis(tuple(path), "chain", own.get(name) == path[0])
        return None


def _find_chains(statics: Statics) -> Iterable[dict[str, str]]:
    """Return the one-to-one successions among static relations, longest first.

    Of a relation of three arguments, each constant of one argument gives a relation of
    the two others: `(step east 1 2)`.
    """
    found: list[dict[str, str]] = []
    for name in statics.names:
        groups: dict[tuple[Term, ...], list[tuple[Term, Term]]] = defaultdict(list)
        for arguments in statics.written(name):
            if len(arguments) == 2:
                groups[()].append((arguments[0], arguments[1]))
            elif len(arguments) == 3:
                for i in range(3):
                    rest = [a for j, a in enumerate(arguments) if j != i]
                    groups[str(i), arguments[i]].append((rest[0], rest[1]))
        found.extend(filter(None, map(_as_succession, groups.values())))
    return sorted(found, key=len, reverse=True)


def _as_succession(pairs: Sequence[tuple[Term, Term]]) -> dict[str, str] | None:
    following: dict[str, str] = {}
    for a, b in pairs:
        if not isinstance(a, str) or not isinstance(b, str) or a == b:
            return None
        if following.setdefault(a, b) != b:
            return None
    if len(set(following.values())) < len(following) or len(following) < 2:
        return None
    return following


def _find_rest(names: Sequence[str]) -> Axis | None:
    """Return names that count, with one other after them: `c1`, `c2`, `c3`, `any`."""
    numbered = [name for name in names if name[-1:].isdigit() and not is_number(name)]
    rest = [name for name in names if name not in numbered]
    if len(numbered) < 3 or len(rest) != 1 or not _is_regular(numbered):
        return None
    return Axis((*numbered, *rest), "name")


def _is_regular(names: Sequence[str]) -> bool:
    """Whether sorted names count: one prefix with numbers, or letters in a row."""
    parts = [_NUMBERED.fullmatch(name) for name in names]
    if all(parts):
        prefixes = {part[1] for part in parts if part}
        numbers = sorted(int(part[2][:18]) for part in parts if part)
        dense = numbers[-1] - numbers[0] + 1 <= 2 * len(numbers)
        return len(prefixes) == 1 and dense and len(set(numbers)) == len(numbers)
    if all(len(name) == 1 and name.isalpha() for name in names):
        codes = [ord(name) for name in names]
        return len(names) >= 3 and codes[-1] - codes[0] == len(names) - 1
    return False
