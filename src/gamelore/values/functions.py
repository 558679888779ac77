"""Value functions that generalise: their weights, and what kernels see of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator, Rows
from gamelore.engine.compiled.buffers import (
    LANES_64,
    allocate_aligned,
    allocate_words_64,
)
from gamelore.errors import GameloreError
from gamelore.gdl.canonical.symmetry import exchange_of
from gamelore.graph import StateGraph
from gamelore.values import _function_kernels as kernels
from gamelore.values._function_kernels import Function, Lens, Trail
from gamelore.values.by_feature import ByFeature, numbers_by_feature
from gamelore.values.settings import FunctionSettings, LinearSettings, NetworkSettings

Weights: TypeAlias = Mapping[str, npt.NDArray[Any]]
"""Arrays by name: `hidden` float32 [I, units] and `out` float32 [units + 1] of a
network, `direct` float64 [I] of a linear function; the last input is the bias."""

_UNITS = {
    "identity": kernels.IDENTITY,
    "sigmoid": kernels.SIGMOID,
    "tanh": kernels.TANH,
}
_TERMINAL_TARGETS = {
    "reward": kernels.KNOWN,
    "bootstrap": kernels.LEARNED,
    "both": kernels.VALUED,
}
_EIGHT = 8  # hidden units come in so many


class ValueFunction:
    """V(s; w), learned from matches."""

    def __init__(
        self,
        graph: StateGraph,
        settings: FunctionSettings,
        *,
        seed: int = 0,
        longest_match: int = 2000,
        discount: float = 1.0,
        shaping: ByFeature = (),
    ) -> None:
        """`shaping`: rewards along the way, as in a `TrainConfig`; `discount`: of
        values where choices see them."""
        simulator = graph.simulator
        if not isinstance(simulator, CircuitSimulator):
            raise GameloreError(
                f"value functions need {simulator.game.name!r} compiled; on the"
                " interpreter there are tables"
            )
        self.graph = graph
        self.settings = settings
        self.features = (
            simulator.feature_set if simulator.features is not None else None
        )
        self._seed = seed
        self._longest = longest_match
        self._emptied = 0
        self.discount = discount
        self.shaping = shaping
        fluents = settings.fluents
        if fluents is None:
            fluents = self.features is None
        self.fluents = len(simulator.compiled.fluents) if fluents else 0
        if self.inputs == 1:
            raise GameloreError("a value function needs fluents or features as inputs")
        self.function = self._empty()
        self.load(self._first_weights())

    @property
    def inputs(self) -> int:
        """I: fluents, features, and the bias."""
        return self.fluents + len(self.features or ()) + 1

    def fit(self, graph: StateGraph) -> Function:
        """What kernels see, with room for every node of a state graph."""
        emptied = int(graph.nodes.used[2])
        if emptied != self._emptied:  # perhaps by another who uses the state graph
            self._emptied = emptied
            self.forget()
        lens = self.function.lens
        if self.features is not None and lens.counts.shape[1] < len(graph.nodes.rows):
            _, columns = self.features.allocate(2 * len(graph.nodes.rows))
            counts = columns.reshape(2, len(graph.nodes.rows), -1)
            measured = np.zeros(counts.shape[:2], np.uint8)
            lens = lens._replace(counts=counts, measured=measured)
            self.function = self.function._replace(lens=lens)
        return self.function

    def begin(self) -> None:
        """Forget where the last match was."""
        self.function.place[0] = -1

    def forget(self) -> None:
        """Forget all that goes by the nodes of a state graph."""
        self.begin()
        self.function.lens.measured[:] = 0

    # ── weights ─────────────────────────────────────────────────────────────────────

    def weights(self) -> dict[str, npt.NDArray[Any]]:
        """A copy of the weights."""
        function = self.function
        if isinstance(self.settings, LinearSettings):
            return {"direct": function.direct.copy()}
        units, width = self.settings.hidden, function.hidden.shape[1]
        out = np.append(function.out[:units], function.out[width])
        return {"hidden": function.hidden[:, :units].copy(), "out": out}

    def load(self, weights: Weights) -> None:
        """Take these weights; `ValueError` if they are another function's."""
        for name, mine in self.weights().items():
            if name not in weights or weights[name].shape != mine.shape:
                raise ValueError(f"weights must have {name} {list(mine.shape)}")
        function = self.function
        if isinstance(self.settings, LinearSettings):
            function.direct[:] = weights["direct"]
        else:
            units, width = self.settings.hidden, function.hidden.shape[1]
            function.hidden[:, :units] = weights["hidden"]
            function.out[:units] = weights["out"][:-1]
            function.out[width] = weights["out"][-1]
        self.begin()

    def copy(self) -> ValueFunction:
        """Another with the same weights, which goes its own way."""
        twin = ValueFunction(
            self.graph,
            self.settings,
            seed=self._seed,
            longest_match=self._longest,
            discount=self.discount,
            shaping=self.shaping,
        )
        twin.load(self.weights())
        return twin

    def _first_weights(self) -> dict[str, npt.NDArray[Any]]:
        settings = self.settings
        if isinstance(settings, LinearSettings):
            direct = np.full(self.inputs, settings.initial_value)
            direct[-1] = 0.0
            return {"direct": direct}
        generator = np.random.default_rng(self._seed)
        spread = settings.initial_range or 1 / np.sqrt(self._inputs_on())
        outer = settings.initial_range or 1 / np.sqrt(settings.hidden)
        hidden = generator.uniform(-spread, spread, (self.inputs, settings.hidden))
        out = generator.uniform(-outer, outer, settings.hidden + 1)
        return {"hidden": hidden.astype(np.float32), "out": out.astype(np.float32)}

    def _inputs_on(self) -> int:
        """How many inputs are on at first: features count as one each."""
        row = self.graph.simulator.initial_row()
        on = int(np.bitwise_count(row).sum()) if self.fluents else 0
        return 1 + on + len(self.features or ())

    # ── judging ─────────────────────────────────────────────────────────────────────

    def evaluate(self, positions: Rows, role: int = 0) -> npt.NDArray[np.float64]:
        """float64 [n]: the values of positions for the side of a role, by definition.

        In units of reward; ends are valued like any other position.
        """
        inputs = self.inputs_of(positions, role)
        if isinstance(self.settings, LinearSettings):
            sums = inputs @ self.function.direct
        else:
            hidden = inputs @ self.function.hidden.astype(np.float64)
            levels = _squashed(hidden, self.settings.activation)
            out = self.function.out.astype(np.float64)
            sums = levels @ out[: hidden.shape[1]] + out[hidden.shape[1]]
        return _squashed(sums, self.settings.output)

    def worth_of(self, positions: Rows, role: int = 0) -> npt.NDArray[np.float64]:
        """float64 [n]: what choices go by, positions of one parent compared.

        That is their values; or, where rewards along the way are seen, what was earned
        up to them and their values by the discount.
        """
        values = self.evaluate(positions, role)
        if not self.settings.reward_in_selection:
            return values
        return self.earned_by(positions, role) + self.discount * values

    def earned_by(self, positions: Rows, role: int = 0) -> npt.NDArray[np.float64]:
        """float64 [n]: the rewards along the way to positions, whatever the way."""
        if not self.shaping:
            return np.zeros(len(positions))
        counts = self.graph.simulator.feature_counts(positions, role)
        return counts.astype(np.float64) @ self._rewards()

    def inputs_of(self, positions: Rows, role: int = 0) -> npt.NDArray[np.float64]:
        """float64 [n, I]: the inputs of positions for the side of a role."""
        parts = []
        if self.fluents:
            bits = np.unpackbits(
                np.ascontiguousarray(positions).view(np.uint8),
                axis=1,
                bitorder="little",
            )
            places = self.function.places[min(role, 1), : self.fluents]
            seen = np.zeros((len(positions), self.fluents))
            seen[:, places] = bits[:, : self.fluents]
            parts.append(seen)
        if self.features is not None:
            counts = self.graph.simulator.feature_counts(positions, role)
            parts.append(counts.astype(np.float64) * self._factors())
        parts.append(np.ones((len(positions), 1)))
        return np.hstack(parts)

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _empty(self) -> Function:
        settings, simulator = self.settings, self.graph.simulator
        linear = isinstance(settings, LinearSettings)
        network_inputs = 0 if linear else self.inputs
        linear_inputs = self.inputs if linear else 0
        network = settings if isinstance(settings, NetworkSettings) else None
        bias = isinstance(settings, LinearSettings) and settings.bias
        width = -(-network.hidden // _EIGHT) * _EIGHT if network else 0
        positions = self._longest + 2
        return Function(
            kind=kernels.LINEAR if linear else kernels.NETWORK,
            activation=_UNITS[network.activation] if network else kernels.IDENTITY,
            output=_UNITS[settings.output],
            units=network.hidden if network else int(bias),
            fluents=self.fluents,
            places=self._places(),
            features=len(self.features or ()),
            online=int(settings.updates == "online"),
            ends=_TERMINAL_TARGETS[settings.terminal_target],
            sees_ends=int(settings.terminal_lookahead),
            arrives=int(settings.trace_includes == "successor"),
            foresight=float(self.discount) if settings.reward_in_selection else 0.0,
            hidden=_floats(network_inputs, width),
            out=_floats(1, width + _EIGHT)[0],
            direct=np.zeros(linear_inputs),
            scale=self._scale(),
            shaping=self._shaping(),
            place=np.full(2, -1, np.int64),
            sums=_floats(2, width),
            worth=np.zeros(max(map(len, simulator.moves))),
            trail=empty_trail(positions, width, linear_inputs, network_inputs),
            lens=self._lens(),
        )

    def _scale(self) -> npt.NDArray[np.float64]:
        """float64 [R, 2]: how goals become rewards."""
        settings = self.settings
        scale = []
        for goals in self.graph.simulator.goal_values:
            low, high = min(goals, default=0), max(goals, default=100)
            span = settings.highest_reward - settings.lowest_reward
            factor = span / (high - low) if high > low else 0.0
            scale.append((factor, settings.lowest_reward - factor * low))
        return np.array(scale)

    def _rewards(self) -> npt.NDArray[np.float64]:
        """float64 [F]: what each feature's going up by 1 earns."""
        names = self.features.names if self.features else ()
        return numbers_by_feature(names, self.shaping, 0.0)

    def _factors(self) -> npt.NDArray[np.float64]:
        """float64 [F]: what each feature is multiplied by before it is an input."""
        names = self.features.names if self.features else ()
        return numbers_by_feature(names, self.settings.scaling, 1.0)

    def _shaping(self) -> npt.NDArray[np.float32]:
        """float32 [F]: rewards by inputs, which are features on a scale."""
        return (self._rewards() / self._factors()).astype(np.float32)

    def _places(self) -> npt.NDArray[np.int32]:
        """int32 [2, 64 · K]"""
        simulator = self.graph.simulator
        places = np.tile(np.arange(64 * simulator.width, dtype=np.int32), (2, 1))
        if self.fluents and self.settings.perspective == "current-player":
            assert isinstance(simulator, CircuitSimulator)
            exchanged = exchanged_fluents(simulator)
            if exchanged is not None:
                places[1, : self.fluents] = exchanged
        return places

    def _lens(self) -> Lens:
        if self.features is None:
            return empty_lens()
        views = self.features.program(0), self.features.program(1)
        scale = np.ones(max(view.width for view in views), np.float32)
        scale[: len(self.features)] = self._factors()  # not divisors
        first, second = (
            view._replace(weights=view.weights * scale[view.columns]) for view in views
        )
        words = allocate_words_64(self.graph.program.slots)[0]
        room, columns = self.features.allocate(LANES_64)
        return empty_lens(self.graph.simulator.width)._replace(
            views=(first, second), columns=columns, words=words, room=room
        )


def exchanged_fluents(simulator: CircuitSimulator) -> npt.NDArray[np.int32] | None:
    """int32 [fluents]: what each fluent is to a player that sees itself as the other.

    `None` where the game is not the same to both, see `exchange_of`.
    """
    exchange = exchange_of(simulator.game)
    if exchange is None:
        return None
    fluents = simulator.compiled.fluents
    number = {fluent: place for place, fluent in enumerate(fluents)}
    images = [number.get(exchange.fact(fluent)) for fluent in fluents]
    found = [image for image in images if image is not None]
    return np.array(found, np.int32) if len(found) == len(fluents) else None


def _squashed(sums: npt.NDArray[np.float64], unit: str) -> npt.NDArray[np.float64]:
    if unit == "sigmoid":
        return np.asarray(1 / (1 + np.exp(-sums)))
    return np.tanh(sums) if unit == "tanh" else sums


def _floats(rows: int, width: int) -> npt.NDArray[np.float32]:
    """float32 [rows, width]: zeros.  Where eight begin, a vector of eight is aligned:
    others take several times as long to store and to load again."""
    words = allocate_aligned(-(-rows * width // 2))
    return words.view(np.float32)[: rows * width].reshape(rows, width)


def empty_trail(
    positions: int, width: int, linear_inputs: int, network_inputs: int
) -> Trail:
    """Room for the positions of a match."""
    return Trail(
        nodes=np.zeros(positions, np.int64),
        sums=_floats(positions, width),
        slopes=_floats(positions, width),
        gains=np.zeros(positions),
        traces=np.zeros(positions),
        alike=np.zeros(positions),
        shares=_floats(3, width + _EIGHT),
        direct=np.zeros((3, linear_inputs)),
        hidden=_floats(network_inputs, width),
    )


def empty_lens(width: int = 1) -> Lens:
    """Of a game without features."""
    return Lens(
        views=(kernels.NO_FEATURES, kernels.NO_FEATURES),
        counts=np.zeros((2, 0, 0), np.float32),
        measured=np.zeros((2, 0), np.uint8),
        waiting=np.zeros(LANES_64, np.int64),
        rows=np.zeros((LANES_64, width), np.uint64),
        columns=np.zeros((LANES_64, 0), np.float32),
        words=np.zeros(0, np.uint64),
        room=np.zeros(64, np.uint64),
    )


@cache
def no_function() -> Function:
    """In the place of a function, where values are in a table."""
    return Function(
        kind=kernels.NO_FUNCTION,
        activation=0,
        output=0,
        units=0,
        fluents=0,
        places=np.zeros((2, 0), np.int32),
        features=0,
        online=0,
        ends=0,
        sees_ends=0,
        arrives=0,
        foresight=0.0,
        hidden=np.zeros((0, 0), np.float32),
        out=np.zeros(_EIGHT, np.float32),
        direct=np.zeros(0),
        scale=np.zeros((0, 2)),
        shaping=np.zeros(0, np.float32),
        place=np.zeros(2, np.int64),
        sums=np.zeros((2, 0), np.float32),
        worth=np.zeros(0),
        trail=empty_trail(0, 0, 0, 0),
        lens=empty_lens(),
    )
