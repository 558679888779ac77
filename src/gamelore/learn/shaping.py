"""Rewards along the way: a change in a feature's count earns or costs something.

A position is credited with its features, each times its reward, and going from one
position to another earns the difference.
"""

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
from gamelore.graph import StateGraph
from gamelore.graph.state_graph import empty_nodes
from gamelore.kernels import lean_pointer
from gamelore.learn import _shaping_kernels as kernels
from gamelore.learn._shaping_kernels import Earnings, Ledger
from gamelore.values.by_feature import ByFeature, numbers_by_feature, unknown_feature
from gamelore.values.kernel_types import NO_FEATURES


class Account:
    """What positions of a state graph have earned a role, for kernels that fill
    tables."""

    def __init__(self, graph: StateGraph, shaping: ByFeature, role: int) -> None:
        self._graph = graph
        self._role = role
        self._shaping = shaping
        simulator = graph.simulator
        if simulator.features is None:
            raise unknown_feature(shaping[0][0], ())
        if not isinstance(simulator, CircuitSimulator):
            _check_names(simulator.features, shaping)
            self._ledger = _no_ledger()._replace(rewards=np.ones(1))
            return
        features = simulator.feature_set
        room, columns = features.allocate(LANES_64)
        self._ledger = Ledger(
            rewards=numbers_by_feature(features.names, shaping, 0.0),
            earned=np.zeros(0),
            measured=np.zeros(1, np.int64),
            features=features.program(role),
            words=allocate_words_64(graph.program.slots)[0],
            room=room,
            columns=columns,
        )

    def fit(self) -> Earnings:
        """What kernels see, with room for every node of the graph."""
        nodes = self._graph.nodes
        ledger = self._ledger
        if len(ledger.earned) < len(nodes.rows):
            earned = np.zeros(len(nodes.rows))
            earned[: len(ledger.earned)] = ledger.earned
            self._ledger = ledger._replace(earned=earned)
        if isinstance(self._graph.simulator, CircuitSimulator):
            return Earnings(self._ledger, _pointer(kernels.measure))
        self._measure()
        return Earnings(self._ledger, _pointer(kernels.measure_nothing))

    def _measure(self) -> None:
        """Count in Python: on the interpreter, kernels never make nodes."""
        nodes, simulator = self._graph.nodes, self._graph.simulator
        measured, used = int(self._ledger.measured[0]), int(nodes.used[0])
        if measured == used:
            return
        counts = simulator.feature_counts(nodes.rows[measured:used], self._role)
        earned = np.zeros(used - measured)
        names = list(map(to_kif, simulator.feature_names))
        for name, reward in self._shaping:
            if name in names:
                earned += reward * counts[:, names.index(name)].astype(np.float64)
        self._ledger.earned[measured:used] = earned
        self._ledger.measured[0] = used


def _check_names(features: FeatureRules, shaping: ByFeature) -> None:
    """Refuse names that no feature can have; the interpreter meets features one by one,
    so some that are let through may never be met."""
    for name, _ in shaping:
        term = read_term(name)
        if not any(fits(pattern, term) for pattern in features.patterns):
            raise unknown_feature(name, features.patterns)


def _no_ledger() -> Ledger:
    return Ledger(
        rewards=np.zeros(0),
        earned=np.zeros(0),
        measured=np.zeros(1, np.int64),
        features=NO_FEATURES,
        words=np.zeros(0, np.uint64),
        room=np.zeros(64, np.uint64),
        columns=np.zeros((0, 0), np.float32),
    )


def account_of(graph: StateGraph, shaping: ByFeature, role: int) -> Account | None:
    """The account of a role, if anything is earned along the way."""
    return Account(graph, shaping, role) if shaping else None


@cache
def no_earnings() -> Earnings:
    """Where nothing is earned along the way."""
    return Earnings(_no_ledger(), _pointer(kernels.measure_nothing))


@cache
def _pointer(measure: Callable[..., Any]) -> Any:
    """The pointer through which kernels measure; compiled only if it is wanted."""
    return lean_pointer(measure, 0, empty_program(), empty_nodes(), _no_ledger())
