"""Symmetries of a game: positions that are alike, found in its board and its rules.

Candidates come from the inferred board (rotations and reflections of its cells) and
from exchanging the players' names. A candidate counts if positions of random play bear
it out: renamed positions have the renamed successors, as many legal moves for each
role, the same ends, and the same goals, or those of the other player.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.board.families import Words, split_fact
from gamelore.board.infer import BoardModel, infer_model
from gamelore.engine import CircuitSimulator, Rows
from gamelore.gdl.canonical.symmetry import find_exchange
from gamelore.values.ntuple.sampling import (
    Sample,
    list_successors,
    sample_positions,
)

_CHECKED = 48  # positions whose successors are compared
_DIGITS = 3  # of coordinates, to tell points apart

CellMap: TypeAlias = Mapping[str, Mapping[Words, Words]]
"""By family, the cell in the place of each cell."""
Permutation: TypeAlias = npt.NDArray[np.int32]
Renamer: TypeAlias = Callable[[str, Words], Words | None]
"""From a family and a fact's arguments to those of the fact in its place, if any."""


@dataclass(frozen=True)
class Symmetry:
    """A renaming of facts that maps a game onto itself."""

    fluents: tuple[int, ...]
    """For each fact, the one that is true in the renamed position if it is true."""
    exchanges: bool
    """Whether the two players are exchanged."""


def find_symmetries(simulator: CircuitSimulator) -> tuple[Symmetry, ...]:
    """Return the symmetries of a game, the identity first.

    Those that exchange the two players come last.
    """
    return _find_cached(simulator)


@cache
def _find_cached(simulator: CircuitSimulator) -> tuple[Symmetry, ...]:
    sample = sample_positions(simulator)
    found: dict[tuple[tuple[int, ...], bool], Symmetry] = {}
    for fluents, exchanges in _list_candidates(simulator):
        key = tuple(fluents.tolist()), exchanges
        if key not in found and _holds(simulator, sample, fluents, exchanges):
            found[key] = Symmetry(*key)
    return tuple(sorted(found.values(), key=lambda one: one.exchanges))


def infer_board_model(simulator: CircuitSimulator) -> BoardModel:
    """Return the inferred board of a compiled game."""
    moves = [move for one in simulator.moves for move in one]
    return infer_model(simulator.game, simulator.fluents, moves)


# ── candidates ──────────────────────────────────────────────────────────────────────


def _list_candidates(
    simulator: CircuitSimulator,
) -> Iterator[tuple[Permutation, bool]]:
    """Yield renamings of facts, and whether they exchange the players."""
    model = infer_board_model(simulator)
    players = [role for role in simulator.roles if role != "random"]
    swap = dict(zip(players, players[::-1], strict=True)) if len(players) == 2 else {}
    where = _find_coordinates(model)
    renamers: list[Renamer] = [lambda _, words: words]
    for cells in _list_cell_maps(model):
        for named in (where, {**_find_names(simulator, cells), **where}):
            renamers.append(_cell_renamer(named, cells))
    exchange = _find_written_exchange(simulator) if swap else None
    for renamer in renamers:
        fluents = _rename(simulator, renamer)
        if fluents is not None:
            yield fluents, False
            if exchange is not None:
                yield exchange[fluents], True
        exchanged = _rename(simulator, _swapped(renamer, swap)) if swap else None
        if exchanged is not None:
            yield exchanged, True


def _find_written_exchange(simulator: CircuitSimulator) -> Permutation | None:
    """Return the renaming that exchanges players whose rules are written alike."""
    exchange = find_exchange(simulator.game)
    if exchange is None:
        return None
    number = {fluent: i for i, fluent in enumerate(simulator.fluents)}
    images = [number.get(exchange.fact(fluent)) for fluent in simulator.fluents]
    known = [image for image in images if image is not None]
    is_whole = len(set(known)) == len(simulator.fluents)
    return np.array(known, np.int32) if is_whole else None


def _swapped(renamer: Renamer, swap: Mapping[str, str]) -> Renamer:
    """Return a renamer that exchanges the players' names as well."""

    def rename(key: str, words: Words) -> Words | None:
        renamed = renamer(key, words)
        return None if renamed is None else _swap(renamed, swap)

    return rename


def _swap(words: Words, swap: Mapping[str, str]) -> Words:
    return tuple(swap.get(word, word) for word in words)


def _rename(simulator: CircuitSimulator, renamer: Renamer) -> Permutation | None:
    """Return the facts in the place of facts; None if that is no permutation."""
    split = [split_fact(fluent) for fluent in simulator.fluents]
    number = {key: i for i, key in enumerate(split)}
    found = []
    for key, words in split:
        renamed = renamer(key, words)
        image = None if renamed is None else number.get((key, renamed))
        if image is None:
            return None
        found.append(image)
    return np.array(found, np.int32) if len(set(found)) == len(found) else None


def _find_coordinates(model: BoardModel) -> dict[str, tuple[int, ...]]:
    """Return by family on the board which arguments are coordinates."""
    return {
        layer.key: layer.encoding.where
        for grid in model.grids
        for layer in grid.layers
        if layer.encoding.use == "cells"
    }


def _find_names(
    simulator: CircuitSimulator, cells: CellMap
) -> dict[str, tuple[int, ...]]:
    """Return families of one argument that may name cells, as do those of a board."""
    words: dict[str, set[Words]] = defaultdict(set)
    for fluent in simulator.fluents:
        key, arguments = split_fact(fluent)
        words[key].add(arguments)
    return {
        key: (0,)
        for key, found in words.items()
        if all(len(one) == 1 for one in found)
        and any(found <= known.keys() for known in cells.values())
    }


def _cell_renamer(where: Mapping[str, tuple[int, ...]], cells: CellMap) -> Renamer:
    """Return what renames the arguments of facts that are coordinates."""

    def rename(key: str, words: Words) -> Words | None:
        if key not in where:
            return words
        known = cells[key] if key in cells else next(iter(cells.values()))
        image = known.get(tuple(words[i] for i in where[key]))
        if image is None:
            return None
        renamed = list(words)
        for place, word in zip(where[key], image, strict=True):
            renamed[place] = word
        return tuple(renamed)

    return rename


def _list_cell_maps(model: BoardModel) -> Iterator[CellMap]:
    """Yield rotations and reflections under which the cells of every grid fit."""
    grids = [grid for grid in model.grids if grid.layout.points]
    if not grids:
        return
    for turn in range(12):
        for mirrored in (False, True):
            maps: dict[str, Mapping[Words, Words]] = {}
            for grid in grids:
                found = _turn_cells(grid.layout.points, turn * math.pi / 6, mirrored)
                if found is None:
                    break
                for layer in grid.layers:
                    if layer.encoding.use == "cells":
                        maps[layer.key] = found
            else:
                yield maps


def _turn_cells(
    points: Mapping[Words, tuple[float, float]], angle: float, mirrored: bool
) -> Mapping[Words, Words] | None:
    """Return the cell that each cell is turned to; None if there is none for one."""
    cells = list(points)
    xy = np.array([points[cell] for cell in cells])
    xy = xy - (xy.min(axis=0) + xy.max(axis=0)) / 2
    rounded = [tuple(np.round(one, _DIGITS) + 0.0) for one in xy]
    at = dict(zip(rounded, cells, strict=True))
    if mirrored:
        xy = xy * (-1, 1)
    cosine, sine = math.cos(angle), math.sin(angle)
    turned = xy @ np.array([[cosine, sine], [-sine, cosine]])
    images = [at.get(tuple(np.round(one, _DIGITS) + 0.0)) for one in turned]
    found = [image for image in images if image is not None]
    if len(found) < len(cells):
        return None
    return dict(zip(cells, found, strict=True))


# ── checking ────────────────────────────────────────────────────────────────────────


def _holds(
    simulator: CircuitSimulator, sample: Sample, fluents: Permutation, exchanges: bool
) -> bool:
    """Return whether positions of random play bear a candidate out."""
    roles = np.arange(len(simulator.roles))
    if exchanges:
        one, other = (i for i, name in enumerate(simulator.roles) if name != "random")
        roles[[one, other]] = other, one
        if simulator.goal_values[one] != simulator.goal_values[other]:
            return False
    renamed = rename_rows(simulator, sample.rows, fluents)
    ended = simulator.terminal(sample.rows)
    if not np.array_equal(simulator.terminal(renamed), ended):
        return False
    goals, images = simulator.goals(sample.rows), simulator.goals(renamed)
    if not np.array_equal(goals[ended], images[ended][:, roles]):
        return False
    still_open = np.flatnonzero(~ended)
    places = np.linspace(0, len(still_open) - 1, _CHECKED).astype(int)
    for place in still_open[np.unique(places)] if len(still_open) else ():
        here, there = sample.rows[place], renamed[place]
        counts = [int(one.sum()) for one in simulator.legal(here[None])]
        image_counts = [int(one.sum()) for one in simulator.legal(there[None])]
        if counts != [image_counts[role] for role in roles]:
            return False
        following = list_successors(simulator, here)
        if following is None:
            continue
        expected = np.unique(rename_rows(simulator, following, fluents), axis=0)
        found = list_successors(simulator, there)
        if found is None or not np.array_equal(found, expected):
            return False
    return True


def rename_rows(
    simulator: CircuitSimulator, rows: Rows, fluents: Permutation | tuple[int, ...]
) -> Rows:
    """Return the renamed positions, uint64 [n, K]."""
    bits = simulator.fact_matrix(rows)
    renamed = np.zeros((len(rows), 64 * simulator.width), np.bool_)
    renamed[:, np.asarray(fluents)] = bits
    return np.packbits(renamed, axis=1, bitorder="little").view(np.uint64)
