"""Small games of two players, solved by definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator, Rows

Floats: TypeAlias = npt.NDArray[np.float64]
Choose: TypeAlias = Callable[[Rows], npt.NDArray[np.int32]]


class SolvedGame:
    """All positions of a game in which moves add facts, with their values.

    Positions are in layers: successors of one layer are in the next.
    """

    def __init__(self, engine: CircuitSimulator) -> None:
        self.engine = engine
        self.layers: list[Rows] = [engine.initial_row()[None]]
        self.values: list[Floats] = []
        self._solve()

    def _solve(self) -> None:
        engine = self.engine
        links = []
        while True:
            found = engine.expand(self.layers[-1])
            if not len(found.successors):
                break
            following, number = np.unique(found.successors, axis=0, return_inverse=True)
            links.append((found.parents, number.ravel()))
            self.layers.append(following)
        below: Floats = np.zeros(0)
        for depth in range(len(self.layers) - 1, -1, -1):
            rows = self.layers[depth]
            values = engine.goals(rows)[:, 0] / 100
            open_rows = ~engine.terminal(rows)
            if depth < len(links):
                parents, number = links[depth]
                best = np.full(len(rows), -np.inf)
                sign = self.sign(rows)
                np.maximum.at(best, parents, (sign[parents] * below[number]))
                values[open_rows] = (sign * best)[open_rows]
            self.values.insert(0, values)
            below = values

    def sign(self, rows: Rows) -> Floats:
        """Return 1 where the first player chooses, or nobody does; else -1."""
        choices = self.engine.legal(rows)[1].sum(axis=1)
        return np.where(choices > 1, -1.0, 1.0)

    @property
    def value(self) -> float:
        """What the first player gets, in 0 to 1."""
        return float(self.values[0][0])

    def open_positions(self) -> tuple[Rows, Floats]:
        """Return all positions that are not terminal, and their values."""
        rows, values = np.concatenate(self.layers), np.concatenate(self.values)
        still_open = ~self.engine.terminal(rows)
        return rows[still_open], values[still_open]

    def look_up(self, rows: Rows) -> Floats:
        """Return the values of positions."""
        return np.array([self._known[row.tobytes()] for row in rows])

    @cached_property
    def _known(self) -> dict[bytes, float]:
        return {
            row.tobytes(): float(value)
            for rows, values in zip(self.layers, self.values, strict=True)
            for row, value in zip(rows, values, strict=True)
        }

    def worst(self, role: int, choose: Choose) -> float:
        """Return the least that a role gets, in 0 to 1, against all replies.

        `choose`: from rows to the numbers of the role's moves.
        """
        return min(result for result, _ in self._results(role, choose, perfect=False))

    def mean(self, role: int, choose: Choose) -> float:
        """Return what a role gets on average against perfect replies.

        All replies that give nothing away are made equally often.
        """
        results = self._results(role, choose, perfect=True)
        return sum(result * share for result, share in results)

    def _results(
        self, role: int, choose: Choose, *, perfect: bool
    ) -> Iterator[tuple[float, float]]:
        """Yield results of all lines of play, each with its share."""
        engine = self.engine
        rows = engine.initial_row()[None]
        shares: Floats = np.ones(1)
        while len(rows):
            ended = engine.terminal(rows)
            goals = engine.goals(rows[ended])[:, role] / 100
            yield from zip(goals.tolist(), shares[ended].tolist(), strict=True)
            rows, shares = rows[~ended], shares[~ended]
            if not len(rows):
                break
            found = engine.expand(rows)
            own = engine.legal(rows)[role].sum(axis=1) > 1
            chosen = np.where(own, choose(rows), -1)[found.parents]
            taken = (chosen < 0) | (found.moves[:, role] == chosen)
            if perfect:
                before = self.look_up(rows)[found.parents]
                taken &= own[found.parents] | (self.look_up(found.successors) == before)
            parents = found.parents[taken]
            each = shares[parents] / np.bincount(parents, minlength=len(rows))[parents]
            rows, number = np.unique(
                found.successors[taken], axis=0, return_inverse=True
            )
            shares = np.bincount(number.ravel(), each).astype(np.float64)
