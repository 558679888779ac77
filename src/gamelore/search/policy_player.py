"""The policies of training runs as players: one decision at a time, by their kernels.

From the same stream of randomness such a player decides as it does in a training run.
It looks at no clock, and plays games in which one role moves at a time.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator
from gamelore.engine.position import Position
from gamelore.gdl import Move
from gamelore.graph import StateGraph
from gamelore.kernels import direct
from gamelore.player import Briefing, Clock
from gamelore.search import _policy_kernels
from gamelore.search._policy_kernels import FAILED, PolicyParameters
from gamelore.search.playouts import MonteCarloPlayer, MonteCarloSettings
from gamelore.search.policies import PlayerSettings, fit, policy_parameters

Stream: TypeAlias = npt.NDArray[np.uint64]
"""uint64 [4]: the state of a generator; drawing changes it."""

_choose_edge = direct(_policy_kernels.choose_edge)

_MOST_NODES = 1 << 19  # of a state graph of its own; beyond that it is replaced


def make_stream(seed: int) -> Stream:
    """Return a stream of randomness from a seed."""
    state = np.random.SeedSequence(seed).generate_state(4, np.uint64)
    return state.astype(np.uint64)


class PolicyPlayer:
    """Chooses as its settings say, over a state graph of the game."""

    def __init__(
        self,
        settings: PlayerSettings | None = None,
        seed: int = 0,
        *,
        graph: StateGraph | None = None,
    ) -> None:
        """`graph`: one to share with others; by default, it makes its own."""
        self.settings = settings or PlayerSettings()
        self.stream = make_stream(seed)
        self._graph = graph
        self._shared = graph is not None
        self._policy: PolicyParameters | None = None
        each = MonteCarloSettings(playouts_per_move=self.settings.playouts)
        self._playouts = MonteCarloPlayer(seed, each)
        self._role = 0

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Make a state graph of the game, or keep that of earlier matches."""
        simulator = briefing.simulator
        known = self._graph
        full = known is not None and not self._shared and len(known) > _MOST_NODES
        if self._graph is None or self._graph.simulator is not simulator or full:
            self._graph = StateGraph(simulator)
            self._policy = None
        if self._policy is None:
            self._policy = policy_parameters(self._graph, self.settings)
        self._graph.reserve()
        self._role = simulator.roles.index(briefing.role)
        self._playouts.start(briefing, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the move of the role to move, or the only one there is."""
        graph = self._graph
        if graph is None:
            raise RuntimeError("start must be called before choose")
        node = graph.number(position.row)
        if graph.mover(node) != self._role:
            return position.legal_moves(graph.simulator.roles[self._role])[0]
        compiled = isinstance(graph.simulator, CircuitSimulator)
        if self.settings.name == "monte-carlo" and not compiled:
            return self._playouts.choose(position, clock)
        edge = self._decide(graph, node)
        return graph.simulator.moves[self._role][int(graph.nodes.move[edge])]

    def _decide(self, graph: StateGraph, node: int) -> int:
        """Return the edge to take; the state graph grows until that is known."""
        before = self.stream.copy()
        while (edge := self._call_kernel(graph, node)) == FAILED:
            reach = self.settings.depth if self.settings.name == "minimax" else 1
            graph.extend(node, 1 + reach)
            self.stream[:] = before
        return edge

    def _call_kernel(self, graph: StateGraph, node: int) -> int:
        """Return the kernel's answer: an edge or FAILED."""
        assert self._policy is not None
        self._policy = fit(self._policy, graph)
        return int(_choose_edge(graph.graph, self._policy, self.stream, node))
