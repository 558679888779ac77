"""The built-in players, by name."""

from __future__ import annotations

from collections.abc import Callable

from gamelore.play.monte_carlo import MonteCarloPlayer
from gamelore.play.player import Player
from gamelore.play.random_player import RandomPlayer

PLAYERS: dict[str, Callable[[int], Player]] = {
    "random": RandomPlayer,
    "monte-carlo": MonteCarloPlayer,
}
"""For each name, what makes such a player from a seed."""
