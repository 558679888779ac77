"""What a training run tells its observers while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from gamelore.learn.references import ReferenceResult

StopReason: TypeAlias = Literal["matches", "minutes", "settled", "stopped"]
"""Why a run ended: its limit of matches, its limit of time, because it had stopped
getting better, or a call of `stop`."""


@dataclass(frozen=True)
class Started:
    """Training begins, or goes on."""

    game: str
    opponent: str
    matches: int
    """Matches played before, where a run is resumed."""
    match_limit: int | None
    minute_limit: float | None


@dataclass(frozen=True)
class Progress:
    """A part of the matches has been played; sent several times a second."""

    matches: int
    seconds: float
    """Time since the kernels were loaded, evaluations included."""
    matches_per_second: float
    mean_reward: float
    """Of the learner in all matches so far: exploration included, and in self-play the
    first player's goals, so no measure of strength."""
    cells: int
    """Entries of all tables; 0 for value functions."""


@dataclass(frozen=True)
class Evaluated:
    """The learner has played greedily against the reference players."""

    matches: int
    results: tuple[ReferenceResult, ...]
    """One for each reference player."""
    seconds: float


@dataclass(frozen=True)
class Checkpointed:
    """The whole state is on the disk."""

    matches: int
    path: Path
    seconds: float


@dataclass(frozen=True)
class SnapshotWritten:
    """A checkpoint that later ones do not replace is on the disk."""

    matches: int
    path: Path


@dataclass(frozen=True)
class Improved:
    """The learner has done better in an evaluation than in all before."""

    matches: int
    score: float
    """The mean of its scores against the reference players."""


@dataclass(frozen=True)
class Diverged:
    """The weights left all bounds; the run is back at the last sound ones, and ends."""

    matches: int
    message: str


@dataclass(frozen=True)
class Finished:
    """The run is over, and saved."""

    matches: int
    seconds: float
    reason: StopReason


TrainingEvent: TypeAlias = (
    Started
    | Progress
    | Evaluated
    | Checkpointed
    | SnapshotWritten
    | Improved
    | Diverged
    | Finished
)

TrainingObserver: TypeAlias = Callable[[TrainingEvent], None]
"""Is called with every event, in the thread that trains; it should return soon."""
