"""What environments show of positions: their facts, or planes of the board.

Shapes: n matches, F facts, P planes of H rows and W columns.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from gamelore.board.planes import WHOLE
from gamelore.engine import CircuitSimulator
from gamelore.errors import ArgumentError

Observation: TypeAlias = Literal["facts", "planes"]
"""How positions are shown."""

Shown: TypeAlias = npt.NDArray[np.int8]


class Observer:
    """Turns facts into what an environment shows."""

    def __init__(self, simulator: CircuitSimulator, kind: Observation) -> None:
        if kind not in get_args(Observation):
            known = " or ".join(map(repr, get_args(Observation)))
            raise ArgumentError(f"observation must be {known}, got {kind!r}")
        self.shape: tuple[int, ...] = (len(simulator.fluents),)
        """Of what is shown of one position."""
        self.planes: tuple[str, ...] = ()
        """What the planes show, where it is planes."""
        self._in_planes = kind == "planes"
        if self._in_planes:
            self._find_planes(simulator)

    def show(self, facts: Shown) -> Shown:
        """Return int8 [n, F] or int8 [n, P, H, W] for the facts, int8 [n, F]."""
        if not self._in_planes:
            return facts
        planes, height, width = self.shape
        shown = np.zeros((len(facts), planes, height * width), np.int8)
        shown[:, self._on_cells[1], self._on_cells[2]] = facts[:, self._on_cells[0]]
        shown[:, self._whole[1]] = facts[:, self._whole[0], None]
        return shown.reshape(len(facts), planes, height, width)

    def _find_planes(self, simulator: CircuitSimulator) -> None:
        layout = simulator.board.lay_out_planes(simulator.fluents)
        self.shape, self.planes = layout.shape, layout.names
        planes, places = np.array(layout.planes), np.array(layout.places)
        on_cells, whole = (
            np.flatnonzero(places != WHOLE),
            np.flatnonzero(places == WHOLE),
        )
        self._on_cells = on_cells, planes[on_cells], places[on_cells]
        self._whole = whole, planes[whole]
