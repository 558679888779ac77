"""Alpha-beta in plain Python, on any engine and over any evaluator.

It serves games on the interpreter and evaluators without a kernel, and is the slow twin
of the search in kernels. It has no transposition table.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.engine import Row, Rows, Simulator
from gamelore.errors import NotTurnTakingError, StuckError
from gamelore.gdl import to_kif
from gamelore.search._alpha_beta_kernels import MOST_FORCED
from gamelore.search.evaluator import Evaluator, Floats

NO_MOVE = -1


class SearchResult(NamedTuple):
    """The result of a search that came to its end."""

    value: float
    """To the searching role, on the evaluator's scale."""
    move: int
    """The best move of the role to move, by its number."""


class ResumableSearch(Protocol):
    """A search that can be interrupted, for one role of one game."""

    @property
    def nodes(self) -> int:
        """The number of nodes expanded since the search was made."""

    def begin(
        self, row: Row, depth: int, seed: int = 0, favourite: int = NO_MOVE
    ) -> None:
        """Start from a position, to a depth in moves of whoever moves.

        `seed`: decides between equal moves; `favourite`: the role's move to try first.
        """

    def search(self, budget: int) -> SearchResult | None:
        """Resume for up to `budget` nodes or fewer; return nothing until it is over."""


Steps: TypeAlias = Generator[None, None, float]
"""A search of one node: yields before every node and returns a value."""


class PlainSearch:
    """The twin of the search in kernels."""

    def __init__(
        self,
        engine: Simulator,
        evaluator: Evaluator,
        role: int,
        *,
        extending: bool = False,
    ) -> None:
        """`extending`: whether forced moves cost no depth."""
        self.engine = engine
        self.evaluator = evaluator
        self.role = role
        self.extending = extending
        self.scale = evaluator.goal_scale(engine, role)
        self._nodes = 0
        self._best = NO_MOVE
        self._steps: Steps | None = None
        self._random = np.random.default_rng(0)
        self._favourite = NO_MOVE
        self._reach = 0

    @property
    def nodes(self) -> int:
        return self._nodes

    def begin(
        self, row: Row, depth: int, seed: int = 0, favourite: int = NO_MOVE
    ) -> None:
        if depth < 1:
            raise ValueError(f"depth must be at least 1, got {depth}")
        self._random = np.random.default_rng(seed)
        self._favourite = favourite
        self._best = NO_MOVE
        self._reach = depth + MOST_FORCED
        self._steps = self._search(row, depth, 0, -math.inf, math.inf)

    def search(self, budget: int) -> SearchResult | None:
        if self._steps is None:
            raise RuntimeError("begin must be called before search")
        end = self._nodes + budget
        try:
            while self._nodes < end:
                next(self._steps)
        except StopIteration as over:
            return SearchResult(over.value, self._best)
        return None

    def _search(self, row: Row, depth: int, ply: int, low: float, high: float) -> Steps:
        """Return the value of an open position: exact if it is between low and high."""
        yield
        self._nodes += 1
        mover, moves, rows = self._expand(row)
        ended = self.engine.terminal(rows)
        values = self._evaluate(rows, ended, mover)
        sign = 1.0 if mover == self.role else -1.0
        below = self._find_depths(rows, ended, depth, ply)
        if ply == 0:
            order = self._order_at_root(sign * values, moves)
        else:
            order = np.argsort(-sign * values, kind="stable").tolist()
        if self.engine.roles[mover] == "random":
            low, high = -math.inf, math.inf
            total = 0.0
            for i in order:
                total += yield from self._child(
                    rows[i], values[i], below[i], ply, low, high
                )
            return total / len(order)
        best = -sign * math.inf
        for i in order:
            value = yield from self._child(rows[i], values[i], below[i], ply, low, high)
            if sign * value > sign * best:
                best = value
                if ply == 0:
                    self._best = int(moves[i])
            if mover == self.role:
                low = max(low, value)
            else:
                high = min(high, value)
            if low >= high:
                break
        return best

    def _child(
        self, row: Row, value: float, depth: int, ply: int, low: float, high: float
    ) -> Steps:
        if depth == 0:
            return float(value)
        return (yield from self._search(row, depth, ply + 1, low, high))

    def _find_depths(
        self, rows: Rows, ended: npt.NDArray[np.bool_], depth: int, ply: int
    ) -> list[int]:
        """Return how deep children are searched: 0 where terminal."""
        below = np.where(ended, 0, depth - 1)
        if self.extending and ply + depth < self._reach and not ended.all():
            still_open = rows[~ended]
            legal = self.engine.legal(still_open)
            forced = np.all([one.sum(axis=1) == 1 for one in legal], axis=0)
            below[~ended] += forced
        found: list[int] = below.tolist()
        return found

    def _order_at_root(self, values: Floats, moves: list[int]) -> list[int]:
        """Return indices: the favourite, then by value; at random among equals."""
        ties = self._random.random(len(moves))
        return sorted(
            range(len(moves)),
            key=lambda i: (moves[i] != self._favourite, -values[i], ties[i]),
        )

    def _evaluate(self, rows: Rows, ended: npt.NDArray[np.bool_], mover: int) -> Floats:
        """Return values, float64 [n]: of goals where ended, else the evaluator's."""
        values = np.zeros(len(rows))
        still_open = rows[~ended]
        if len(still_open):
            values[~ended] = self.evaluator.evaluate(
                self.engine, still_open, mover, self.role
            )
        if ended.any():
            goals = self.engine.goals(rows[ended])[:, self.role]
            values[ended] = self.scale.values(goals)
        return values

    def _expand(self, row: Row) -> tuple[int, list[int], Rows]:
        """Return the mover, its moves, and the positions they lead to."""
        engine = self.engine
        legal = [np.flatnonzero(one[0]) for one in engine.legal(row[None])]
        where = f"in {engine.game.name!r}"
        if any(len(moves) == 0 for moves in legal):
            raise StuckError(f"a role has no legal move {where}")
        choosing = [role for role, moves in enumerate(legal) if len(moves) > 1]
        if len(choosing) > 1:
            raise NotTurnTakingError(f"two roles have a choice at once {where}")
        mover = choosing[0] if choosing else 0
        # The interpreter numbers moves as it meets them: names have an order that lasts
        names = engine.moves[mover]
        moves = sorted((int(m) for m in legal[mover]), key=lambda m: to_kif(names[m]))
        joint = np.array(
            [
                [m if r == mover else int(legal[r][0]) for r in range(len(legal))]
                for m in moves
            ],
            dtype=np.int32,
        )
        return mover, moves, engine.advance(row[None].repeat(len(moves), 0), joint)
