"""A checkpoint in a plain file.

gamelore course\\n     what it is
version               uint32, little-endian
length                uint64: how much comes after the checksum
checksum              32 bytes: SHA-256 of that
header                uint64 length, then JSON; its `arrays` tell dtypes and shapes
arrays                one after the other
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from gamelore.errors import CheckpointError
from gamelore.learn.checkpoint import Arrays, Checkpoint

MAGIC = b"gamelore course\n"
VERSION = 1

Buffer: TypeAlias = bytes | memoryview

_HEAD = struct.Struct("<16sIQ32s")
_LENGTH = struct.Struct("<Q")


def save_checkpoint(
    checkpoint: Checkpoint, path: str | Path, *, overwrite: bool = False
) -> None:
    """Write a file whole or not at all, whatever happens meanwhile.

    A file of that name is replaced if it holds an earlier state of the same course;
    any other is left alone, with a `CheckpointError`, unless `overwrite` lets it go.
    """
    path = Path(path)
    if not overwrite and path.exists():
        _check_same_course(checkpoint, path)
    arrays = checkpoint.arrays()
    shapes = {name: [one.dtype.str, one.shape] for name, one in arrays.items()}
    header = json.dumps({**checkpoint.header(), "arrays": shapes}).encode()
    pieces: list[Buffer] = [_LENGTH.pack(len(header)), header]
    pieces += [array.reshape(-1).view(np.uint8).data for array in arrays.values()]
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    length = sum(len(piece) for piece in pieces)
    head = _HEAD.pack(MAGIC, VERSION, length, digest.digest())
    try:
        _replace(path, [head, *pieces])
    except OSError as error:
        raise CheckpointError(f"cannot write {path}: {error.strerror}") from error


def load_checkpoint(path: str | Path) -> Checkpoint:
    """Read such a file; `CheckpointError` where it is damaged or something else."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            body = _read_body(file)
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror}") from error
    except CheckpointError as error:
        raise CheckpointError(f"{path} {error}; it is left as it is") from None
    try:
        return Checkpoint.from_parts(*_parts(body))
    except (CheckpointError, ValueError, KeyError, TypeError, struct.error) as error:
        raise CheckpointError(f"{path} is no saved course: {error}") from error


def _read_body(file: BinaryIO) -> bytes:
    """What comes after the checksum, if all of it is there and sound."""
    start = file.read(_HEAD.size)
    if not start.startswith(MAGIC):
        if start and MAGIC.startswith(start):
            raise CheckpointError("is cut off")
        raise CheckpointError("is no saved course of learning")
    if len(start) < _HEAD.size:
        raise CheckpointError("is cut off")
    _, version, length, checksum = _HEAD.unpack(start)
    if version != VERSION:
        raise CheckpointError(
            f"has version {version}, and this gamelore reads version {VERSION}"
        )
    body = file.read()
    if len(body) < length:
        raise CheckpointError(f"is cut off: {length - len(body):,} bytes are missing")
    if len(body) > length or hashlib.sha256(body).digest() != checksum:
        raise CheckpointError("is damaged: its checksum is wrong")
    return body


def _parts(body: bytes) -> tuple[dict[str, Any], Arrays]:
    (size,) = _LENGTH.unpack_from(body)
    start = _LENGTH.size + size
    header = json.loads(body[_LENGTH.size : start])
    arrays: Arrays = {}
    for name, (dtype, shape) in header.pop("arrays").items():
        count = math.prod(shape)
        flat = np.frombuffer(body, dtype, count, start)
        arrays[name] = flat.reshape(shape)
        start += flat.nbytes
    return header, arrays


def _check_same_course(checkpoint: Checkpoint, path: Path) -> None:
    stored = load_checkpoint(path)
    if stored.key != checkpoint.key:
        raise CheckpointError(f"{path} holds another course of learning")
    if stored.matches > checkpoint.matches:
        raise CheckpointError(
            f"{path} holds {stored.matches:,} matches of this course, more than"
            f" {checkpoint.matches:,}"
        )


def _replace(path: Path, pieces: list[Buffer]) -> None:
    """Write beside a file, then put it in its place: the old or the new is there."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    if os.name == "posix":  # elsewhere folders cannot be opened
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
