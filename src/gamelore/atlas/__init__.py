"""The map of a game: numbered positions, where moves lead, what lies under a node."""

from gamelore.atlas.atlas import Atlas, Edge, empty_nodes
from gamelore.atlas.rows import find_row, hash_again
from gamelore.atlas.status import FINE, LOOKAHEAD_RULES, NO_SHAPE
from gamelore.atlas.templates import OPEN_LEAF, Template, Templates, outcome_names

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
