"""The game without variables: `Game` → `GroundGame`."""

from gamelore.ground.grounder import FALSE, TRUE, GroundGame, GroundLimits, ground

__all__ = ["FALSE", "TRUE", "GroundGame", "GroundLimits", "ground"]
