"""The cells that a move is about."""

from __future__ import annotations

from collections.abc import Sequence

from gamelore.board.families import Words, split_fact
from gamelore.board.grids import Grid
from gamelore.board.infer import BoardModel
from gamelore.board.order import is_number
from gamelore.gdl import Move


def find_move_cells(model: BoardModel, move: Move) -> tuple[str, ...]:
    """Return the names of the cells in a move's arguments, source first.

    A move that names one coordinate only, such as a column to drop a disc in, is about
    all cells that have it.
    """
    key, words = split_fact(move)
    cells: list[str] = []
    i = 0
    while i < len(words):
        found = _match(model, key, words, i)
        if found is None:
            i += 1
            continue
        name, length = found
        if name not in cells:
            cells.append(name)
        i += length
    return tuple(cells) or _match_line(model, key, words)


def _match(
    model: BoardModel, key: str, words: Sequence[str], start: int
) -> tuple[str, int] | None:
    """Return the cell that the arguments from `start` on name, and their number."""
    options: list[tuple[int, int, str]] = []
    for number, grid in enumerate(model.grids):
        if _names_corner(model, grid, key, start):
            continue
        size = _size(grid)
        part = tuple(words[start : start + size])
        if len(part) == size and size and part in _cells(grid):
            score = sum(
                _linked(model, key, start + k, layer.key, layer.encoding.where[k])
                for layer in grid.layers
                for k in range(min(size, len(layer.encoding.where)))
            )
            options.append((score, -number, grid.name(part)))
    if not options:
        return None
    score, number, name = max(options)
    size = _size(model.grids[-number])
    if size == 1 and score == 0 and is_number(words[start]):
        links = model.usage.links.get((key, start))
        if links is not None and any(links.values()):
            return None  # a number of something else
    return name, size


def _names_corner(model: BoardModel, grid: Grid, key: str, start: int) -> bool:
    """Whether an argument is a coordinate of lines between corners, not of a cell."""
    return any(
        layer.style == "corners" and _linked(model, key, start, layer.key, place)
        for layer in grid.layers
        for place in layer.encoding.where
    )


def _cells(grid: Grid) -> frozenset[Words] | set[Words]:
    if grid.layers[0].style == "stacks":
        upper, lower = grid.layers[0].encoding.family.domains
        return {(name,) for name in upper | lower}
    return set(grid.layout.points)


def _size(grid: Grid) -> int:
    if grid.layers[0].style == "stacks":
        return 1
    return len(grid.axes)


def _linked(model: BoardModel, key: str, i: int, family: str, place: int) -> int:
    counts = model.usage.links.get((key, i))
    return counts[family, place] if counts is not None else 0


def _match_line(model: BoardModel, key: str, words: Words) -> tuple[str, ...]:
    """Return the cells with the one coordinate that a move names."""
    for i, word in enumerate(words):
        for grid in model.grids:
            layer = grid.layers[0]
            if len(grid.axes) < 2 or layer.style in ("edges", "stacks", "scores"):
                continue
            scores = [
                _linked(model, key, i, layer.key, place)
                for place in layer.encoding.where
            ]
            if max(scores) == 0:
                continue
            k = scores.index(max(scores))
            cells = [cell for cell in grid.layout.points if cell[k] == word]
            if cells:
                return tuple(grid.name(cell) for cell in cells)
    return ()
