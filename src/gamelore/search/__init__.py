"""Search: from a position to a move.

evaluator     the one interface for values of positions, in batches and in kernels
alpha_beta    alpha-beta of any depth over any evaluator; in kernels and in plain Python
mcts          Monte Carlo tree search
playouts      flat Monte Carlo, and playouts as an evaluator
nested        nested Monte Carlo: playouts whose moves are chosen by playouts
policies      simple players as parameters of kernels, the opponents of training runs
"""

from gamelore.search.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.search.evaluator import (
    ConstantEvaluator,
    Evaluator,
    FeatureEvaluator,
    HeuristicEvaluator,
)
from gamelore.search.mcts import Analysis, Candidate, TreePlayer, TreeSettings
from gamelore.search.nested import NestedMonteCarloPlayer, NestedSettings
from gamelore.search.playouts import (
    MonteCarloPlayer,
    MonteCarloSettings,
    PlayoutEvaluator,
)
from gamelore.search.policies import PlayerSettings
from gamelore.search.policy_player import PolicyPlayer

__all__ = [
    "AlphaBetaPlayer",
    "Analysis",
    "Candidate",
    "ConstantEvaluator",
    "Evaluator",
    "FeatureEvaluator",
    "HeuristicEvaluator",
    "MonteCarloPlayer",
    "MonteCarloSettings",
    "NestedMonteCarloPlayer",
    "NestedSettings",
    "PlayerSettings",
    "PlayoutEvaluator",
    "PolicyPlayer",
    "SearchLimits",
    "TreePlayer",
    "TreeSettings",
]
