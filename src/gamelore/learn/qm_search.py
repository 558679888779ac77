"""How a Q-learner searches where its table knows nothing: in kernels, or in Python.

Kernels see no clock, and the interpreter is not theirs; there, players of the same kind
search in Python.
"""

from __future__ import annotations

from typing import TypeAlias

from gamelore.engine import CircuitSimulator
from gamelore.engine.position import Position
from gamelore.graph import Atlas
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.player import Briefing, Clock
from gamelore.search.monte_carlo import MonteCarloPlayer, MonteCarloSettings
from gamelore.search.nested import NestedMonteCarloPlayer, NestedSettings
from gamelore.search.policies import Habits, PlayerSettings, Search, habits_of

_UNLIMITED = 1 << 40  # playouts, where the clock is what ends a search

LearnerSettings: TypeAlias = TDSettings | QSettings


def searches_in_kernel(atlas: Atlas, settings: LearnerSettings) -> bool:
    """Whether kernels can search for such a learner."""
    return (
        isinstance(settings, QSettings)
        and settings.playouts > 0
        and isinstance(atlas.simulator, CircuitSimulator)
    )


def habits_for(atlas: Atlas, settings: LearnerSettings) -> Habits:
    """How kernels choose for a learner where its table knows nothing."""
    search: Search = "elsewhere"
    playouts = 1
    if isinstance(settings, QSettings) and searches_in_kernel(atlas, settings):
        search = "nested" if settings.level > 1 else "flat"
        playouts = settings.playouts
    return habits_of(atlas, PlayerSettings(playouts=playouts), search)


class Searcher:
    """Searches at nodes of an atlas, in Python."""

    def __init__(self, atlas: Atlas, settings: QSettings, seed: int = 0) -> None:
        self.atlas = atlas
        self.settings = settings
        self._flat = MonteCarloPlayer(seed)
        self._nested = NestedMonteCarloPlayer(seed)

    def choose(self, node: int, clock: Clock | None = None) -> int:
        """The edge that playouts from a node speak for."""
        atlas = self.atlas
        simulator = atlas.simulator
        edges = atlas.edges(node)
        role = atlas.mover(node)
        player = self._player(len(edges))
        player.start(Briefing(simulator, simulator.roles[role]), Clock())
        position = Position.from_row(simulator, atlas.row(node))
        move = player.choose(position, clock or Clock())
        number = simulator.move_number(role, move)
        chosen = next(i for i, edge in enumerate(edges) if edge.move == number)
        return int(atlas.nodes.first[node]) + chosen

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
