"""Where cells are drawn: squares, hexagons, several boards, stars and graphs.

A layout gives every cell a point. Where rules say which cells are neighbours, the one
is chosen in which neighbours are close.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gamelore.board.families import Words
from gamelore.board.named_layouts import lay_out_names
from gamelore.board.order import Axis, natural
from gamelore.board.points import (
    GAP,
    ROW,
    Edges,
    Layout,
    Point,
    centre_rows,
    fits,
    fits_best,
    from_zero,
    is_ragged,
    join_points,
)


@dataclass(frozen=True)
class Plane:
    """Two axes, and which way they run."""

    horizontal: int
    """Which of the two coordinates runs from left to right."""
    upward: bool
    """Whether the other one runs from the bottom to the top."""

    def point(self, ranks: Sequence[int], heights: Sequence[int]) -> Point:
        across, along = ranks[self.horizontal], ranks[1 - self.horizontal]
        height = heights[1 - self.horizontal]
        return float(across), float(height - 1 - along if self.upward else along)


def lay_out(
    cells: Iterable[Words],
    axes: Sequence[Axis | None],
    edges: Sequence[Edges],
    plane: Plane,
) -> Layout:
    """Return where cells of one to four coordinates are drawn.

    `edges` has the neighbours according to each of several relations.
    """
    cells = sorted(cells, key=lambda cell: [natural(word) for word in cell])
    if len(axes) == 1:
        return lay_out_names(cells, axes[0], edges)
    if any(axis is None for axis in axes[-2:]):
        return lay_out_names(cells, None, edges)
    if len(axes) == 2:
        return _lay_out_plane(cells, axes, edges, plane)
    return _lay_out_boards(cells, axes, plane)


def lay_out_rows(vertical: Axis | None, rows: Mapping[str, Axis]) -> Layout:
    """Return rows around the middle, in which each has an order of its own.

    They are hexagons where each row lies in the gaps of the next.
    """
    order = vertical.rank if vertical is not None else {}
    names = sorted(rows, key=lambda row: order[row])
    points: dict[Words, Point] = {
        (row, name): (float(rows[row].rank[name]), float(order[row]))
        for row in names
        for name in rows[row].names
    }
    centred = centre_rows(points)
    odd = all((len(rows[a].names) - len(rows[b].names)) % 2 for a, b in pairwise(names))
    height = ROW if odd else 1.0
    points = {cell: (x, points[cell][1] * height) for cell, (x, _) in centred.items()}
    labels = tuple((row, order[row] * height) for row in names)
    return Layout("hex" if odd else "square", points, labels)


def _lay_out_plane(
    cells: Sequence[Words],
    axes: Sequence[Axis | None],
    edges: Sequence[Edges],
    plane: Plane,
) -> Layout:
    pair = [axis for axis in axes if axis is not None]
    heights = [axis.length for axis in pair]
    ranks = {
        cell: [a.rank[w] for a, w in zip(pair, cell, strict=True)] for cell in cells
    }
    square = {cell: plane.point(own, heights) for cell, own in ranks.items()}
    for i in range(2):
        if pair[i].cyclic and pair[i].length >= 6 and pair[1 - i].length <= 4:
            return _lay_out_rings(ranks, i, pair[i].length, edges)
    if min(heights) >= 3 and is_ragged(square) and edges:
        enough = max(0.9, fits_best(square, edges))
        for one in (plane, Plane(1 - plane.horizontal, upward=False)):
            turned = {cell: one.point(own, heights) for cell, own in ranks.items()}
            centred = centre_rows(turned)
            if fits_best(centred, edges) > enough:
                return Layout("hex", centred)
    slant = _find_slant(square, edges) if min(heights) >= 3 else 0
    vertical, horizontal = pair[1 - plane.horizontal], pair[plane.horizontal]
    if slant:
        points = {cell: (x + slant * y / 2, y * ROW) for cell, (x, y) in square.items()}
        rows = _label(vertical, 1 - plane.horizontal, points, 1)
        return Layout("hex", from_zero(points), rows)
    return Layout(
        "square",
        square,
        _label(vertical, 1 - plane.horizontal, square, 1),
        _label(horizontal, plane.horizontal, square, 0),
    )


def _label(
    axis: Axis, place: int, points: Mapping[Words, Point], side: int
) -> tuple[tuple[str, float], ...]:
    """Return the names along one side of a board, with where they stand."""
    spots = {cell[place]: point[side] for cell, point in points.items()}
    return tuple((name, spots[name]) for name in axis.names if name in spots)


def _lay_out_rings(
    ranks: Mapping[Words, Sequence[int]],
    around: int,
    count: int,
    edges: Sequence[Edges],
) -> Layout:
    """Return rings inside each other: one coordinate runs in a circle.

    Eight places stand on a square, as in nine men's morris.
    """
    points = {}
    for cell, own in ranks.items():
        radius = 1.0 + own[1 - around]
        turn = 2 * math.pi * own[around] / count
        x, y = math.sin(turn), -math.cos(turn)
        if count == 8:
            x, y = float(round(x * 1.4)), float(round(y * 1.4))
        points[cell] = (x * radius, y * radius)
    points = from_zero(points)
    nearest = min(edges, key=lambda one: -fits(points, one), default=frozenset())
    return Layout("point", points, links=join_points(points, nearest))


def _find_slant(points: Mapping[Words, Point], relations: Sequence[Edges]) -> int:
    """Return which way rows of hexagons are shifted; 0 for squares."""
    slants = [_slant_by_edges(points, edges) for edges in relations]
    return next((slant for slant in slants if slant), 0) or _slant_by_outline(points)


def _slant_by_outline(points: Mapping[Words, Point]) -> int:
    """Return the shift that makes a hexagon of a board without two opposite corners."""
    spots = set(points.values())
    width = max(x for x, _ in spots) + 1
    height = max(y for _, y in spots) + 1
    if width != height or len(spots) == width * height or width % 2 == 0:
        return 0
    half = (width - 1) / 2
    whole = {
        (float(x), float(y)) for x in range(int(width)) for y in range(int(height))
    }
    for slant in (-1, 1):
        inside = {
            (x, y)
            for x, y in whole
            if abs(x - y if slant < 0 else x + y - width + 1) <= half
        }
        if spots <= inside and len(spots) >= 0.85 * len(inside):  # some have holes
            return slant
    return 0


def _slant_by_edges(points: Mapping[Words, Point], edges: Edges) -> int:
    """Return the shift that makes one relation's neighbours those of hexagons.

    Hexagons have six neighbours: those of a square's four sides, and one diagonal.
    """
    steps: dict[Point, int] = defaultdict(int)
    for a, b in edges:
        if a in points and b in points:
            step = (points[b][0] - points[a][0], points[b][1] - points[a][1])
            steps[max(step, (-step[0], -step[1]))] += 1
    sides = steps.get((1, 0), 0) and steps.get((0, 1), 0)
    if not sides or set(steps) - {(1, 0), (0, 1), (1, 1), (1, -1)}:
        return 0
    falling, rising = steps.get((1, 1), 0), steps.get((1, -1), 0)
    if bool(falling) == bool(rising):
        return 0
    return -1 if falling else 1


def _lay_out_boards(
    cells: Sequence[Words], axes: Sequence[Axis | None], plane: Plane
) -> Layout:
    """Return boards side by side: the coordinates before the last two number them."""
    outer, inner = axes[:-2], [axis for axis in axes[-2:] if axis is not None]
    heights = [axis.length for axis in inner]
    selectors = sorted({cell[:-2] for cell in cells}, key=_rank_by(outer))
    across, down = heights[plane.horizontal], heights[1 - plane.horizontal]
    if len(outer) == 2 and all(axis is not None for axis in outer):
        pair = [axis for axis in outer if axis is not None]
        sizes = [axis.length for axis in pair]
        spots = {
            one: plane.point(
                [axis.rank[word] for axis, word in zip(pair, one, strict=True)], sizes
            )
            for one in selectors
        }
    else:
        columns = _boards_in_a_row(len(selectors))
        spots = {
            one: (float(i % columns), float(i // columns))
            for i, one in enumerate(selectors)
        }
    gap = GAP if len(outer) == 1 else GAP / 3
    if len(outer) == 1 and _are_triangles(cells, selectors):
        return _lay_out_triangles(cells, inner, spots)
    points = {}
    for cell in cells:
        ranks = [axis.rank[w] for axis, w in zip(inner, cell[-2:], strict=True)]
        x, y = plane.point(ranks, heights)
        column, row = spots[cell[:-2]]
        points[cell] = (x + column * (across + gap), y + row * (down + gap))
    return Layout("square", points)


def _are_triangles(cells: Sequence[Words], selectors: Sequence[Words]) -> bool:
    """Whether the rows of each board have one cell more than the row before."""
    for one in selectors:
        lengths = Counter(cell[-2] for cell in cells if cell[:-2] == one)
        if sorted(lengths.values()) != list(range(1, len(lengths) + 1)):
            return False
    return len(cells) > 2 * len(selectors)


def _lay_out_triangles(
    cells: Sequence[Words], axes: Sequence[Axis], spots: Mapping[Words, Point]
) -> Layout:
    """Return triangles of hexagons side by side: the layers of a pyramid."""
    first, second = axes
    size = first.length + GAP
    points: dict[Words, Point] = {}
    for board, (column, line) in spots.items():
        own: dict[Words, Point] = {
            cell: (float(second.rank[cell[-1]]), float(first.rank[cell[-2]]))
            for cell in cells
            if cell[:-2] == board
        }
        for cell, (x, y) in centre_rows(own).items():
            points[cell] = (x + column * size, y + line * size * ROW)
    return Layout("hex", points)


def _boards_in_a_row(count: int) -> int:
    if count == 4:
        return 2
    return count if count <= 3 else math.ceil(math.sqrt(1.6 * count))


def _rank_by(
    axes: Sequence[Axis | None],
) -> Callable[[Words], list[tuple[object, ...]]]:
    def key(words: Words) -> list[tuple[object, ...]]:
        return [
            (axis.rank[word],) if axis is not None else natural(word)
            for axis, word in zip(axes, words, strict=True)
        ]

    return key
