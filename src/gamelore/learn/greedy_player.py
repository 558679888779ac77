"""The player that chooses by learned values; it never learns."""

from __future__ import annotations

import math

from gamelore.engine.position import Position
from gamelore.gdl import Move
from gamelore.learn.qm_search import Searcher, search_policy, searches_in_kernel
from gamelore.learn.role_values import Values
from gamelore.learn.settings import QSettings
from gamelore.player import Briefing, Clock
from gamelore.search.policies import PlayerSettings, policy_parameters
from gamelore.search.policy_player import make_stream

FAILED = -1


class GreedyPlayer:
    """Takes the move with the best value; with probability epsilon, any move.

    Among equal values it chooses at random. Where no value of an action is known, it
    chooses by playouts if the settings ask for them, else at random.
    """

    def __init__(self, values: Values, epsilon: float = 0.0, seed: int = 0) -> None:
        if not 0 <= epsilon <= 1:
            raise ValueError(f"epsilon must be in [0, 1], got {epsilon}")
        self.values = values
        self.epsilon = epsilon
        self.stream = make_stream(seed)
        self._seed = seed
        self._policy = search_policy(values.graph, values.settings)
        self._no_search = policy_parameters(values.graph, PlayerSettings(), "elsewhere")
        self._searcher: Searcher | None = None

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Check that the values are of this game and role."""
        graph = self.values.graph
        if briefing.simulator is not graph.simulator:
            theirs, ours = briefing.simulator.game.name, graph.simulator.game.name
            raise ValueError(f"the values are of another game: {ours}, not {theirs}")
        if briefing.role != graph.simulator.roles[self.values.role]:
            known = graph.simulator.roles[self.values.role]
            raise ValueError(f"the values are of role {known}, not {briefing.role}")
        self.values.begin_match()

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the best move, or the only one there is."""
        graph, role = self.values.graph, self.values.role
        node = graph.number(position.row)
        if graph.mover(node) != role:
            return position.legal_moves(graph.simulator.roles[role])[0]
        edge = self._decide(node, clock)
        if edge == FAILED:
            edge = self._search(node, clock)
        return graph.simulator.moves[role][int(graph.nodes.move[edge])]

    def _decide(self, node: int, clock: Clock) -> int:
        """Return the edge to take, or FAILED where playouts must decide in Python."""
        values = self.values
        in_kernel = searches_in_kernel(values.graph, values.settings)
        in_kernel = in_kernel and clock.left == math.inf
        before = self.stream.copy()
        while True:
            search = self._policy if in_kernel else self._no_search
            edge = values.choose(node, self.epsilon, self.stream, search)
            if edge != FAILED or self._is_unknown(node):
                return edge
            values.graph.extend(node, values.reach)
            self.stream[:] = before

    def _is_unknown(self, node: int) -> bool:
        """Return whether only a search can decide: a node has moves without values."""
        return self.values.by_action and bool(self.values.graph.nodes.degree[node])

    def _search(self, node: int, clock: Clock) -> int:
        """Return the edge that playouts in Python choose."""
        settings = self.values.settings
        assert isinstance(settings, QSettings)
        if self._searcher is None:
            self._searcher = Searcher(self.values.graph, settings, self._seed)
        return self._searcher.choose(node, clock)
