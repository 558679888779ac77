"""Match records in the lab: read, written, and listed with standings."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.gdl import Game, Move, to_kif
from gamelore.ggp.manager.manager import ManagedMatch, MatchSettings
from gamelore.ggp.match_record import MatchFile, read_match
from gamelore.lab.events import (
    MatchEntryView,
    MatchList,
    RecordEntry,
    RecordGroup,
    RecordText,
    RecordView,
    StandingView,
)
from gamelore.lab.requests import Place
from gamelore.lab.shelf import GameShelf, LabGame, complete_joint
from gamelore.lab.workspace import LIVE, RECORDS, Workspace
from gamelore.match.ratings import Result
from gamelore.match.record import CHANCE, MatchRecord
from gamelore.match.standings import standings

LARGEST = 4_000_000
"""Bytes of a record that the lab reads."""
MOST_LISTED = 500
SLACK = 10.0
"""Seconds that a manager may need beyond the clocks of a move."""
WITHOUT_CLOCK = 600.0
"""Seconds that a match without clocks may take for a move."""


@dataclass(frozen=True)
class _Listed:
    """A record of the folder, as far as lists need it."""

    entry: RecordEntry
    folder: str
    result: Result | None


class RecordShelf:
    """Reads and lists the match records of the folder."""

    def __init__(self, workspace: Workspace, shelf: GameShelf) -> None:
        self._workspace = workspace
        self._shelf = shelf
        self._known: dict[Path, tuple[float, _Listed | None]] = {}

    def open(self, path: str) -> RecordView:
        """Return the record of a file."""
        file = self.find(path)
        if not file.is_file():
            raise GameloreError(f"there is no record {path}")
        if file.stat().st_size > LARGEST:
            raise GameloreError(f"{path} has more than {LARGEST:,} bytes")
        record = read_match(file)
        found = self.view(record)
        found.path, found.live = path, path.endswith(LIVE) and is_live(record)
        return found

    def find(self, path: str) -> Path:
        """Return the file of a record's path, which must lie inside the folder."""
        return self._workspace.find(path, LIVE if path.endswith(LIVE) else RECORDS)

    def read(self, text: str) -> RecordView:
        """Return the record in a text."""
        return self.view(MatchFile.from_json(text, "the record"))

    def view(self, record: MatchFile) -> RecordView:
        """Return a record as a message; its game is kept if the library lacks it."""
        details = record.details
        if details is None:
            key, game = self._guess(record)
        else:
            game = Game.from_kif(details.rules, details.game)
            key = self._find(details.source, game)
        players = dict(zip(game.roles, record.players, strict=False))
        goals = dict(zip(game.roles, record.goals, strict=False))
        return RecordView(
            place=Place(key, [[to_kif(m) for m in joint] for joint in record.moves]),
            match=record.match,
            players=players,
            goals=goals,
            completed=record.completed,
        )

    def _find(self, source: str, game: Game) -> str:
        """Return the id of a game whose rules are at hand."""
        if source and ":" not in source and not source.endswith(".kif"):
            try:
                if self._shelf.load(source).fingerprint == game.fingerprint:
                    return source
            except GameloreError:
                pass  # another version's library
        return self._shelf.keep(game.to_kif(), game.name)

    def _guess(self, record: MatchFile) -> tuple[str, Game]:
        """Return the library's game that a record of others seems to be about."""
        words = [w for w in record.game_url.lower().split("/") if w]
        for listed in self._shelf.list_games():
            name = listed.game.replace("-", "")
            if any(
                name == word.removesuffix(".kif").replace("-", "") for word in words
            ):
                game = self._shelf.load(listed.game)
                if not record.moves or len(game.roles) == len(record.moves[0]):
                    return listed.game, game
        raise GameloreError(
            "the record does not say by which rules it was played: it has neither"
            " rules nor the name of a game of the library"
        )

    # ── lists ───────────────────────────────────────────────────────────────────────

    def list_all(self, matches: list[MatchEntryView]) -> MatchList:
        """Return the records of the folder by their own folders, beside matches."""
        groups: dict[str, list[_Listed]] = {}
        left_out = 0
        listed = 0
        for path in self._workspace.list_files(RECORDS):
            found = self._look_at(path) if listed < MOST_LISTED else None
            if found is None:
                left_out += 1
                continue
            listed += 1
            groups.setdefault(found.folder, []).append(found)
        return MatchList(
            matches=matches,
            tournaments=[],
            live=self._list_live(),
            groups=[_group(folder, found) for folder, found in groups.items()],
            left_out=left_out,
        )

    def _list_live(self) -> list[RecordEntry]:
        found = []
        for path in self._workspace.list_files(LIVE):
            try:
                record = read_match(path) if path.stat().st_size <= LARGEST else None
            except (GameloreError, OSError):  # it may just have ended
                continue
            if record is not None and is_live(record):
                entry = self._enter(path, record)
                entry.live = True
                found.append(entry)
        return found[:MOST_LISTED]

    def _look_at(self, path: Path) -> _Listed | None:
        try:
            stat = path.stat()
            known = self._known.get(path)
            if known is not None and known[0] == stat.st_mtime:
                return known[1]
            found = None if stat.st_size > LARGEST else self._list(path)
        except (GameloreError, OSError):
            return None
        self._known[path] = stat.st_mtime, found
        return found

    def _list(self, path: Path) -> _Listed | None:
        try:
            record = read_match(path)
        except GameloreError:
            return None
        entry = self._enter(path, record)
        folder = self._workspace.relative(path.parent)
        return _Listed(entry, folder, _result(record, entry.game))

    def _enter(self, path: Path, record: MatchFile) -> RecordEntry:
        return RecordEntry(
            path=self._workspace.relative(path),
            game=record.details.game if record.details else record.game_url,
            players=list(record.players),
            moves=len(record.moves),
            goals=list(record.goals),
            tournament=record.tournament,
        )


def is_live(record: MatchFile, now: float | None = None) -> bool:
    """Whether a match can still be under way: its clocks have not run out for long.

    A manager that was killed leaves the file of a match that nobody plays any more.
    """
    seconds = time.time() if now is None else now
    clocks = record.start_clock + record.play_clock
    grace = record.details.grace if record.details is not None else 0.0
    allowed = clocks + grace + SLACK if math.isfinite(clocks) else WITHOUT_CLOCK
    return seconds - record.times[-1] / 1000 < allowed


def _result(record: MatchFile, game: str) -> Result | None:
    if not record.completed or len(record.goals) != len(record.players):
        return None
    roles = record.details.roles if record.details else record.players
    pairs = [
        (player, goal)
        for role, player, goal in zip(roles, record.players, record.goals, strict=False)
        if role != CHANCE
    ]
    players = tuple(player for player, _ in pairs)
    if len(set(players)) != len(players) or not players:
        return None
    goals = tuple(goal for _, goal in pairs)
    return Result(players, goals, (0,) * len(players), game)


def _group(folder: str, found: list[_Listed]) -> RecordGroup:
    results = [one.result for one in found if one.result is not None]
    return RecordGroup(
        folder=folder,
        records=[one.entry for one in found],
        standings=_standings(results) if len(results) > 1 else [],
    )


def _standings(results: Sequence[Result]) -> list[StandingView]:
    return [
        StandingView(
            row.player, row.matches, row.score.value, row.score.low, row.score.high
        )
        for row in standings(results)
    ]


# ── writing ─────────────────────────────────────────────────────────────────────────


def write_record(
    game: LabGame, positions: Sequence[Position], place: Place, players: list[str]
) -> RecordText:
    """Return the record of a match that was played to a place."""
    moves = tuple(
        complete_joint(position, joint)
        for position, joint in zip(positions, place.moves, strict=False)
    )
    managed = make_managed(game, positions, moves, players)
    return RecordText(
        name=f"{managed.match}.json", text=MatchFile.of(managed).to_json()
    )


def make_managed(
    game: LabGame,
    positions: Sequence[Position],
    moves: tuple[tuple[Move, ...], ...],
    players: list[str],
) -> ManagedMatch:
    """Return a match of the lab in the form that records are made of."""
    now = time.time_ns() // 1_000_000
    last = positions[-1]
    names = players if len(players) == len(last.roles) else ["person"] * len(last.roles)
    return ManagedMatch(
        match=f"{game.game.name}.{now}.{secrets.token_hex(3)}",
        game=game.game,
        rules=game.game.to_kif(),
        record=MatchRecord(
            game.game.name,
            last.roles,
            moves,
            tuple(last.goals.values()),
            last.is_terminal,
        ),
        players=tuple(names),
        seed=0,
        settings=MatchSettings(),
        positions=tuple(positions),
        times=(now,) * len(positions),
    )
