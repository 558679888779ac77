"""The search of a compiled game of one player: several methods, in turns.

Every method works in small steps of counted work, and they take turns by work, not by
time. So the same seed and budget give the same path, however the search is divided.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator
from gamelore.engine.simulator import NO_GOAL, Row
from gamelore.search.puzzle.adaptation import RolloutAdaptation
from gamelore.search.puzzle.beam import BeamSearch
from gamelore.search.puzzle.layers import LayeredSearch
from gamelore.search.puzzle.path import BestPath
from gamelore.search.puzzle.planner import Planner
from gamelore.search.puzzle.targets import TargetSearch

MOVES_PER_PLAYOUT = 32
"""Moves that count as one playout of a budget."""

_TURN = 200_000  # moves of a turn, of a method that has not improved the path lately …
_TURN_GATES = 2_000  # … of a game with so many gates; fewer where there are more
_MOST_SHARE = 8  # turns that follow each other, of one that has


class Method(Protocol):
    """A way to look for a better path."""

    @property
    def over(self) -> bool:
        """Whether nothing is left to do."""

    @property
    def pause(self) -> float:
        """Seconds that the next step may take longer than others."""

    @property
    def nodes(self) -> int:
        """Positions that are kept."""

    def step(self, end: float) -> int:
        """Search on a little; return the work, in moves, which is more than 0.

        `end`: by the monotonic clock, when to come back in any case.
        """

    def stop(self) -> None:
        """Have everything end that goes on by itself."""


class PuzzleSearch:
    """Looks for the best path from a position, and keeps the best one so far."""

    def __init__(
        self, simulator: CircuitSimulator, memory: int, limit: int, seed: int = 0
    ) -> None:
        """`memory`: bytes of a method's positions; `limit`: moves of a rollout; both at
        most."""
        self.simulator = simulator
        self._memory = memory
        self._limit = limit
        self.best = BestPath(simulator, simulator.initial_row())
        self._random: npt.NDArray[np.uint64] = np.random.SeedSequence(
            seed
        ).generate_state(4, np.uint64)  # type: ignore[assignment]
        self._work = 0
        self._begin()

    @property
    def playouts(self) -> int:
        """Work so far, in playouts."""
        return self._work // MOVES_PER_PLAYOUT

    @property
    def nodes(self) -> int:
        """Positions that are kept."""
        return sum(method.nodes for method in self._methods)

    def first_moves(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return int64 [M], int64 [M]: rollouts that began with each move, and the best
        goal of those, or a negative number."""
        return self._rollouts.begun, self._rollouts.reached

    def set_root(self, row: Row) -> None:
        """Search from this position on; what is left of the path stays."""
        if np.array_equal(row, self.best.row):
            return
        self.best = self.best.move_on(row)
        self._begin()

    def search(self, playouts: int, end: float = math.inf) -> bool:
        """Search on for so many playouts; return whether the value is proven."""
        until = self._work + MOVES_PER_PLAYOUT * playouts
        while self._work < until and not self.best.proven:
            now = time.monotonic()
            if now >= end:
                break
            self._take_turn(now, end)
        if self.best.proven:
            self.stop()
        return self.best.proven

    def stop(self) -> None:
        """Have everything end that goes on by itself."""
        for method in self._methods:
            method.stop()

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _begin(self) -> None:
        """Make all methods for the present position."""
        if hasattr(self, "_methods"):
            self.stop()
        simulator, best = self.simulator, self.best
        memory, limit = self._memory, self._limit
        self._rollouts = RolloutAdaptation(simulator, best, self._random, limit)
        self._methods: Sequence[Method] = (
            self._rollouts,
            _Exhaustion(simulator, best, memory),
            TargetSearch(simulator, best, memory, self._random),
            BeamSearch(simulator, best, memory),
            Planner(simulator, best, self._rollouts),
        )
        self._shares = [1.0] * len(self._methods)
        self._turn = 0
        self._left = 0

    def _take_turn(self, now: float, end: float) -> None:
        method = self._methods[self._turn]
        if method.over or now + method.pause > end:
            self._next_turn()
            return
        improved = self.best.improved
        work = method.step(end)
        self._work += work
        self._left -= work
        if self.best.improved > improved:
            self._reward(self._turn)
        if self._left <= 0 and self._rollouts.count:  # so that a path is known
            self._next_turn()

    def _next_turn(self) -> None:
        self._turn = (self._turn + 1) % len(self._methods)
        share = self._shares[self._turn]
        gates = max(_TURN_GATES, len(self.simulator.program.left))
        self._left = int(share * _TURN * _TURN_GATES / gates)

    def _reward(self, turn: int) -> None:
        """Give more work to the method that has found a better path."""
        self._shares = [max(1.0, share / 2) for share in self._shares]
        self._shares[turn] = min(4 * self._shares[turn], _MOST_SHARE)


class _Exhaustion:
    """Breadth-first search of all positions, as long as memory allows."""

    def __init__(
        self, simulator: CircuitSimulator, best: BestPath, memory: int
    ) -> None:
        self.best = best
        self._search = LayeredSearch(simulator, best.row, memory)
        self._offered = NO_GOAL - 1

    @property
    def over(self) -> bool:
        """Whether nothing is left to expand, or no memory to do so."""
        return self._search.over

    @property
    def pause(self) -> float:
        """Seconds that the next step may take longer than others."""
        return self._search.pause

    @property
    def nodes(self) -> int:
        """Positions met."""
        return self._search.nodes

    def step(self, end: float) -> int:
        """Expand a few positions; return the work that was done."""
        work = self._search.step()
        if self._search.goal > self._offered:
            self._offered = self._search.goal
            path = self._search.path()
            if self.best.would_improve(self._offered, len(path)):
                self.best.offer(path)
        if self._search.complete:
            self.best.exhausted = True
        return work

    def stop(self) -> None:
        """Do nothing: no step goes on by itself."""
