"""What positions are taken to be worth where a search ends before the match does.

An evaluation is asked in two ways that agree: by kernels, which judge all children of a
node in one pass, and by Python, for the interpreter. Values are those of one role, and
have a scale of their own; so an evaluation also says what goals are worth on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from gamelore.circuit import empty_program
from gamelore.engine import CircuitSimulator, Engine, Rows, Simulator, simulator
from gamelore.errors import GameloreError, GdlError, UnknownGameError
from gamelore.games import load_features
from gamelore.gdl import to_kif
from gamelore.gdl.features import FeatureRules
from gamelore.kernels import lean_pointer
from gamelore.search import _alpha_beta_kernels as kernels
from gamelore.search._alpha_beta_kernels import Judged, Level, Weighing

Floats = npt.NDArray[np.float64]

STAKES = 1e6
"""What the best goal is worth beside a sum of features, and the worst less than 0."""


class Judge(NamedTuple):
    """An evaluation as kernels see it."""

    function: Any
    """A pointer to a function of program, data, `Judged`, how many, mover and role."""
    data: Any
    """A bundle of arrays; each kind of evaluation has a class of its own for it."""
    needs_rows: bool
    """Whether it looks at rows; else it finds all it needs in the lanes."""


class Scale(NamedTuple):
    """What goals are worth to a role: a goal g is worth factor · g + shift."""

    factor: float
    shift: float

    def worth(self, goal: int | None) -> float:
        """What a goal is worth; none counts as 0."""
        return self.factor * (goal or 0) + self.shift


class Evaluation(Protocol):
    """Values positions of the games it knows."""

    def engine(self, played: Simulator) -> Simulator:
        """The simulator that it needs for the game that another one plays."""

    def scale(self, engine: Simulator, role: int) -> Scale:
        """What goals are worth to a role."""

    def judge(self, engine: CircuitSimulator, role: int) -> Judge:
        """The evaluation for kernels, from the side of a role."""

    def values(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        """float64 [n]: what positions are worth to a role, once the mover has moved."""


class Middle:
    """No evaluation: every open position is worth the middle of a role's goals."""

    def engine(self, played: Simulator) -> Simulator:
        return played

    def scale(self, engine: Simulator, role: int) -> Scale:
        return Scale(1.0, 0.0)

    def judge(self, engine: CircuitSimulator, role: int) -> Judge:
        return Judge(_judge_level(), Level(np.array([_middle(engine, role)])), False)

    def values(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        return np.full(len(rows), _middle(engine, role))


class WeighedFeatures:
    """Features of a position, each times its weight, added up.

    They are from the side of the role that searches. The best goal is worth more than
    all of them, and the worst less; the goal in the middle is worth nothing.
    """

    def __init__(
        self,
        features: str | Path | FeatureRules,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        """`features`: those of a library game by name, a features file, or its rules.

        `weights`: by the names of features; those left out weigh nothing. If not given,
        every feature weighs 1.
        """
        self.features = features
        self.weights = weights

    def engine(self, played: Simulator) -> Simulator:
        """The same engine, with the features added to the rules."""
        rules = self.features
        if not isinstance(rules, FeatureRules):
            rules = load_features(rules, played.game)
        if played.features == rules:
            return played
        compiled = isinstance(played, CircuitSimulator)
        engine: Engine = "circuit" if compiled else "interpreter"
        return simulator(played.game, engine, features=rules)

    def scale(self, engine: Simulator, role: int) -> Scale:
        goals = engine.goal_values[role]
        span = max(goals, default=100) - min(goals, default=0)
        factor = 2 * STAKES / span if span else 0.0
        return Scale(factor, -factor * _middle(engine, role))

    def judge(self, engine: CircuitSimulator, role: int) -> Judge:
        features = engine.feature_set
        room, columns = features.room(kernels.LANES)
        weighing = Weighing(
            features.program(role), self._weights(engine), room, columns
        )
        return Judge(_judge_features(), weighing, False)

    def values(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        counts = engine.feature_counts(rows, role).astype(np.float64)
        values: Floats = counts @ self._weights(engine)
        return values

    def _weights(self, engine: Simulator) -> Floats:
        """float64 [F]"""
        names = [to_kif(name) for name in engine.feature_names]
        if self.weights is None:
            return np.ones(len(names))
        unknown = [name for name in self.weights if name not in names]
        if unknown:
            raise GameloreError(
                f"{engine.game.name} has no feature {unknown[0]}; there are"
                f" {', '.join(names)}"
            )
        return np.array([float(self.weights.get(name, 0.0)) for name in names])


class Heuristic:
    """The features called `heuristic` of games that come with them; else the middle."""

    NAME = "heuristic"

    def __init__(self) -> None:
        self._features = WeighedFeatures(self.NAME)
        self._middle = Middle()

    def engine(self, played: Simulator) -> Simulator:
        try:
            return self._features.engine(played)
        except (UnknownGameError, GdlError):  # or other rules under its name
            return self._middle.engine(played)

    def scale(self, engine: Simulator, role: int) -> Scale:
        return self._of(engine).scale(engine, role)

    def judge(self, engine: CircuitSimulator, role: int) -> Judge:
        return self._of(engine).judge(engine, role)

    def values(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        return self._of(engine).values(engine, rows, mover, role)

    def _of(self, engine: Simulator) -> Evaluation:
        return self._middle if engine.features is None else self._features


def _middle(engine: Simulator, role: int) -> float:
    goals = engine.goal_values[role]
    return (min(goals, default=0) + max(goals, default=100)) / 2


@cache
def _judge_level() -> Any:
    return judge_pointer(kernels.judge_level, Level(np.zeros(1)))


@cache
def _judge_features() -> Any:
    none = np.zeros(0, np.int32)
    features = kernels.FeatureProgram(
        atoms=none,
        blocks=none,
        masks=np.zeros(0, np.uint64),
        columns=none,
        weights=np.zeros(0, np.float32),
        averages=np.zeros((0, 2), np.int32),
        width=0,
    )
    room, columns = np.zeros(64, np.uint64), np.zeros((64, 1), np.float32)
    weighing = Weighing(features, np.zeros(1), room, columns)
    return judge_pointer(kernels.judge_features, weighing)


def judge_pointer(function: Any, data: Any) -> Any:
    """The pointer through which kernels judge; data is an example of its type."""
    row, rows = np.zeros(1, np.uint64), np.zeros((1, 1), np.uint64)
    judged = Judged(row, row, rows, np.zeros(1))
    return lean_pointer(function, 0, empty_program(), data, judged, 0, 0, 0)
