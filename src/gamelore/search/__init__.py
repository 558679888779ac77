"""Search: from a position to a move.

evaluator     values of positions where a search stops
alpha_beta    alpha-beta of any depth over any evaluator; in kernels and in plain Python
monte_carlo   flat Monte Carlo: mean goals of random playouts
nested        nested Monte Carlo: playouts that search
policies      built-in policies as parameters of kernels
"""

from gamelore.search.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.search.evaluator import Evaluation, Heuristic, Middle, WeighedFeatures
from gamelore.search.monte_carlo import MonteCarloPlayer, MonteCarloSettings
from gamelore.search.nested import NestedMonteCarloPlayer, NestedSettings
from gamelore.search.policies import PlayerSettings
from gamelore.search.policy_player import PolicyPlayer

__all__ = [
    "AlphaBetaPlayer",
    "Evaluation",
    "Heuristic",
    "Middle",
    "MonteCarloPlayer",
    "MonteCarloSettings",
    "NestedMonteCarloPlayer",
    "NestedSettings",
    "PlayerSettings",
    "PolicyPlayer",
    "SearchLimits",
    "WeighedFeatures",
]
