"""Snapshots that a course leaves beside it: after which matches, and in which files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gamelore.errors import CheckpointError
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.files import save_checkpoint


@dataclass(frozen=True)
class SnapshotFiles:
    """`net-1000.course` beside `net.course`, and so on."""

    course: Path
    at: tuple[int, ...] = ()
    """After these matches, in order."""
    every: int | None = None
    """After every so many."""
    replaces: bool = False
    """Whether files of other courses may be replaced."""

    def __str__(self) -> str:
        """The options that ask for them."""
        parts = [f"--snapshots {','.join(map(str, self.at))}"] if self.at else []
        if self.every is not None:
            parts.append(f"--snapshot-every {self.every}")
        return " ".join(parts)

    def is_due(self, matches: int) -> bool:
        """Whether there is a snapshot after so many matches."""
        repeated = self.every is not None and matches > 0 and matches % self.every == 0
        return matches in self.at or repeated

    def next_after(self, matches: int) -> int | None:
        """After how many matches the next one is, if there is one."""
        later = [number for number in self.at if number > matches]
        if self.every is not None:
            later.append(self.every * (matches // self.every + 1))
        return min(later, default=None)

    def path(self, matches: int) -> Path:
        """The file of a snapshot."""
        return self.course.with_name(
            f"{self.course.stem}-{matches}{self.course.suffix}"
        )

    def save(self, checkpoint: Checkpoint) -> Path:
        """Write a snapshot; a file of another course is left alone, unless told."""
        path = self.path(checkpoint.matches)
        save_checkpoint(checkpoint, path, overwrite=self.replaces)
        return path

    def check_new(self) -> None:
        """`CheckpointError` if a course that begins would meet snapshots of others."""
        shape = re.compile(
            rf"{re.escape(self.course.stem)}-(\d+){re.escape(self.course.suffix)}"
        )
        for path in sorted(self.course.parent.iterdir()):
            found = shape.fullmatch(path.name)
            if found and self.is_due(int(found[1])) and not self.replaces:
                raise CheckpointError(
                    f"{path} exists: --force replaces it, --resume goes on with the"
                    " course that left it"
                )
