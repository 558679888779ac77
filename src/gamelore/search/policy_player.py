"""The built-in players as objects: one decision at a time, by the kernels of courses.

From the same stream of randomness such a player decides as it does in a whole course
of matches. It plays games in which one role moves at a time.
"""

from __future__ import annotations

import math
import time
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
from gamelore.search.policies import UNLIMITED, PlayerSettings, fit, policy_parameters

Stream: TypeAlias = npt.NDArray[np.uint64]
"""uint64 [4]: the state of a generator; drawing changes it."""

_choose_edge = direct(_policy_kernels.choose_edge)

_SLICE = 0.002  # seconds between looks at the clock
_FIRST_BUDGET = 64  # nodes of the first slice
_MOST_NODES = 1 << 19  # of a state graph of one's own, beyond which it is begun anew
_GROWTH_TIME = 4e-7  # seconds per node that growing may take when busy; 8e-8 else


def stream_of(seed: int) -> Stream:
    """A stream of randomness from a seed."""
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
        deepest: int | None = None,
    ) -> None:
        """`graph`: one to share with others, made for the first match if not given.

        `deepest`: how far minimax goes beyond its depth while a clock leaves it time.
        """
        self.settings = settings or PlayerSettings()
        self.stream = stream_of(seed)
        self.deepest = max(deepest or 0, self.settings.depth)
        self._graph = graph
        self._shared = graph is not None
        self._policy: PolicyParameters | None = None
        self._playouts = MonteCarloPlayer(seed)
        self._role = 0

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Have a state graph of the game; what is known from earlier matches is
        kept."""
        simulator = briefing.simulator
        known = self._graph
        worn = known is not None and not self._shared and len(known) > _MOST_NODES
        if self._graph is None or self._graph.simulator is not simulator or worn:
            self._graph = StateGraph(simulator)
            self._policy = None
        if self._policy is None:
            self._policy = policy_parameters(self._graph, self.settings)
        self._graph.reserve()
        self._role = simulator.roles.index(briefing.role)
        self._playouts.start(briefing, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        """The move of the role to move; where another moves, the only one there is."""
        graph = self._graph
        if graph is None:
            raise RuntimeError("start must be called before choose")
        node = graph.number(position.row)
        if graph.mover(node) != self._role:
            return position.legal_moves(graph.simulator.roles[self._role])[0]
        if self.settings.name == "minimax" and clock.left < math.inf:
            edge = self._deepen(graph, node, clock)
        elif self.settings.name == "monte-carlo" and not self._by_kernel(clock):
            return self._by_clock(graph, node, position, clock)
        else:
            edge = self._decide(graph, node)
        return self._named(graph, edge)

    def _named(self, graph: StateGraph, edge: int) -> Move:
        return graph.simulator.moves[self._role][int(graph.nodes.move[edge])]

    def _by_kernel(self, clock: Clock) -> bool:
        """Whether playouts can be left to a kernel, which looks at no clock."""
        compiled = self._graph and isinstance(self._graph.simulator, CircuitSimulator)
        return bool(compiled) and clock.left == math.inf

    def _by_clock(
        self, graph: StateGraph, node: int, position: Position, clock: Clock
    ) -> Move:
        """The same by a player that looks at the clock, or plays on the interpreter."""
        count = self.settings.playouts * len(graph.edges(node))
        self._playouts.settings = MonteCarloSettings(playouts=count)
        return self._playouts.choose(position, clock)

    def _decide(self, graph: StateGraph, node: int) -> int:
        """The edge to take, however long it takes."""
        before = self.stream.copy()
        while (edge := self._ask(graph, node, self.settings.depth)) == FAILED:
            graph.extend(node, 1 + self._reach())
            self.stream[:] = before
        return edge

    def _reach(self) -> int:
        return self.settings.depth if self.settings.name == "minimax" else 1

    def _ask(self, graph: StateGraph, node: int, depth: int) -> int:
        """What a kernel answers: an edge or FAILED."""
        assert self._policy is not None
        self._policy = fit(self._policy, graph)
        policy = self._policy._replace(depth=depth)
        return int(_choose_edge(graph.graph, policy, self.stream, node))

    # ── minimax against the clock ───────────────────────────────────────────────────

    def _deepen(self, graph: StateGraph, node: int, clock: Clock) -> int:
        """The edge of the deepest search that the clock allows.

        Every depth starts from the same randomness, so that a clock that lasts does not
        change what is decided.
        """
        assert self._policy is not None
        before, after = self.stream.copy(), self.stream.copy()
        best = int(graph.nodes.first[node])
        for depth in range(1, self.deepest + 1):
            edge = self._search(graph, node, depth, clock)
            if edge == FAILED:
                break
            best, after = edge, self.stream.copy()
            self.stream[:] = before
            clock.note(self._named(graph, edge))
        self.stream[:] = after
        self._policy.budget[0] = UNLIMITED
        return best

    def _search(self, graph: StateGraph, node: int, depth: int, clock: Clock) -> int:
        """The edge that a search to a depth takes, or FAILED if time runs out.

        Searches in slices: what a slice found the next one need not search again.
        """
        before = self.stream.copy()
        budget = _FIRST_BUDGET
        while clock.budget > 0:
            assert self._policy is not None
            self._policy.budget[0] = budget
            started = time.monotonic()
            edge = self._ask(graph, node, depth)
            if edge != FAILED:
                return edge
            self.stream[:] = before
            taken = time.monotonic() - started
            if self._policy.budget[0] < 0:
                budget = max(_FIRST_BUDGET, int(budget * min(2, _SLICE / taken)))
            elif not self._make_way(graph, node, depth, clock):
                break
        self.stream[:] = before
        return FAILED

    def _make_way(self, graph: StateGraph, node: int, depth: int, clock: Clock) -> bool:
        """Let a state graph grow if there is time for it."""
        if not isinstance(graph.simulator, CircuitSimulator):
            return self._expand(graph, node, depth, clock)
        if clock.budget < _GROWTH_TIME * len(graph):
            return False
        graph.extend(node, 1 + depth)
        return True

    def _expand(self, graph: StateGraph, node: int, depth: int, clock: Clock) -> bool:
        """Expand a tree node by node, for the interpreter; whether there was time."""
        level = {node}
        for _ in range(depth):
            below: set[int] = set()
            for parent in level:
                if clock.budget < 0:
                    return False
                below.update(edge.child for edge in graph.edges(parent))
            level = below
        return True
