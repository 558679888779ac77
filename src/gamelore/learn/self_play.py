"""The learner in both roles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gamelore.settings import check, setting


@dataclass(frozen=True)
class SelfPlay:
    """Matches of a learner against itself, in a game of two players."""

    values: Literal["shared", "own"] = setting("shared", option="self-values")
    """Whether both roles share one table, or each has its own. *shared*: values are of
    the first player's goals; the first player takes the highest and the second the
    lowest, and every position is learned from. *own*: each role learns its own values
    from its own moves. Value functions have `perspective` instead."""
    opponent_refresh: int = setting(0, option="opponent-refresh", least=0)
    """Play against a frozen copy of the learner, taken anew every so many matches. With
    0 there is no copy: the learner plays its current self."""
    epsilon: float = setting(0.01, least=0, most=1)
    """Share of the opponent's moves that are random. In self-play that is for copies;
    the learner's other self explores like the learner."""

    def __post_init__(self) -> None:
        check(self)

    @property
    def name(self) -> str:
        """The name of such an opponent."""
        return "self"
