"""Where cells are drawn: squares, hexagons, several boards, stars and graphs.

A layout gives every cell a point, in units of a cell's width, y downwards. Where rules
say which cells are neighbours, the layout is chosen in which neighbours are close.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from gamelore.board.families import Words
from gamelore.board.order import Axis, natural
from gamelore.gdl.graph import components

Point: TypeAlias = tuple[float, float]
Edges: TypeAlias = frozenset[tuple[Words, Words]]

GAP = 0.7
"""Between boards side by side, in cells."""
ROW = math.sqrt(3) / 2
"""Between rows of hexagons."""

_SPLIT = re.compile(r"([a-z]+|[0-9])[-_]?([0-9]+)", re.IGNORECASE)


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
        """`square`, `hex`, `line` or `graph`."""
        if self.shape == "square" and len({y for _, y in self.points.values()}) == 1:
            return "line"
        if self.shape == "dot":
            return "square"
        return "graph" if self.shape == "point" else self.shape


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
        return _lay_out_names(cells, axes[0], edges)
    if any(axis is None for axis in axes[-2:]):
        return _lay_out_names(cells, None, edges)
    if len(axes) == 2:
        return _lay_out_plane(cells, axes, edges, plane)
    return _lay_out_boards(cells, axes, plane)


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
    if min(heights) >= 3 and _is_ragged(square) and _fits_best(square, edges) < 0.9:
        centred = _centre_rows(square)
        if edges and _fits_best(centred, edges) > 0.9:
            return Layout("hex", centred)
    slant = _find_slant(square, edges) if min(heights) >= 3 else 0
    vertical, horizontal = pair[1 - plane.horizontal], pair[plane.horizontal]
    if slant:
        points = {cell: (x + slant * y / 2, y * ROW) for cell, (x, y) in square.items()}
        rows = _label(vertical, 1 - plane.horizontal, points, 1)
        return Layout("hex", _from_zero(points), rows)
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


def _is_ragged(points: Mapping[Words, Point]) -> bool:
    """Whether rows differ in length."""
    lengths: dict[float, int] = defaultdict(int)
    for _, y in points.values():
        lengths[y] += 1
    return len(set(lengths.values())) > 1


def _centre_rows(points: Mapping[Words, Point]) -> dict[Words, Point]:
    """Return rows of hexagons, each around the middle."""
    rows: dict[float, list[tuple[float, Words]]] = defaultdict(list)
    for cell, (x, y) in points.items():
        rows[y].append((x, cell))
    return _from_zero(
        {
            cell: (i - len(row) / 2, y * ROW)
            for y, row in rows.items()
            for i, (_, cell) in enumerate(sorted(row))
        }
    )


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
    points = _from_zero(points)
    nearest = min(edges, key=lambda one: -_fits(points, one), default=frozenset())
    return Layout("point", points, links=_links(points, nearest))


def _links(
    points: Mapping[Words, Point], edges: Edges
) -> tuple[tuple[Point, Point], ...]:
    pairs = {tuple(sorted((points[a], points[b]))) for a, b in edges}
    return tuple((one, other) for one, other in sorted(pairs))


def _find_slant(points: Mapping[Words, Point], relations: Sequence[Edges]) -> int:
    """Return which way rows of hexagons are shifted; 0 for squares."""
    slants = [_slant_of(points, edges) for edges in relations]
    return next((slant for slant in slants if slant), 0) or _slant_of_outline(points)


def _slant_of_outline(points: Mapping[Words, Point]) -> int:
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
    if spots == {(x, y) for x, y in whole if abs(x - y) <= half}:
        return -1
    if spots == {(x, y) for x, y in whole if abs(x + y - width + 1) <= half}:
        return 1
    return 0


def _slant_of(points: Mapping[Words, Point], edges: Edges) -> int:
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
    points = {}
    for cell in cells:
        ranks = [axis.rank[w] for axis, w in zip(inner, cell[-2:], strict=True)]
        x, y = plane.point(ranks, heights)
        column, row = spots[cell[:-2]]
        points[cell] = (x + column * (across + gap), y + row * (down + gap))
    return Layout("square", points)


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


def _lay_out_names(
    cells: Sequence[Words], axis: Axis | None, edges: Sequence[Edges]
) -> Layout:
    """Return a layout of cells that have one name each."""
    options = [*_split_layouts(cells)]
    if axis is not None:
        cells = sorted(cells, key=lambda cell: axis.rank.get(cell[0], -1))
        options.append(_lay_out_line(cells))
        options.extend(_wrapped_layouts(cells, edges))
    complete = [one for one in edges if _covers(one, cells)]
    if complete and len(cells) > 5:
        best = max(options, key=lambda o: _fits_best(o.points, complete), default=None)
        if best is not None and _fits_best(best.points, complete) >= 0.75:
            return best
        if len(cells) <= 100:
            return _lay_out_graph(cells, _most_connected(complete))
    if options and axis is None:
        return options[-1] if _interlocks(options[-1].points) else options[0]
    return _lay_out_line(cells)


def _interlocks(points: Mapping[Words, Point]) -> bool:
    """Whether centred rows lie in each other's gaps, as those of a star do."""
    lengths: dict[float, int] = defaultdict(int)
    for _, y in points.values():
        lengths[y] += 1
    rows = [lengths[y] for y in sorted(lengths)]
    return all((a - b) % 2 for a, b in pairwise(rows))


def _most_connected(relations: Sequence[Edges]) -> Edges:
    """Return the relation that leaves the fewest parts apart, the smaller of two."""

    def key(edges: Edges) -> tuple[int, int]:
        near: dict[Words, set[Words]] = defaultdict(set)
        for a, b in edges:
            near[a].add(b)
            near[b].add(a)
        return len(set(components(near).values())), len(edges)

    return min(relations, key=key)


def _covers(edges: Edges, cells: Sequence[Words]) -> bool:
    known = {cell for edge in edges for cell in edge}
    return len(known & set(cells)) >= 0.8 * len(cells)


def _fits_best(points: Mapping[Words, Point], relations: Sequence[Edges]) -> float:
    return max((_fits(points, edges) for edges in relations), default=0.0)


def _lay_out_line(cells: Sequence[Words]) -> Layout:
    points = {cell: (float(i), 0.0) for i, cell in enumerate(cells)}
    return Layout("square", points)


def _split_layouts(cells: Sequence[Words]) -> Iterable[Layout]:
    """Return layouts of cells named by a letter and a number, or by two digits."""
    parts = [(cell, _SPLIT.fullmatch(cell[0])) for cell in cells if len(cell) == 1]
    if len(parts) < len(cells) or not all(match for _, match in parts):
        return
    split: dict[Words, tuple[str, int]] = {
        cell: (match[1], int(match[2])) for cell, match in parts if match
    }
    letters = sorted({letter for letter, _ in split.values()}, key=natural)
    numbers = sorted({number for _, number in split.values()})
    if len(letters) < 2 or len(numbers) < 2:
        return
    square = {
        cell: (float(letters.index(letter)), float(numbers[-1] - number))
        for cell, (letter, number) in split.items()
    }
    yield Layout("square", square)
    for slant in (1, -1):
        slanted = {
            cell: (x + slant * y / 2, y * ROW) for cell, (x, y) in square.items()
        }
        yield Layout("hex", _from_zero(slanted))
    rows = {
        cell: (float(number), float(letters.index(letter)))
        for cell, (letter, number) in split.items()
    }
    yield Layout("hex", _centre_rows(rows))


def _wrapped_layouts(
    cells: Sequence[Words], edges: Sequence[Edges]
) -> Iterable[Layout]:
    """Return rows of equal length, and such with each second one set in by half."""
    count = len(cells)
    for width in range(2, count // 2 + 1):
        if count % width == 0:
            yield Layout(
                "square",
                {c: (float(i % width), float(i // width)) for i, c in enumerate(cells)},
            )
            for shift in (0, 1):
                yield Layout(
                    "square",
                    {
                        c: (2.0 * (i % width) + (i // width + shift) % 2, i // width)
                        for i, c in enumerate(cells)
                    },
                )
    if edges:
        ring = 2 * math.pi / count
        radius = max(0.5 / math.sin(ring / 2), 1.0) if count > 2 else 1.0
        points: dict[Words, Point] = {
            c: (radius * math.sin(i * ring), -radius * math.cos(i * ring))
            for i, c in enumerate(cells)
        }
        yield Layout("point", _from_zero(points))


def _fits(points: Mapping[Words, Point], edges: Edges) -> float:
    """Return the share of edges that join points close to each other."""
    inside = [(points[a], points[b]) for a, b in edges if a in points and b in points]
    near = sum(math.dist(a, b) < 1.2 for a, b in inside)
    close = sum(math.dist(a, b) < 1.5 for a, b in inside)
    return (0.9 * close + 0.1 * near) / max(1, len(inside))


def _lay_out_graph(cells: Sequence[Words], edges: Edges) -> Layout:
    """Return points whose distances are those of the graph, by stress majorisation."""
    number = {cell: i for i, cell in enumerate(cells)}
    near: dict[int, set[int]] = defaultdict(set)
    for a, b in edges:
        if a in number and b in number and a != b:
            near[number[a]].add(number[b])
            near[number[b]].add(number[a])
    far = [_distances(near, i, len(cells)) for i in range(len(cells))]
    turn = 2 * math.pi / max(1, len(cells))
    radius = math.sqrt(len(cells))
    xy = [
        [radius * math.cos(turn * i), radius * math.sin(turn * i)]
        for i in range(len(cells))
    ]
    for _ in range(60 if len(cells) <= 40 else 15):
        for i in range(len(cells)):
            xy[i] = _balance(i, xy, far[i])
    smallest = min(
        (math.dist(xy[i], xy[j]) for i in range(len(cells)) for j in range(i)),
        default=1.0,
    )
    scale = min(2.0, 1.0 / max(smallest, 0.3))
    points = _from_zero(
        {c: (xy[i][0] * scale, xy[i][1] * scale) for c, i in number.items()}
    )
    inside = frozenset((a, b) for a, b in edges if a in points and b in points)
    return Layout("point", points, links=_links(points, inside))


def _distances(near: Mapping[int, set[int]], start: int, count: int) -> list[float]:
    found = {start: 0.0}
    queue = [start]
    for node in queue:
        for other in near.get(node, ()):
            if other not in found:
                found[other] = found[node] + 1
                queue.append(other)
    most = max(found.values()) + 1
    return [found.get(i, most) for i in range(count)]


def _balance(
    i: int, xy: Sequence[Sequence[float]], far: Sequence[float]
) -> list[float]:
    """Return where point `i` is pulled by all others at their distances."""
    x = y = total = 0.0
    for j, (ox, oy) in enumerate(xy):
        if j == i:
            continue
        weight = 1.0 / (far[j] * far[j])
        dx, dy = xy[i][0] - ox, xy[i][1] - oy
        length = math.hypot(dx, dy) or 1e-6
        x += weight * (ox + far[j] * dx / length)
        y += weight * (oy + far[j] * dy / length)
        total += weight
    return [x / total, y / total] if total else list(xy[i])


def _from_zero(points: Mapping[Words, Point]) -> dict[Words, Point]:
    """Return the points moved so that the smallest coordinates are 0."""
    left = min(x for x, _ in points.values())
    top = min(y for _, y in points.values())
    return {
        cell: (round(x - left, 4), round(y - top, 4)) for cell, (x, y) in points.items()
    }
