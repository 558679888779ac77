"""The replay window: the latest positions of self-play, and what is learned of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator
from gamelore.kernels import direct
from gamelore.learn.zero import _match_kernels
from gamelore.learn.zero._match_kernels import Window
from gamelore.values.policy_value import Samples

_pick_samples = direct(_match_kernels.pick_samples)

_RECENT = 0.5  # of all samples so far count, while the window is not full
_LEAST = 8  # batches that count at least
_FIRST_WIDTH = 8  # moves of a sample, before wider ones are met


class ReplayWindow:
    """Samples in a ring; the oldest are replaced."""

    def __init__(self, engine: CircuitSimulator, size: int) -> None:
        roles = len(engine.roles)
        self.arrays = Window(
            rows=np.zeros((size, engine.width), np.uint64),
            views=np.zeros(size, np.int32),
            moves=np.zeros((size, _FIRST_WIDTH), np.int32),
            counts=np.zeros((size, roles), np.int32),
            policy=np.zeros((size, _FIRST_WIDTH), np.float32),
            values=np.zeros((size, roles), np.float32),
            weights=np.zeros(size, np.float32),
            ends=np.zeros((size, engine.width), np.uint64),
            number=np.full(size, -1, np.int64),
            before=np.full(size, -1, np.int64),
            known=np.zeros(size, np.int8),
        )

    @property
    def size(self) -> int:
        """Samples at most."""
        return len(self.arrays.number)

    @property
    def samples(self) -> Samples:
        """What a network learns from."""
        return Samples(*(getattr(self.arrays, name) for name in Samples._fields))

    def widen(self, moves: int) -> None:
        """Make room for samples of so many moves."""
        width = self.arrays.moves.shape[1]
        if moves <= width:
            return
        more = ((0, 0), (0, max(moves, width + width // 2) - width))
        self.arrays = self.arrays._replace(
            moves=np.pad(self.arrays.moves, more),
            policy=np.pad(self.arrays.policy, more),
        )

    def pick(
        self, count: int, random: npt.NDArray[np.uint64], total: int
    ) -> npt.NDArray[np.int64] | None:
        """Return places of samples of matches that have ended, int64 [count].

        Nothing while there are too few. `total`: samples so far. While there are not
        many, only the later half of all counts: the first know nothing.
        """
        recent = min(total, self.size, max(int(_RECENT * total), _LEAST * count))
        picked = np.zeros(count, np.int64)
        if not total or not _pick_samples(self.arrays, random, total, recent, picked):
            return None
        return picked

    def state(self, total: int) -> dict[str, npt.NDArray[Any]]:
        """Return the samples that are in use, by name."""
        used = min(total, self.size)
        return {n: a[:used].copy() for n, a in self.arrays._asdict().items()}

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Take over such samples."""
        self.widen(state["moves"].shape[1])
        for name, array in self.arrays._asdict().items():
            saved = state[name]
            if array.ndim == 2:
                array[: len(saved), : saved.shape[1]] = saved
            else:
                array[: len(saved)] = saved
