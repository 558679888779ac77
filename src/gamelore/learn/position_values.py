"""What a training run has learned, as values of positions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gamelore.engine import NO_GOAL, Row, Rows
from gamelore.errors import GameloreError
from gamelore.learn.settings import QSettings
from gamelore.learn.trainer import Trainer
from gamelore.match.record import CHANCE
from gamelore.search.evaluator import Evaluator, Floats, middle_goal
from gamelore.values.evaluator import TableEvaluator, ValueFunctionEvaluator
from gamelore.values.policy_value_evaluator import PolicyValueEvaluator


class LearnedValues:
    """The learned values of positions, on the scale of goals."""

    def __init__(self, trainer: Trainer) -> None:
        self.trainer = trainer
        self.simulator = trainer.graph.simulator

    def evaluator(self) -> Evaluator:
        """Return the values as an evaluator of any role."""
        trainer = self.trainer
        if trainer.network is not None:
            return PolicyValueEvaluator(trainer.network)
        if trainer.function is not None:
            return ValueFunctionEvaluator(trainer.function)
        if isinstance(trainer.config.learner, QSettings):
            raise GameloreError("a table of action values is no evaluator of positions")
        if trainer.side is None:
            raise GameloreError("a table of one role's values is no evaluator for both")
        return TableEvaluator(self.simulator, trainer.table, trainer.side)

    def evaluate(self, rows: Rows, role: int) -> Floats:
        """Return the estimated goals of a role, float64 [n], at rows, uint64 [n, K].

        Goals where terminal; nan where a table has no entry.
        """
        values = np.full(len(rows), np.nan)
        ended = self.simulator.terminal(rows)
        goals = self.simulator.goals(rows)[:, role].astype(np.float64)
        values[ended] = np.where(goals == NO_GOAL, 0.0, goals)[ended]
        still_open = np.flatnonzero(~ended)
        if len(still_open):
            values[still_open] = self._estimate(rows[still_open], role)
        return values

    def _estimate(self, rows: Rows, role: int) -> Floats:
        trainer = self.trainer
        if trainer.network is not None:
            goals = self.simulator.goal_values[role]
            low, high = min(goals, default=0), max(goals, default=100)
            found = trainer.network.evaluate(rows)[:, role].astype(np.float64)
            return np.asarray(low + (high - low) * found)
        if trainer.function is not None:
            return self._estimate_by_function(rows, role)
        side = role if trainer.side is None else trainer.side
        if side not in trainer.tables:
            name = self.simulator.roles[role]
            raise GameloreError(f"nothing was learned of the role {name}")
        if isinstance(trainer.config.learner, QSettings):
            values = np.array([self._best_action(row, side) for row in rows])
        else:
            table = TableEvaluator(self.simulator, trainer.tables[side], side)
            values = table.look_up(rows)
        return (
            values if side == role else 2 * middle_goal(self.simulator, side) - values
        )

    def _estimate_by_function(self, rows: Rows, role: int) -> Floats:
        """Return the function's values, which are of afterstates, as goals."""
        function = self.trainer.function
        assert function is not None
        evaluator = ValueFunctionEvaluator(function)
        movers = self._find_movers(rows, role)
        values = np.zeros(len(rows))
        for mover in np.unique(movers):
            chosen = movers == mover
            values[chosen] = evaluator.evaluate(
                self.simulator, rows[chosen], int(mover), role
            )
        factor, shift = function.arrays.rewards.goals[role]
        return (values - shift) / factor if factor else values

    def _find_movers(self, rows: Rows, role: int) -> npt.NDArray[np.intp]:
        """Return who moved last, int [n]: of two players, the one not to move."""
        players = [n for n, name in enumerate(self.simulator.roles) if name != CHANCE]
        movers = np.full(len(rows), role)
        if len(players) == 2:
            choices = [legal.sum(axis=1) for legal in self.simulator.legal(rows)]
            for one, other in (players, players[::-1]):
                movers[(choices[one] > 1) & (choices[other] <= 1)] = other
        return movers

    def _best_action(self, row: Row, side: int) -> float:
        """Return the best known action value of the role to move; nan if none is."""
        table = self.trainer.tables[side]
        legal = [np.flatnonzero(one[0]) for one in self.simulator.legal(row[None])]
        mover = max(range(len(legal)), key=lambda role: len(legal[role]))
        cells = [
            table.find(np.append(row, np.uint64(move)).astype(np.uint64))
            for move in legal[mover]
        ]
        known = [cell.value for cell in cells if cell is not None]
        if not known or (mover != side and self.trainer.side is None):
            return float("nan")
        return max(known) if mover == side else min(known)
