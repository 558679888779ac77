"""Paths of a game of one player, and the best that was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.engine.simulator import NO_GOAL, Row, Simulator

Moves: TypeAlias = Sequence[int]


@dataclass(frozen=True)
class Path:
    """Moves from a position to a terminal one, and the goal there."""

    moves: tuple[int, ...]
    goal: int
    """`NO_GOAL` where the rules derive none, or more than one."""


class BestPath:
    """The best path from a position that was found so far.

    Of two with the same goal, the shorter is better.
    """

    def __init__(self, simulator: Simulator, row: Row) -> None:
        self.simulator = simulator
        self.path: Path | None = None
        """Nothing, until a terminal position was met."""
        self.improved = 0
        """How often a path with a higher goal was found."""
        self.exhausted = False
        """Whether no path has a higher goal."""
        self._values = sorted(simulator.goal_values[0])  # that may be reached
        self._rows = [row]  # along the path, its start first

    @property
    def row(self) -> Row:
        """The position that paths begin in."""
        return self._rows[0]

    @property
    def goal(self) -> int:
        """The goal of the best path, or less than any."""
        return NO_GOAL - 1 if self.path is None else self.path.goal

    @property
    def highest(self) -> int:
        """The highest goal that a path may have; at first, that the rules name."""
        return self._values[-1] if self._values else NO_GOAL

    def rule_out_highest(self) -> None:
        """Note that no position has the highest goal."""
        del self._values[-1:]

    @property
    def proven(self) -> bool:
        """Whether no better path exists."""
        return self.exhausted or self.goal >= self.highest

    def would_improve(self, goal: int, length: int) -> bool:
        """Return whether a path to this goal, of so many moves, would be better."""
        if self.path is None or goal != self.path.goal:
            return goal > self.goal
        return length < len(self.path.moves)

    def offer(self, moves: Moves) -> bool:
        """Follow a path by the rules, and keep it if it is better; return whether."""
        rows = [self.row]
        for move in moves:
            rows.append(self.simulator.advance_one(rows[-1], (int(move),)))
        last = rows[-1][None]
        if not self.simulator.terminal(last)[0]:
            return False
        goal = int(self.simulator.goals(last)[0, 0])
        if not self.would_improve(goal, len(moves)):
            return False
        self.improved += goal > self.goal
        self.path = Path(tuple(map(int, moves)), goal)
        self._rows = rows
        return True

    def move_on(self, row: Row) -> BestPath:
        """Return the best path from another position: what is left of this one, if the
        position is on it."""
        following = BestPath(self.simulator, row)
        following._values = self._values
        for number, known in enumerate(self._rows[1:], 1):
            if self.path is not None and np.array_equal(known, row):
                rest = self.path.moves[number:]
                following.path = Path(rest, self.path.goal)
                following._rows = self._rows[number:]
                following.exhausted = self.proven
                break
        return following


def trace_back(
    parent: npt.NDArray[np.int32], move: npt.NDArray[np.int32], node: int
) -> list[int]:
    """Return the moves from the root to a node.

    parent, move: int32 [N], by node; the parent of the root is -1.
    """
    moves = []
    while parent[node] >= 0:
        moves.append(int(move[node]))
        node = int(parent[node])
    return moves[::-1]
