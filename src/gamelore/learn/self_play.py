"""The learner on both seats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class SelfPlay:
    """Matches of a learner against itself, in a game of two players."""

    values: Literal["shared", "own"] = "shared"
    """*shared*: one value function, of the first player's goals; the first player wants
    what is highest and the second what is lowest, and every position teaches. *own*:
    each role learns its own values from its own moves."""
    opponent_refresh: int = 0
    """How many matches a frozen copy of the learner stays the opponent before a new
    copy is taken. With 0 there is no copy: the learner plays its current self."""
    epsilon: float = 0.01
    """How often such a copy moves at random; a learner's other self explores like the
    learner."""

    def __post_init__(self) -> None:
        if self.values not in ("shared", "own"):
            raise ValueError(f"values must be shared or own, got {self.values!r}")
        if self.opponent_refresh < 0:
            raise ValueError(
                f"opponent_refresh must not be negative, got {self.opponent_refresh}"
            )
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"epsilon must be in [0, 1], got {self.epsilon}")

    @property
    def name(self) -> str:
        """What such an opponent is called."""
        return "self"
