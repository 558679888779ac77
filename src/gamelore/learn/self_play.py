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
    renew: int = 0
    """With 0, both play by what is known now. Otherwise the learner plays against a
    copy of itself that is taken anew every so many matches and does not learn."""
    epsilon: float = 0.01
    """How often such a copy moves at random; a learner's other self explores like the
    learner."""

    def __post_init__(self) -> None:
        if self.values not in ("shared", "own"):
            raise ValueError(f"values must be shared or own, got {self.values!r}")
        if self.renew < 0:
            raise ValueError(f"renew must not be negative, got {self.renew}")
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"epsilon must be in [0, 1], got {self.epsilon}")

    @property
    def name(self) -> str:
        """What such an opponent is called."""
        return "self"
