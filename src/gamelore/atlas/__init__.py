"""The map of a game: numbered positions, where moves lead, what lies under a node."""

from gamelore.atlas.atlas import Atlas, Edge
from gamelore.atlas.templates import OPEN_LEAF, Template, Templates, outcome_names

__all__ = ["OPEN_LEAF", "Atlas", "Edge", "Template", "Templates", "outcome_names"]
