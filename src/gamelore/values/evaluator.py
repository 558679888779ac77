"""What was learned, as searches ask it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator, Rows, Simulator
from gamelore.engine.compiled.simulator import NARROW_LANES
from gamelore.errors import GameloreError
from gamelore.search.evaluator import STAKES, Judge, Scale, judge_pointer
from gamelore.values._function_kernels import Opinion, judge_positions
from gamelore.values.functions import ValueFunction, no_function


class LearnedEvaluation:
    """A value function in the place of what a search would find beyond its depth."""

    def __init__(self, function: ValueFunction) -> None:
        self.function = function

    def engine(self, played: Simulator) -> Simulator:
        """The simulator whose rows the function reads."""
        mine = self.function.graph.simulator
        if mine.game != played.game:
            raise GameloreError(
                f"what was learned is about {mine.game.name!r}, not"
                f" {played.game.name!r}"
            )
        return mine

    def scale(self, engine: Simulator, role: int) -> Scale:
        """What goals are worth to a role: more than any rewards along the way."""
        factor, shift = self.function.function.scale[role]
        stakes = STAKES if self.function.settings.reward_in_selection else 1.0
        return Scale(stakes * float(factor), stakes * float(shift))

    def judge(self, engine: CircuitSimulator, role: int) -> Judge:
        """The evaluation for kernels."""
        features = self.function.features
        columns = np.zeros((NARROW_LANES, 1), np.float32)
        if features is not None:
            _, columns = features.room(NARROW_LANES)
        copy = self.function.copy().function  # so that no other's work is in the way
        opinion = Opinion(copy, self._side, self._middle, columns)
        return Judge(_judge(), opinion, True)

    def values(
        self, engine: Simulator, rows: Rows, mover: int, role: int
    ) -> npt.NDArray[np.float64]:
        """float64 [n]: what positions are worth to a role, once the mover has moved."""
        viewer = mover if self._side < 0 else self._side
        values = self.function.worth_of(rows, viewer)
        return values if viewer == role else self._middle - values

    @property
    def _side(self) -> int:
        if self.function.settings.perspective == "current-player":
            return -1
        roles = self.function.graph.simulator.roles
        return next(number for number, role in enumerate(roles) if role != "random")

    @property
    def _middle(self) -> float:
        settings = self.function.settings
        return settings.lowest_reward + settings.highest_reward


@cache
def _judge() -> Any:
    opinion = Opinion(no_function(), 0, 0.0, np.zeros((1, 1), np.float32))
    return judge_pointer(judge_positions, opinion)
