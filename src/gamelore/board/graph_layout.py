"""Layouts of cells that are points, from their neighbours alone."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from gamelore.board.families import Words
from gamelore.board.points import Edges, Layout, from_zero, join_points


def lay_out_graph(cells: Sequence[Words], edges: Edges) -> Layout:
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
    points = from_zero(
        {c: (xy[i][0] * scale, xy[i][1] * scale) for c, i in number.items()}
    )
    inside = frozenset((a, b) for a, b in edges if a in points and b in points)
    return Layout("point", points, links=join_points(points, inside))


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


def lay_out_stages(start: Words, edges: Edges) -> Layout:
    """Return points from left to right, by how many steps lead there from the start."""
    following: dict[Words, list[Words]] = defaultdict(list)
    for a, b in sorted(edges):
        following[a].append(b)
    stages = {start: 0}
    queue = [start]
    for cell in queue:
        for other in following[cell]:
            if other not in stages:
                stages[other] = stages[cell] + 1
                queue.append(other)
    for cell in sorted({cell for edge in edges for cell in edge} - stages.keys()):
        stages[cell] = 0  # nothing leads there
    columns: dict[int, list[Words]] = defaultdict(list)
    for cell, stage in stages.items():
        columns[stage].append(cell)
    points = {
        cell: (1.7 * stage, 1.2 * (i - (len(own) - 1) / 2))
        for stage, own in columns.items()
        for i, cell in enumerate(own)
    }
    points = from_zero(points)
    return Layout("point", points, links=join_points(points, edges))
