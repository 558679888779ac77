"""Matches as they were played, and the values they taught, in one SQLite file.

A *pupil* is what learns on its own: one way to learn, in one game, in one role, against
one opponent. Every match of a pupil is kept for good as soon as it is over. Its values
are a function of these matches in their order: what is stored of them says up to which
match it goes, so that nothing is lost, and nothing is folded in twice, whenever a
process is killed. Courses and knowledge may live in the same file.
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
from gamelore.learn.state_codec import Spelling
from gamelore.settings import JsonObject
from gamelore.values.table import Cells

Stream = npt.NDArray[np.uint64]

_MAGIC = b"gamelore values 1\n"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS pupil (
    key TEXT PRIMARY KEY,     -- hash of all that makes it this pupil
    rules TEXT NOT NULL,      -- fingerprint of the canonical rules
    role TEXT NOT NULL,
    opponent TEXT NOT NULL,
    learner TEXT NOT NULL,    -- how it learns, as JSON
    played INTEGER NOT NULL,  -- how many matches there are
    stream BLOB NOT NULL,     -- its randomness after the last of them
    matches INTEGER NOT NULL, -- how many are in the values stored
    folded INTEGER NOT NULL,  -- and the number of the last of them
    header TEXT NOT NULL      -- spelling and initial values, as JSON
);
CREATE INDEX IF NOT EXISTS pupil_by_rules ON pupil (rules, role, opponent);
CREATE TABLE IF NOT EXISTS rule_sheet (
    rules TEXT PRIMARY KEY,
    text TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spelling (
    digest TEXT PRIMARY KEY,
    text TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS match (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    pupil TEXT NOT NULL,
    id TEXT NOT NULL,         -- the manager's
    goal INTEGER,             -- the pupil's; nothing if there was none
    complete INTEGER NOT NULL,
    moves TEXT NOT NULL       -- a joint move to a line, in canonical names
);
CREATE INDEX IF NOT EXISTS match_by_pupil ON match (pupil, number);
CREATE TABLE IF NOT EXISTS pupil_values (
    pupil TEXT PRIMARY KEY,
    content BLOB NOT NULL     -- an archive of the table's arrays
);
"""


@dataclass(frozen=True)
class Pupil:
    """What learns on its own."""

    rules: str
    """The fingerprint of the canonical rules."""
    role: Role
    """In canonical names."""
    opponent: str
    learner: str
    """How it learns, as JSON."""

    @cached_property
    def key(self) -> str:
        """What tells this pupil from every other."""
        parts = [self.rules, self.role, self.opponent, self.learner]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True)
class KeptMatch:
    """A match in the log, in canonical names."""

    id: str
    moves: tuple[tuple[Move, ...], ...]
    goal: int | None
    complete: bool
    number: int = 0
    """Its place among all matches of the file; 0 if it is not there yet."""

    @property
    def teaches(self) -> bool:
        """Whether there is something to learn from it."""
        return self.complete and self.goal is not None


@dataclass(frozen=True)
class Snapshot:
    """A pupil's values after a match."""

    matches: int
    """How many were folded in."""
    folded: int
    """The number of the last of them."""
    cells: Cells = field(repr=False)
    spelling: Spelling = field(repr=False)
    features: JsonObject | None = field(default=None, repr=False)
    """The initial values that they began with, where they came from other games."""


@dataclass(frozen=True)
class Progress:
    """How far a pupil is."""

    matches: int = 0
    """How many were kept, folded in or not."""
    stream: Stream | None = None
    """uint64 [4]: its randomness after the last of them"""


class MatchLog(Database):
    """Matches and values on disk; `:memory:` keeps them until it is closed."""

    kind = "match_log"
    version = 2
    schema = _SCHEMA
    failure = CheckpointError

    def keep(self, pupil: Pupil, game: Game, match: KeptMatch, stream: Stream) -> int:
        """Keep a match for good, and the pupil's randomness after it; its number."""
        text = "\n".join(" ".join(map(to_kif, joint)) for joint in match.moves)
        with self._transaction("IMMEDIATE"):
            self._add_pupil(pupil, game)
            self.connection.execute(
                "UPDATE pupil SET played = played + 1, stream = ? WHERE key = ?",
                (stream.astype("<u8").tobytes(), pupil.key),
            )
            number = self.connection.execute(
                "INSERT INTO match (pupil, id, goal, complete, moves)"
                " VALUES (?, ?, ?, ?, ?)",
                (pupil.key, match.id, match.goal, int(match.complete), text),
            ).lastrowid
        assert number is not None
        return number

    def progress(self, pupil: Pupil) -> Progress:
        """How many matches there are of a pupil, and its randomness after the last."""
        with self._errors():
            found = self.connection.execute(
                "SELECT played, stream FROM pupil WHERE key = ?", (pupil.key,)
            ).fetchone()
        if found is None or not found[1]:
            return Progress()
        return Progress(found[0], np.frombuffer(found[1], "<u8").astype(np.uint64))

    def matches(self, pupil: Pupil, after: int = 0, limit: int = 64) -> list[KeptMatch]:
        """The first matches of a pupil with higher numbers than one."""
        with self._errors():
            rows = self.connection.execute(
                "SELECT id, moves, goal, complete, number FROM match"
                " WHERE pupil = ? AND number > ? ORDER BY number LIMIT ?",
                (pupil.key, after, limit),
            ).fetchall()
        return [
            KeptMatch(
                id=row[0],
                moves=_moves(row[1]),
                goal=row[2],
                complete=bool(row[3]),
                number=row[4],
            )
            for row in rows
        ]

    def match_ids(self) -> list[str]:
        """The ids of all matches, in the order they were kept."""
        with self._errors():
            rows = self.connection.execute("SELECT id FROM match ORDER BY number")
            return [name for (name,) in rows]

    def save(self, pupil: Pupil, game: Game, snapshot: Snapshot) -> None:
        """Keep values, unless there are some that go further; one transaction."""
        cells = snapshot.cells
        arrays = {
            "rows": cells.rows.astype("<u8", copy=False),
            "values": cells.values.astype("<f8", copy=False),
            "visits": cells.visits.astype("<u4", copy=False),
        }
        spelt = json.dumps([snapshot.spelling.fluents, snapshot.spelling.moves])
        digest = hashlib.sha256(spelt.encode()).hexdigest()
        header = {"spelling": digest, "features": snapshot.features}
        content = pack_archive(_MAGIC, arrays)
        with self._transaction("IMMEDIATE"):
            self._add_pupil(pupil, game)
            changed = self.connection.execute(
                "UPDATE pupil SET matches = ?, folded = ?, header = ?"
                " WHERE key = ? AND folded <= ?",
                (
                    snapshot.matches,
                    snapshot.folded,
                    json.dumps(header),
                    pupil.key,
                    snapshot.folded,
                ),
            ).rowcount
            if changed:
                self.connection.execute(
                    "INSERT OR IGNORE INTO spelling VALUES (?, ?)", (digest, spelt)
                )
                self.connection.execute(
                    "INSERT OR REPLACE INTO pupil_values VALUES (?, ?)",
                    (pupil.key, content),
                )

    def load(self, pupil: Pupil) -> Snapshot | None:
        """The values of a pupil as they were saved last."""
        with self._transaction("DEFERRED"):
            found = self.connection.execute(
                "SELECT matches, folded, header FROM pupil WHERE key = ?", (pupil.key,)
            ).fetchone()
            if found is None or not found[2]:
                return None
            try:
                return self._snapshot(pupil, *found)
            except (ArchiveError, ValueError, KeyError, TypeError) as error:
                raise CheckpointError(
                    f"values in {self.path} are damaged: {error}"
                ) from error

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _add_pupil(self, pupil: Pupil, game: Game) -> None:
        added = self.connection.execute(
            "INSERT OR IGNORE INTO pupil VALUES (?, ?, ?, ?, ?, 0, x'', 0, 0, '')",
            (pupil.key, pupil.rules, pupil.role, pupil.opponent, pupil.learner),
        ).rowcount
        if added:
            self.connection.execute(
                "INSERT OR IGNORE INTO rule_sheet VALUES (?, ?)",
                (pupil.rules, game.to_kif()),
            )

    def _snapshot(self, pupil: Pupil, matches: int, folded: int, text: str) -> Snapshot:
        header = json.loads(text)
        (spelt,) = self.connection.execute(
            "SELECT text FROM spelling WHERE digest = ?", (header["spelling"],)
        ).fetchone()
        fluents, moves = json.loads(spelt)
        (content,) = self.connection.execute(
            "SELECT content FROM pupil_values WHERE pupil = ?", (pupil.key,)
        ).fetchone()
        arrays = unpack_archive(_MAGIC, content)
        return Snapshot(
            matches=matches,
            folded=folded,
            cells=Cells(
                arrays["rows"].astype(np.uint64),
                arrays["values"].astype(np.float64),
                arrays["visits"].astype(np.uint32),
            ),
            spelling=Spelling(tuple(fluents), tuple(map(tuple, moves))),
            features=header["features"],
        )


def _moves(text: str) -> tuple[tuple[Move, ...], ...]:
    return tuple(_joint(line) for line in text.splitlines())


def _joint(line: str) -> tuple[Move, ...]:
    """The moves in one line."""
    term = read_term(f"(moves {line})")
    assert isinstance(term, Compound)
    return term.arguments
