"""Random playouts: the flat Monte Carlo player, and playouts as an evaluator.

Flat Monte Carlo keeps no tree. The successors of all moves are played out in one call,
or in a few where there is a clock to look at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamelore.engine.simulator import Rows, Simulator
from gamelore.search.evaluator import Evaluator, Floats
from gamelore.search.sampling import SamplingPlayer, SamplingSettings

_USUAL = 2000  # playouts


@dataclass(frozen=True)
class MonteCarloSettings(SamplingSettings):
    """How much a decision may cost."""

    playouts: int | None = None
    """Playouts per decision, shared evenly among the moves, at least one for each; if
    not given, as many as the clock allows, or 2,000 without one."""
    playouts_per_move: int | None = None
    """Playouts of each move, in the place of those per decision."""


class MonteCarloPlayer(SamplingPlayer[MonteCarloSettings]):
    """Takes the move with the best mean goal in random playouts."""

    def __init__(
        self, seed: int = 0, settings: MonteCarloSettings | None = None
    ) -> None:
        super().__init__(seed, settings or MonteCarloSettings())

    def _wanted(self, positions: int, moves: int) -> int | None:
        playouts, each = self.settings.playouts, self.settings.playouts_per_move
        if each is not None:
            playouts = each * moves
        return None if playouts is None else max(1, playouts // positions)

    def _usual(self, positions: int) -> int:
        return max(1, _USUAL // positions)

    def _play(
        self, simulator: Simulator, rows: Rows, samples: int, end: float
    ) -> Floats | None:
        """Return the sums of the role's goals in random playouts."""
        playouts = self._play_out(simulator, rows, samples, end)
        return None if playouts is None else playouts.goal_sums[:, self._role]


class PlayoutEvaluator(Evaluator):
    """The mean goal of random playouts from each position.

    Its randomness goes on from call to call: the same calls in the same order give the
    same values.
    """

    def __init__(self, playouts: int = 100, seed: int = 0) -> None:
        """`playouts`: from each position."""
        if playouts < 1:
            raise ValueError(f"playouts must be at least 1, got {playouts}")
        self.playouts = playouts
        self._random = np.random.default_rng(seed)

    def evaluate(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        seed = int(self._random.integers(1 << 62))
        found = engine.playouts(rows, self.playouts, seed=seed)
        return np.asarray(found.mean_goals[:, role])
