"""All courses of learning in one SQLite file, saved as often as one likes.

Every save is one transaction, and writes what changed: a process that is killed at any
moment loses none that was finished. Knowledge may live in the same file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from gamelore.errors import CheckpointError
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.chunks import chunk_schema, read_arrays, shapes_of, write_arrays
from gamelore.learn.database import Database

_SCHEMA = f"""
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
{chunk_schema("chunk")}
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


class CourseStore(Database):
    """Courses on disk."""

    kind = "course"
    version = 1
    schema = _SCHEMA
    failure = CheckpointError

    def save(self, checkpoint: Checkpoint, *, overwrite: bool = False) -> None:
        """Keep a checkpoint in place of earlier ones of its course, for good.

        One that is further on is left alone, with a `CheckpointError`, unless
        `overwrite` lets it go.
        """
        arrays = checkpoint.arrays()
        header = json.dumps({**checkpoint.header(), "arrays": shapes_of(arrays)})
        key, matches = checkpoint.key, checkpoint.matches
        with self._transaction("IMMEDIATE"):
            if self._matches(key) > matches and not overwrite:
                raise CheckpointError(
                    f"{self.path} holds {self._matches(key):,} matches of this course,"
                    f" more than {matches:,}"
                )
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
            self.connection.execute("DELETE FROM learner WHERE course = ?", (key,))
            self.connection.executemany(
                "INSERT INTO learner VALUES (?, ?, ?)",
                [(key, r, len(cells.values)) for r, cells in checkpoint.tables.items()],
            )
            write_arrays(self.connection, "chunk", key, arrays)

    def load(self, key: str) -> Checkpoint | None:
        """The last checkpoint of a course; `None` if there is none."""
        with self._transaction("DEFERRED"):
            found = self.connection.execute(
                "SELECT header FROM course WHERE key = ?", (key,)
            ).fetchone()
            if found is None:
                return None
            try:
                header = json.loads(found[0])
                shapes = header.pop("arrays")
                arrays = read_arrays(self.connection, "chunk", key, shapes)
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

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _matches(self, key: str) -> int:
        found = self.connection.execute(
            "SELECT matches FROM course WHERE key = ?", (key,)
        ).fetchone()
        return int(found[0]) if found else 0
