"""A course of learning under way: played in parts, shown, saved, and interrupted."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from gamelore.cli.progress import waiting
from gamelore.learn import Checkpoint, Training, save_checkpoint

PART = 0.1
"""Seconds that matches are played between two looks at the clock."""
SAVE_EVERY = 1.0
"""Seconds between checkpoints, if they take little time."""
SAVE_SHARE = 0.1
"""Of all time at most for checkpoints."""
_GROWTH = 8  # of parts, from one to the next
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Course:
    """A training, with the rewards of all its matches and the file it is kept in."""

    def __init__(
        self,
        training: Training,
        rewards: npt.NDArray[np.int16],
        wanted: int,
        path: Path | None,
    ) -> None:
        self.training = training
        self.wanted = wanted
        self.path = path
        self.resumed_at = training.matches
        self.seconds = 0.0
        self.timed = 0
        """Matches played in those seconds; not the first, since it loads kernels."""
        self.total = int(rewards.sum(dtype=np.int64))
        self._rewards = [rewards]
        self._saved_at = time.monotonic()
        self._saving_took = 0.0

    @property
    def matches(self) -> int:
        return self.training.matches

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
        return sum(map(len, self.training.tables.values()))

    def play(self, matches: int) -> float:
        """Play some more; the seconds it took."""
        started = time.perf_counter()
        rewards = self.training.run(matches).rewards.astype(np.int16)
        self._rewards.append(rewards)
        self.total += int(rewards.sum(dtype=np.int64))
        return time.perf_counter() - started

    def save(self) -> None:
        """Keep everything, if there is a file for it."""
        if self.path is None:
            return
        started = time.monotonic()
        checkpoint = Checkpoint.of(self.training, self.rewards, self.wanted)
        # Whether the file may be replaced was decided before the first match.
        save_checkpoint(checkpoint, self.path, overwrite=True)
        self._saved_at = time.monotonic()
        self._saving_took = self._saved_at - started

    @property
    def save_is_due(self) -> bool:
        """Whether it is time for a checkpoint."""
        pause = max(SAVE_EVERY, self._saving_took * (1 / SAVE_SHARE - 1))
        return time.monotonic() - self._saved_at >= pause

    def run(self, quiet: bool) -> int | None:
        """Play all that is wanted and save; the signal that ended it early, if any."""
        with _signals() as signals:
            if self.matches < self.wanted:
                self._play_first(quiet)
            with _Line(self, quiet) as line:
                size = 1
                while self.matches < self.wanted and not signals:
                    size = min(size, self.wanted - self.matches)
                    took = self.play(size)
                    self.seconds += took
                    self.timed += size
                    size = max(1, int(size * min(_GROWTH, PART / max(took, 1e-6))))
                    line.show()
                    if self.save_is_due:
                        self.save()
            self.save()
        return signals[0] if signals else None

    def _play_first(self, quiet: bool) -> None:
        """One match, for which kernels are loaded, and a first checkpoint: if that is
        not possible, it had better be known now."""
        message = "loading kernels; on a machine's first run this takes a while"
        with nullcontext() if quiet else waiting(message):
            self.play(1)
        self.save()


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
        name = course.training.atlas.simulator.game.name
        self.task: TaskID = self.add_task(name, total=course.wanted, state="")

    def show(self) -> None:
        """How far it is."""
        course = self.course
        state = (
            f"{course.matches:,} matches · {course.rate:,.0f}/s"
            f" · average {course.average:.2f} · {course.cells:,} cells"
        )
        self.update(self.task, completed=course.matches, state=state)
