"""The built-in players, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from gamelore.agents.fallback import CompiledOnly, FallbackPlayer
from gamelore.agents.levels import LEVELS, LevelPlayer
from gamelore.agents.random_player import RandomPlayer
from gamelore.player import Player
from gamelore.search.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.search.evaluator import ConstantEvaluator, Evaluator, HeuristicEvaluator
from gamelore.search.mcts import TreePlayer, TreeSettings
from gamelore.search.nested import NestedMonteCarloPlayer
from gamelore.search.playouts import MonteCarloPlayer, MonteCarloSettings
from gamelore.search.policies import PlayerSettings
from gamelore.search.policy_player import PolicyPlayer

Parameter: TypeAlias = Literal["depth", "playouts", "level", "simulations"]

_USUAL_DEPTH = 2  # of a search without a number and without a clock
_DEEPEST = 60  # moves ahead, while a clock leaves time


def _search(
    evaluator: Evaluator, seed: int, depth: int | None = None
) -> AlphaBetaPlayer:
    """Return alpha-beta to a depth, or as deep as a clock allows."""
    limits = SearchLimits(_USUAL_DEPTH, _DEEPEST, selective=True)
    if depth is not None:
        limits = SearchLimits(depth)
    return AlphaBetaPlayer(evaluator, seed=seed, limits=limits)


def _minimax(seed: int, depth: int | None = None) -> Player:
    return _search(ConstantEvaluator(), seed, depth)


def _heuristic(seed: int, depth: int | None = None) -> Player:
    return _search(HeuristicEvaluator(), seed, depth)


def _monte_carlo(seed: int, playouts: int | None = None) -> Player:
    return MonteCarloPlayer(seed, MonteCarloSettings(playouts_per_move=playouts))


def _tree(seed: int, playouts: int | None = None) -> Player:
    return TreePlayer(seed, TreeSettings(playouts=playouts))


def _level(seed: int, number: int) -> Player:
    level = LEVELS[number - 1]
    few = MonteCarloSettings(
        playouts_per_move=level.playouts and 1 + level.playouts // 8
    )
    return FallbackPlayer(LevelPlayer(level, seed), MonteCarloPlayer(seed, few))


PLAYERS: dict[str, Callable[..., Player]] = {
    "mcts": _tree,
    "random": RandomPlayer,
    "novice": lambda seed=0: PolicyPlayer(PlayerSettings("novice"), seed),
    "weak": lambda seed=0: PolicyPlayer(PlayerSettings("weak"), seed),
    "minimax": _minimax,
    "monte-carlo": _monte_carlo,
    "nested": NestedMonteCarloPlayer,
    "heuristic": _heuristic,
}
"""For each name, what makes such a player: from a seed, and from a number where the
name is in `PARAMETERS`."""

PARAMETERS: dict[str, Parameter] = {
    "minimax": "depth",
    "heuristic": "depth",
    "monte-carlo": "playouts",
    "mcts": "playouts",
}
"""Names that a number may follow, as in minimax-4, and what the number is: how many
moves to look ahead, or how many playouts of each move (of mcts, in all)."""

MOST: dict[Parameter, int] = {
    "depth": SearchLimits.DEEPEST,
    "playouts": 10**6,
    "level": len(LEVELS),
    "simulations": 10**9,
}
"""The largest numbers."""

LEVEL = "level"
"""The name that is always followed by a number, as in level-3."""

OVER_EVALUATORS = ("minimax",)
"""Searches over any evaluator, as in minimax-4:material."""

NEED_TURNS = frozenset({"novice", "weak", "minimax", "heuristic"})
"""Players of games in which one role moves at a time."""


def make_player(name: str, seed: int = 0, number: int | None = None) -> Player:
    """Return a built-in player that plays every game.

    Where one that needs turns cannot play, flat Monte Carlo does.
    """
    if name == LEVEL:
        return _level(seed, number or len(LEVELS))
    make = PLAYERS[name]
    player: Player = make(seed) if number is None else make(seed, number)
    if name in NEED_TURNS:
        return FallbackPlayer(CompiledOnly(player), MonteCarloPlayer(seed))
    if name == "mcts":
        return FallbackPlayer(player, MonteCarloPlayer(seed))
    return player


def make_search(evaluator: Evaluator, seed: int, depth: int | None = None) -> Player:
    """Return alpha-beta over an evaluator, for every game as `make_player` does."""
    search = CompiledOnly(_search(evaluator, seed, depth))
    return FallbackPlayer(search, MonteCarloPlayer(seed))
