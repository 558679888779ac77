"""Layouts of cells that have one name each: `a1`, `23`, or a name in an order."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from gamelore.board.families import Words
from gamelore.board.graph_layout import lay_out_graph
from gamelore.board.order import Axis, natural
from gamelore.board.points import (
    ROW,
    Edges,
    Layout,
    Point,
    centre_rows,
    fits_best,
    from_zero,
)
from gamelore.gdl.graph import components

_SPLIT = re.compile(r"([a-z]+|[0-9])[-_]?([0-9]+)", re.IGNORECASE)


def lay_out_names(
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
        best = max(options, key=lambda o: fits_best(o.points, complete), default=None)
        if best is not None and fits_best(best.points, complete) >= 0.75:
            return best
        if len(cells) <= 100:
            return lay_out_graph(cells, _most_connected(complete))
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
        yield Layout("hex", from_zero(slanted))
    rows = {
        cell: (float(number), float(letters.index(letter)))
        for cell, (letter, number) in split.items()
    }
    yield Layout("hex", centre_rows(rows))


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
        yield Layout("point", from_zero(points))
