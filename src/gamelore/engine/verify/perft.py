"""Counts that tell whether rules are right: matches by length, positions, games.

Positions that are reached in many ways are expanded once and carry the number of ways
with them. Those numbers are Python integers, in object arrays: they never overflow.

Shapes: n positions, K words per position.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamelore.engine.joint import joint_moves
from gamelore.engine.simulator import Rows, Simulator
from gamelore.gdl import Compound

CHUNK = 1 << 12
"""Positions expanded at a time, which bounds memory, and the time of one kernel."""


class Weighted(NamedTuple):
    """Different positions, and in how many ways each is reached."""

    rows: Rows
    """uint64 [n, K]"""
    ways: npt.NDArray[np.object_]
    """object [n], of int"""

    @property
    def total(self) -> int:
        return int(self.ways.sum())


def perft(simulator: Simulator, depth: int, continues: str | None = None) -> list[int]:
    """How many sequences of 1, 2, … `depth` turns there are from the initial position.

    A turn is a joint move. Where `continues` names a relation, a turn goes on through
    every position in which a fact of that relation is true, and its moves count as one.
    """
    counts: list[int] = []
    frontier = _start(simulator)
    for turn in range(1, depth + 1):
        if turn == depth and continues is None:
            counts.append(_count_moves(simulator, frontier))
        else:
            frontier = _after_turn(simulator, frontier, continues)
            counts.append(frontier.total)
    return counts


def complete_games(simulator: Simulator) -> int:
    """How many different matches there are; for games that always end."""
    games = 0
    frontier = _start(simulator)
    while len(frontier.rows):
        games += int(frontier.ways[simulator.terminal(frontier.rows)].sum())
        frontier = _after_move(simulator, frontier)
    return games


def reachable(simulator: Simulator) -> int:
    """How many positions can be reached, the initial one included."""
    seen: set[bytes] = set()
    frontier = _start(simulator).rows
    while len(frontier):
        fresh = [n for n, row in enumerate(frontier) if row.tobytes() not in seen]
        frontier = frontier[fresh]
        seen.update(row.tobytes() for row in frontier)
        frontier = _after_move(simulator, _once_each(frontier)).rows
    return len(seen)


def _start(simulator: Simulator) -> Weighted:
    return _once_each(simulator.initial_row()[None])


def _once_each(rows: Rows) -> Weighted:
    return Weighted(rows, np.full(len(rows), 1, dtype=object))


def _after_turn(
    simulator: Simulator, positions: Weighted, continues: str | None
) -> Weighted:
    """Where a turn can end."""
    if continues is None:
        return _after_move(simulator, positions)
    ended: list[Weighted] = []
    while len(positions.rows):
        reached = _after_move(simulator, positions)
        going_on = np.array(
            [_holds(simulator, row, continues) for row in reached.rows], dtype=np.bool_
        )
        ended.append(_select(reached, ~going_on))
        positions = _select(reached, going_on)
    return _merge(simulator, ended)


def _after_move(simulator: Simulator, positions: Weighted) -> Weighted:
    """Where one joint move can lead; no further from a terminal position."""
    parts: list[Weighted] = []
    for chunk in _chunks(positions):
        going = _select(chunk, ~simulator.terminal(chunk.rows))
        if len(going.rows):
            parents, moves = joint_moves(simulator.legal(going.rows))
            successors = simulator.advance(going.rows[parents], moves)
            found = Weighted(successors, going.ways[parents])
            parts.append(_merge(simulator, [found]))
    return _merge(simulator, parts)


def _count_moves(simulator: Simulator, positions: Weighted) -> int:
    """How many joint moves there are, without making them."""
    total = 0
    for chunk in _chunks(positions):
        going = _select(chunk, ~simulator.terminal(chunk.rows))
        if len(going.rows):
            choices = [moves.sum(axis=1) for moves in simulator.legal(going.rows)]
            total += int((np.prod(choices, axis=0).astype(object) * going.ways).sum())
    return total


def _holds(simulator: Simulator, row: npt.NDArray[np.uint64], relation: str) -> bool:
    return any(
        (fact.functor if isinstance(fact, Compound) else fact) == relation
        for fact in simulator.facts(row)
    )


def _chunks(positions: Weighted) -> Iterator[Weighted]:
    for start in range(0, len(positions.rows), CHUNK):
        stop = start + CHUNK
        yield Weighted(positions.rows[start:stop], positions.ways[start:stop])


def _select(positions: Weighted, which: npt.NDArray[np.bool_]) -> Weighted:
    return Weighted(positions.rows[which], positions.ways[which])


def _merge(simulator: Simulator, parts: Iterable[Weighted]) -> Weighted:
    """The same positions, each once, with the ways to reach it added up."""
    parts = list(parts)
    if not any(len(part.rows) for part in parts):
        return _once_each(np.empty((0, simulator.width), dtype=np.uint64))
    rows = np.ascontiguousarray(np.concatenate([part.rows for part in parts]))
    ways = np.concatenate([part.ways for part in parts])
    keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    order = np.argsort(keys, kind="stable")
    first = np.append(True, keys[order][1:] != keys[order][:-1])
    ways = np.add.reduceat(ways[order], np.flatnonzero(first))
    return Weighted(rows[order][first], ways)
