"""Points of cells: what a layout is, and how well one fits the neighbours.

Points are in units of a cell's width, y downwards.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gamelore.board.families import Words

Point: TypeAlias = tuple[float, float]
Edges: TypeAlias = frozenset[tuple[Words, Words]]

GAP = 0.7
"""Between boards side by side, in cells."""
ROW = math.sqrt(3) / 2
"""Between rows of hexagons."""


@dataclass(frozen=True)
class Layout:
    """Points of cells, and labels along the sides."""

    shape: str
    points: Mapping[Words, Point]
    rows: tuple[tuple[str, float], ...] = ()
    columns: tuple[tuple[str, float], ...] = ()
    links: tuple[tuple[Point, Point], ...] = ()
    """Lines between neighbours, where cells are points."""

    @property
    def kind(self) -> str:
        """`square`, `hex`, `line`, `table` or `graph`."""
        if self.shape == "square" and len({y for _, y in self.points.values()}) == 1:
            return "line"
        if self.shape == "dot":
            return "square"
        if self.shape == "wide":
            return "table"
        return "graph" if self.shape == "point" else self.shape


def from_zero(points: Mapping[Words, Point]) -> dict[Words, Point]:
    """Return the points moved so that the smallest coordinates are 0."""
    left = min(x for x, _ in points.values())
    top = min(y for _, y in points.values())
    return {
        cell: (round(x - left, 4), round(y - top, 4)) for cell, (x, y) in points.items()
    }


def is_ragged(points: Mapping[Words, Point]) -> bool:
    """Whether rows differ in length."""
    lengths: dict[float, int] = defaultdict(int)
    for _, y in points.values():
        lengths[y] += 1
    return len(set(lengths.values())) > 1


def centre_rows(points: Mapping[Words, Point]) -> dict[Words, Point]:
    """Return rows of hexagons, each around the middle."""
    rows: dict[float, list[tuple[float, Words]]] = defaultdict(list)
    for cell, (x, y) in points.items():
        rows[y].append((x, cell))
    return from_zero(
        {
            cell: (i - len(row) / 2, y * ROW)
            for y, row in rows.items()
            for i, (_, cell) in enumerate(sorted(row))
        }
    )


def fits(points: Mapping[Words, Point], edges: Edges) -> float:
    """Return the share of edges that join points close to each other."""
    inside = [(points[a], points[b]) for a, b in edges if a in points and b in points]
    near = sum(math.dist(a, b) < 1.2 for a, b in inside)
    close = sum(math.dist(a, b) < 1.5 for a, b in inside)
    return (0.9 * close + 0.1 * near) / max(1, len(inside))


def fits_best(points: Mapping[Words, Point], relations: Sequence[Edges]) -> float:
    return max((fits(points, edges) for edges in relations), default=0.0)


def join_points(
    points: Mapping[Words, Point], edges: Edges
) -> tuple[tuple[Point, Point], ...]:
    pairs = {tuple(sorted((points[a], points[b]))) for a, b in edges}
    return tuple((one, other) for one, other in sorted(pairs))
