"""Reward shaping: a change of a feature is rewarded while the match goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from gamelore.circuit import empty_program
from gamelore.engine import CircuitSimulator
from gamelore.engine.compiled.buffers import LANES_64, allocate_words_64
from gamelore.gdl import read_term, to_kif
from gamelore.gdl.features import FeatureRules, fits
from gamelore.graph import StateGraph, empty_nodes
from gamelore.kernels import lean_pointer
from gamelore.learn import _shaping_kernels as kernels
from gamelore.learn._shaping_kernels import NO_FEATURES, Potentials, ShapingHandle
from gamelore.values.by_feature import ByFeature, numbers_by_feature, unknown_feature


class Shaping:
    """The potentials of a state graph's positions to a role, for learners with tables.

    The potential of a position is the sum of its features, each times its reward; going
    from one position to another is rewarded with the difference.
    """

    def __init__(self, graph: StateGraph, shaping: ByFeature, role: int) -> None:
        self._graph = graph
        self._role = role
        self._shaping = shaping
        simulator = graph.simulator
        if simulator.features is None:
            raise unknown_feature(shaping[0][0], ())
        if not isinstance(simulator, CircuitSimulator):
            _check_names(simulator.features, shaping)
            self._potentials = _no_potentials()._replace(rewards=np.ones(1))
            return
        features = simulator.feature_set
        block, columns = features.allocate(LANES_64)
        self._potentials = Potentials(
            rewards=numbers_by_feature(features.names, shaping, 0.0),
            potential=np.zeros(0),
            counted=np.zeros(1, np.int64),
            features=features.program(role),
            words=allocate_words_64(graph.program.slots)[0],
            block=block,
            columns=columns,
        )

    def make_handle(self) -> ShapingHandle:
        """Return what kernels see, with a potential for every node of the graph."""
        nodes, known = self._graph.nodes, self._potentials.potential
        if len(known) < len(nodes.rows):
            potential = np.zeros(len(nodes.rows))
            potential[: len(known)] = known
            self._potentials = self._potentials._replace(potential=potential)
        if isinstance(self._graph.simulator, CircuitSimulator):
            return ShapingHandle(self._potentials, _pointer(kernels.extend_potentials))
        self._extend()
        return ShapingHandle(self._potentials, _pointer(kernels.extend_nothing))

    def _extend(self) -> None:
        """Find potentials in Python: on the interpreter, kernels never make nodes."""
        nodes, simulator = self._graph.nodes, self._graph.simulator
        counted, used = int(self._potentials.counted[0]), int(nodes.used[0])
        if counted == used:
            return
        counts = simulator.feature_counts(nodes.rows[counted:used], self._role)
        potential = np.zeros(used - counted)
        names = list(map(to_kif, simulator.feature_names))
        for name, reward in self._shaping:
            if name in names:
                potential += reward * counts[:, names.index(name)].astype(np.float64)
        self._potentials.potential[counted:used] = potential
        self._potentials.counted[0] = used


def _check_names(features: FeatureRules, shaping: ByFeature) -> None:
    """Refuse names that no feature can have; the interpreter meets features one by one,
    so some that are let through may never be met."""
    for name, _ in shaping:
        term = read_term(name)
        if not any(fits(pattern, term) for pattern in features.patterns):
            raise unknown_feature(name, features.patterns)


def _no_potentials() -> Potentials:
    return Potentials(
        rewards=np.zeros(0),
        potential=np.zeros(0),
        counted=np.zeros(1, np.int64),
        features=NO_FEATURES,
        words=np.zeros(0, np.uint64),
        block=np.zeros(64, np.uint64),
        columns=np.zeros((0, 0), np.float32),
    )


def make_shaping(graph: StateGraph, shaping: ByFeature, role: int) -> Shaping | None:
    """Return the shaping of a role; `None` if no feature has a reward."""
    return Shaping(graph, shaping, role) if shaping else None


@cache
def no_shaping() -> ShapingHandle:
    """Return a handle that rewards nothing."""
    return ShapingHandle(_no_potentials(), _pointer(kernels.extend_nothing))


@cache
def _pointer(extend: Callable[..., Any]) -> Any:
    """Return the pointer through which kernels find potentials."""
    return lean_pointer(extend, 0, empty_program(), empty_nodes(), _no_potentials())
