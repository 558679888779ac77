"""A store of lessons that grows from game to game, in one SQLite file.

Every lesson is one transaction: a process that is killed loses none that was added.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from gamelore.errors import FeatureError, KnowledgeError
from gamelore.transfer.knowledge import Knowledge, Lesson

APPLICATION_ID = 0x4C4F5245
"""Marks the SQLite files that are gamelore's: "LORE"."""

VERSION = 1

_PATIENCE = 30.0  # seconds to wait for another process that writes

_SCHEMA = f"""
BEGIN IMMEDIATE;
PRAGMA application_id = {APPLICATION_ID};
CREATE TABLE IF NOT EXISTS knowledge_version (version INTEGER NOT NULL);
INSERT INTO knowledge_version
    SELECT {VERSION} WHERE NOT EXISTS (SELECT * FROM knowledge_version);
CREATE TABLE IF NOT EXISTS lesson (
    thread TEXT PRIMARY KEY,  -- what a later lesson of the same run replaces
    opponent TEXT NOT NULL,
    game TEXT NOT NULL,
    role TEXT NOT NULL,
    depth INTEGER NOT NULL,
    matches INTEGER NOT NULL,
    text TEXT NOT NULL        -- the whole lesson, as JSON
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS lesson_by_opponent ON lesson (opponent, game);
COMMIT;
"""

_ADD = """
INSERT INTO lesson VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (thread) DO UPDATE SET matches = excluded.matches, text = excluded.text
WHERE (excluded.matches, excluded.text) > (matches, text)
"""


class KnowledgeStore:
    """Lessons on disk; also a context manager that closes it."""

    def __init__(self, path: str | Path) -> None:
        """Open a store, new if there is no file; `KnowledgeError` if it is no store."""
        self.path = Path(path)
        with self._errors():
            self.connection = sqlite3.connect(
                self.path, timeout=_PATIENCE, isolation_level=None
            )
        try:
            self._prepare()
        except KnowledgeError:
            self.connection.close()
            raise

    def add(self, knowledge: Knowledge | Lesson) -> None:
        """Keep lessons, each at once and for good; those already there change nothing.

        A lesson of a run replaces what an earlier part of the run taught.
        """
        lessons = (knowledge,) if isinstance(knowledge, Lesson) else knowledge.lessons
        for lesson in lessons:
            row = (
                hashlib.sha256(repr(lesson.thread).encode()).hexdigest(),
                lesson.opponent,
                lesson.game,
                lesson.role,
                lesson.depth,
                lesson.matches,
                lesson.text,
            )
            with self._errors():
                self.connection.execute(_ADD, row)

    def recall(
        self,
        *,
        opponent: str | None = None,
        game: str | None = None,
        role: str | None = None,
        depth: int | None = None,
    ) -> Knowledge:
        """What was learned: all of it, or against an opponent, from a game, …"""
        wanted = {"opponent": opponent, "game": game, "role": role, "depth": depth}
        asked = {name: value for name, value in wanted.items() if value is not None}
        where = " AND ".join(f"{name} = ?" for name in asked) or "TRUE"
        with self._errors():
            rows = self.connection.execute(
                f"SELECT text FROM lesson WHERE {where}", tuple(asked.values())
            ).fetchall()
        return Knowledge(tuple(self._read(text) for (text,) in rows))

    def opponents(self) -> list[str]:
        """The names of the opponents that something was learned against."""
        with self._errors():
            rows = self.connection.execute(
                "SELECT DISTINCT opponent FROM lesson ORDER BY opponent"
            ).fetchall()
        return [name for (name,) in rows]

    def __len__(self) -> int:
        """How many lessons there are."""
        with self._errors():
            row = self.connection.execute("SELECT count(*) FROM lesson").fetchone()
        return int(row[0])

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> KnowledgeStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _prepare(self) -> None:
        """Make the tables in a new file, and look at what an old one holds."""
        with self._errors():
            (mark,) = self.connection.execute("PRAGMA application_id").fetchone()
            (tables,) = self.connection.execute(
                "SELECT count(*) FROM sqlite_schema"
            ).fetchone()
            if tables and mark != APPLICATION_ID:
                raise KnowledgeError(
                    f"{self.path} is another program's database; it is left as it is"
                )
            self.connection.execute("PRAGMA journal_mode = WAL")
            self.connection.execute("PRAGMA synchronous = FULL")
            self.connection.executescript(_SCHEMA)
            (version,) = self.connection.execute(
                "SELECT version FROM knowledge_version"
            ).fetchone()
        if version != VERSION:
            raise KnowledgeError(
                f"{self.path} is a store of version {version}, and this gamelore reads"
                f" version {VERSION}"
            )

    def _read(self, text: str) -> Lesson:
        try:
            return Lesson.from_record(json.loads(text))
        except (KnowledgeError, FeatureError, json.JSONDecodeError) as error:
            raise KnowledgeError(
                f"a lesson in {self.path} is damaged: {error}"
            ) from error

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise KnowledgeError(
                f"cannot use {self.path} as a store: {error}"
            ) from error
