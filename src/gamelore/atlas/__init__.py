"""The map of a game: numbered positions and where their moves lead."""

from gamelore.atlas.atlas import Atlas, Edge

__all__ = ["Atlas", "Edge"]
