"""A store of lessons that grows from game to game, in one SQLite file.

Every lesson is one transaction: a process that is killed loses none that was added.
"""

from __future__ import annotations

import hashlib
import json

from gamelore.errors import KnowledgeError, PatternError
from gamelore.learn.database import Database
from gamelore.transfer.knowledge import Knowledge, Lesson

_SCHEMA = """
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
"""

_ADD = """
INSERT INTO lesson VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (thread) DO UPDATE SET matches = excluded.matches, text = excluded.text
WHERE (excluded.matches, excluded.text) > (matches, text)
"""


class KnowledgeStore(Database):
    """Lessons on disk."""

    kind = "knowledge"
    version = 1
    schema = _SCHEMA
    failure = KnowledgeError

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

    def _read(self, text: str) -> Lesson:
        try:
            return Lesson.from_record(json.loads(text))
        except (KnowledgeError, PatternError, json.JSONDecodeError) as error:
            raise KnowledgeError(
                f"a lesson in {self.path} is damaged: {error}"
            ) from error
