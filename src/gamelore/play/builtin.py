"""The built-in players, by name."""

from __future__ import annotations

from collections.abc import Callable

from gamelore.play.atlas_player import AtlasPlayer
from gamelore.play.habits import PlayerSettings
from gamelore.play.monte_carlo import MonteCarloPlayer
from gamelore.play.nested import NestedMonteCarloPlayer
from gamelore.play.player import Player
from gamelore.play.random_player import RandomPlayer

_MINIMAX = PlayerSettings("minimax", epsilon=0.0)

PLAYERS: dict[str, Callable[[int], Player]] = {
    "random": RandomPlayer,
    "novice": lambda seed: AtlasPlayer(PlayerSettings("novice"), seed),
    "weak": lambda seed: AtlasPlayer(PlayerSettings("weak"), seed),
    "minimax": lambda seed: AtlasPlayer(_MINIMAX, seed, deepest=60),
    "monte-carlo": MonteCarloPlayer,
    "nested": NestedMonteCarloPlayer,
}
"""For each name, what makes such a player from a seed."""
