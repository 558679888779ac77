"""Boards whose plan a game's author gave: a library game's, or a board file's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamelore.board.coordinates import Encoding
from gamelore.board.families import Family, Words
from gamelore.board.grids import Grid, GridMaker
from gamelore.board.points import ROW, Layout, Point
from gamelore.games.boards import BoardPlan


def make_planned_grid(
    plan: BoardPlan, families: Mapping[str, Family], maker: GridMaker
) -> Grid | None:
    """Return the grid of a plan: its places, and the families that it has glyphs for.

    None if it has no places, or if no family of the game has such facts.
    """
    if not plan.places:
        return None
    size = len(next(iter(plan.places)))
    encodings = []
    for functor in dict.fromkeys(key[0] for key in plan.glyphs):
        for family in families.values():
            if family.functor == functor and family.arity >= size:
                what = tuple(range(size, family.arity))
                where = tuple(range(size))
                full = family.covers(where) and bool(what)
                encodings.append(Encoding(family, "cells", where, what, full))
    if not encodings:
        return None
    layers = maker.make_layers(encodings)
    axes = tuple(
        maker.orders.axis({place[k] for place in plan.places}) for k in range(size)
    )
    return Grid("", _lay_out(plan), layers, axes)


def _lay_out(plan: BoardPlan) -> Layout:
    points: dict[Words, Point] = {}
    for place, (line, column) in plan.places.items():
        if plan.shape == "hex":
            across = column / 2 if plan.pitch else column + plan.slant * line / 2
            points[place] = (across, round(line * ROW, 4))
        else:
            points[place] = (float(column), float(line))
    height = ROW if plan.shape == "hex" else 1.0
    rows = _labels(plan.row_labels, height)
    columns = _labels(plan.column_labels, 1.0) if plan.shape == "square" else ()
    return Layout(plan.shape, points, rows, columns)


def _labels(names: Sequence[str], step: float) -> tuple[tuple[str, float], ...]:
    return tuple((name, round(i * step, 4)) for i, name in enumerate(names))
