"""The map of a game: numbered positions, where moves lead, what lies under a node."""

from gamelore.graph.pattern_index import OPEN_LEAF, Pattern, PatternIndex, outcome_names
from gamelore.graph.rows import find_row, hash_again
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
    "find_row",
    "hash_again",
    "outcome_names",
]
