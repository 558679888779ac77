"""Grids: the cells of one board, where they are drawn, and the families on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gamelore.board.cells import (
    axis_names,
    find_neighbours,
    list_cells,
    list_targets,
    lists_cells,
)
from gamelore.board.coordinates import Encoding, find_ends
from gamelore.board.families import Words
from gamelore.board.grouping import LARGEST
from gamelore.board.layout import Plane, lay_out, lay_out_rows
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
from gamelore.board.statics import Statics
from gamelore.board.usage import Usage

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
    encoding: Encoding
    style: Style
    empty: frozenset[Words] = frozenset()
    """Contents that are not drawn."""
    named: bool = False
    """Whether a piece's kind starts with the family's functor."""
    looks: dict[Words, Look] = field(default_factory=dict)

    def kind(self, content: Words) -> Words:
        """Return what names a piece: its content, with the functor where needed."""
        return (self.encoding.family.functor, *content) if self.named else content


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

    def make(self, group: Sequence[Encoding], prefix: str) -> Grid | None:
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
        names = axis_names(group)
        axes = tuple(self.orders.axis(one) for one in names)
        cells = list_cells(group, names, axes)
        if main.family.known is None and len(axes) == 2:
            cells &= list_targets(main, self.statics, self.usage) or cells
        if not cells or len(cells) > (LARGEST if main.full else LARGEST_SPARSE):
            return None
        axes = tuple(
            self.orders.axis({cell[k] for cell in cells}) or axis
            for k, axis in enumerate(axes)
        )
        rows = self._find_rows(cells, axes)
        if rows:
            return Grid(
                prefix, lay_out_rows(axes[0], rows), self.make_layers(group), axes
            )
        if len(axes) == 2 and main.full:
            axes = tuple(axis or _list_names(main, k) for k, axis in enumerate(axes))
        edges = self._find_neighbours(cells, names)
        layers = self.make_layers(group)
        if len(axes) == 3 and _find_height(main, axes) == 2:
            layout = _lay_out_levels(cells, axes)
            return Grid(prefix, layout, layers, axes)
        plane = find_plane(main, axes, self.roles, layers[0].looks, self.usage)
        layout = lay_out(cells, axes, edges, plane)
        if main.use == "edges":
            layout = Layout("dot", layout.points, layout.rows, layout.columns)
        return Grid(prefix, layout, layers, axes)

    def _find_rows(
        self, cells: Iterable[Words], axes: Sequence[Axis | None]
    ) -> dict[str, Axis]:
        """Return the order of each row, where the names of all rows have none."""
        if len(axes) != 2 or axes[0] is None or axes[1] is not None:
            return {}
        names: dict[str, set[str]] = {}
        for row, name in cells:
            names.setdefault(row, set()).add(name)
        found = {row: self.orders.axis(own) for row, own in names.items()}
        rows = {row: axis for row, axis in found.items() if axis is not None}
        return rows if len(rows) == len(found) >= 3 else {}

    def _make_named_boards(self, group: Sequence[Encoding], prefix: str) -> Grid:
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

    def _make_array(self, main: Encoding, prefix: str) -> Grid:
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

    def _make_points(self, main: Encoding, prefix: str) -> Grid | None:
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
            Layer(partner.key, Encoding(partner, "point", (0,)), "hidden"),
        )
        return Grid(prefix, Layout("square", points), layers, (axis, other))

    def make_layers(self, group: Sequence[Encoding]) -> tuple[Layer, ...]:
        """Return how each family of a board is drawn."""
        kinds = {
            (encoding.family.functor, *content)
            if _is_named(encoding, group)
            else content
            for encoding in group
            for content in _contents(encoding)
        }
        looks = (
            make_looks(kinds, self.roles, self.usage)
            if len(kinds) <= MOST_KINDS
            else {}
        )
        return tuple(self._make_layer(encoding, group, looks) for encoding in group)

    def _make_layer(
        self, encoding: Encoding, group: Sequence[Encoding], looks: dict[Words, Look]
    ) -> Layer:
        family, is_main = encoding.family, encoding is group[0]
        named = _is_named(encoding, group)
        contents = [encoding.find_content(words) for words in family.initial]
        if encoding.use == "edges":
            empty = frozenset(
                c for c in _contents(encoding) if any(map(looks_empty, c))
            )
            style: Style = "edges" if is_main else _wall_style(encoding, group[0])
            return Layer(family.key, encoding, style, empty, named, looks)
        owned = {look.kind for look in looks.values() if look.owner is not None}
        empty = find_empty(contents, set(_contents(encoding)), owned, encoding.full)
        style = "pieces"
        counted = len(encoding.what) == 1 and family.axes[encoding.what[0]] is not None
        if len(encoding.where) == 1 and encoding.full and counted:
            style, empty = "counts", frozenset()
        elif not is_main and any(len(family.domains[i]) > FEW for i in encoding.what):
            style = "hidden"
        elif _has_sides(encoding):
            style = "sides"
        elif (lists_cells(encoding) and not is_main) or _is_free(encoding, group):
            style = "silent"
        only = {layer for layer in _contents(encoding) if layer not in empty}
        if is_main and len(only) == 1 and len(group) > 1:
            looks = block_look(looks, next(iter(only)))
        elif not is_main and not encoding.what and family.initial:
            looks = block_look(looks, (family.functor,))
        return Layer(family.key, encoding, style, empty, named, looks)


def _find_height(main: Encoding, axes: Sequence[Axis | None]) -> int | None:
    """Return the only coordinate in which everything is lowest at the start."""
    low = [
        k
        for k, axis in enumerate(axes)
        if axis is not None
        and {words[main.where[k]] for words in main.family.initial} == {axis.names[0]}
    ]
    return low[0] if len(low) == 1 and len(main.family.initial) > 2 else None


def _lay_out_levels(cells: Iterable[Words], axes: Sequence[Axis | None]) -> Layout:
    """Return the levels of a board whose last coordinate is the height."""
    turned = {(cell[-1], *cell[:-1]) for cell in cells}
    layout = lay_out(turned, [axes[-1], *axes[:-1]], [], Plane(1, upward=False))
    points = {(*cell[1:], cell[0]): point for cell, point in layout.points.items()}
    return Layout(layout.shape, points)


def _wall_style(edges: Encoding, main: Encoding) -> Style:
    """Return whether edges join cells, or corners: then there is one more of these."""
    ends = find_ends(edges.family) or ((0, 1), (2, 3))
    more = [
        len(edges.family.domains[ends[0][k]] | edges.family.domains[ends[1][k]])
        - len(main.family.domains[main.where[k]])
        for k in range(2)
    ]
    return "corners" if more == [1, 1] else "walls"


def _is_named(encoding: Encoding, group: Sequence[Encoding]) -> bool:
    """Whether pieces are named by the functor too: contents alone do not tell."""
    if not encoding.what:
        return True
    other = encoding is not group[0] and encoding.use == "cells"
    return other and not _domain(encoding) & _domain(group[0])


def _is_free(encoding: Encoding, group: Sequence[Encoding]) -> bool:
    """Whether a family without content says which cells are empty.

    Others that have none either then say what happened to the cell.
    """
    others = any(not one.what for one in group if one is not encoding)
    if encoding.what or not others:
        return False
    return encoding.selector is not None or looks_empty(encoding.family.functor)


def _has_sides(encoding: Encoding) -> bool:
    """Whether a family or its content says at which side of a cell something is."""
    if not encoding.what:
        return bool(find_direction(encoding.family.functor))
    if len(encoding.what) > 1:
        return False
    domain = encoding.family.domains[encoding.what[0]]
    return 2 <= len(domain) <= 4 and all(map(find_direction, domain))


def _domain(encoding: Encoding) -> frozenset[str]:
    return frozenset[str]().union(*(encoding.family.domains[i] for i in encoding.what))


def _contents(encoding: Encoding) -> Iterator[Words]:
    """Return the contents of a family's facts: all combinations where unknown."""
    family = encoding.family
    if family.known is not None:
        yield from {encoding.find_content(words) for words in family.known}
        return
    yield from {encoding.find_content(words) for words in family.initial}
    contents: list[Words] = [()]
    for i in encoding.what:
        contents = [(*c, word) for c in contents for word in sorted(family.domains[i])]
        if len(contents) > MOST_KINDS:
            return
    yield from contents


def _list_names(main: Encoding, k: int) -> Axis:
    """Return a coordinate's names in the order of the initial facts."""
    names = dict.fromkeys(words[main.where[k]] for words in main.family.initial)
    return Axis(tuple(names), "listed")
