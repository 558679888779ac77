"""The built-in players, by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gamelore.agents.random_player import RandomPlayer
from gamelore.player import Player
from gamelore.search.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.search.evaluator import HeuristicEvaluator
from gamelore.search.nested import NestedMonteCarloPlayer
from gamelore.search.playouts import MonteCarloPlayer
from gamelore.search.policies import PlayerSettings
from gamelore.search.policy_player import PolicyPlayer

_MINIMAX = PlayerSettings("minimax", epsilon=0.0)
_BY_CLOCK = SearchLimits(depth=2, deepest=60)


def _playing_out(playouts: int, seed: int) -> Player:
    settings = PlayerSettings("monte-carlo", epsilon=0.0, playouts=playouts)
    return PolicyPlayer(settings, seed)


PLAYERS: dict[str, Callable[[int], Player]] = {
    "random": RandomPlayer,
    "novice": lambda seed: PolicyPlayer(PlayerSettings("novice"), seed),
    "weak": lambda seed: PolicyPlayer(PlayerSettings("weak"), seed),
    "minimax": lambda seed: PolicyPlayer(_MINIMAX, seed, deepest=60),
    "monte-carlo": MonteCarloPlayer,
    "nested": NestedMonteCarloPlayer,
    "heuristic": lambda seed: AlphaBetaPlayer(
        HeuristicEvaluator(), seed=seed, limits=_BY_CLOCK
    ),
}
"""For each name, what makes such a player from a seed."""

SIZED: dict[str, Callable[[int, int], Player]] = {
    "minimax": lambda depth, seed: AlphaBetaPlayer(depth=depth, seed=seed),
    "heuristic": lambda depth, seed: AlphaBetaPlayer(HeuristicEvaluator(), depth, seed),
    "monte-carlo": _playing_out,
}
"""The same of names that a number may follow, as in minimax-4: how many moves it looks
ahead, or how often it plays out each move."""

NEED_TURNS = frozenset({"novice", "weak", "minimax", "heuristic"})
"""Who plays only games in which one role moves at a time; so do all with a number."""

_LARGEST = 10**6


def maker_of(name: str) -> Callable[[int], Player] | None:
    """What makes the player of a name, with a number or without, from a seed."""
    if name in PLAYERS:
        return PLAYERS[name]
    stem, _, number = name.rpartition("-")
    if stem not in SIZED or not number.isdecimal() or not 0 < int(number) <= _LARGEST:
        return None
    if stem != "monte-carlo" and int(number) > SearchLimits.DEEPEST:
        return None
    return partial(SIZED[stem], int(number))
