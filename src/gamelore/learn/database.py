"""One SQLite file that several kinds of store share, each with its own tables.

Every change is a transaction that is on the disk when it ends: a process that is killed
at any moment loses nothing it had finished.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Self

from gamelore.errors import GameloreError

APPLICATION_ID = 0x4C4F5245
"""Marks the SQLite files that are gamelore's: "LORE"."""

_PATIENCE = 30.0  # seconds to wait for another process that writes


class Database:
    """The base of stores; also a context manager that closes it."""

    kind: ClassVar[str]
    """Names the table with the store's version."""
    version: ClassVar[int]
    schema: ClassVar[str]
    """Makes the store's tables, where there are none yet."""
    failure: ClassVar[type[GameloreError]]
    """What is raised when the file cannot be used."""

    def __init__(self, path: str | Path) -> None:
        """Open a store, new if there is no file; an error if it is something else."""
        self.path = Path(path)
        with self._errors():
            self.connection = sqlite3.connect(
                self.path,
                timeout=_PATIENCE,
                isolation_level=None,
                check_same_thread=False,  # who shares a store among threads locks it
            )
        try:
            self._prepare()
        except GameloreError:
            self.connection.close()
            raise

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _prepare(self) -> None:
        """Make the tables in a new file, and look at what an old one holds."""
        with self._errors():
            (mark,) = self.connection.execute("PRAGMA application_id").fetchone()
            (tables,) = self.connection.execute(
                "SELECT count(*) FROM sqlite_schema"
            ).fetchone()
            if tables and mark != APPLICATION_ID:
                raise self.failure(
                    f"{self.path} is another program's database; it is left as it is"
                )
            self.connection.execute("PRAGMA journal_mode = WAL")
            self.connection.execute("PRAGMA synchronous = FULL")
            self.connection.executescript(
                f"""
                BEGIN IMMEDIATE;
                PRAGMA application_id = {APPLICATION_ID};
                CREATE TABLE IF NOT EXISTS {self.kind}_version (version INTEGER);
                INSERT INTO {self.kind}_version SELECT {self.version}
                    WHERE NOT EXISTS (SELECT * FROM {self.kind}_version);
                {self.schema}
                COMMIT;
                """
            )
            (version,) = self.connection.execute(
                f"SELECT version FROM {self.kind}_version"
            ).fetchone()
        if version != self.version:
            raise self.failure(
                f"{self.path} is a store of version {version}, and this gamelore reads"
                f" version {self.version}"
            )

    @contextmanager
    def _transaction(self, mode: str) -> Iterator[None]:
        """All or nothing; the mode is IMMEDIATE for writing, DEFERRED for reading."""
        with self._errors():
            self.connection.execute(f"BEGIN {mode}")
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
            raise self.failure(f"cannot use {self.path} as a store: {error}") from error
