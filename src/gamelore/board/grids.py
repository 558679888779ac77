"""Grids: the cells of one board, where they are drawn, and the families on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gamelore.board.coordinates import Reading, find_ends
from gamelore.board.families import Words
from gamelore.board.layout import Plane, lay_out
from gamelore.board.lines import LineFinder
from gamelore.board.looks import (
    Look,
    block_look,
    find_direction,
    find_empty,
    looks_empty,
    make_looks,
)
from gamelore.board.order import Axis, Orders, natural
from gamelore.board.orientation import find_plane
from gamelore.board.points import GAP, Edges, Layout
from gamelore.board.readings import LARGEST
from gamelore.board.statics import Statics
from gamelore.board.usage import Usage
from gamelore.gdl import to_kif

MOST_KINDS = 400
"""Kinds of pieces that get a look each."""
LARGEST_SPARSE = 1_200
"""Cells of a board that does not have a fact for each, at most."""
FEW = 12
"""Contents of a family that is drawn on another's cells; with more it is hidden."""

Style = Literal[
    "pieces",
    "counts",
    "edges",
    "walls",
    "corners",
    "sides",
    "stacks",
    "array",
    "point",
    "scores",
    "hidden",
    "silent",
]
"""`walls` are across the borders of cells, `corners` join the corners of cells, `sides`
are named; what is `hidden` is counted beside the board, and `silent` not mentioned."""


@dataclass(frozen=True)
class Layer:
    """How the facts of one family are drawn on a grid."""

    key: str
    reading: Reading
    style: Style
    empty: frozenset[Words] = frozenset()
    """Contents that are not drawn."""
    named: bool = False
    """Whether a piece's kind starts with the family's functor."""
    looks: dict[Words, Look] = field(default_factory=dict)

    def kind(self, content: Words) -> Words:
        """Return what names a piece: its content, with the functor where needed."""
        return (self.reading.family.functor, *content) if self.named else content


@dataclass(frozen=True)
class Grid:
    """One board: its cells, and the families drawn on it."""

    prefix: str
    """In front of the names of cells, where there are several grids."""
    layout: Layout
    layers: tuple[Layer, ...]
    axes: tuple[Axis | None, ...]

    def name(self, cell: Words) -> str:
        """Return a cell's name, which no cell of another grid has."""
        return " ".join((self.prefix, *cell) if self.prefix else cell)


@dataclass(frozen=True)
class GridMaker:
    """Makes grids of groups of families."""

    statics: Statics
    orders: Orders
    roles: tuple[str, ...]
    usage: Usage

    def make(self, group: Sequence[Reading], prefix: str) -> Grid | None:
        """Return the board of a group of families; None if it has too many cells."""
        main = group[0]
        if main.use == "stack":
            layer = Layer(main.family.key, main, "stacks")
            return Grid(prefix, Layout("square", {}), (layer,), ())
        if main.use == "array":
            return self._make_array(main, prefix)
        if main.use == "point":
            return self._make_points(main, prefix)
        if main.selector is not None:
            return self._make_named_boards(group, prefix)
        names = _axis_names(group)
        axes = tuple(self.orders.axis(one) for one in names)
        cells = _list_cells(group, names, axes)
        if not cells or len(cells) > (LARGEST if main.full else LARGEST_SPARSE):
            return None
        axes = tuple(
            self.orders.axis({cell[k] for cell in cells}) or axis
            for k, axis in enumerate(axes)
        )
        if len(axes) == 2 and main.full:
            axes = tuple(axis or _list_names(main, k) for k, axis in enumerate(axes))
        edges = self._find_neighbours(cells, names)
        layers = self.make_layers(group)
        plane = find_plane(main, axes, self.roles, layers[0].looks, self.usage)
        layout = lay_out(cells, axes, edges, plane)
        if main.use == "edges":
            layout = Layout("dot", layout.points, layout.rows, layout.columns)
        return Grid(prefix, layout, layers, axes)

    def _make_named_boards(self, group: Sequence[Reading], prefix: str) -> Grid:
        """Return boards side by side whose cells have one name each."""
        main = group[0]
        selector = main.selector or 0
        names, boards = (main.family.domains[i] for i in (1 - selector, selector))
        cells: set[Words] = {(name,) for name in names}
        edges = self._find_neighbours(cells, [names])
        own = lay_out(cells, [self.orders.axis(names)], edges, Plane(0, upward=False))
        width = 1 + max(x for x, _ in own.points.values())
        points: dict[Words, tuple[float, float]] = {}
        titles = []
        for number, board in enumerate(sorted(boards, key=natural)):
            start = number * (width + GAP)
            titles.append((board, start + (width - 1) / 2))
            for cell, (x, y) in own.points.items():
                points[(board, *cell) if selector == 0 else (*cell, board)] = (
                    x + start,
                    y,
                )
        layout = Layout(own.shape, points, columns=tuple(titles))
        return Grid(prefix, layout, self.make_layers(group), (None, None))

    def _find_neighbours(
        self, cells: set[Words], names: Sequence[frozenset[str]]
    ) -> list[Edges]:
        found = find_neighbours(self.statics, cells, len(names))
        if len(names) == 1:
            lines = LineFinder(self.usage, self.statics).find_neighbours(names[0])
            found += [lines] if lines else []
        return found

    def _make_array(self, main: Reading, prefix: str) -> Grid:
        """Return a row of cells, one for each argument of the only fact."""
        places = [str(i + 1) for i in range(main.family.arity)]
        points: dict[Words, tuple[float, float]] = {
            (name,): (float(i), 0.0) for i, name in enumerate(places)
        }
        looks = make_looks(
            [(word,) for word in main.family.domains[0]], self.roles, self.usage
        )
        layer = Layer(main.family.key, main, "array", looks=looks)
        axis = self.orders.axis(places)
        return Grid(prefix, Layout("square", points), (layer,), (axis,))

    def _make_points(self, main: Reading, prefix: str) -> Grid | None:
        """Return a board for two coordinates that are facts of their own."""
        axis, partner = main.family.axes[0], main.partner
        if axis is None or partner is None or partner.axes[0] is None:
            return None
        if axis.length * partner.axes[0].length > LARGEST:
            return None
        other = partner.axes[0]
        points: dict[Words, tuple[float, float]] = {
            (a, b): (float(axis.rank[a]), float(other.length - 1 - other.rank[b]))
            for a in axis.names
            for b in other.names
        }
        kind = (main.family.functor, partner.functor)
        looks = make_looks([kind], self.roles, self.usage)
        layers = (
            Layer(main.family.key, main, "point", looks=looks),
            Layer(partner.key, Reading(partner, "point", (0,)), "hidden"),
        )
        return Grid(prefix, Layout("square", points), layers, (axis, other))

    def make_layers(self, group: Sequence[Reading]) -> tuple[Layer, ...]:
        """Return how each family of a board is drawn."""
        kinds = {
            (reading.family.functor, *content) if _is_named(reading, group) else content
            for reading in group
            for content in _contents(reading)
        }
        looks = (
            make_looks(kinds, self.roles, self.usage)
            if len(kinds) <= MOST_KINDS
            else {}
        )
        return tuple(self._make_layer(reading, group, looks) for reading in group)

    def _make_layer(
        self, reading: Reading, group: Sequence[Reading], looks: dict[Words, Look]
    ) -> Layer:
        family, is_main = reading.family, reading is group[0]
        named = _is_named(reading, group)
        contents = [reading.content_of(words) for words in family.initial]
        if reading.use == "edges":
            empty = frozenset(c for c in _contents(reading) if any(map(looks_empty, c)))
            style: Style = "edges" if is_main else _wall_style(reading, group[0])
            return Layer(family.key, reading, style, empty, named, looks)
        owned = {look.kind for look in looks.values() if look.owner is not None}
        empty = find_empty(contents, set(_contents(reading)), owned, reading.full)
        style = "pieces"
        counted = len(reading.what) == 1 and family.axes[reading.what[0]] is not None
        if len(reading.where) == 1 and reading.full and counted:
            style, empty = "counts", frozenset()
        elif not is_main and any(len(family.domains[i]) > FEW for i in reading.what):
            style = "hidden"
        elif _has_sides(reading):
            style = "sides"
        elif (_lists_cells(reading) and not is_main) or _is_free(reading, group):
            style = "silent"
        only = {layer for layer in _contents(reading) if layer not in empty}
        if is_main and len(only) == 1 and len(group) > 1:
            looks = block_look(looks, next(iter(only)))
        elif not is_main and not reading.what and family.initial:
            looks = block_look(looks, (family.functor,))
        return Layer(family.key, reading, style, empty, named, looks)


def _wall_style(edges: Reading, main: Reading) -> Style:
    """Return whether edges join cells, or corners: then there is one more of these."""
    ends = find_ends(edges.family) or ((0, 1), (2, 3))
    more = [
        len(edges.family.domains[ends[0][k]] | edges.family.domains[ends[1][k]])
        - len(main.family.domains[main.where[k]])
        for k in range(2)
    ]
    return "corners" if more == [1, 1] else "walls"


def _is_named(reading: Reading, group: Sequence[Reading]) -> bool:
    """Whether pieces are named by the functor too: contents alone do not tell."""
    if not reading.what:
        return True
    other = reading is not group[0] and reading.use == "cells"
    return other and not _domain(reading) & _domain(group[0])


def _is_free(reading: Reading, group: Sequence[Reading]) -> bool:
    """Whether a family without content says which cells are empty.

    Others that have none either then say what happened to the cell.
    """
    others = any(not one.what for one in group if one is not reading)
    if reading.what or not others:
        return False
    return reading.selector is not None or looks_empty(reading.family.functor)


def _has_sides(reading: Reading) -> bool:
    """Whether a family or its content says at which side of a cell something is."""
    if not reading.what:
        return bool(find_direction(reading.family.functor))
    if len(reading.what) > 1:
        return False
    domain = reading.family.domains[reading.what[0]]
    return 2 <= len(domain) <= 4 and all(map(find_direction, domain))


def _domain(reading: Reading) -> frozenset[str]:
    return frozenset[str]().union(*(reading.family.domains[i] for i in reading.what))


def _contents(reading: Reading) -> Iterator[Words]:
    """Return the contents of a family's facts: all combinations where unknown."""
    family = reading.family
    if family.known is not None:
        yield from {reading.content_of(words) for words in family.known}
        return
    yield from {reading.content_of(words) for words in family.initial}
    contents: list[Words] = [()]
    for i in reading.what:
        contents = [(*c, word) for c in contents for word in sorted(family.domains[i])]
        if len(contents) > MOST_KINDS:
            return
    yield from contents


def _list_names(main: Reading, k: int) -> Axis:
    """Return a coordinate's names in the order of the initial facts."""
    names = dict.fromkeys(words[main.where[k]] for words in main.family.initial)
    return Axis(tuple(names), "listed")


def _axis_names(group: Sequence[Reading]) -> list[frozenset[str]]:
    """Return the constants of each coordinate of a board."""
    main = group[0]
    if main.use == "edges":
        ends = find_ends(main.family) or ((0, 1), (2, 3))
        domains = main.family.domains
        return [domains[ends[0][k]] | domains[ends[1][k]] for k in range(2)]
    return [
        frozenset[str]().union(
            *(r.family.domains[r.where[k]] for r in group if r.use == "cells")
        )
        for k in range(len(main.where))
    ]


def _list_cells(
    group: Sequence[Reading],
    names: Sequence[frozenset[str]],
    axes: Sequence[Axis | None],
) -> set[Words]:
    """Return the cells that facts can name, or all combinations if those are most."""
    main = group[0]
    size = 1
    for one in names:
        size *= len(one)
    if size > 4 * LARGEST:
        return set()
    every: set[Words] = {()}
    for one in names:
        every = {(*cell, word) for cell in every for word in one}
    if main.use == "edges":
        return every
    on_board = [r for r in group if r.use == "cells"]
    for reading in on_board:
        if _lists_cells(reading):
            return set(map(reading.cell_of, reading.family.initial))
    cells = {r.cell_of(w) for r in on_board for w in r.family.combinations}
    if main.full:
        return cells & every
    if main.family.known is None:
        return every
    if len(names) == 2 and (len(cells) >= 0.7 * size or _is_checkered(cells, axes)):
        return every
    return cells & every


def _lists_cells(reading: Reading) -> bool:
    """Whether facts without content say what the cells are: a whole rectangle."""
    if reading.what or len(reading.family.initial) < 9:
        return False
    columns = zip(*reading.family.initial, strict=True)
    size = 1
    for column in columns:
        size *= len(set(column))
    return len(set(reading.family.initial)) == size


def _is_checkered(cells: Iterable[Words], axes: Sequence[Axis | None]) -> bool:
    """Whether cells are all of one colour of a chequerboard."""
    parities = {
        sum(axis.rank[word] for axis, word in zip(axes, cell, strict=True) if axis) % 2
        for cell in cells
    }
    return len(parities) == 1


def find_neighbours(statics: Statics, cells: set[Words], size: int) -> list[Edges]:
    """Return the pairs of cells that each static relation joins.

    Relations that join most cells to at most eight others count as neighbourhood.
    """
    found: list[Edges] = []
    names = [n for n in statics.names if 0 <= statics.arity(n) - 2 * size <= 1]
    for name in sorted(names, key=statics.effort):
        pairs: set[tuple[Words, Words]] = set()
        for arguments in statics.tuples(name):
            words = tuple(map(to_kif, arguments))
            for start in {0, len(words) - 2 * size}:
                one = words[start : start + size]
                other = words[start + size : start + 2 * size]
                if one != other and one in cells and other in cells:
                    pairs.add((one, other))
        if 0.7 * len(cells) <= len(pairs) <= 8 * len(cells):
            found.append(frozenset(pairs))
    return found
