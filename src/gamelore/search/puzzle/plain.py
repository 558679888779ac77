"""The search of a game of one player on either engine, in plain Python.

Breadth-first search and nested rollouts take turns, move by move, so that the clock is
looked at often where moves are slow. In a nested rollout, every move is tried by a
random rollout, and the best path that was met is followed (Cazenave, 2009).
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Generator, Iterator

import numpy as np
import numpy.typing as npt

from gamelore.engine.simulator import NO_GOAL, Row, Simulator
from gamelore.gdl import to_kif
from gamelore.search.puzzle.path import BestPath, Path

_TURN = 32  # moves of one method, before the other has its turn


class PlainPuzzleSearch:
    """Looks for the best path from a position, and keeps the best one so far."""

    def __init__(
        self, simulator: Simulator, most: int, limit: int, seed: int = 0
    ) -> None:
        """`most`: positions that are kept; `limit`: moves of a rollout, at most."""
        self.simulator = simulator
        self._most = most
        self._limit = limit
        self.best = BestPath(simulator, simulator.initial_row())
        self._random = np.random.default_rng(seed)
        self._work = 0  # positions computed
        self._begin()

    @property
    def playouts(self) -> int:
        """Work so far: moves made."""
        return self._work

    @property
    def nodes(self) -> int:
        """Positions that are kept."""
        return len(self._known)

    def set_root(self, row: Row) -> None:
        """Search from this position on; what is left of the path stays."""
        if not np.array_equal(row, self.best.row):
            self.best = self.best.move_on(row)
            self._begin()

    def search(self, playouts: int, end: float = math.inf) -> bool:
        """Search on for so many moves; return whether the value is proven."""
        until = self._work + playouts
        while self._work < until and not self.best.proven:
            if time.monotonic() >= end:
                break
            next(self._nesting if self._work // _TURN % 2 else self._breadth)
            self._work += 1
        return self.best.proven

    def first_moves(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return int64 [M], int64 [M]: rollouts that began with each move, and the best
        goal of those, or a negative number."""
        moves = len(self.simulator.moves[0])
        begun, reached = np.zeros(moves, np.int64), np.full(moves, NO_GOAL, np.int64)
        for move, (count, goal) in self._tried.items():
            begun[move], reached[move] = count, goal
        return begun, reached

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _begin(self) -> None:
        self._tried: dict[int, tuple[int, int]] = {}
        self._known = {self.best.row.tobytes()}
        self._breadth = self._expand_all()
        self._nesting = self._nest()

    def _moves(self, row: Row) -> list[int]:
        """Return the legal moves, in the order of their names."""
        (legal,) = self.simulator.legal(row[None])
        names = self.simulator.moves[0]
        return sorted(np.flatnonzero(legal[0]).tolist(), key=lambda i: to_kif(names[i]))

    def _goal(self, row: Row) -> int | None:
        """Return the goal of a terminal position; nothing if it is not terminal."""
        view = self.simulator.observe(row)
        if not view.terminal:
            return None
        return NO_GOAL if view.goals[0] is None else view.goals[0]

    def _expand_all(self) -> Iterator[None]:
        """Expand positions by their distance; pause after every successor."""
        queue: deque[tuple[Row, tuple[int, ...]]] = deque([(self.best.row, ())])
        while queue and len(self._known) <= self._most:
            row, path = queue.popleft()
            for move in self._moves(row):
                successor = self.simulator.advance_one(row, (move,))
                key = successor.tobytes()
                if key not in self._known:
                    self._known.add(key)
                    goal = self._goal(successor)
                    if goal is None:
                        queue.append((successor, (*path, move)))
                    elif goal > self.best.goal:
                        self.best.offer((*path, move))
                yield
        self.best.exhausted = not queue
        while True:
            yield

    def _nest(self) -> Iterator[None]:
        """Make nested rollouts without end; pause after every move."""
        while True:
            row, plan = self.best.row, Path((), NO_GOAL - 1)
            made: list[int] = []
            while self._goal(row) is None and len(made) < self._limit:
                moves = self._moves(row)
                if not moves:
                    break
                for move in moves if len(moves) > 1 else ():
                    found = yield from self._roll_out(row, [*made, move])
                    if found.goal > plan.goal:
                        plan = found
                follows = len(plan.moves) > len(made)
                move = plan.moves[len(made)] if follows else moves[0]
                made.append(move)
                row = self.simulator.advance_one(row, (move,))
                yield

    def _roll_out(self, row: Row, made: list[int]) -> Generator[None, None, Path]:
        """Make the last of some moves in a position, and then random ones.

        Returns the path, with a goal less than any if it has no end.
        """
        row = self.simulator.advance_one(row, made[-1:])
        goal = self._goal(row)
        while goal is None and len(made) < self._limit:
            moves = self._moves(row)
            if not moves:
                break
            made.append(moves[int(self._random.integers(len(moves)))])
            row = self.simulator.advance_one(row, made[-1:])
            goal = self._goal(row)
            yield
        if goal is None:
            return Path((), NO_GOAL - 1)
        count, reached = self._tried.get(made[0], (0, NO_GOAL))
        self._tried[made[0]] = count + 1, max(reached, goal)
        if self.best.would_improve(goal, len(made)):
            self.best.offer(made)
        return Path(tuple(made), goal)
