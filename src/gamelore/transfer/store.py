"""A store of source results that grows from game to game, in one SQLite file.

Every result is one transaction: a process that is killed loses none that was added.
"""

from __future__ import annotations

import hashlib
from typing import Unpack

from gamelore.errors import KnowledgeError
from gamelore.learn.database import Database
from gamelore.transfer.knowledge import Knowledge, SourceFilter, SourceResult

_SCHEMA = """
CREATE TABLE IF NOT EXISTS source_result (
    identity TEXT PRIMARY KEY,  -- shared by results that replace one another
    opponent TEXT NOT NULL,
    game TEXT NOT NULL,
    role TEXT NOT NULL,
    depth INTEGER NOT NULL,
    matches INTEGER NOT NULL,
    text TEXT NOT NULL          -- the whole result, as JSON
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS source_result_by_opponent ON source_result (opponent, game);
"""

_ADD = """
INSERT INTO source_result VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (identity) DO UPDATE SET matches = excluded.matches, text = excluded.text
WHERE (excluded.matches, excluded.text) > (matches, text)
"""


class KnowledgeStore(Database):
    """Source results on disk."""

    kind = "knowledge"
    version = 2
    schema = _SCHEMA
    failure = KnowledgeError

    def add(self, knowledge: Knowledge | SourceResult) -> None:
        """Write results to the disk, one by one; those already there change nothing.

        A result of a run replaces that of an earlier part of the run.
        """
        if isinstance(knowledge, SourceResult):
            knowledge = Knowledge((knowledge,))
        for result in knowledge.results:
            row = (
                hashlib.sha256(repr(result.identity).encode()).hexdigest(),
                result.opponent,
                result.game,
                result.role,
                result.depth,
                result.matches,
                result.text,
            )
            with self._errors():
                self.connection.execute(_ADD, row)

    def select(self, **wanted: Unpack[SourceFilter]) -> Knowledge:
        """Return results against an opponent, from a game, in a role or of a depth."""
        where = " AND ".join(f"{name} = ?" for name in wanted) or "TRUE"
        with self._errors():
            rows = self.connection.execute(
                f"SELECT text FROM source_result WHERE {where}", tuple(wanted.values())
            ).fetchall()
        return Knowledge(tuple(self._read(text) for (text,) in rows))

    def opponents(self) -> list[str]:
        """Return the names of the opponents that there are results against."""
        with self._errors():
            rows = self.connection.execute(
                "SELECT DISTINCT opponent FROM source_result ORDER BY opponent"
            ).fetchall()
        return [name for (name,) in rows]

    def __len__(self) -> int:
        """The number of results."""
        with self._errors():
            row = self.connection.execute(
                "SELECT count(*) FROM source_result"
            ).fetchone()
        return int(row[0])

    def _read(self, text: str) -> SourceResult:
        try:
            return SourceResult.from_text(text)
        except KnowledgeError as error:
            raise KnowledgeError(
                f"a source result in {self.path} is damaged: {error}"
            ) from error
