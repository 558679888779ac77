"""Snapshots of a training run: after which matches, and in which files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gamelore.errors import CheckpointError
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.files import save_checkpoint


@dataclass(frozen=True)
class SnapshotFiles:
    """Checkpoints that stay: `net-1000.ckpt` beside `net.ckpt`, and so on."""

    checkpoint: Path
    """The checkpoint that they are beside."""
    at: tuple[int, ...] = ()
    """After these matches, in order."""
    every: int | None = None
    """After every so many matches."""
    overwrite: bool = False
    """Whether files of other runs may be replaced."""

    def is_due(self, matches: int) -> bool:
        """Return whether there is a snapshot after so many matches."""
        repeated = self.every is not None and matches > 0 and matches % self.every == 0
        return matches in self.at or repeated

    def next_after(self, matches: int) -> int | None:
        """Return the number of matches of the next snapshot, if there is one."""
        later = [number for number in self.at if number > matches]
        if self.every is not None:
            later.append(self.every * (matches // self.every + 1))
        return min(later, default=None)

    def path(self, matches: int) -> Path:
        """Return the file of a snapshot."""
        beside = self.checkpoint
        return beside.with_name(f"{beside.stem}-{matches}{beside.suffix}")

    def save(self, checkpoint: Checkpoint) -> Path:
        """Write a snapshot, and return its file.

        A file of another run is left alone, with a `CheckpointError`, unless
        `overwrite` is set.
        """
        path = self.path(checkpoint.matches)
        save_checkpoint(checkpoint, path, overwrite=self.overwrite)
        return path

    def check_new(self) -> None:
        """Raise `CheckpointError` if a new run would meet snapshots of another."""
        beside = self.checkpoint
        name = re.compile(rf"{re.escape(beside.stem)}-(\d+){re.escape(beside.suffix)}")
        for path in sorted(beside.parent.iterdir()):
            found = name.fullmatch(path.name)
            if found and self.is_due(int(found[1])) and not self.overwrite:
                raise CheckpointError(
                    f"{path} exists: --force replaces it, --resume goes on with the"
                    " training run that wrote it"
                )
