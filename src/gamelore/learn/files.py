"""Checkpoints in files: an archive of arrays with a checksum, written atomically."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from gamelore.errors import CheckpointError
from gamelore.files import (
    ArchiveError,
    LockedError,
    locked,
    pack_archive,
    unpack_archive,
    write_atomic,
)
from gamelore.learn.checkpoint import Checkpoint

_KIND = b"gamelore checkpoint "
MAGIC = _KIND + b"1\n"
"""The first bytes of every checkpoint; the number is the version of the format."""

_HEADER = "header"


def save_checkpoint(
    checkpoint: Checkpoint, path: str | Path, *, overwrite: bool = False
) -> None:
    """Write a checkpoint; whatever happens meanwhile, the file is whole.

    A file of that name is replaced if it holds an earlier state of the same training
    run; any other is left alone, with a `CheckpointError`, unless `overwrite` is set.
    """
    path = Path(path)
    if not overwrite and path.exists():
        _check_same_run(checkpoint, path)
    try:
        write_atomic(path, pack_checkpoint(checkpoint))
    except OSError as error:
        raise CheckpointError(f"cannot write {path}: {error.strerror}") from error


def load_checkpoint(path: str | Path) -> Checkpoint:
    """Read a checkpoint; `CheckpointError` where it is damaged or something else."""
    path = Path(path)
    try:
        return unpack_checkpoint(path.read_bytes())
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror}") from error
    except ArchiveError as error:
        message = f"{path} {error}, so it is no checkpoint; it is left as it is"
        raise CheckpointError(message) from None
    except CheckpointError as error:
        raise CheckpointError(f"{path} is no checkpoint: {error}") from error


def pack_checkpoint(checkpoint: Checkpoint) -> bytes:
    """Return a checkpoint as bytes."""
    header = np.frombuffer(checkpoint.header(), np.uint8)
    return pack_archive(MAGIC, {_HEADER: header, **checkpoint.arrays()})


def unpack_checkpoint(content: bytes) -> Checkpoint:
    """Return the checkpoint of such bytes, or raise `ArchiveError` or
    `CheckpointError`."""
    if content.startswith(_KIND) and not content.startswith(MAGIC[: len(content)]):
        raise CheckpointError("it is of another version of the format")
    arrays = unpack_archive(MAGIC, content)
    if _HEADER not in arrays:
        raise CheckpointError("it has no header")
    return Checkpoint.from_parts(arrays.pop(_HEADER).tobytes(), arrays)


@contextmanager
def lock_checkpoint(path: Path | None) -> Iterator[None]:
    """Keep other training runs from writing to a checkpoint, if there is one."""
    if path is None:
        yield
        return
    lock = path.with_name(f".{path.name}.lock")
    try:
        with locked(lock):
            try:
                yield
            finally:
                lock.unlink(missing_ok=True)
    except LockedError:
        raise CheckpointError(
            f"another process is training into {path}: choose another file, or wait"
        ) from None
    except OSError as error:
        if error.filename != str(lock):
            raise
        raise CheckpointError(f"cannot write {path}: {error.strerror}") from error


def _check_same_run(checkpoint: Checkpoint, path: Path) -> None:
    stored = load_checkpoint(path)
    if stored.key != checkpoint.key:
        raise CheckpointError(f"{path} holds another training run")
    if stored.matches > checkpoint.matches:
        raise CheckpointError(
            f"{path} holds {stored.matches:,} matches of this training run, more than"
            f" {checkpoint.matches:,}"
        )
