"""The player that tries every move in random playouts and takes the best.

Flat Monte Carlo: no tree is kept. The successors of all moves are played out in one
call, or in a few where there is a clock to look at.
"""

from __future__ import annotations

from dataclasses import dataclass

from gamelore.engine.simulator import Rows, Simulator
from gamelore.search.sampling import Floats, SearchingPlayer, SearchSettings

_USUAL = 2000  # playouts


@dataclass(frozen=True)
class MonteCarloSettings(SearchSettings):
    """How much a decision may cost."""

    playouts: int | None = None
    """Playouts per decision, shared evenly among the moves, at least one for each; if
    not given, as many as the clock allows, or 2,000 without one."""


class MonteCarloPlayer(SearchingPlayer[MonteCarloSettings]):
    """Takes the move with the best mean goal in random playouts."""

    def __init__(
        self, seed: int = 0, settings: MonteCarloSettings | None = None
    ) -> None:
        super().__init__(seed, settings or MonteCarloSettings())

    def _wanted(self, positions: int) -> int | None:
        playouts = self.settings.playouts
        return None if playouts is None else max(1, playouts // positions)

    def _usual(self, positions: int) -> int:
        return max(1, _USUAL // positions)

    def _play(
        self, simulator: Simulator, rows: Rows, samples: int, end: float
    ) -> Floats:
        """The sum of the role's goals in random playouts."""
        seed = int(self._random.integers(2**32))
        playouts = simulator.playouts(rows, samples, seed=seed)
        return playouts.goal_sums[:, self._role]
