"""A course of learning under way: played in parts, shown, saved, and interrupted."""

from __future__ import annotations

import math
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from gamelore.cli.progress import waiting
from gamelore.cli.snapshot_files import SnapshotFiles
from gamelore.errors import DivergenceError
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.files import save_checkpoint
from gamelore.learn.trainer import Record, Trainer

PART = 0.1
"""Seconds that matches are played between two looks at the clock."""
SAVE_EVERY = 1.0
"""Seconds between checkpoints, if they take little time."""
SAVE_SHARE = 0.1
"""Of all time at most for checkpoints."""
_GROWTH = 8  # of parts, from one to the next
_MOST = 1 << 20  # matches at once
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Goal(NamedTuple):
    """When a course is over: at so many matches, after so long, or at either."""

    matches: int | None = None
    minutes: float | None = None


class Course:
    """A training, with the rewards of all its matches and the file it is kept in."""

    def __init__(
        self,
        trainer: Trainer,
        rewards: npt.NDArray[np.int16],
        goal: Goal,
        path: Path | None = None,
        *,
        snapshots: SnapshotFiles | None = None,
        depth: int = 1,
    ) -> None:
        """`depth`: how far to look ahead when playing by what was learned."""
        self.trainer = trainer
        self.goal = goal
        self.path = path
        self.snapshots = snapshots
        self.depth = depth
        self.left: list[Path] = []
        """The snapshots that were written."""
        self.resumed_at = trainer.matches
        self.seconds = 0.0
        self.timed = 0
        """Matches played in those seconds; not the first, since it loads kernels."""
        self.total = int(rewards.sum(dtype=np.int64))
        self._rewards = [rewards]
        self._began = math.inf
        self._saved_at = time.monotonic()
        self._saving_took = 0.0

    @property
    def matches(self) -> int:
        return self.trainer.matches

    @property
    def rewards(self) -> npt.NDArray[np.int16]:
        """int16 [matches]"""
        self._rewards = [np.concatenate(self._rewards)]
        return self._rewards[0]

    @property
    def average(self) -> float:
        """The average reward of all matches."""
        return self.total / max(1, self.matches)

    @property
    def rate(self) -> float:
        """Matches per second."""
        return self.timed / self.seconds if self.seconds else 0.0

    @property
    def cells(self) -> int:
        """Entries of all tables."""
        return sum(map(len, self.trainer.tables.values()))

    @property
    def elapsed(self) -> float:
        """Seconds since kernels were loaded."""
        return max(0.0, time.monotonic() - self._began)

    @property
    def minutes_left(self) -> float | None:
        """How much is left of the time that it may take, if there is a limit."""
        minutes = self.goal.minutes
        return None if minutes is None else max(0.0, minutes - self.elapsed / 60)

    @property
    def is_over(self) -> bool:
        """Whether all was played that is wanted."""
        wanted = self.goal.matches
        return self.minutes_left == 0 or (wanted is not None and self.matches >= wanted)

    def play(self, matches: int) -> float:
        """Play some more; the seconds it took."""
        started = time.perf_counter()
        self._note(self._play_soundly(matches))
        return time.perf_counter() - started

    def _play_soundly(self, matches: int) -> Record:
        """Play some more; where weights run away, keep what was good, and say so."""
        if self.trainer.function is None:
            return self.trainer.run(matches)
        before = self.trainer.state()
        try:
            return self.trainer.run(matches)
        except DivergenceError as error:
            good = self.trainer.matches - before.matches
            self.trainer.restore(before)
            self._note(self.trainer.run(good))  # the same again: it repeats exactly
            self.save()
            kept = "" if self.path is None else f" (saved in {self.path})"
            raise DivergenceError(f"{error}{kept}") from None

    def _note(self, record: Record) -> None:
        rewards = record.rewards.astype(np.int16)
        self._rewards.append(rewards)
        self.total += int(rewards.sum(dtype=np.int64))

    def save(self) -> None:
        """Keep everything, if there is a file for it."""
        if self.path is None:
            return
        started = time.monotonic()
        # Whether the file may be replaced was decided before the first match.
        save_checkpoint(self._checkpoint(), self.path, overwrite=True)
        self._saved_at = time.monotonic()
        self._saving_took = self._saved_at - started

    def _checkpoint(self) -> Checkpoint:
        wanted = self.goal.matches or 0
        return Checkpoint.of(self.trainer, self.rewards, wanted, self.depth)

    def _leave_snapshot(self) -> None:
        """Write a snapshot if there is to be one after the matches played so far."""
        if self.snapshots is not None and self.snapshots.is_due(self.matches):
            self.left.append(self.snapshots.save(self._checkpoint()))

    @property
    def save_is_due(self) -> bool:
        """Whether it is time for a checkpoint."""
        pause = max(SAVE_EVERY, self._saving_took * (1 / SAVE_SHARE - 1))
        return time.monotonic() - self._saved_at >= pause

    def run(self, quiet: bool) -> int | None:
        """Play all that is wanted and save; the signal that ended it early, if any."""
        with _signals() as signals:
            self._leave_snapshot()
            if not self.is_over:
                self._play_first(quiet)
            self._began = time.monotonic()
            with _Line(self, quiet) as line:
                size = 1
                while not self.is_over and not signals:
                    size = min(size, self._room())
                    took = self.play(size)
                    self.seconds += took
                    self.timed += size
                    size = max(1, int(size * min(_GROWTH, PART / max(took, 1e-6))))
                    line.show()
                    self._leave_snapshot()
                    if self.save_is_due:
                        self.save()
            self.save()
        return signals[0] if signals else None

    def _room(self) -> int:
        """How many matches may be played at once: to the end, or the next snapshot."""
        ends = [
            self.goal.matches,
            self.snapshots and self.snapshots.next_after(self.matches),
        ]
        return min((end - self.matches for end in ends if end), default=_MOST)

    def _play_first(self, quiet: bool) -> None:
        """One match, for which kernels are loaded, and a first checkpoint: if that is
        not possible, it had better be known now."""
        message = "loading kernels; on a machine's first run this takes a while"
        with nullcontext() if quiet else waiting(message):
            self.play(1)
        self.save()
        self._leave_snapshot()


@contextmanager
def _signals() -> Iterator[list[int]]:
    """The signals to end that have come; the second of a kind acts at once."""
    caught: list[int] = []
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def note(number: int, frame: FrameType | None) -> None:
        caught.append(number)
        signal.signal(number, before[signal.Signals(number)])

    for number in _SIGNALS:
        signal.signal(number, note)
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Line(Progress):
    """The live line of a course."""

    def __init__(self, course: Course, quiet: bool) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=15),
            TextColumn("{task.fields[state]}"),
            console=Console(stderr=True),
            disable=quiet or not sys.stderr.isatty(),
            transient=True,
        )
        self.course = course
        name = course.trainer.graph.simulator.game.name
        total = course.goal.matches or 60 * (course.goal.minutes or 0)
        self.task: TaskID = self.add_task(name, total=total, state="")

    def show(self) -> None:
        """How far it is."""
        course = self.course
        state = (
            f"{course.matches:,} matches · {course.rate:,.0f}/s"
            f" · average {course.average:.2f}"
        )
        if course.trainer.function is None:
            state += f" · {course.cells:,} cells"
        by_time = course.goal.matches is None
        done = course.elapsed if by_time else course.matches
        self.update(self.task, completed=done, state=state)
