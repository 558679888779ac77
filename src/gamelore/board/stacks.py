"""Stacks: `(on a b)` says that a lies on b. Each stack is a column of cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamelore.board.families import Words
from gamelore.board.grids import Grid
from gamelore.board.looks import NEUTRAL
from gamelore.board.order import natural
from gamelore.board.scene import BoardScene, Cell, Piece


def stack_cells(
    grid: Grid, by_family: Mapping[str, Sequence[Words]], offset: float
) -> BoardScene:
    """Return the things that lie on each other, each at its height."""
    layer = grid.layers[0]
    family = layer.encoding.family
    upper, lower = family.domains
    facts = by_family.get(layer.key, ())
    first_is_upper = family.is_unique(family.initial, (0,)) and (
        bool(lower - upper)
        or not upper - lower
        or not family.is_unique(family.initial, (1,))
    )
    pairs = [(a, b) if first_is_upper else (b, a) for a, b in facts]
    below = dict(pairs)
    things = sorted(upper | lower, key=natural)
    bases = [name for name in things if name not in below]
    on_top: dict[str, list[str]] = {}
    for one, other in sorted(below.items()):
        on_top.setdefault(other, []).append(one)
    height = 1 + max((_height(name, below) for name in things), default=0)
    sizes = {name: i for i, name in enumerate(things)}
    cells: list[Cell] = []
    pieces: list[Piece] = []
    columns = [path for base in bases for path in _paths(base, on_top)]
    for column, path in enumerate(columns):
        for level, name in enumerate(path):
            ident = grid.name((name,))
            if any(cell.id == ident for cell in cells):
                continue
            spot = (offset + column * 1.2, float(height - 1 - level))
            cells.append(Cell(ident, *spot, name, "slot"))
            is_base = name not in upper
            shape = "base" if is_base else "slab"
            colour = "plain" if is_base else NEUTRAL[sizes[name] % len(NEUTRAL)]
            pieces.append(Piece(ident, name, None, name, shape, colour))
    return BoardScene("stacks", tuple(cells), tuple(pieces))


def _height(name: str, below: Mapping[str, str]) -> int:
    height = 0
    while name in below and height < 64:
        name = below[name]
        height += 1
    return height


def _paths(base: str, on_top: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the ways up from a base, more than one where several things lie on it."""
    paths, pending = [], [[base]]
    while pending:
        path = pending.pop()
        above = [name for name in on_top.get(path[-1], ()) if name not in path]
        if not above:
            paths.append(path)
        pending.extend([*path, name] for name in reversed(above))
    return paths
