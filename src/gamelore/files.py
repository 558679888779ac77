"""Files that are whole or absent: atomic writing, archives with a checksum, locks."""

from __future__ import annotations

import hashlib
import io
import os
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias
from uuid import uuid4

import numpy as np
import numpy.typing as npt

Arrays: TypeAlias = dict[str, npt.NDArray[Any]]

_DIGEST = hashlib.sha256().digest_size
_LONGEST_STEM = 40  # characters of the name that a draft keeps


class ArchiveError(Exception):
    """Bytes that are no archive, or not all of one; callers say of which file."""


class LockedError(Exception):
    """A lock that another process, or another part of this one, holds."""


def write_atomic(path: Path, *pieces: bytes | memoryview) -> None:
    """Replace a file by these bytes; whatever happens, the old or the new one is there.

    Raises `OSError` as the system does; then the old file is untouched and no draft is
    left beside it.
    """
    draft = path.with_name(f".{path.name[:_LONGEST_STEM]}-{uuid4().hex}.part")
    try:
        with draft.open("xb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def write_text_atomic(path: Path, text: str) -> None:
    """Replace a file by this text in UTF-8, lines ended by a line feed."""
    write_atomic(path, text.encode("utf-8"))


def pack_archive(magic: bytes, arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return `magic`, a SHA-256 checksum, and the arrays as npz."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    payload = buffer.getvalue()
    return magic + hashlib.sha256(payload).digest() + payload


def unpack_archive(magic: bytes, content: bytes) -> Arrays:
    """Return the arrays that `pack_archive` packed, or raise `ArchiveError`."""
    if not content.startswith(magic):
        cut_off = bool(content) and magic.startswith(content)
        raise ArchiveError("is cut off" if cut_off else "is of another kind")
    start = len(magic) + _DIGEST
    if len(content) <= start:
        raise ArchiveError("is cut off")
    payload = content[start:]
    if hashlib.sha256(payload).digest() != content[len(magic) : start]:
        raise ArchiveError("is cut off or damaged: its checksum is wrong")
    try:
        with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
            return dict(arrays)
    except (ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise ArchiveError(f"cannot be unpacked: {error}") from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file; it is released when the process ends, however it ends.

    Raises `LockedError` at once where somebody else holds it, and `OSError` where the
    file cannot be made.
    """
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite3.connect(path, timeout=0, isolation_level=None)
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise LockedError(f"{path} is locked") from error
        raise OSError(None, str(error), str(path)) from error
    try:
        yield
    finally:
        connection.close()


def _sync_folder(folder: Path) -> None:
    """Have the name of a new file reach the disk."""
    if os.name != "posix":  # elsewhere folders cannot be opened
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
