"""An evaluator for any game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gamelore import Evaluator, Simulator


class Mobility(Evaluator):
    """Values a position by how many more moves a role has than the others, at 50 ± 49.

    Goals are values as they are, so that a win (100) is better than any position.
    """

    def evaluate(
        self,
        engine: Simulator,
        rows: npt.NDArray[np.uint64],
        mover: int,
        role: int,
    ) -> npt.NDArray[np.float64]:
        """Return the values to `role`, float64 [n], of positions, uint64 [n, K]."""
        counts = np.stack([flags.sum(axis=1) for flags in engine.legal(rows)], axis=1)
        others = counts.sum(axis=1) - counts[:, role]
        return np.asarray(50 + 49 * np.tanh((counts[:, role] - others) / 10))
