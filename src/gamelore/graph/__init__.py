"""The map of a game: numbered positions, where moves lead, what lies under a node."""

from gamelore.graph.rows import find_row, hash_again
from gamelore.graph.state_graph import Atlas, Edge, empty_nodes
from gamelore.graph.status import FINE, LOOKAHEAD_RULES, NO_SHAPE
from gamelore.graph.tree_patterns import OPEN_LEAF, Template, Templates, outcome_names

__all__ = [
    "FINE",
    "LOOKAHEAD_RULES",
    "NO_SHAPE",
    "OPEN_LEAF",
    "Atlas",
    "Edge",
    "Template",
    "Templates",
    "empty_nodes",
    "find_row",
    "hash_again",
    "outcome_names",
]
