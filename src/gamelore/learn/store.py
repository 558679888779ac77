"""All courses of learning in one SQLite file, saved as often as one likes.

Arrays are kept in chunks, and only chunks that changed are written, so that saving
after a match costs what the match changed. Every save is one transaction: a process
that is killed at any moment loses none that was finished. Knowledge may live in the
same file.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np

from gamelore.errors import CheckpointError
from gamelore.learn.checkpoint import Arrays, Checkpoint

APPLICATION_ID = 0x4C4F5245
"""Marks the SQLite files that are gamelore's: "LORE"."""

VERSION = 1

_PATIENCE = 30.0  # seconds to wait for another process that writes
_CHUNK = 1 << 14  # bytes

_SCHEMA = f"""
BEGIN IMMEDIATE;
PRAGMA application_id = {APPLICATION_ID};
CREATE TABLE IF NOT EXISTS course_version (version INTEGER NOT NULL);
INSERT INTO course_version
    SELECT {VERSION} WHERE NOT EXISTS (SELECT * FROM course_version);
CREATE TABLE IF NOT EXISTS course (
    key TEXT PRIMARY KEY,     -- hash of rules, plan and initial values
    game TEXT NOT NULL,
    rules TEXT NOT NULL,
    opponent TEXT NOT NULL,
    matches INTEGER NOT NULL,
    header TEXT NOT NULL      -- all but the arrays, as JSON, and their shapes
);
CREATE INDEX IF NOT EXISTS course_by_rules ON course (rules, opponent);
CREATE TABLE IF NOT EXISTS learner (
    course TEXT NOT NULL,
    role TEXT NOT NULL,
    cells INTEGER NOT NULL,
    PRIMARY KEY (course, role)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS chunk (
    course TEXT NOT NULL,
    array TEXT NOT NULL,
    number INTEGER NOT NULL,
    digest BLOB NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (course, array, number)
) WITHOUT ROWID;
COMMIT;
"""


@dataclass(frozen=True)
class Course:
    """One course in a store, without what it learned."""

    key: str
    game: str
    rules: str
    """The fingerprint of the rules."""
    role: str
    """One that learns; a course in which two roles learn comes up for each."""
    opponent: str
    matches: int
    cells: int
    """Entries of the role's table."""


class CourseStore:
    """Courses on disk; also a context manager that closes it."""

    def __init__(self, path: str | Path) -> None:
        """Open a store, new if there is no file; `CheckpointError` if it is none."""
        self.path = Path(path)
        with self._errors():
            self.connection = sqlite3.connect(
                self.path, timeout=_PATIENCE, isolation_level=None
            )
        try:
            self._prepare()
        except CheckpointError:
            self.connection.close()
            raise

    def save(self, checkpoint: Checkpoint, *, overwrite: bool = False) -> None:
        """Keep a checkpoint in place of earlier ones of its course, for good.

        One that is further on is left alone, with a `CheckpointError`, unless
        `overwrite` lets it go.
        """
        arrays = checkpoint.arrays()
        shapes = {name: [one.dtype.str, one.shape] for name, one in arrays.items()}
        header = json.dumps({**checkpoint.header(), "arrays": shapes})
        key, matches = checkpoint.key, checkpoint.matches
        with self._transaction():
            if self._matches(key) > matches:
                if not overwrite:
                    raise CheckpointError(
                        f"{self.path} holds {self._matches(key):,} matches of this"
                        f" course, more than {matches:,}"
                    )
                self.connection.execute("DELETE FROM chunk WHERE course = ?", (key,))
            self.connection.execute(
                "INSERT OR REPLACE INTO course VALUES (?, ?, ?, ?, ?, ?)",
                (
                    key,
                    checkpoint.game,
                    checkpoint.rules,
                    checkpoint.opponent,
                    matches,
                    header,
                ),
            )
            self.connection.executemany(
                "INSERT OR REPLACE INTO learner VALUES (?, ?, ?)",
                [(key, r, len(cells.values)) for r, cells in checkpoint.tables.items()],
            )
            self._write_chunks(key, arrays)

    def load(self, key: str) -> Checkpoint | None:
        """The last checkpoint of a course; `None` if there is none."""
        with self._transaction():
            found = self.connection.execute(
                "SELECT header FROM course WHERE key = ?", (key,)
            ).fetchone()
            if found is None:
                return None
            try:
                header = json.loads(found[0])
                shapes = header.pop("arrays")
                arrays = {
                    name: self._array(key, name, *shapes[name]) for name in shapes
                }
                return Checkpoint.from_parts(header, arrays)
            except (CheckpointError, ValueError, KeyError, TypeError) as error:
                raise CheckpointError(
                    f"a course of {self.path} is damaged: {error}"
                ) from error

    def courses(
        self,
        *,
        rules: str | None = None,
        game: str | None = None,
        role: str | None = None,
        opponent: str | None = None,
    ) -> list[Course]:
        """What is known: of a game, for a role, against an opponent; most matches
        first."""
        wanted = {"rules": rules, "game": game, "role": role, "opponent": opponent}
        asked = {name: value for name, value in wanted.items() if value is not None}
        where = " AND ".join(f"{name} = ?" for name in asked) or "TRUE"
        with self._errors():
            rows = self.connection.execute(
                "SELECT key, game, rules, role, opponent, matches, cells"
                f" FROM course JOIN learner ON course = key WHERE {where}"
                " ORDER BY matches DESC, key, role",
                tuple(asked.values()),
            ).fetchall()
        return [Course(*row) for row in rows]

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> CourseStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _matches(self, key: str) -> int:
        found = self.connection.execute(
            "SELECT matches FROM course WHERE key = ?", (key,)
        ).fetchone()
        return int(found[0]) if found else 0

    def _write_chunks(self, key: str, arrays: Arrays) -> None:
        """Write what differs from what is there; arrays never shrink."""
        stored = {
            (array, number): digest
            for array, number, digest in self.connection.execute(
                "SELECT array, number, digest FROM chunk WHERE course = ?", (key,)
            )
        }
        for name, array in arrays.items():
            content = array.reshape(-1).view(np.uint8).data
            for number, start in enumerate(range(0, len(content), _CHUNK)):
                chunk = content[start : start + _CHUNK]
                digest = hashlib.sha256(chunk).digest()
                if stored.get((name, number)) != digest:
                    self.connection.execute(
                        "INSERT OR REPLACE INTO chunk VALUES (?, ?, ?, ?, ?)",
                        (key, name, number, digest, chunk),
                    )

    def _array(self, key: str, name: str, dtype: str, shape: list[int]) -> object:
        """One array, its chunks put together and checked."""
        chunks = self.connection.execute(
            "SELECT digest, content FROM chunk WHERE course = ? AND array = ?"
            " ORDER BY number",
            (key, name),
        ).fetchall()
        for digest, content in chunks:
            if hashlib.sha256(content).digest() != digest:
                raise CheckpointError(f"a checksum of {name} is wrong")
        content = b"".join(content for _, content in chunks)
        return np.frombuffer(content, dtype).reshape(shape)

    def _prepare(self) -> None:
        """Make the tables in a new file, and look at what an old one holds."""
        with self._errors():
            (mark,) = self.connection.execute("PRAGMA application_id").fetchone()
            (tables,) = self.connection.execute(
                "SELECT count(*) FROM sqlite_schema"
            ).fetchone()
            if tables and mark != APPLICATION_ID:
                raise CheckpointError(
                    f"{self.path} is another program's database; it is left as it is"
                )
            self.connection.execute("PRAGMA journal_mode = WAL")
            self.connection.execute("PRAGMA synchronous = FULL")
            self.connection.executescript(_SCHEMA)
            (version,) = self.connection.execute(
                "SELECT version FROM course_version"
            ).fetchone()
        if version != VERSION:
            raise CheckpointError(
                f"{self.path} has courses of version {version}, and this gamelore reads"
                f" version {VERSION}"
            )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._errors():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise CheckpointError(
                f"cannot use {self.path} as a store: {error}"
            ) from error
