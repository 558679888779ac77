"""The player `trained`: searches over the weights that come with gamelore."""

from __future__ import annotations

from gamelore.agents.agent import PlayerAgent
from gamelore.agents.fallback import FallbackPlayer
from gamelore.engine.position import Position
from gamelore.gdl import Game, Move
from gamelore.player import Briefing, Clock, Player, let_rest
from gamelore.search.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.search.mcts import TreePlayer
from gamelore.search.playouts import MonteCarloPlayer
from gamelore.values.shipped import find_shipped, shipped_evaluator

_LIMITS = SearchLimits(4, 60)  # moves ahead: without a clock, and with one


class TrainedPlayer:
    """Alpha-beta over shipped weights; tree search in games that have none."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._player: Player | None = None

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Load the weights of the game."""
        evaluator = shipped_evaluator(briefing.simulator)
        if evaluator is None:
            self._player = TreePlayer(self._seed)
        else:
            self._player = AlphaBetaPlayer(evaluator, seed=self._seed, limits=_LIMITS)
        self._player.start(briefing, clock)

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


def describe_strength(game: Game) -> str | None:
    """Return where the strength in a game comes from, if weights come with it."""
    found = find_shipped(game)
    return None if found is None else found.about
