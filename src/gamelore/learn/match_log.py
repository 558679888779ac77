"""Matches as they were played, and the values learned from them, in one SQLite file.

A learner is one way to learn, in one game, in one role, against one opponent. Every
match of a learner is stored for good as soon as it is over. Its values are a function
of these matches in their order, and are stored with the number of the last match that
they include: nothing is lost, and no match is learned twice, whenever a process is
killed. Training runs and knowledge may be in the same file.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gamelore.errors import CheckpointError
from gamelore.files import ArchiveError, pack_archive, unpack_archive
from gamelore.gdl import Compound, Game, Move, Role, read_term, to_kif
from gamelore.learn.database import Database
from gamelore.learn.state_codec import RowLayout
from gamelore.settings import JsonObject
from gamelore.values.table import Cells

Stream = npt.NDArray[np.uint64]

_MAGIC = b"gamelore values 1\n"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS learner (
    key TEXT PRIMARY KEY,     -- hash of the four columns that follow
    rules TEXT NOT NULL,      -- fingerprint of the canonical rules
    role TEXT NOT NULL,
    opponent TEXT NOT NULL,
    method TEXT NOT NULL,     -- how it learns, as JSON
    played INTEGER NOT NULL,  -- how many matches there are
    stream BLOB NOT NULL,     -- its randomness after the last of them
    matches INTEGER NOT NULL, -- how many are in the values stored
    last_match INTEGER NOT NULL,  -- and the number of the last of them
    header TEXT NOT NULL      -- row layout and initial values, as JSON
);
CREATE INDEX IF NOT EXISTS learner_by_rules ON learner (rules, role, opponent);
CREATE TABLE IF NOT EXISTS rule_sheet (
    rules TEXT PRIMARY KEY,
    text TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS row_layout (
    digest TEXT PRIMARY KEY,
    text TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS match (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    learner TEXT NOT NULL,
    id TEXT NOT NULL,         -- the manager's
    goal INTEGER,             -- the learner's; nothing if there was none
    complete INTEGER NOT NULL,
    moves TEXT NOT NULL       -- a joint move to a line, in canonical names
);
CREATE INDEX IF NOT EXISTS match_by_learner ON match (learner, number);
CREATE TABLE IF NOT EXISTS learner_values (
    learner TEXT PRIMARY KEY,
    content BLOB NOT NULL     -- an archive of the table's arrays
);
"""


@dataclass(frozen=True)
class LearnerKey:
    """What tells a learner from every other."""

    rules: str
    """The fingerprint of the canonical rules."""
    role: Role
    """In canonical names."""
    opponent: str
    method: str
    """How it learns, as JSON."""

    @cached_property
    def key(self) -> str:
        """The hash of all four."""
        parts = [self.rules, self.role, self.opponent, self.method]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True)
class StoredMatch:
    """A match in the log, in canonical names."""

    id: str
    moves: tuple[tuple[Move, ...], ...]
    goal: int | None
    complete: bool
    number: int = 0
    """Its place among all matches of the file; 0 if it is not stored yet."""

    @property
    def can_be_learned(self) -> bool:
        """Whether there is something to learn from it."""
        return self.complete and self.goal is not None


@dataclass(frozen=True)
class StoredValues:
    """A learner's values after a match."""

    matches: int
    """How many matches they include."""
    last_match: int
    """The number of the last of them."""
    cells: Cells = field(repr=False)
    layout: RowLayout = field(repr=False)
    features: JsonObject | None = field(default=None, repr=False)
    """The initial values that they began with, where they came from other games."""


@dataclass(frozen=True)
class LearnerProgress:
    """How far a learner is."""

    matches: int = 0
    """How many are stored, in the values or not."""
    stream: Stream | None = None
    """uint64 [4]: its randomness after the last of them"""


class MatchLog(Database):
    """Matches and values on disk; `:memory:` has them until it is closed."""

    kind = "match_log"
    version = 2
    schema = _SCHEMA
    failure = CheckpointError

    def store(
        self, learner: LearnerKey, game: Game, match: StoredMatch, stream: Stream
    ) -> int:
        """Store a match and the learner's randomness after it; return its number."""
        text = "\n".join(" ".join(map(to_kif, joint)) for joint in match.moves)
        with self._transaction("IMMEDIATE"):
            self._add(learner, game)
            self.connection.execute(
                "UPDATE learner SET played = played + 1, stream = ? WHERE key = ?",
                (stream.astype("<u8").tobytes(), learner.key),
            )
            number = self.connection.execute(
                "INSERT INTO match (learner, id, goal, complete, moves)"
                " VALUES (?, ?, ?, ?, ?)",
                (learner.key, match.id, match.goal, int(match.complete), text),
            ).lastrowid
        assert number is not None
        return number

    def progress(self, learner: LearnerKey) -> LearnerProgress:
        """Return the number of a learner's matches, and its randomness after them."""
        with self._errors():
            found = self.connection.execute(
                "SELECT played, stream FROM learner WHERE key = ?", (learner.key,)
            ).fetchone()
        if found is None or not found[1]:
            return LearnerProgress()
        return LearnerProgress(
            found[0], np.frombuffer(found[1], "<u8").astype(np.uint64)
        )

    def learners(self) -> list[LearnerKey]:
        """Return all learners, in the order of their keys."""
        with self._errors():
            rows = self.connection.execute(
                "SELECT rules, role, opponent, method FROM learner ORDER BY key"
            ).fetchall()
        return [LearnerKey(*row) for row in rows]

    def matches(
        self, learner: LearnerKey, after: int = 0, limit: int = 64
    ) -> list[StoredMatch]:
        """Return the first matches of a learner with numbers higher than `after`."""
        with self._errors():
            rows = self.connection.execute(
                "SELECT id, moves, goal, complete, number FROM match"
                " WHERE learner = ? AND number > ? ORDER BY number LIMIT ?",
                (learner.key, after, limit),
            ).fetchall()
        return [
            StoredMatch(
                id=row[0],
                moves=_moves(row[1]),
                goal=row[2],
                complete=bool(row[3]),
                number=row[4],
            )
            for row in rows
        ]

    def match_ids(self) -> list[str]:
        """Return the ids of all matches, in the order they were stored."""
        with self._errors():
            rows = self.connection.execute("SELECT id FROM match ORDER BY number")
            return [name for (name,) in rows]

    def save(self, learner: LearnerKey, game: Game, stored: StoredValues) -> None:
        """Store values, unless there are some of later matches; one transaction."""
        cells = stored.cells
        arrays = {
            "rows": cells.rows.astype("<u8", copy=False),
            "values": cells.values.astype("<f8", copy=False),
            "visits": cells.visits.astype("<u4", copy=False),
        }
        layout_text = json.dumps([stored.layout.fluents, stored.layout.moves])
        digest = hashlib.sha256(layout_text.encode()).hexdigest()
        header = {"layout": digest, "features": stored.features}
        content = pack_archive(_MAGIC, arrays)
        with self._transaction("IMMEDIATE"):
            self._add(learner, game)
            changed = self.connection.execute(
                "UPDATE learner SET matches = ?, last_match = ?, header = ?"
                " WHERE key = ? AND last_match <= ?",
                (
                    stored.matches,
                    stored.last_match,
                    json.dumps(header),
                    learner.key,
                    stored.last_match,
                ),
            ).rowcount
            if changed:
                self.connection.execute(
                    "INSERT OR IGNORE INTO row_layout VALUES (?, ?)",
                    (digest, layout_text),
                )
                self.connection.execute(
                    "INSERT OR REPLACE INTO learner_values VALUES (?, ?)",
                    (learner.key, content),
                )

    def load(self, learner: LearnerKey) -> StoredValues | None:
        """Return the values of a learner as they were saved last."""
        with self._transaction("DEFERRED"):
            found = self.connection.execute(
                "SELECT matches, last_match, header FROM learner WHERE key = ?",
                (learner.key,),
            ).fetchone()
            if found is None or not found[2]:
                return None
            try:
                return self._read(learner, *found)
            except (ArchiveError, ValueError, KeyError, TypeError) as error:
                raise CheckpointError(
                    f"values in {self.path} are damaged: {error}"
                ) from error

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _add(self, learner: LearnerKey, game: Game) -> None:
        added = self.connection.execute(
            "INSERT OR IGNORE INTO learner VALUES (?, ?, ?, ?, ?, 0, x'', 0, 0, '')",
            (
                learner.key,
                learner.rules,
                learner.role,
                learner.opponent,
                learner.method,
            ),
        ).rowcount
        if added:
            self.connection.execute(
                "INSERT OR IGNORE INTO rule_sheet VALUES (?, ?)",
                (learner.rules, game.to_kif()),
            )

    def _read(
        self, learner: LearnerKey, matches: int, last_match: int, text: str
    ) -> StoredValues:
        header = json.loads(text)
        (layout_text,) = self.connection.execute(
            "SELECT text FROM row_layout WHERE digest = ?", (header["layout"],)
        ).fetchone()
        fluents, moves = json.loads(layout_text)
        (content,) = self.connection.execute(
            "SELECT content FROM learner_values WHERE learner = ?", (learner.key,)
        ).fetchone()
        arrays = unpack_archive(_MAGIC, content)
        return StoredValues(
            matches=matches,
            last_match=last_match,
            cells=Cells(
                arrays["rows"].astype(np.uint64),
                arrays["values"].astype(np.float64),
                arrays["visits"].astype(np.uint32),
            ),
            layout=RowLayout(tuple(fluents), tuple(map(tuple, moves))),
            features=header["features"],
        )


def _moves(text: str) -> tuple[tuple[Move, ...], ...]:
    return tuple(_joint(line) for line in text.splitlines())


def _joint(line: str) -> tuple[Move, ...]:
    """The moves in one line."""
    term = read_term(f"(moves {line})")
    assert isinstance(term, Compound)
    return term.arguments
