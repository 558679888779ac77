"""The interface of players: they choose moves, and never learn."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from gamelore.engine.simulator import Simulator
from gamelore.gdl import Move, Role

if TYPE_CHECKING:
    from gamelore.engine.position import Position


RESERVE = 0.06
"""The seconds that a search leaves on a clock, at most …"""
RESERVED_SHARE = 0.2
"""… and the share of a short clock: a late move is a fault."""


@dataclass(slots=True)  # not frozen: one is made for every move
class Clock:
    """The time one decision may take, running from the moment the clock is made."""

    seconds: float = math.inf
    started: float = field(default_factory=time.monotonic)
    heard: Callable[[Move], None] | None = None
    """Is called with the best move so far, if it is given."""

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise ValueError(f"seconds must be positive, got {self.seconds}")

    @property
    def left(self) -> float:
        """Seconds left; negative once the time is over."""
        return self.started + self.seconds - time.monotonic()

    def note(self, move: Move) -> None:
        """Report the best move found so far, to be played if the time runs out."""
        if self.heard is not None:
            self.heard(move)

    def rename(self, rename: Callable[[Move], Move]) -> Clock:
        """Return the same clock for a player under other names.

        `rename`: from the player's names to those of the clock.
        """
        heard = self.heard
        if heard is None:
            return self
        return Clock(self.seconds, self.started, lambda move: heard(rename(move)))

    @property
    def budget(self) -> float:
        """Seconds that a search may still take; negative once it should be over."""
        return self.left - min(RESERVE, RESERVED_SHARE * self.seconds)


@dataclass(frozen=True)
class Briefing:
    """What a player knows before a match."""

    simulator: Simulator
    role: Role
    start_clock: float = math.inf
    """Seconds to prepare."""
    play_clock: float = math.inf
    """Seconds for each move."""
    ponders: bool = False
    """Whether the player may think while the others do."""
    threads: int = 1
    """How many threads the player may use at once."""


class Player(Protocol):
    """Chooses moves for one role of one match at a time."""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Prepare for a match."""

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return a legal move of the role played.

        A player that thinks for long notes its best move so far on the clock.
        """


@runtime_checkable
class Ponderer(Protocol):
    """A player that may think while the others do, in a thread."""

    def rest(self) -> None:
        """Stop thinking; nothing goes on when this returns."""


def let_rest(player: object) -> None:
    """Have a player stop thinking on the others' time, if it is one that does."""
    if isinstance(player, Ponderer):
        player.rest()


def describe_strength(player: object) -> str | None:
    """Return where the strength of a player that was started comes from, if it says."""
    found = getattr(player, "strength", None)
    return found if isinstance(found, str) else None
