"""Arrays in a database, in chunks, of which only those that changed are written.

So saving an array again costs what has changed of it, and a hash of the rest.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.errors import CheckpointError

Arrays: TypeAlias = dict[str, npt.NDArray[Any]]
Shapes: TypeAlias = Mapping[str, Sequence[Any]]
"""Of each array its type and its shape."""

_CHUNK = 1 << 14  # bytes


def chunk_schema(table: str) -> str:
    """What makes a table for the arrays of many courses."""
    return f"""
CREATE TABLE IF NOT EXISTS {table} (
    course TEXT NOT NULL,
    array TEXT NOT NULL,
    number INTEGER NOT NULL,
    digest BLOB NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (course, array, number)
) WITHOUT ROWID;"""


def shapes_of(arrays: Arrays) -> dict[str, list[Any]]:
    """What `read_arrays` must be told, as JSON."""
    return {name: [one.dtype.str, list(one.shape)] for name, one in arrays.items()}


def write_arrays(
    connection: sqlite3.Connection, table: str, course: str, arrays: Arrays
) -> None:
    """Write what differs from what is there; part of a transaction."""
    stored = {
        (array, number): digest
        for array, number, digest in connection.execute(
            f"SELECT array, number, digest FROM {table} WHERE course = ?", (course,)
        )
    }
    for name, array in arrays.items():
        content = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        for number, start in enumerate(range(0, len(content), _CHUNK)):
            chunk = content[start : start + _CHUNK]
            digest = hashlib.sha256(chunk).digest()
            if stored.pop((name, number), None) != digest:
                connection.execute(
                    f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?, ?, ?)",
                    (course, name, number, digest, chunk),
                )
    connection.executemany(
        f"DELETE FROM {table} WHERE course = ? AND array = ? AND number = ?",
        [(course, name, number) for name, number in stored],
    )


def read_arrays(
    connection: sqlite3.Connection, table: str, course: str, shapes: Shapes
) -> Arrays:
    """The arrays of a course, put together and checked; `CheckpointError` if damaged.

    Part of a transaction.
    """
    return {
        name: _read(connection, table, course, name).view(dtype).reshape(shape)
        for name, (dtype, shape) in shapes.items()
    }


def _read(
    connection: sqlite3.Connection, table: str, course: str, name: str
) -> npt.NDArray[np.uint8]:
    chunks = connection.execute(
        f"SELECT digest, content FROM {table} WHERE course = ? AND array = ?"
        " ORDER BY number",
        (course, name),
    ).fetchall()
    for digest, content in chunks:
        if hashlib.sha256(content).digest() != digest:
            raise CheckpointError(f"a checksum of {name} is wrong")
    return np.frombuffer(b"".join(content for _, content in chunks), np.uint8)
