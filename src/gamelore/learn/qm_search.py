"""How a Q-learner searches where its table knows nothing: in kernels, or in Python.

Kernels see no clock, and the interpreter is not theirs; there, players of the same kind
search in Python.
"""

from __future__ import annotations

from typing import TypeAlias

from gamelore.engine import CircuitSimulator
from gamelore.engine.position import Position
from gamelore.graph import StateGraph
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.player import Briefing, Clock
from gamelore.search.nested import NestedMonteCarloPlayer, NestedSettings
from gamelore.search.playouts import MonteCarloPlayer, MonteCarloSettings
from gamelore.search.policies import (
    PlayerSettings,
    PolicyParameters,
    SearchKind,
    policy_parameters,
)

_UNLIMITED = 1 << 40  # playouts, where the clock is what ends a search

LearnerSettings: TypeAlias = TDSettings | QSettings


def searches_in_kernel(graph: StateGraph, settings: LearnerSettings) -> bool:
    """Whether kernels can search for such a learner."""
    return (
        isinstance(settings, QSettings)
        and settings.playouts > 0
        and isinstance(graph.simulator, CircuitSimulator)
    )


def search_policy(graph: StateGraph, settings: LearnerSettings) -> PolicyParameters:
    """How kernels choose for a learner where its table knows nothing."""
    search: SearchKind = "elsewhere"
    playouts = 1
    if isinstance(settings, QSettings) and searches_in_kernel(graph, settings):
        search = "nested" if settings.level > 1 else "flat"
        playouts = settings.playouts
    return policy_parameters(graph, PlayerSettings(playouts=playouts), search)


class Searcher:
    """Searches at nodes of a state graph, in Python."""

    def __init__(self, graph: StateGraph, settings: QSettings, seed: int = 0) -> None:
        self.graph = graph
        self.settings = settings
        self._flat = MonteCarloPlayer(seed)
        self._nested = NestedMonteCarloPlayer(seed)

    def choose(self, node: int, clock: Clock | None = None) -> int:
        """The edge that playouts from a node speak for."""
        graph = self.graph
        simulator = graph.simulator
        edges = graph.edges(node)
        role = graph.mover(node)
        player = self._player(len(edges))
        player.start(Briefing(simulator, simulator.roles[role]), Clock())
        position = Position.from_row(simulator, graph.row(node))
        move = player.choose(position, clock or Clock())
        number = simulator.move_number(role, move)
        chosen = next(i for i, edge in enumerate(edges) if edge.move == number)
        return int(graph.nodes.first[node]) + chosen

    def _player(self, moves: int) -> MonteCarloPlayer | NestedMonteCarloPlayer:
        """Who searches, with the budget of a decision between so many moves."""
        playouts = self.settings.playouts or _UNLIMITED
        seconds = self.settings.search_seconds
        if self.settings.level > 1:
            self._nested.settings = NestedSettings(
                self.settings.level, samples=playouts, seconds=seconds
            )
            return self._nested
        self._flat.settings = MonteCarloSettings(playouts * moves, seconds=seconds)
        return self._flat
