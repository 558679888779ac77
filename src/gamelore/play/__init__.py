"""Players, and matches between them."""

from gamelore.play.builtin import PLAYERS
from gamelore.play.match import Fault, MatchRecord, play_match
from gamelore.play.monte_carlo import MonteCarloPlayer, MonteCarloSettings
from gamelore.play.player import Briefing, Clock, Player
from gamelore.play.random_player import RandomPlayer

__all__ = [
    "PLAYERS",
    "Briefing",
    "Clock",
    "Fault",
    "MatchRecord",
    "MonteCarloPlayer",
    "MonteCarloSettings",
    "Player",
    "RandomPlayer",
    "play_match",
]
