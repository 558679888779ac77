"""Learned values against perfect play: is the move with the best value a good one?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gamelore.bench.decisive import DecisivePosition, find_column
from gamelore.engine import Rows, Simulator
from gamelore.search.evaluator import Evaluator


class DecisiveMoves:
    """The moves of decisive positions, to be valued all at once."""

    def __init__(
        self, simulator: Simulator, positions: Sequence[DecisivePosition]
    ) -> None:
        self.simulator = simulator
        self.positions = tuple(positions)
        rows, owners, columns = [], [], []
        for number, one in enumerate(positions):
            position = one.line(simulator)[-1]
            role = simulator.roles[len(one.moves) % 2]
            for column, move in sorted(
                (find_column(move), move) for move in position.legal_moves(role)
            ):
                rows.append(position.advance(move).row)
                owners.append(number)
                columns.append(column)
        self._rows: Rows = np.array(rows, np.uint64)
        self._owners = np.array(owners)
        self._columns = np.array(columns)
        movers = np.array([len(one.moves) % 2 for one in positions])
        self._movers = movers[self._owners]

    def find_kept(self, evaluator: Evaluator) -> npt.NDArray[np.bool_]:
        """Return bool [n]: whether the move with the best value keeps the result.

        Of several, it is the leftmost.
        """
        values = self._value(evaluator)
        kept = []
        for number, one in enumerate(self.positions):
            mine = np.flatnonzero(self._owners == number)
            best = mine[values[mine].argmax()]
            kept.append(int(self._columns[best]) in one.keep)
        return np.array(kept)

    def _value(self, evaluator: Evaluator) -> npt.NDArray[np.float64]:
        """Return float64 [m]: the values of all moves to those who make them."""
        simulator, rows = self.simulator, self._rows
        ended, goals = simulator.terminal(rows), simulator.goals(rows)
        values = np.zeros(len(rows))
        for role in (0, 1):
            mine = self._movers == role
            going, over = mine & ~ended, mine & ended
            values[going] = evaluator.evaluate(simulator, rows[going], role, role)
            values[over] = evaluator.evaluate_terminal(
                simulator, rows[over], goals[over, role], role
            )
        return values
