"""Every exception gamelore raises on purpose.

    GameloreError
    ├── GdlError             rules that cannot be read, or that break a rule of GDL
    ├── UnknownGameError     no library game and no file of that name
    ├── GroundingError       rules that cannot be turned into a finite ground game
    │   └── GroundingLimit   … within the limits of time and memory
    ├── ArgumentError        an argument of the wrong shape, type or range
    ├── PositionError        facts that no position of this game can hold
    ├── IllegalMoveError     a move that is not legal in the position
    ├── StuckError           a role without a legal move in a position that goes on
    ├── NotTurnTakingError   two roles have a choice at once, where one must move
    ├── PlayoutRecordError   a file of recorded playouts that cannot be read
    ├── PatternError         text that is no tree pattern
    ├── KnowledgeError       knowledge that cannot be read, kept or applied
    ├── CheckpointError      a training run that cannot be saved or resumed
    ├── DivergenceError      weights that have diverged
    ├── MessageError         text that is no message of the GGP protocol
    ├── WireError            bytes that are no HTTP message, or one beyond the limits
    ├── RecordError          a match record that cannot be read or written
    ├── TournamentError      a tournament that cannot be read, or gone on with
    ├── PluginError          something of another package that cannot be used
    └── ClusterError         a cluster that cannot be reached, or loses its workers

Messages are lower case: what was wrong, then where.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gamelore.gdl.problems import Problem


class GameloreError(Exception):
    """Base of all errors raised on purpose."""


class GdlError(GameloreError):
    """Rules that cannot be read, or that break a rule of GDL."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[GdlError], tuple[Sequence[Problem]]]:
        return GdlError, (self.problems,)  # so that it passes between processes


class UnknownGameError(GameloreError):
    """No library game and no file of that name."""


class GroundingError(GameloreError):
    """Rules that cannot be turned into a finite ground game."""


class GroundingLimit(GroundingError):  # noqa: N818 - it is a limit
    """Grounding was ended at a limit of time, memory or size."""


class ArgumentError(GameloreError, ValueError):
    """An argument of the wrong shape, type or range."""


class PositionError(GameloreError):
    """Facts that no position of this game can hold."""


class IllegalMoveError(GameloreError):
    """A move that is not legal in the position."""


class StuckError(GameloreError):
    """A role has no legal move in a position that is not terminal."""


class NotTurnTakingError(GameloreError):
    """Two roles have a choice at once, where only one may."""


class PlayoutRecordError(GameloreError):
    """A file of recorded playouts that cannot be read."""


class PatternError(GameloreError):
    """Text that is no tree pattern."""


class KnowledgeError(GameloreError):
    """Knowledge that cannot be read, kept or applied."""


class CheckpointError(GameloreError):
    """A training run that cannot be saved, read or resumed."""


class DivergenceError(GameloreError):
    """Weights that have diverged."""


class MessageError(GameloreError):
    """Text that is no message of the GGP protocol."""

    def __init__(self, message: str, verb: str = "", match: str = "") -> None:
        super().__init__(message)
        self.verb = verb
        """The verb it begins with, in lower case, where there is one."""
        self.match = match
        """The match it is about, where that can be read."""


class WireError(GameloreError):
    """Bytes that are no HTTP message, or one beyond the limits."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status that says so."""


class RecordError(GameloreError):
    """A match record that cannot be read or written."""


class TournamentError(GameloreError):
    """A tournament that cannot be read, or gone on with."""


class PluginError(GameloreError):
    """Something that another package brings and that cannot be used."""


class ClusterError(GameloreError):
    """A cluster that cannot be reached, or that loses workers again and again."""
