"""Pictures of games without a board: scores, switches, states and tracks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from gamelore.board.coordinates import Encoding
from gamelore.board.families import Family, Words
from gamelore.board.graph_layout import lay_out_stages
from gamelore.board.grids import Grid, GridMaker, Layer
from gamelore.board.looks import Look, base_name, make_looks, role_colours
from gamelore.board.order import is_number
from gamelore.board.points import Layout, Point
from gamelore.gdl.graph import components

LONGEST = 16
"""Places of a track, at most."""
MOST_STATES = 60


def make_diagrams(families: Sequence[Family], maker: GridMaker) -> list[Grid]:
    """Return what shows a game that has no cells; nothing if its facts are a list.

    It is a table of what each role has, a row of switches, a diagram of states, or a
    track for each fact that moves along one.
    """
    table = _make_table(families, maker)
    if table is not None:
        return [table]
    switches = _find_switches(families)
    if switches:
        grid = maker.make(switches, "")
        return [grid] if grid is not None else []
    states = _make_states(families, maker)
    if states is not None:
        return [states]
    tracks = [[Encoding(f, "cells", (0,))] for f in families if _is_track(f)]
    names = [track[0].family.functor if len(tracks) > 1 else "" for track in tracks]
    grids = [maker.make(t, name) for t, name in zip(tracks, names, strict=True)]
    return [grid for grid in grids if grid is not None]


def _make_table(families: Sequence[Family], maker: GridMaker) -> Grid | None:
    """Return a table of numbers, with a row for each role and a column for each kind.

    Numbers belong to a role that is an argument, `(score red 3)`, or in the name of the
    fact, `(redScore 3)`.
    """
    found = [one for one in map(_TableReader(maker.roles), families) if one is not None]
    cells: dict[Words, None] = {}
    for _, columns in found:
        for role, column in columns:
            cells[role, column] = None
    rows = [role for role in maker.roles if any(cell[0] == role for cell in cells)]
    if len(rows) < 2:
        return None
    titles = list(dict.fromkeys(column for _, column in cells))
    points: dict[Words, Point] = {
        (role, column): (2.0 * titles.index(column) + 0.5, float(rows.index(role)))
        for role, column in cells
    }
    layout = Layout(
        "wide",
        points,
        tuple((role, float(i)) for i, role in enumerate(rows)),
        tuple((title, 2.0 * i + 0.5) for i, title in enumerate(titles)),
    )
    colours = role_colours(maker.roles)
    looks: dict[Words, Look] = {
        (role,): Look(role, role, colours[role], "score", "") for role in rows
    }
    layers = tuple(
        Layer(encoding.family.key, encoding, "scores", looks=looks)
        for encoding, _ in found
    )
    return Grid("", layout, layers, (None, None))


class _TableReader:
    """Reads families as numbers that roles have."""

    def __init__(self, roles: Sequence[str]) -> None:
        self._roles = roles

    def __call__(self, family: Family) -> tuple[Encoding, list[tuple[str, str]]] | None:
        """Return the encoding with its cells, or None if no role has the numbers."""
        numbers = [
            i for i, names in enumerate(family.domains) if all(map(is_number, names))
        ]
        if family.arity == 1 and numbers == [0]:
            role = find_role(family.functor, self._roles)
            if role is None:
                return None
            encoding = Encoding(family, "scores", (), (0,))
            return encoding, [(role, base_name((family.functor,), role))]
        if family.arity != 2 or len(numbers) != 1:
            return None
        other = 1 - numbers[0]
        names = family.domains[other]
        if not names or not names <= set(self._roles):
            return None
        encoding = Encoding(family, "scores", (other,), (numbers[0],))
        return encoding, [(r, family.functor) for r in self._roles if r in names]


def find_role(functor: str, roles: Iterable[str]) -> str | None:
    """Return the longest role that a fact's name begins or ends with."""
    lowered = functor.lower()
    fitting = [
        role
        for role in roles
        if lowered.startswith(role.lower()) or lowered.endswith(role.lower())
    ]
    return max(fitting, key=len, default=None)


def _find_switches(families: Iterable[Family]) -> list[Encoding]:
    """Return families of which one at a time holds for each name: `(on a)`, `(off a)`.

    What holds for most names at the start comes first.
    """
    by_names: dict[frozenset[str], list[Family]] = defaultdict(list)
    for family in families:
        if family.arity == 1:
            by_names[family.domains[0]].append(family)
    for names, group in by_names.items():
        at_start = [words[0] for family in group for words in family.initial]
        if len(group) > 1 and len(names) > 1 and sorted(at_start) == sorted(names):
            group.sort(key=lambda family: -len(family.initial))
            return [Encoding(family, "cells", (0,)) for family in group]
    return []


def _make_states(families: Sequence[Family], maker: GridMaker) -> Grid | None:
    """Return a diagram of facts without arguments that follow each other.

    One of them holds at the start; rules say which of the others a move leads to.
    """
    plain = {family.functor: family for family in families if family.arity == 0}
    flows = {
        (a, b) for a, b in maker.usage.flows if a != b and a in plain and b in plain
    }
    near: dict[str, set[str]] = {name: set() for name in plain}
    for a, b in flows:
        near[a].add(b)
        near[b].add(a)
    parts: dict[int, list[str]] = defaultdict(list)
    for name, number in components(near).items():
        parts[number].append(name)
    for names in sorted(parts.values(), key=len, reverse=True):
        start = [name for name in names if plain[name].initial]
        if len(start) == 1 and 1 < len(names) <= MOST_STATES:
            edges = {edge for edge in flows if edge[0] in names}
            return _draw_states(start[0], edges, plain, maker)
    return None


def _draw_states(
    start: str,
    flows: set[tuple[str, str]],
    families: Mapping[str, Family],
    maker: GridMaker,
) -> Grid:
    edges = frozenset(((a,), (b,)) for a, b in flows)
    layout = lay_out_stages((start,), edges)
    names = [cell[0] for cell in layout.points]
    looks = make_looks([(name,) for name in names], maker.roles, maker.usage)
    token = {
        kind: Look(look.kind, look.owner, "blue", "token", kind[0][:4])
        for kind, look in looks.items()
    }
    layers = tuple(
        Layer(
            families[name].key,
            Encoding(families[name], "state"),
            "pieces",
            named=True,
            looks=token,
        )
        for name in names
    )
    return Grid("", layout, layers, (None,))


def _is_track(family: Family) -> bool:
    """Whether one thing is at one of a few places: `(at 3)`."""
    if family.arity != 1 or len(family.initial) != 1:
        return False
    return 2 <= len(family.domains[0]) <= LONGEST
