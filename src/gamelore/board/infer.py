"""Boards from rules: which families make cells, and where everything is shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from gamelore.board.coordinates import Reading, find_ends, read_family
from gamelore.board.families import Family, Words, find_families
from gamelore.board.layout import Edges, Layout, lay_out
from gamelore.board.looks import (
    CHECKERED,
    Look,
    find_empty,
    looks_empty,
    make_looks,
    role_colours,
)
from gamelore.board.order import Axis, Orders, is_number
from gamelore.board.orientation import find_plane
from gamelore.board.statics import Statics
from gamelore.board.usage import Usage, study
from gamelore.gdl import Fact, Game, to_kif

LARGEST = 3_000
"""Cells of a board, at most."""


@dataclass(frozen=True)
class Layer:
    """How the facts of one family are drawn on a grid."""

    key: str
    reading: Reading
    style: str
    """`pieces`, `counts`, `edges`, `walls`, `stacks` or `hidden`."""
    empty: frozenset[Words] = frozenset()
    """Contents that are not drawn."""
    looks: dict[Words, Look] = field(default_factory=dict)


@dataclass(frozen=True)
class Grid:
    """One board: its cells, and the families drawn on it."""

    prefix: str
    """In front of the names of cells, where there are several grids."""
    layout: Layout
    layers: tuple[Layer, ...]
    axes: tuple[Axis | None, ...]

    def name(self, cell: Words) -> str:
        return " ".join((self.prefix, *cell) if self.prefix else cell)


@dataclass(frozen=True)
class BoardModel:
    """All that was found out about how to draw a game."""

    game: str
    roles: tuple[str, ...]
    grids: tuple[Grid, ...]
    turns: tuple[str, ...]
    """Families that say whose turn it is."""
    hidden: frozenset[str]
    """Families that are not shown: counters of steps."""
    families: dict[str, Family]
    usage: Usage

    @property
    def kind(self) -> str:
        if not self.grids:
            return "facts"
        stacks = self.grids[0].layers[0].style == "stacks"
        return "stacks" if stacks else self.grids[0].layout.kind

    @cached_property
    def style(self) -> str:
        """`checker` where pieces are those of chess or draughts, else `grid`."""
        shapes = {look.shape for look in self._looks}
        return "checker" if shapes & CHECKERED else "grid"

    @cached_property
    def colours(self) -> dict[str, str]:
        """By role, the colour of its pieces."""
        own = {look.owner: look.colour for look in self._looks if look.owner}
        return {**role_colours(self.roles), **own}

    @property
    def _looks(self) -> list[Look]:
        layers = [layer for grid in self.grids for layer in grid.layers]
        return [look for layer in layers for look in layer.looks.values()]


def infer_model(game: Game, fluents: Iterable[Fact] | None = None) -> BoardModel:
    """Return how a game's positions are drawn, from its rules alone."""
    statics = Statics(game.rules)
    orders = Orders(statics)
    initial = statics.initial()
    families = find_families(game, orders, initial, fluents)
    usage = study(game)
    roles = frozenset(game.roles)
    turns = _find_turns(families, roles, usage)
    hidden = _find_steps(families, usage)
    readings = [
        read_family(family, roles)
        for key, family in families.items()
        if key not in hidden and key not in turns
    ]
    groups = _group(readings, families, usage, roles)
    grids = [
        _make_grid(group, statics, orders, game.roles, usage, len(groups) > 1)
        for group in groups
    ]
    return BoardModel(
        game=game.name,
        roles=game.roles,
        grids=tuple(grid for grid in grids if grid is not None),
        turns=turns,
        hidden=hidden,
        families=families,
        usage=usage,
    )


def _find_turns(
    families: dict[str, Family], roles: frozenset[str], usage: Usage
) -> tuple[str, ...]:
    """Return the families that name a role and decide what is legal."""
    found = [
        key
        for key, family in families.items()
        if family.arity >= 1
        and family.domains[0]
        and family.domains[0] <= roles
        and len(family.initial) <= 1
        and (family.arity == 1 or len(family.domains[1]) <= 3)
        and usage.asked[key] > 0
        and family.arity <= 2
        and len(roles) > 1
    ]
    return tuple(found)


def _find_steps(families: dict[str, Family], usage: Usage) -> frozenset[str]:
    """Return the families that only count steps."""
    return frozenset(
        key
        for key in usage.steps
        if key in families
        and families[key].axes[0] is not None
        and len(families[key].domains[0]) >= 3
    )


def _group(
    readings: Sequence[Reading],
    families: dict[str, Family],
    usage: Usage,
    roles: frozenset[str],
) -> list[list[Reading]]:
    """Return the families of each board, the largest board first."""
    cells = [one for one in readings if one.use == "cells" and one.size <= LARGEST]
    cells.sort(key=lambda one: (len(one.where) > 1, one.full, one.size), reverse=True)
    groups: list[list[Reading]] = []
    for reading in cells:
        home = next((group for group in groups if _fits(reading, group)), None)
        if home is not None:
            home.append(reading)
        elif not groups or _deserves_board(reading, groups):
            groups.append([reading])
    if not groups:
        groups = _group_by_names(readings, usage, roles)
    for reading in readings:
        if reading.use == "edges":
            home = next((g for g in groups if _edges_fit(reading, g[0])), None)
            if home is not None:
                home.append(reading)
            else:
                groups.append([reading])
        elif reading.use == "stack" and not any(len(g[0].where) > 1 for g in groups):
            groups.append([reading])
    return groups


def _fits(reading: Reading, group: Sequence[Reading]) -> bool:
    """Whether a family's cells are cells of a board that has been found."""
    main = group[0]
    if len(reading.where) != len(main.where):
        return False
    inside = all(
        reading.family.domains[i] <= main.family.domains[j]
        or _shares(reading.family.domains[i], main.family.domains[j])
        for i, j in zip(reading.where, main.where, strict=True)
    )
    if not inside:
        return False
    return not any(_conflict(reading, other) for other in group)


def _shares(some: frozenset[str], others: frozenset[str]) -> bool:
    return len(some & others) >= 0.7 * len(some)


def _conflict(one: Reading, other: Reading) -> bool:
    """Whether two families both fill the cells, so that each needs its own board."""
    if one.full and other.full:
        mine = {one.cell_of(words) for words in one.family.initial}
        yours = {other.cell_of(words) for words in other.family.initial}
        return bool(mine & yours)
    both = (one, other)
    contents = [frozenset().union(*(r.family.domains[i] for i in r.what)) for r in both]
    alike = bool(contents[0]) and any(map(looks_empty, contents[0] & contents[1]))
    return alike and one.size != other.size


def _deserves_board(reading: Reading, groups: Sequence[Sequence[Reading]]) -> bool:
    """Whether a further family gets a board of its own."""
    if len(reading.where) >= 2:
        return bool(reading.what) or reading.size >= 9
    first = groups[0][0]
    return len(first.where) == 1 and reading.full


def _edges_fit(edges: Reading, main: Reading) -> bool:
    ends = find_ends(edges.family)
    if ends is None or len(main.where) != 2:
        return False
    domains = [main.family.domains[i] for i in main.where]
    return all(
        _shares(edges.family.domains[ends[0][k]], domains[k])
        and _shares(domains[k], edges.family.domains[ends[0][k]])
        for k in range(2)
    )


def _group_by_names(
    readings: Sequence[Reading], usage: Usage, roles: frozenset[str]
) -> list[list[Reading]]:
    """Return a board of cells that have one name each, and no order.

    They are the names that moves have in common with facts: `(mark a)`, `(blank a)`.
    """
    linked = {target for counts in usage.links.values() for target in +counts}
    places: dict[frozenset[str], list[Reading]] = defaultdict(list)
    for reading in readings:
        family = reading.family
        if reading.use != "beside" or not 1 <= family.arity <= 3:
            continue
        for i, domain in enumerate(family.domains):
            if domain & roles or len(domain) < 4 or (family.key, i) not in linked:
                continue
            if (
                family.arity == 1
                and family.axes[0] is not None
                and is_number(next(iter(domain)))
            ):
                continue
            what = tuple(j for j in range(family.arity) if j != i)
            full = family.covers((i,)) if family.arity > 1 else False
            places[domain].append(Reading(family, "cells", (i,), what, full))
            break
    merged: list[list[Reading]] = []
    for _, group in sorted(places.items(), key=lambda item: -len(item[0])):
        home = next(
            (
                g
                for g in merged
                if _shares(_place_domain(group[0]), _place_domain(g[0]))
            ),
            None,
        )
        if home is None:
            merged.append(list(group))
        else:
            home.extend(group)
    return merged[:1]


def _place_domain(reading: Reading) -> frozenset[str]:
    return reading.family.domains[reading.where[0]]


def _make_grid(
    group: Sequence[Reading],
    statics: Statics,
    orders: Orders,
    roles: Sequence[str],
    usage: Usage,
    several: bool,
) -> Grid | None:
    main = group[0]
    prefix = main.family.functor if several else ""
    if main.use == "stack":
        layer = Layer(main.family.key, main, "stacks")
        return Grid(prefix, Layout("square", {}), (layer,), ())
    where = main.where
    if main.use == "edges":
        ends = find_ends(main.family)
        if ends is None:
            return None
        where = ends[0]
        names = [
            main.family.domains[ends[0][k]] | main.family.domains[ends[1][k]]
            for k in range(2)
        ]
    else:
        names = [
            frozenset().union(
                *(r.family.domains[r.where[k]] for r in group if r.use == "cells")
            )
            for k in range(len(where))
        ]
    axes = tuple(orders.axis(one) for one in names)
    cells = _list_cells(group, names)
    if not cells or len(cells) > LARGEST:
        return None
    edges = _find_neighbours(statics, cells, len(where))
    looks = _make_all_looks(group, roles, usage)
    plane = find_plane(main, axes, roles, looks, usage)
    layout = lay_out(cells, axes, edges, plane)
    if main.use == "edges":
        layout = Layout("point", layout.points, layout.rows, layout.columns)
    layers = tuple(_make_layer(r, group, layout, looks, axes, usage) for r in group)
    return Grid(prefix, layout, layers, axes)


def _list_cells(
    group: Sequence[Reading], names: Sequence[frozenset[str]]
) -> set[Words]:
    """Return the cells that facts can name, or else all combinations."""
    main = group[0]
    if main.use == "edges":
        return {(a, b) for a in names[0] for b in names[1]}
    known = [r for r in group if r.use == "cells" and r.family.known is not None]
    cells = {r.cell_of(w) for r in known for w in r.family.known or ()}
    if main.full and not known:
        return {main.cell_of(words) for words in main.family.initial}
    size = 1
    for one in names:
        size *= len(one)
    if known and len(cells) < 0.75 * size:
        return cells
    if known and len(names) > 2:
        return cells
    if size > LARGEST:
        return set()
    full: set[Words] = {()}
    for one in names:
        full = {(*cell, word) for cell in full for word in one}
    return cells if known and main.full else full


def _find_neighbours(statics: Statics, cells: set[Words], size: int) -> Edges:
    """Return the pairs of cells that static relations say are neighbours."""
    found: set[tuple[Words, Words]] = set()
    for name in statics.names:
        tuples = statics.tuples(name)
        pairs = set()
        for arguments in tuples:
            words = tuple(map(to_kif, arguments))
            if len(words) not in (2 * size, 2 * size + 1):
                break
            for start in {0, len(words) - 2 * size}:
                one = words[start : start + size]
                other = words[start + size : start + 2 * size]
                if one != other and one in cells and other in cells:
                    pairs.add((one, other))
        if pairs and len(pairs) <= 8 * len(cells) and len(pairs) >= 0.7 * len(cells):
            found |= pairs
    return frozenset(found)


def _make_all_looks(
    group: Sequence[Reading], roles: Sequence[str], usage: Usage
) -> dict[Words, Look]:
    """Return the looks of every kind that a board's families can show."""
    kinds = {
        kind_of(reading, words, group)
        for reading in group
        for words in (*reading.family.combinations, *_unknown(reading))
    }
    if len(kinds) > 400:
        return {}
    return make_looks(kinds, roles, usage)


def _unknown(reading: Reading) -> Iterable[Words]:
    """Return made-up facts with every content, where the possible ones are unknown."""
    family = reading.family
    if family.known is not None or len(reading.what) > 2:
        return
    contents: list[Words] = [()]
    for i in reading.what:
        contents = [(*c, word) for c in contents for word in sorted(family.domains[i])]
    for content in contents[:400]:
        words = [""] * family.arity
        for i, word in zip(reading.what, content, strict=True):
            words[i] = word
        yield tuple(words)


def kind_of(reading: Reading, words: Words, group: Sequence[Reading]) -> Words:
    """Return what names a piece: its content, and the functor where that is needed."""
    content = reading.content_of(words)
    mains = [r for r in group if r.full or r is group[0]]
    if content and (reading in mains or len(group) == 1):
        return content
    return (reading.family.functor, *content)


def _make_layer(
    reading: Reading,
    group: Sequence[Reading],
    layout: Layout,
    looks: dict[Words, Look],
    axes: Sequence[Axis | None],
    usage: Usage,
) -> Layer:
    family = reading.family
    if reading.use == "edges":
        style = "edges" if reading is group[0] else "walls"
        return Layer(family.key, reading, style, _named_empty(reading), looks)
    owned = [word for word, roles in usage.companions.items() if roles]
    empty: frozenset[Words] = frozenset()
    if reading.full:
        contents = [reading.content_of(words) for words in family.initial]
        possible = {reading.content_of(words) for words in family.combinations}
        empty = find_empty(contents, possible, owned)
    style = "pieces"
    counted = len(reading.what) == 1 and family.axes[reading.what[0]] is not None
    if len(reading.where) == 1 and reading.full and counted:
        style, empty = "counts", frozenset()
    elif reading is not group[0] and any(
        len(family.domains[i]) > 12 for i in reading.what
    ):
        style = "hidden"
    return Layer(family.key, reading, style, empty, looks)


def _named_empty(reading: Reading) -> frozenset[Words]:
    return frozenset(
        content
        for content in {reading.content_of(w) for w in reading.family.combinations}
        if any(map(looks_empty, content))
    )
