"""The state graph of a game, and the tree patterns under its nodes."""

from gamelore.graph.pattern_index import OPEN_LEAF, Pattern, PatternIndex, outcome_names
from gamelore.graph.state_graph import Edge, StateGraph, empty_nodes
from gamelore.graph.status import FINE, LOOKAHEAD_RULES, NO_SHAPE

__all__ = [
    "FINE",
    "LOOKAHEAD_RULES",
    "NO_SHAPE",
    "OPEN_LEAF",
    "Edge",
    "Pattern",
    "PatternIndex",
    "StateGraph",
    "empty_nodes",
    "outcome_names",
]
