"""Beams: breadth-first search that keeps the best positions of each layer.

Passes follow each other, each with another score; when all scores had their turn, the
width doubles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator
from gamelore.engine.simulator import Rows
from gamelore.search.puzzle.layers import LayeredSearch, Score
from gamelore.search.puzzle.path import BestPath

_FIRST_WIDTH = 512
_MOST_WIDTH = 1 << 17


class BeamSearch:
    """Searches by beams that become wider and wider."""

    def __init__(
        self, simulator: CircuitSimulator, best: BestPath, memory: int
    ) -> None:
        self.simulator = simulator
        self.best = best
        self.over = False
        """Whether the widest beams had their turn."""
        self._memory = memory
        self._width = _FIRST_WIDTH
        self._scores: Sequence[Callable[[Rows], npt.NDArray[np.float64]]] = (
            lambda rows: self._rate(rows, -1e-3),
            lambda rows: self._rate(rows, 1e-3),
            lambda rows: self._rate(rows, 0.0),
        )
        self._number = 0
        self._pass = self._begin()

    @property
    def pause(self) -> float:
        """Seconds that the next step may take longer than others."""
        return self._pass.pause

    @property
    def nodes(self) -> int:
        """Positions that are kept."""
        return self._pass.nodes

    def step(self, end: float) -> int:
        """Expand a few positions; return the work that was done."""
        work = self._pass.step()
        if self._pass.goal > self.best.goal:
            self.best.offer(self._pass.path())
        if self._pass.over:
            self._number += 1
            if self._number == len(self._scores):
                self._number = 0
                self._width *= 2
            self.over = self._pass.complete or self._width > _MOST_WIDTH
            self._pass = self._begin()
        return work

    def stop(self) -> None:
        """Do nothing: no step goes on by itself."""

    def _begin(self) -> LayeredSearch:
        score: Score = self._scores[self._number]
        return LayeredSearch(
            self.simulator, self.best.row, self._memory, self._width, score
        )

    def _rate(self, rows: Rows, mobility: float) -> npt.NDArray[np.float64]:
        """Return the goals that positions have by now, and their numbers of moves."""
        goals = np.maximum(self.simulator.goals(rows, checked=False)[:, 0], 0)
        (legal,) = self.simulator.legal(rows, checked=False)
        return np.asarray(goals + mobility * legal.sum(axis=1))
