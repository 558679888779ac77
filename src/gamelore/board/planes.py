"""Positions as planes: one for each kind of content, with the shape of the board.

A plane has a row and a column for every line of cells, as the board is drawn: what is
on a cell is at its place in the plane of its kind. A fact that is about no cell, such
as whose turn it is, has a plane of its own, all of it 1 while the fact is true. Every
fact has a place, so planes hold all that facts do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gamelore.board.families import split_fact
from gamelore.board.infer import BoardModel
from gamelore.board.points import GAP
from gamelore.errors import ArgumentError
from gamelore.gdl import Fact, to_kif

WHOLE = -1
"""The place of a fact that fills its plane."""

_FINE = 1e-6  # of the width of a cell: points nearer than that are in one line


@dataclass(frozen=True)
class PlaneLayout:
    """Where facts are in the planes of a board."""

    names: tuple[str, ...]
    """Of the planes: what is on a cell, as `cell x`, or a whole fact."""
    height: int
    width: int
    planes: tuple[int, ...]
    """By fact, its plane."""
    places: tuple[int, ...]
    """By fact, row * width + column, or `WHOLE`."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Planes, rows, columns."""
        return len(self.names), self.height, self.width


def lay_out_planes(model: BoardModel, fluents: Sequence[Fact]) -> PlaneLayout:
    """Return where each fact is; `ArgumentError` if the game has no such board."""
    if model.kind not in ("square", "hex", "line"):
        kind = "none" if model.kind == "facts" else f"a board of {model.kind}"
        raise ArgumentError(
            f"{model.game} has no board with rows and columns ({kind} was found), so"
            " it has no planes: use observation='facts'"
        )
    points = _find_points(model)
    rows = _number(y for _, y in points.values())
    columns = _number(x for x, _ in points.values())
    numbers: dict[str, int] = {}
    planes, places = [], []
    for fact in fluents:
        found = _find_cell(model, fact)
        name, place = to_kif(fact), WHOLE
        if found is not None:
            name, cell = found
            x, y = points[cell]
            place = rows[_line(y)] * len(columns) + columns[_line(x)]
        planes.append(numbers.setdefault(name, len(numbers)))
        places.append(place)
    return PlaneLayout(
        tuple(numbers), len(rows), len(columns), tuple(planes), tuple(places)
    )


def _find_cell(model: BoardModel, fact: Fact) -> tuple[str, str] | None:
    """Return the plane and the cell of a fact; nothing if it is about no cell."""
    key, words = split_fact(fact)
    for grid in model.grids:
        for layer in grid.layers:
            encoding = layer.encoding
            if layer.key != key or encoding.use != "cells":
                continue
            cell = encoding.find_cell(words)
            if cell in grid.layout.points:
                content = encoding.family.functor, *encoding.find_content(words)
                return " ".join(content), grid.name(cell)
    return None


def _find_points(model: BoardModel) -> dict[str, tuple[float, float]]:
    """Return where all cells are, several boards side by side."""
    points: dict[str, tuple[float, float]] = {}
    offset = 0.0
    for grid in model.grids:
        here = {
            grid.name(c): (x + offset, y) for c, (x, y) in grid.layout.points.items()
        }
        points.update(here)
        offset = max((x for x, _ in points.values()), default=-1.0) + 1 + GAP
    return points


def _number(values: Iterable[float]) -> dict[int, int]:
    """Return the lines that coordinates are in, numbered in order."""
    return {
        line: n for n, line in enumerate(sorted({_line(value) for value in values}))
    }


def _line(value: float) -> int:
    return round(value / _FINE)
