"""The game without variables: `Game` → `GroundGame`."""

from gamelore.ground.features import GroundFeature
from gamelore.ground.grounder import FALSE, TRUE, GroundGame, GroundLimits, ground

__all__ = ["FALSE", "TRUE", "GroundFeature", "GroundGame", "GroundLimits", "ground"]
