"""Evaluators: estimates of the value of positions, for searches and for matches.

An evaluator takes positions as rows, uint64 [n, K], and returns their values to one
role, float64 [n], in one batch. Positions are *afterstates*: the role `mover` has just
moved. A value is that of the role `role`, not of the mover: higher is better for it,
whoever moves next. Each evaluator has a scale of its own (goals, rewards, sums of
features). Its goal scale maps goals to the same scale, so that terminal positions and
estimates can be compared.

An evaluator may also have a kernel, which values all children of a node in the lanes of
one pass. It returns the same values as `evaluate`, up to rounding. Searches of games
without a compiled engine, or over evaluators without a kernel, call `evaluate`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.circuit import empty_program
from gamelore.engine import NO_GOAL, CircuitSimulator, Engine, Rows, Simulator
from gamelore.engine import simulator as make_simulator
from gamelore.errors import GameloreError, GdlError, UnknownGameError
from gamelore.games import load_features
from gamelore.gdl import to_kif
from gamelore.gdl.features import FeatureRules
from gamelore.kernels import lean_pointer
from gamelore.search import _alpha_beta_kernels as kernels
from gamelore.search._alpha_beta_kernels import Constant, FeatureWeights, LeafBatch

Floats: TypeAlias = npt.NDArray[np.float64]
Goals: TypeAlias = npt.NDArray[np.int16]

STAKES = 1e6
"""The value of the best goal beside a sum of features; that of the worst is -STAKES."""


class EvaluatorKernel(NamedTuple):
    """An evaluator as kernels see it."""

    function: Any
    """A pointer to a function of program, data, `LeafBatch`, count, mover and role."""
    data: Any
    """A bundle of arrays; each kind of evaluator has a class of its own for it."""
    needs_rows: bool
    """Whether it reads rows; else the lanes of the circuit are enough."""


class GoalScale(NamedTuple):
    """Maps goals to values: a goal g has the value factor · g + shift."""

    factor: float = 1.0
    shift: float = 0.0

    def value(self, goal: int | None) -> float:
        """Return the value of a goal; no goal counts as 0."""
        return self.factor * (goal or 0) + self.shift

    def values(self, goals: Goals) -> Floats:
        """Return the values, float64 [n], of goals, int16 [n]; `NO_GOAL` is 0."""
        known = np.where(goals == NO_GOAL, 0, goals).astype(np.float64)
        return np.asarray(self.factor * known + self.shift)


class Evaluator(ABC):
    """Estimates the values of positions; only `evaluate` has to be written."""

    @abstractmethod
    def evaluate(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        """Return the values to `role`, float64 [n], of open positions, uint64 [n, K].

        `engine`: what `prepare` returned; the rows are its rows. `mover`: the number of
        the role whose move led to the positions.
        """

    def prepare(self, played: Simulator) -> Simulator:
        """Return the simulator whose rows it reads, for the game of another one."""
        return played

    def goal_scale(self, engine: Simulator, role: int) -> GoalScale:
        """Return the values of the goals of a role; by default a goal is a value."""
        return GoalScale()

    def evaluate_terminal(
        self, engine: Simulator, rows: Rows, goals: Goals, role: int
    ) -> Floats:
        """Return the values, float64 [n], of terminal positions with these goals.

        One-ply choices go by them; deeper searches use the goal scale.
        """
        return self.goal_scale(engine, role).values(goals)

    def kernel(self, engine: CircuitSimulator, role: int) -> EvaluatorKernel | None:
        """Return the evaluator for kernels, for values to `role`, if it has one."""
        return None

    def priors(self, engine: Simulator, rows: Rows) -> list[Floats] | None:
        """Return per role, float64 [n, M[r]]: the probability that each of its moves is
        the best in a position, 0 where illegal; `None` if it has none.
        """
        return None


class ConstantEvaluator(Evaluator):
    """Values every open position at the middle of the role's goals."""

    def evaluate(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        return np.full(len(rows), middle_goal(engine, role))

    def kernel(self, engine: CircuitSimulator, role: int) -> EvaluatorKernel:
        constant = Constant(np.array([middle_goal(engine, role)]))
        return EvaluatorKernel(_constant_pointer(), constant, needs_rows=False)


class ZeroEvaluator(Evaluator):
    """Values every position at 0, terminal ones too: choices by it are random."""

    def evaluate(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        return np.zeros(len(rows))

    def goal_scale(self, engine: Simulator, role: int) -> GoalScale:
        return GoalScale(0.0, 0.0)


class FeatureEvaluator(Evaluator):
    """The weighted sum of a position's features, counted from the role's side.

    The best goal has a higher value than any sum, the worst a lower one; the goal in
    the middle has the value 0.
    """

    def __init__(
        self,
        features: str | Path | FeatureRules,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        """`features`: those of a library game by name, a features file, or its rules.

        `weights`: by the names of features, 0 for those left out; by default all are 1.
        """
        self.features = features
        self.weights = weights

    def prepare(self, played: Simulator) -> Simulator:
        """Return the same kind of engine with the features added to the rules."""
        rules = self.features
        if not isinstance(rules, FeatureRules):
            rules = load_features(rules, played.game)
        if played.features == rules:
            return played
        compiled = isinstance(played, CircuitSimulator)
        engine: Engine = "circuit" if compiled else "interpreter"
        return make_simulator(played.game, engine, features=rules)

    def evaluate(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        counts = engine.feature_counts(rows, role).astype(np.float64)
        values: Floats = counts @ self._weights(engine)
        return values

    def goal_scale(self, engine: Simulator, role: int) -> GoalScale:
        goals = engine.goal_values[role]
        span = max(goals, default=100) - min(goals, default=0)
        factor = 2 * STAKES / span if span else 0.0
        return GoalScale(factor, -factor * middle_goal(engine, role))

    def kernel(self, engine: CircuitSimulator, role: int) -> EvaluatorKernel:
        features = engine.feature_set
        buffer, columns = features.allocate(kernels.LANES)
        weighted = FeatureWeights(
            features.program(role), self._weights(engine), buffer, columns
        )
        return EvaluatorKernel(_features_pointer(), weighted, needs_rows=False)

    def _weights(self, engine: Simulator) -> Floats:
        """Return the weights of the engine's features, float64 [F]."""
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


class HeuristicEvaluator(Evaluator):
    """The features called `heuristic` of games that come with them; else a constant."""

    NAME = "heuristic"

    def __init__(self) -> None:
        self._features = FeatureEvaluator(self.NAME)
        self._constant = ConstantEvaluator()

    def prepare(self, played: Simulator) -> Simulator:
        try:
            return self._features.prepare(played)
        except (UnknownGameError, GdlError):  # or other rules under its name
            return played

    def evaluate(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        return self._choose(engine).evaluate(engine, rows, mover, role)

    def goal_scale(self, engine: Simulator, role: int) -> GoalScale:
        return self._choose(engine).goal_scale(engine, role)

    def kernel(self, engine: CircuitSimulator, role: int) -> EvaluatorKernel | None:
        return self._choose(engine).kernel(engine, role)

    def _choose(self, engine: Simulator) -> Evaluator:
        return self._constant if engine.features is None else self._features


def middle_goal(engine: Simulator, role: int) -> float:
    """Return the mean of the lowest and the highest goal of a role."""
    goals = engine.goal_values[role]
    return (min(goals, default=0) + max(goals, default=100)) / 2


# ── pointers ────────────────────────────────────────────────────────────────────────


def compile_evaluator(function: Any, data: Any) -> Any:
    """Return a pointer to an evaluator's function; `data` is an example."""
    row, rows = np.zeros(1, np.uint64), np.zeros((1, 1), np.uint64)
    batch = LeafBatch(row, row, rows, np.zeros(1))
    return lean_pointer(function, 0, empty_program(), data, batch, 0, 0, 0)


@cache
def _constant_pointer() -> Any:
    return compile_evaluator(kernels.evaluate_constant, Constant(np.zeros(1)))


@cache
def _features_pointer() -> Any:
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
    buffer, columns = np.zeros(64, np.uint64), np.zeros((64, 1), np.float32)
    weighted = FeatureWeights(features, np.zeros(1), buffer, columns)
    return compile_evaluator(kernels.evaluate_features, weighted)
