"""The player `trained`: searches over the weights that come with gamelore."""

from __future__ import annotations

import math
import time
from functools import cache, partial

from gamelore.agents.agent import PlayerAgent
from gamelore.agents.fallback import FallbackPlayer
from gamelore.agents.renamed import RenamedPlayer
from gamelore.agents.translated import TranslatedPlayer
from gamelore.board import infer_board
from gamelore.circuit import find_compiled
from gamelore.engine import CircuitSimulator, Simulator, simulator
from gamelore.engine.position import Position
from gamelore.engine.translation import find_translation
from gamelore.games import load
from gamelore.gdl import Game, Move
from gamelore.learn.adaptive_player import AdaptivePlayer
from gamelore.learn.in_match import LIMITS
from gamelore.player import Briefing, Clock, Player, let_rest
from gamelore.search.alpha_beta import AlphaBetaPlayer
from gamelore.search.mcts import TreePlayer
from gamelore.search.playouts import MonteCarloPlayer
from gamelore.values.shipped import (
    Recognised,
    SearchKind,
    find_shipped,
    list_shipped,
    shipped_evaluator,
)

_ENOUGH = 0.5  # of a start clock: the least that is left before a game is looked at
_COMPILING = 5.0  # seconds: with less, no circuit is made


class TrainedPlayer:
    """Searches over shipped weights, and by playouts in games that have none."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._simulator: Simulator | None = None
        self._player: Player | None = None
        self.strength: str | None = None
        """Where it comes from, in a game that weights come with."""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Load the weights of the game, if it is another one than before."""
        if self._player is None or self._simulator is not briefing.simulator:
            self._player = self._find_player(briefing.simulator, clock)
            self._simulator = briefing.simulator
        self._player.start(briefing, clock)

    def _find_player(self, simulator: Simulator, clock: Clock) -> Player:
        """Return the player for a game: by weights, or one that learns by itself."""
        player = self.strength = None
        if isinstance(simulator, CircuitSimulator):
            found = find_shipped(simulator.game)
            if found is not None:
                player = self._over_weights(found, simulator, clock)
                self.strength = found.weights.about if player else None
            player = player or self._by_other_rules(simulator, clock)
        return player or AdaptivePlayer(self._seed)

    def _over_weights(
        self, found: Recognised, played: CircuitSimulator, clock: Clock
    ) -> Player | None:
        """Return a player by weights; none if their game would first be compiled.

        That is what no clock has the time for; without a clock it is done.
        """
        if found.renaming is None:
            return self._search(played, found.weights.search)
        if find_compiled(found.game) is None and clock.left < math.inf:
            return None
        own = simulator(found.game, "circuit")
        assert isinstance(own, CircuitSimulator)
        player = self._search(own, found.weights.search)
        return None if player is None else RenamedPlayer(player, own, found.renaming)

    def _by_other_rules(self, played: CircuitSimulator, clock: Clock) -> Player | None:
        """Return a player by the weights of the same game in other rules."""
        cells = len(played.board.cells)
        for name in list_shipped():
            known = load(name)
            if len(known.roles) != len(played.roles) or _count_cells(name) != cells:
                continue
            if clock.left < _ENOUGH * clock.seconds:
                break
            if clock.left < _COMPILING and find_compiled(known) is None:
                continue
            own = simulator(known, "circuit")
            assert isinstance(own, CircuitSimulator)
            end = math.inf
            if clock.left < math.inf:
                end = time.monotonic() + clock.left - _ENOUGH * clock.seconds
            translation = find_translation(played, own, end)
            found = find_shipped(known) if translation else None
            player = self._search(own, found.weights.search) if found else None
            if translation and found and player:
                other = partial(TreePlayer, self._seed)
                self.strength = f"{name} in other rules; {found.weights.about}"
                return TranslatedPlayer(player, translation, other)
        return None

    def _search(self, engine: CircuitSimulator, kind: SearchKind) -> Player | None:
        evaluator = shipped_evaluator(engine)
        if evaluator is None:
            return None
        if kind == "tree":
            return TreePlayer(self._seed, evaluator=evaluator)
        return AlphaBetaPlayer(evaluator, seed=self._seed, limits=LIMITS)

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the best move that the search finds in time."""
        if self._player is None:
            raise RuntimeError("start must be called before choose")
        return self._player.choose(position, clock)

    def rest(self) -> None:
        """Stop thinking on the others' time."""
        let_rest(self._player)


def make_trained_agent(seed: int = 0) -> PlayerAgent:
    """Return the agent `trained`."""
    return PlayerAgent(
        lambda own: FallbackPlayer(TrainedPlayer(own), MonteCarloPlayer(own)), seed
    )


def load_trained_games() -> tuple[Game, ...]:
    """Return the games that weights come with."""
    return tuple(load(name) for name in list_shipped())


@cache
def _count_cells(name: str) -> int:
    """Return how many cells the board of a library game has."""
    return len(infer_board(load(name)).cells)
