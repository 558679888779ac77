"""Value functions that generalise: V(s; w), learned from matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator, Rows
from gamelore.errors import GameloreError
from gamelore.graph import StateGraph
from gamelore.values import _function_kernels as kernels
from gamelore.values._function_kernels import (
    FunctionArrays,
    FunctionHandle,
    RewardScale,
    SelectionRule,
    UpdateRule,
)
from gamelore.values.by_feature import ByFeature, numbers_by_feature
from gamelore.values.function_arrays import evaluation_pointer, new_workspace
from gamelore.values.inputs import InputEncoder
from gamelore.values.linear import LinearModel
from gamelore.values.network import NetworkModel
from gamelore.values.ntuple.model import NTupleModel
from gamelore.values.ntuple.settings import NTupleSettings
from gamelore.values.settings import FunctionSettings, LinearSettings

Weights: TypeAlias = Mapping[str, npt.NDArray[Any]]
"""Arrays by name: `hidden` float32 [I, units] and `out` float32 [units + 1] of a
network, `direct` float64 [I] of a linear function; the last input is the bias;
`tables` float32 [W] and `changes` float32 [W or 0, 2] of an n-tuple network."""

UPDATE_MODES = {
    "offline": kernels.OFFLINE,
    "online": kernels.ONLINE,
    "during-play": kernels.DURING_PLAY,
}
_TERMINAL_TARGETS = {
    "reward": kernels.REWARD,
    "bootstrap": kernels.BOOTSTRAP,
    "both": kernels.BOTH,
}


class ValueFunction:
    """V(s; w): inputs of a position, weights, and the arrays that kernels take."""

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
        """`shaping`: rewards of features, as in a `TrainConfig`; `discount`: of values
        beside shaping rewards, where moves are chosen by both."""
        simulator = graph.simulator
        if not isinstance(simulator, CircuitSimulator):
            raise GameloreError(
                f"value functions need {simulator.game.name!r} compiled; on the"
                " interpreter there are tables"
            )
        self.graph = graph
        self.settings = settings
        self.discount = discount
        self.shaping = shaping
        self._seed = seed
        self._longest = longest_match
        self._cleared = 0
        self.encoder = InputEncoder(simulator, settings)
        self.features = self.encoder.features
        self.model: LinearModel | NetworkModel | NTupleModel
        if isinstance(settings, NTupleSettings):
            self.model = NTupleModel(settings, simulator, seed)
        elif isinstance(settings, LinearSettings):
            self.model = LinearModel(settings, self.encoder.count)
        else:
            self.model = NetworkModel(settings, self.encoder.count)
        self.arrays = self._new_arrays(simulator)
        self.load(self.model.initial_weights(seed, self.encoder.initially_on))

    @property
    def inputs(self) -> int:
        """I: fluents, features, and the bias."""
        return self.encoder.count

    # ── for kernels ─────────────────────────────────────────────────────────────────

    def make_handle(self, graph: StateGraph, update: Any) -> FunctionHandle:
        """Return what kernels evaluate and update on a state graph.

        `update`: the pointer through which they learn from a match
        """
        evaluate = evaluation_pointer(self.model.shape.kind)
        return FunctionHandle(self.fit(graph), evaluate, update, self.graph.program)

    def fit(self, graph: StateGraph) -> FunctionArrays:
        """Return the arrays, with a feature cache for every node of a state graph."""
        cleared = int(graph.nodes.used[2])
        if cleared != self._cleared:  # perhaps by another who uses the state graph
            self._cleared = cleared
            self.forget()
        inputs, nodes = self.arrays.inputs, len(graph.nodes.rows)
        if self.features is not None and inputs.cache.counts.shape[1] < nodes:
            _, columns = self.features.allocate(2 * nodes)
            counts = columns.reshape(2, nodes, -1)
            counted = np.zeros(counts.shape[:2], np.uint8)
            larger = inputs.cache._replace(counts=counts, counted=counted)
            self.arrays = self.arrays._replace(inputs=inputs._replace(cache=larger))
        return self.arrays

    def begin(self) -> None:
        """Forget where the last match was."""
        self.arrays.workspace.summed[0] = -1

    def forget(self) -> None:
        """Forget all that goes by the nodes of a state graph."""
        self.begin()
        self.arrays.inputs.cache.counted[:] = 0

    # ── weights ─────────────────────────────────────────────────────────────────────

    def weights(self) -> dict[str, npt.NDArray[Any]]:
        """Return a copy of the weights."""
        return self.model.weights()

    def load(self, weights: Weights) -> None:
        """Take these weights; `ValueError` if they are another function's."""
        for name, mine in self.weights().items():
            if name not in weights or weights[name].shape != mine.shape:
                raise ValueError(f"weights must have {name} {list(mine.shape)}")
        self.model.load(weights)
        self.begin()

    def copy(self) -> ValueFunction:
        """Return another function with the same weights."""
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

    # ── values ──────────────────────────────────────────────────────────────────────

    def evaluate(
        self, positions: Rows, role: int | None = None
    ) -> npt.NDArray[np.float64]:
        """Return float64 [n]: the values of positions from the side of a role.

        By default of the first player. In units of reward; terminal positions are
        valued like any other.
        """
        return self.model.evaluate(self.encode(positions, role))

    def selection_values(
        self, positions: Rows, role: int | None = None
    ) -> npt.NDArray[np.float64]:
        """Return float64 [n]: what decides between positions of one parent.

        That is their values; or, where shaping rewards count, the rewards up to them
        and their discounted values.
        """
        values = self.evaluate(positions, role)
        if not self.settings.reward_in_selection:
            return values
        return self.shaping_rewards(positions, role) + self.discount * values

    def shaping_rewards(
        self, positions: Rows, role: int | None = None
    ) -> npt.NDArray[np.float64]:
        """Return float64 [n]: the shaping rewards up to positions, on any path."""
        if not self.shaping:
            return np.zeros(len(positions))
        viewer = self.encoder.players[0] if role is None else role
        counts = self.graph.simulator.feature_counts(positions, viewer)
        return counts.astype(np.float64) @ self._shaping()

    def encode(
        self, positions: Rows, role: int | None = None
    ) -> npt.NDArray[np.float64]:
        """Return float64 [n, I]: the inputs of positions from the side of a role."""
        viewer = self.encoder.players[0] if role is None else role
        inputs = self.arrays.inputs
        places = inputs.places[inputs.views[viewer]]
        return self.encoder.encode(positions, viewer, places)

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _new_arrays(self, simulator: CircuitSimulator) -> FunctionArrays:
        settings, model = self.settings, self.model
        counts = settings.reward_in_selection
        most_moves = max(map(len, simulator.moves))
        shaping = (self._shaping() / self.encoder.factors).astype(np.float32)
        return FunctionArrays(
            shape=model.shape,
            inputs=self.encoder.arrays(),
            selection=SelectionRule(
                terminal_lookahead=int(settings.terminal_lookahead),
                discount=float(self.discount) if counts else 0.0,
            ),
            updates=UpdateRule(
                mode=UPDATE_MODES[settings.updates],
                terminal_target=_TERMINAL_TARGETS[settings.terminal_target],
                successor_trace=int(settings.trace_includes == "successor"),
                mover_risk=int(settings.risk_side == "mover"),
                best_after_random=int(getattr(settings, "best_after_random", False)),
                search_depth=int(getattr(settings, "search_depth", 1)),
                tree_updates=int(getattr(settings, "tree_updates", False)),
            ),
            rewards=RewardScale(self._goal_scale(), shaping),
            weights=model.arrays,
            workspace=new_workspace(
                model.arrays,
                self._longest + 2,
                most_moves,
                during_play=settings.updates == "during-play",
            ),
        )

    def _goal_scale(self) -> npt.NDArray[np.float64]:
        """Return float64 [R, 2]: how goals become rewards."""
        settings = self.settings
        scale = []
        for goals in self.graph.simulator.goal_values:
            low, high = min(goals, default=0), max(goals, default=100)
            span = settings.highest_reward - settings.lowest_reward
            factor = span / (high - low) if high > low else 0.0
            scale.append((factor, settings.lowest_reward - factor * low))
        return np.array(scale)

    def _shaping(self) -> npt.NDArray[np.float64]:
        """Return float64 [F]: the reward of each feature's going up by 1."""
        names = self.features.names if self.features else ()
        return numbers_by_feature(names, self.shaping, 0.0)
