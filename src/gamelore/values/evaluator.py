"""Value functions and tables as evaluators."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator, Rows, Simulator
from gamelore.engine.compiled.buffers import LANES_64
from gamelore.errors import GameloreError
from gamelore.graph import StateGraph
from gamelore.search.evaluator import (
    STAKES,
    Evaluator,
    EvaluatorKernel,
    Floats,
    Goals,
    GoalScale,
    compile_evaluator,
    middle_goal,
)
from gamelore.values._function_kernels import FunctionArrays
from gamelore.values._search_kernels import (
    OF_MOVER,
    OF_ROLE,
    FunctionEvaluation,
    evaluate_positions,
)
from gamelore.values.by_feature import ByFeature
from gamelore.values.function_arrays import empty_function
from gamelore.values.functions import ValueFunction, Weights
from gamelore.values.settings import FunctionSettings
from gamelore.values.table import Table


class ValueFunctionEvaluator(Evaluator):
    """A learned value function; its values are rewards on the function's scale."""

    def __init__(self, function: ValueFunction) -> None:
        self.function = function

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the weights; another process makes a state graph of its own."""
        function = self.function
        settings = function.settings, function.discount, function.shaping
        return _rebuild, (function.graph.simulator, *settings, function.weights())

    def prepare(self, played: Simulator) -> Simulator:
        """Return the simulator whose rows the function reads."""
        own = self.function.graph.simulator
        _check_game(own, played)
        return own

    def evaluate(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        viewer = self._side
        if viewer == OF_ROLE or (viewer == OF_MOVER and mover == self._chance):
            viewer = role
        elif viewer == OF_MOVER:
            viewer = mover
        values = self.function.selection_values(rows, viewer)
        return values if viewer == role else self._reward_sum - values

    def goal_scale(self, engine: Simulator, role: int) -> GoalScale:
        """Return rewards of goals; above all shaping rewards where these count."""
        scale = self._reward_scale(role)
        if not self.function.settings.reward_in_selection:
            return scale
        return GoalScale(STAKES * scale.factor, STAKES * scale.shift)

    def evaluate_terminal(
        self, engine: Simulator, rows: Rows, goals: Goals, role: int
    ) -> Floats:
        """Return rewards of goals, plus shaping rewards where choices use them."""
        rewards = self._reward_scale(role).values(goals)
        if not self.function.settings.reward_in_selection:
            return rewards
        viewer = role if self._side < 0 else self._side
        earned = self.function.shaping_rewards(rows, viewer)
        return rewards + (earned if viewer == role else -earned)

    def kernel(self, engine: CircuitSimulator, role: int) -> EvaluatorKernel:
        features = self.function.features
        columns = np.zeros((LANES_64, 1), np.float32)
        if features is not None:
            _, columns = features.allocate(LANES_64)
        evaluation = FunctionEvaluation(
            function=self._kernel_arrays(),
            viewer=self._side,
            chance=self._chance,
            reward_sum=self._reward_sum,
            columns=columns,
        )
        return EvaluatorKernel(_function_pointer(), evaluation, needs_rows=True)

    def _kernel_arrays(self) -> FunctionArrays:
        """Return the arrays of a copy, so that working arrays are not shared."""
        return self.function.copy().arrays

    def _reward_scale(self, role: int) -> GoalScale:
        factor, shift = self.function.arrays.rewards.goals[role]
        return GoalScale(float(factor), float(shift))

    @property
    def _side(self) -> int:
        """The role whose values the function has, OF_MOVER or OF_ROLE."""
        perspective = self.function.settings.perspective
        sides = {"current-player": OF_MOVER, "learner": OF_ROLE}
        return sides.get(perspective, self.function.encoder.players[0])

    @property
    def _chance(self) -> int:
        """The role `random`, or -1."""
        roles = self.function.graph.simulator.roles
        return roles.index("random") if "random" in roles else -1

    @property
    def _reward_sum(self) -> float:
        """The rewards of both roles together, as in zero-sum games."""
        settings = self.function.settings
        return settings.lowest_reward + settings.highest_reward


class LiveEvaluator(ValueFunctionEvaluator):
    """A value function with the weights of the moment, for the thread that learns it.

    Searches over it use the function's own working arrays: nothing else may use the
    function meanwhile, and it must `begin` anew afterwards.
    """

    def _kernel_arrays(self) -> FunctionArrays:
        return self.function.arrays


class TableEvaluator(Evaluator):
    """A table of afterstates, by one role's goals; a default where it has no entry."""

    def __init__(
        self,
        engine: Simulator,
        table: Table,
        side: int,
        default: float | None = None,
    ) -> None:
        """`side`: the role whose goals the values are; `default`: the value of unknown
        positions to it, by default the middle of its goals."""
        if table.width != engine.width:
            raise ValueError("only tables of positions are evaluators, not of actions")
        self.engine = engine
        self.table = table
        self.side = side
        self.default = middle_goal(engine, side) if default is None else default

    def prepare(self, played: Simulator) -> Simulator:
        """Return the simulator whose rows are the keys of the table."""
        _check_game(self.engine, played)
        return self.engine

    def evaluate(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        values = self.look_up(rows)
        values[np.isnan(values)] = self.default
        if role == self.side:
            return values
        return 2 * middle_goal(engine, self.side) - values

    def look_up(self, rows: Rows) -> npt.NDArray[np.float64]:
        """Return the entries of positions, float64 [n]; nan where there is none."""
        cells = (self.table.find(row) for row in rows)
        return np.array([np.nan if cell is None else cell.value for cell in cells])


def _rebuild(
    engine: Simulator,
    settings: FunctionSettings,
    discount: float,
    shaping: ByFeature,
    weights: Weights,
) -> ValueFunctionEvaluator:
    graph = StateGraph(engine)
    function = ValueFunction(graph, settings, discount=discount, shaping=shaping)
    function.load(weights)
    return ValueFunctionEvaluator(function)


def _check_game(own: Simulator, played: Simulator) -> None:
    if own.game != played.game:
        raise GameloreError(
            f"what was learned is about {own.game.name!r}, not {played.game.name!r}"
        )


@cache
def _function_pointer() -> Any:
    columns = np.zeros((1, 1), np.float32)
    evaluation = FunctionEvaluation(empty_function(), 0, 0, 0.0, columns)
    return compile_evaluator(evaluate_positions, evaluation)
