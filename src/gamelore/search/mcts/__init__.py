"""Monte Carlo tree search: any game, on both engines.

tree              a tree over a compiled game; its kernels select, expand and play out
plain_tree        a tree in plain Python over either engine, the slow twin
player            the player that searches: clocks, threads, the others' time
analysis          what a search finds, now and then while it goes on
report            what a search found: candidates, values, lines of play
profile           what random playouts show of a game beforehand
settings          how a tree is searched
"""

from gamelore.search.mcts.plain_tree import PlainTree
from gamelore.search.mcts.player import TreePlayer
from gamelore.search.mcts.report import Analysis, Candidate
from gamelore.search.mcts.settings import TreeSettings
from gamelore.search.mcts.tree import CircuitTree

__all__ = [
    "Analysis",
    "Candidate",
    "CircuitTree",
    "PlainTree",
    "TreePlayer",
    "TreeSettings",
]
