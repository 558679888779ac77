"""An evaluator at the leaves of a tree: estimates of the goals of all roles."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator
from gamelore.engine.compiled.buffers import LANES_64, allocate_words_64
from gamelore.engine.simulator import Row, Rows, Simulator
from gamelore.kernels import direct
from gamelore.search._alpha_beta_kernels import LeafBatch
from gamelore.search.evaluator import Evaluator, EvaluatorKernel, Floats
from gamelore.search.mcts import _leaf_kernels
from gamelore.search.mcts._leaf_kernels import Positions

Estimates: TypeAlias = npt.NDArray[np.float32]
Movers: TypeAlias = npt.NDArray[np.int16]

_evaluate_rows = direct(_leaf_kernels.evaluate_rows)

_SAMPLED = 16  # random matches
_MOST_STEPS = 60  # of each
_LEAST_SPREAD = 0.02  # of the range of goals: less is on a scale of its own
_SPREAD = 0.2  # what estimates on a scale of their own are spread to


class LeafValues:
    """Estimates the goals of positions by an evaluator.

    Estimates lie between the lowest and the highest goal. Those of an evaluator whose
    values are all but equal beside the goals, such as sums of features, are spread.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        engine: Simulator,
        constant_sum: tuple[int, int, int] | None = None,
        seed: int = 0,
    ) -> None:
        """`engine`: the evaluator's. `constant_sum`: of two roles' goals, and these."""
        self.evaluator = evaluator
        self.engine = engine
        self.constant_sum = constant_sum
        roles = range(len(engine.roles))
        goals = [engine.goal_values[role] or (0, 100) for role in roles]
        self._low = np.array([min(one) for one in goals], np.float64)
        self._high = np.array([max(one) for one in goals], np.float64)
        self._scales = [evaluator.goal_scale(engine, role) for role in roles]
        self._kernels = [self._find_kernel(role) for role in roles]
        self._gain = self._find_gain(seed)

    def _find_kernel(self, role: int) -> _RowKernel | None:
        """Return the evaluator in kernels, where engine and evaluator have them."""
        if not isinstance(self.engine, CircuitSimulator):
            return None
        kernel = self.evaluator.kernel(self.engine, role)
        return None if kernel is None else _RowKernel(self.engine, kernel)

    def estimate(self, rows: Rows, moved: Movers) -> Estimates:
        """Return goals, float32 [n, R], of open positions, uint64 [n, K].

        `moved`: per position the role whose move led there; below 0, that of several.
        """
        found = np.empty((len(rows), len(self._scales)), np.float32)
        for role in range(len(self._scales)):
            if self.constant_sum is not None and role == self.constant_sum[2]:
                continue
            found[:, role] = self._estimate(rows, moved, role)
        if self.constant_sum is not None:
            total, first, second = self.constant_sum
            found[:, second] = total - found[:, first]
        return found

    def _estimate(self, rows: Rows, moved: Movers, role: int) -> Floats:
        """Return the goals of one role, float64 [n], within their range."""
        goals = self._goals(rows, moved, role)
        low, high = self._low[role], self._high[role]
        if self._gain == 1.0:
            return np.asarray(np.clip(goals, low, high))
        middle, half = (low + high) / 2, max((high - low) / 2, 1e-9)
        return np.asarray(middle + half * np.tanh(self._gain * (goals - middle) / half))

    def _goals(self, rows: Rows, moved: Movers, role: int) -> Floats:
        """Return the values of the evaluator on the scale of goals."""
        factor, shift = self._scales[role]
        if not factor:
            return np.full(len(rows), (self._low[role] + self._high[role]) / 2)
        kernel = self._kernels[role]
        if kernel is not None:
            values = kernel.evaluate(rows, moved, role)
        else:
            values = np.empty(len(rows))
            for mover in np.unique(moved):
                chosen = np.flatnonzero(moved == mover)
                by = role if mover < 0 else int(mover)
                values[chosen] = self.evaluator.evaluate(
                    self.engine, rows[chosen], by, role
                )
        return np.asarray((values - shift) / factor, np.float64)

    def _find_gain(self, seed: int) -> float:
        """Return the factor by which estimates are spread, from random positions."""
        rows = sample_positions(self.engine, seed)
        width = self._high[0] - self._low[0]
        if not len(rows) or width <= 0:
            return 1.0
        spread = (
            float(self._goals(rows, np.zeros(len(rows), np.int16), 0).std()) / width
        )
        return _SPREAD / spread if 0 < spread < _LEAST_SPREAD else 1.0


def has_priors(evaluator: Evaluator | None, engine: Simulator) -> bool:
    """Return whether an evaluator says which moves it expects."""
    if evaluator is None:
        return False
    return evaluator.priors(engine, engine.initial_row()[np.newaxis]) is not None


class _RowKernel:
    """An evaluator's kernel, for any positions."""

    def __init__(self, engine: CircuitSimulator, kernel: EvaluatorKernel) -> None:
        self._program = engine.program
        self._kernel = kernel
        self._block = np.zeros(64, np.uint64)
        self._batch = LeafBatch(
            words=allocate_words_64(engine.program.slots, 1)[0],
            parent=np.zeros(engine.width, np.uint64),
            rows=np.zeros((LANES_64, engine.width), np.uint64),
            values=np.zeros(LANES_64),
        )

    def evaluate(self, rows: Rows, moved: Movers, role: int) -> Floats:
        """Return the values of positions, float64 [n], to a role."""
        values = np.empty(len(rows))
        positions = Positions(np.ascontiguousarray(rows), moved, values, self._block)
        function, data = self._kernel.function, self._kernel.data
        _evaluate_rows(self._program, function, data, self._batch, positions, role)
        return values


def sample_positions(engine: Simulator, seed: int) -> Rows:
    """Return open positions, uint64 [n, K], of some random matches."""
    random = np.random.default_rng(seed)
    rows: Rows = np.repeat(engine.initial_row()[np.newaxis], _SAMPLED, axis=0)
    found: list[Row] = []
    for _ in range(_MOST_STEPS):
        rows = rows[~engine.terminal(rows, checked=False)]
        legal = engine.legal(rows, checked=False)
        rows = rows[np.all([one.any(axis=1) for one in legal], axis=0)]
        if not len(rows):
            break
        found.extend(rows)
        moves = [
            [int(random.choice(np.flatnonzero(flags))) for flags in one]
            for one in engine.legal(rows, checked=False)
        ]
        rows = engine.advance(rows, np.array(moves, np.int32).T.copy(), checked=False)
    return np.array(found, np.uint64).reshape(len(found), -1)
