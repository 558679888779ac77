"""Alpha-beta in plain Python, on any engine: for the interpreter, and to test against.

It keeps no table, and so finds what the search in kernels finds by another way.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from gamelore.engine import NO_GOAL, Row, Rows, Simulator
from gamelore.errors import NotTurnTakingError, StuckError
from gamelore.gdl import to_kif
from gamelore.search.evaluator import Evaluation

NO_MOVE = -1


class Found(NamedTuple):
    """What came of a search."""

    value: float
    """To the role that searches, on the scale of the evaluation."""
    move: int
    """The best move of the role to move, by its number."""


class Searching(Protocol):
    """A search that can be interrupted, for one role of one game."""

    @property
    def nodes(self) -> int:
        """How many nodes have been expanded since it was made."""

    def begin(
        self, row: Row, depth: int, lots: int = 0, favourite: int = NO_MOVE
    ) -> None:
        """Start anew from a position, to a depth in moves of whoever moves.

        `lots`: decides between equals; `favourite`: the role's move to try first.
        """

    def search(self, budget: int) -> Found | None:
        """Go on for so many nodes; nothing, unless it has come to its end."""


Steps: TypeAlias = Generator[None, None, float]
"""A search of one node: it halts before every node, and returns a value."""


class PlainSearch:
    """The twin of the search in kernels."""

    def __init__(self, engine: Simulator, evaluation: Evaluation, role: int) -> None:
        self.engine = engine
        self.evaluation = evaluation
        self.role = role
        self.scale = evaluation.scale(engine, role)
        self._nodes = 0
        self._best = NO_MOVE
        self._steps: Steps | None = None
        self._lots = np.random.default_rng(0)
        self._favourite = NO_MOVE

    @property
    def nodes(self) -> int:
        return self._nodes

    def begin(
        self, row: Row, depth: int, lots: int = 0, favourite: int = NO_MOVE
    ) -> None:
        if depth < 1:
            raise ValueError(f"depth must be at least 1, got {depth}")
        self._lots = np.random.default_rng(lots)
        self._favourite = favourite
        self._best = NO_MOVE
        self._steps = self._search(row, depth, -math.inf, math.inf, root=True)

    def search(self, budget: int) -> Found | None:
        if self._steps is None:
            raise RuntimeError("begin must be called before search")
        end = self._nodes + budget
        try:
            while self._nodes < end:
                next(self._steps)
        except StopIteration as over:
            return Found(over.value, self._best)
        return None

    def _search(
        self, row: Row, depth: int, low: float, high: float, root: bool = False
    ) -> Steps:
        """What an open position is worth: exactly, if that is between low and high."""
        yield
        self._nodes += 1
        mover, moves, rows = self._expand(row)
        ended = self.engine.terminal(rows)
        values = self._judge(rows, ended, mover)
        sign = 1.0 if mover == self.role else -1.0
        if root:
            order = self._order_at_root(sign * values, moves)
        else:
            order = np.argsort(-sign * values, kind="stable").tolist()
        if self.engine.roles[mover] == "random":
            low, high = -math.inf, math.inf
            total = 0.0
            for i in order:
                total += yield from self._child(
                    rows[i], depth, values[i], ended[i], low, high
                )
            return total / len(order)
        best = -sign * math.inf
        for i in order:
            value = yield from self._child(
                rows[i], depth, values[i], ended[i], low, high
            )
            if sign * value > sign * best:
                best = value
                if root:
                    self._best = int(moves[i])
            if mover == self.role:
                low = max(low, value)
            else:
                high = min(high, value)
            if low >= high:
                break
        return best

    def _child(
        self, row: Row, depth: int, value: float, ended: bool, low: float, high: float
    ) -> Steps:
        if ended or depth == 1:
            return float(value)
        return (yield from self._search(row, depth - 1, low, high))

    def _order_at_root(
        self, values: np.ndarray[tuple[int], np.dtype[np.float64]], moves: list[int]
    ) -> list[int]:
        """The favourite first, then what looks best; lots decide between equals."""
        lots = self._lots.random(len(moves))
        return sorted(
            range(len(moves)),
            key=lambda i: (moves[i] != self._favourite, -values[i], lots[i]),
        )

    def _judge(
        self,
        rows: Rows,
        ended: np.ndarray[tuple[int], np.dtype[np.bool_]],
        mover: int,
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """float64 [n]: what ends are worth, and what others are judged to be."""
        engine = self.engine
        values = self.evaluation.values(engine, rows, mover, self.role)
        for i in np.flatnonzero(ended):
            goal = int(engine.goals(rows[i][None])[0, self.role])
            values[i] = self.scale.worth(0 if goal == NO_GOAL else goal)
        return values

    def _expand(self, row: Row) -> tuple[int, list[int], Rows]:
        """Who moves, its moves, and the positions they lead to."""
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
