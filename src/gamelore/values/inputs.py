"""Inputs of value functions: fluents and features, from the side of a player."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator, Rows
from gamelore.engine.compiled.buffers import LANES_64, allocate_words_64
from gamelore.errors import GameloreError
from gamelore.gdl.canonical.symmetry import find_exchange
from gamelore.values._function_kernels import NO_FEATURES, FeatureCache, Inputs
from gamelore.values.by_feature import numbers_by_feature
from gamelore.values.settings import FunctionSettings


class InputEncoder:
    """Turns positions of a game into the inputs of a value function.

    There are two views of a position, one for each of the first two players; roles
    other than the first player have the second view.
    """

    def __init__(self, simulator: CircuitSimulator, settings: FunctionSettings) -> None:
        self.simulator = simulator
        self.features = (
            simulator.feature_set if simulator.features is not None else None
        )
        fluents = settings.fluents
        if fluents is None:
            fluents = self.features is None
        self.fluents = len(simulator.compiled.fluents) if fluents else 0
        if self.count == 1:
            raise GameloreError("a value function needs fluents or features as inputs")
        self.players = find_players(simulator.roles)
        names = self.features.names if self.features else ()
        self.factors = numbers_by_feature(names, settings.scaling, 1.0)
        """float64 [F]: what each feature is multiplied by before it is an input."""
        self._symmetric = settings.perspective != "first"

    @property
    def count(self) -> int:
        """I: fluents, features, and the bias."""
        return self.fluents + len(self.features or ()) + 1

    @property
    def initially_on(self) -> int:
        """How many inputs are on in the first position; each feature counts as one."""
        row = self.simulator.initial_row()
        on = int(np.bitwise_count(row).sum()) if self.fluents else 0
        return 1 + on + len(self.features or ())

    def encode(
        self, positions: Rows, role: int, places: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.float64]:
        """Return float64 [n, I]; places: int32 [·], the input of each fluent."""
        parts: list[npt.NDArray[np.float64]] = []
        if self.fluents:
            rows = np.ascontiguousarray(positions).view(np.uint8)
            bits = np.unpackbits(rows, axis=1, bitorder="little")
            seen = np.zeros((len(positions), self.fluents))
            seen[:, places[: self.fluents]] = bits[:, : self.fluents]
            parts.append(seen)
        if self.features is not None:
            counts = self.simulator.feature_counts(positions, role)
            parts.append(counts.astype(np.float64) * self.factors)
        parts.append(np.ones((len(positions), 1)))
        return np.hstack(parts)

    def arrays(self) -> Inputs:
        """Return what kernels need to know, with an empty cache."""
        first = self.players[0]
        roles = range(len(self.simulator.roles))
        return Inputs(
            views=np.array([int(role != first) for role in roles], np.int64),
            fluents=self.fluents,
            places=self._places(),
            features=len(self.features or ()),
            cache=self._cache(),
        )

    def _places(self) -> npt.NDArray[np.int32]:
        """Return int32 [2, 64 · K]: the input of each fluent, by view."""
        fluents = np.arange(64 * self.simulator.width, dtype=np.int32)
        places = np.tile(fluents, (2, 1))
        if self.fluents and self._symmetric:
            exchanged = exchanged_fluents(self.simulator)
            if exchanged is not None:
                places[1, : self.fluents] = exchanged
        return places

    def _cache(self) -> FeatureCache:
        if self.features is None:
            return empty_cache()
        programs = [self.features.program(role) for role in self.players]
        scale = np.ones(max(program.width for program in programs), np.float32)
        scale[: len(self.features)] = self.factors  # not divisors
        first, second = (
            program._replace(weights=program.weights * scale[program.columns])
            for program in programs
        )
        block, columns = self.features.allocate(LANES_64)
        return empty_cache(self.simulator.width)._replace(
            programs=(first, second),
            columns=columns,
            words=allocate_words_64(self.simulator.program.slots)[0],
            block=block,
        )


def find_players(roles: Sequence[str]) -> tuple[int, int]:
    """Return the first two roles that are not `random`; of one alone, it twice."""
    players = [number for number, role in enumerate(roles) if role != "random"]
    return players[0], players[1 if len(players) > 1 else 0]


def exchanged_fluents(simulator: CircuitSimulator) -> npt.NDArray[np.int32] | None:
    """Return int32 [fluents]: each fluent's place if the two players are exchanged.

    `None` where the game is not the same to both, see `find_exchange`.
    """
    exchange = find_exchange(simulator.game)
    if exchange is None:
        return None
    fluents = simulator.compiled.fluents
    number = {fluent: place for place, fluent in enumerate(fluents)}
    images = [number.get(exchange.fact(fluent)) for fluent in fluents]
    found = [image for image in images if image is not None]
    return np.array(found, np.int32) if len(found) == len(fluents) else None


def empty_cache(width: int = 1) -> FeatureCache:
    """Return the cache of a game without features; `width`: words per position."""
    return FeatureCache(
        programs=(NO_FEATURES, NO_FEATURES),
        counts=np.zeros((2, 0, 0), np.float32),
        counted=np.zeros((2, 0), np.uint8),
        pending=np.zeros(LANES_64, np.int64),
        rows=np.zeros((LANES_64, width), np.uint64),
        columns=np.zeros((LANES_64, 0), np.float32),
        words=np.zeros(0, np.uint64),
        block=np.zeros(64, np.uint64),
    )
