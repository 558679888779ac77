"""Players, and matches between them."""

from gamelore.play.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.play.atlas_player import AtlasPlayer
from gamelore.play.builtin import PLAYERS
from gamelore.play.contestant import Contestant, Entry, PlainContestant
from gamelore.play.evaluations import Evaluation, Heuristic, Middle, WeighedFeatures
from gamelore.play.habits import PlayerSettings
from gamelore.play.match import Fault, MatchRecord, play_match
from gamelore.play.monte_carlo import MonteCarloPlayer, MonteCarloSettings
from gamelore.play.player import Briefing, Clock, Player
from gamelore.play.random_player import RandomPlayer

__all__ = [
    "PLAYERS",
    "AlphaBetaPlayer",
    "AtlasPlayer",
    "Briefing",
    "Clock",
    "Contestant",
    "Entry",
    "Evaluation",
    "Fault",
    "Heuristic",
    "MatchRecord",
    "Middle",
    "MonteCarloPlayer",
    "MonteCarloSettings",
    "PlainContestant",
    "Player",
    "PlayerSettings",
    "RandomPlayer",
    "SearchLimits",
    "WeighedFeatures",
    "play_match",
]
