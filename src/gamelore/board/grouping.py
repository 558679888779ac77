"""Which families make boards: the main one, those drawn on it, and further boards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gamelore.board.coordinates import Encoding, find_ends, infer_encoding
from gamelore.board.families import Family
from gamelore.board.lines import LineFinder
from gamelore.board.looks import looks_empty
from gamelore.board.order import Orders, is_number
from gamelore.board.statics import Statics
from gamelore.board.usage import Usage

LARGEST = 3_000
"""Cells of a board, at most."""
MOST_UNMOVED = 400
"""Cells of a further board whose coordinates no move names, at most."""


def group_families(
    families: Iterable[Family],
    roles: frozenset[str],
    usage: Usage,
    statics: Statics,
    orders: Orders,
    moved: Sequence[frozenset[str]],
) -> list[list[Encoding]]:
    """Return the families of each board, the most important board first."""
    finder = LineFinder(usage, statics)
    encodings = [
        finder.read_boards(family) or infer_encoding(family, roles, orders)
        for family in families
    ]
    linked = {target for counts in usage.links.values() for target in +counts}
    cells = [one for one in encodings if one.use == "cells" and one.size <= LARGEST]
    cells.sort(key=lambda one: (_importance(one, linked), one.size), reverse=True)
    groups: list[list[Encoding]] = []
    placed: set[str] = set()
    for encoding in cells:
        shared = all((encoding.family.key, i) in linked for i in encoding.where)
        options = [
            (group, fitted)
            for group, fitted in _fitted(encoding.family, groups)
            if not shared or len(fitted.where) >= len(encoding.where)
        ]
        if options:
            group, fitted = options[0]
            group.append(fitted)
        elif not groups or _deserves_board(encoding, groups, linked):
            groups.append([encoding])
        else:
            continue
        placed.add(encoding.family.key)
    rest = [one for one in encodings if one.family.key not in placed]
    for encoding in rest:
        options = [*_fitted(encoding.family, groups)]
        if encoding.use in ("beside", "array") and options:
            group, fitted = options[0]
            group.append(fitted)
            placed.add(encoding.family.key)
    rest = [one for one in encodings if one.family.key not in placed]
    groups += _special_boards(rest, groups, _NameFinder(roles, linked, statics, moved))
    return groups


def _importance(encoding: Encoding, linked: set[tuple[str, int]]) -> int:
    """Return how likely a family is the board itself."""
    family = encoding.family
    moved = all((family.key, i) in linked for i in encoding.where)
    return (
        3 * encoding.full
        + 2 * (len(encoding.where) >= 2)
        + bool(family.initial)
        + 2 * moved
        + bool(encoding.what)
    )


def _fitted(
    family: Family, groups: Sequence[list[Encoding]]
) -> Iterable[tuple[list[Encoding], Encoding]]:
    """Return the boards that a family's arguments name the cells of."""
    for group in groups:
        main = group[0]
        if main.use != "cells":
            continue
        size = len(main.where)
        wanted = [main.family.domains[i] for i in main.where]
        for start in range(family.arity - size + 1):
            where = tuple(range(start, start + size))
            if size == 1 and not _is_place(family, start, wanted[0]):
                continue
            if all(
                family.domains[i] and _shares(family.domains[i], domain)
                for i, domain in zip(where, wanted, strict=True)
            ):
                what = tuple(i for i in range(family.arity) if i not in where)
                full = family.covers(where) and bool(what)
                encoding = Encoding(family, "cells", where, what, full)
                if not any(_conflict(encoding, other) for other in group):
                    yield group, encoding
                    break


def _is_place(family: Family, i: int, wanted: frozenset[str]) -> bool:
    """Whether an argument with one coordinate's names is that coordinate.

    Numbers are also counts, so they need more: a family that has all of them.
    """
    if any(map(is_number, wanted)):
        return family.domains[i] == wanted and family.arity > 1
    return True


def _shares(some: frozenset[str], others: frozenset[str]) -> bool:
    return len(some & others) >= 0.7 * len(some)


def _conflict(one: Encoding, other: Encoding) -> bool:
    """Whether two families both fill the cells, so that each needs its own board."""
    if one.full and other.full:
        mine = {one.find_cell(words) for words in one.family.initial}
        yours = {other.find_cell(words) for words in other.family.initial}
        return bool(mine & yours)
    contents = [
        frozenset[str]().union(*(r.family.domains[i] for i in r.what))
        for r in (one, other)
    ]
    alike = any(map(looks_empty, contents[0] & contents[1]))
    return alike and one.size != other.size


def _deserves_board(
    encoding: Encoding, groups: Sequence[list[Encoding]], linked: set[tuple[str, int]]
) -> bool:
    """Whether a further family gets a board of its own."""
    family = encoding.family
    moved = any((family.key, i) in linked for i in encoding.where)
    if len(encoding.where) >= 2:
        pieces = bool(family.initial) and encoding.size <= MOST_UNMOVED
        return (moved or pieces) and (bool(encoding.what) or encoding.full)
    main = groups[0][0]
    return encoding.full and (len(main.where) == 1 or moved)


def _special_boards(
    encodings: Sequence[Encoding],
    groups: Sequence[list[Encoding]],
    finder: _NameFinder,
) -> list[list[Encoding]]:
    """Return boards of edges, of stacks, of names without order, and of arrays."""
    found: list[list[Encoding]] = []
    for encoding in encodings:
        if encoding.use == "edges":
            home = next((g for g in groups if _edges_fit(encoding, g[0])), None)
            if home is not None:
                home.append(encoding)
            elif not groups or len(groups[0][0].where) >= 2:
                found.insert(0, [encoding])
    stacks = [r for r in encodings if r.use == "stack"]
    if stacks and not groups:
        return [*found, *([one] for one in stacks)]
    named = finder.group(encodings)
    if named and (not groups or named[0].full):
        found.append(named)
    if not groups and not found:
        arrays = [r for r in encodings if r.use == "array"]
        points = _pair_points([r.family for r in encodings])
        found += [[one] for one in arrays[:1] or points]
    return found


def _edges_fit(edges: Encoding, main: Encoding) -> bool:
    ends = find_ends(edges.family)
    if ends is None or len(main.where) != 2 or main.use != "cells":
        return False
    for k in range(2):
        domain = main.family.domains[main.where[k]]
        own = edges.family.domains[ends[0][k]] | edges.family.domains[ends[1][k]]
        if not _shares(own, domain) or not _shares(domain, own):
            return False
    return True


@dataclass(frozen=True)
class _NameFinder:
    """Finds boards of cells that have one name each."""

    roles: frozenset[str]
    linked: set[tuple[str, int]]
    """The arguments of facts that moves share."""
    statics: Statics
    moved: Sequence[frozenset[str]]
    """What can stand at each argument of a move."""

    def group(self, encodings: Sequence[Encoding]) -> list[Encoding]:
        """Return the families of the largest such board.

        Its names are those that moves have in common with facts: `(mark a)` with
        `(blank a)`.
        """
        found = [self._read(one.family) for one in encodings if one.use != "edges"]
        named = [one for one in found if one is not None]
        named.sort(key=lambda one: -one.size)
        group: list[Encoding] = []
        for encoding in named:
            names = encoding.family.domains[encoding.where[0]]
            if not group or _shares(names, group[0].family.domains[group[0].where[0]]):
                group.append(encoding)
        group.sort(
            key=lambda one: (one.full, bool(one.what), len(one.family.initial)),
            reverse=True,
        )
        return group if len(group) > 1 or (group and group[0].what) else []

    def _read(self, family: Family) -> Encoding | None:
        """Return a family with one argument as its cell, the one with most names."""
        if not 1 <= family.arity <= 3:
            return None
        by_size = sorted(range(family.arity), key=lambda i: -len(family.domains[i]))
        for i in by_size:
            domain = family.domains[i]
            usable = len(domain) >= 4 and not domain & self.roles
            if not usable or not self._is_moved(family, i):
                continue
            full = family.covers((i,)) and family.arity > 1
            numbers = all(map(is_number, domain))
            if numbers and not full and not (family.arity > 1 and self._is_web(domain)):
                continue
            what = tuple(j for j in range(family.arity) if j != i)
            return Encoding(family, "cells", (i,), what, full)
        return None

    def _is_moved(self, family: Family, i: int) -> bool:
        """Whether moves name what stands at an argument."""
        domain = family.domains[i]
        return (family.key, i) in self.linked or any(
            _shares(domain, other) and _shares(other, domain) for other in self.moved
        )

    def _is_web(self, names: frozenset[str]) -> bool:
        """Whether a relation joins names to several others, as neighbours are."""
        for relation in self.statics.names:
            if self.statics.arity(relation) in (2, 3):
                pairs = {
                    arguments[-2:]
                    for arguments in self.statics.written(relation)
                    if set(arguments[-2:]) <= names
                }
                if 1.4 * len(names) <= len(pairs) <= 8 * len(names):
                    return True
        return False


def _pair_points(families: Sequence[Family]) -> list[Encoding]:
    """Return pairs of coordinates that are facts of their own: `(x 3)` and `(y 5)`."""
    single = [
        family
        for family in families
        if family.arity == 1
        and len(family.initial) == 1
        and family.axes[0] is not None
        and len(family.domains[0]) >= 8
    ]
    by_axis: dict[tuple[frozenset[str], str], list[Family]] = defaultdict(list)
    for family in single:
        number = family.functor[len(family.functor.rstrip("0123456789")) :]
        by_axis[family.domains[0], number].append(family)
    pairs = [sorted(fs, key=lambda f: f.functor) for fs in by_axis.values()]
    return [
        replace(Encoding(pair[0], "point", (0,)), partner=pair[1])
        for pair in pairs
        if len(pair) == 2
    ]
