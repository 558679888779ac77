"""Match records as files: ggp-base's JSON, with a part of our own.

Whoever reads ggp-base's records reads these. What that form has no place for is under
the key `gamelore`: the rules and their fingerprint, the seed, and faults in words.
"""

from __future__ import annotations

import json
import math
import os
import secrets
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from gamelore.errors import RecordError
from gamelore.gdl import Fact, Game, Move, Role, Term, to_kif
from gamelore.ggp.manager.manager import ManagedMatch
from gamelore.ggp.record_fields import Fields
from gamelore.match.match import Fault, FaultKind, MatchRecord

FORMAT = 1
LARGEST_FILE = 200_000_000
"""Bytes; a match of a thousand moves on a large board takes a hundredth."""

CODES: dict[FaultKind, str] = {"illegal": "IL", "late": "TO", "failed": "CE"}
"""What ggp-base writes for each kind of fault."""

_NO_CLOCK = -1  # ggp-base's word for a clock that there is not
_TOKEN_BYTES = 16  # two letters each, as many as ggp-base has


@dataclass(frozen=True)
class Details:
    """What our own records say besides."""

    game: str
    source: str
    """The library name or path the game came from; empty if it was text."""
    fingerprint: str
    rules: str
    """In KIF, one rule to a line."""
    roles: tuple[Role, ...]
    seed: int
    start_clock: float
    play_clock: float
    grace: float
    move_limit: int
    faults: tuple[Fault, ...]
    version: str
    """Of gamelore."""


@dataclass(frozen=True)
class MatchFile:
    """All that a record holds."""

    match: str
    token: str
    """ggp-base's `randomToken`: what tells records of the same id apart."""
    states: tuple[tuple[Fact, ...], ...]
    """Each position's facts, from the initial one: one more than joint moves."""
    moves: tuple[tuple[Move, ...], ...]
    times: tuple[int, ...]
    """When each position was reached, in milliseconds since 1970."""
    errors: tuple[tuple[str, ...], ...]
    """Per role, what went wrong at the start and at each move; empty if nothing did."""
    goals: tuple[int | None, ...]
    """Empty if the match did not come to an end."""
    completed: bool
    aborted: bool
    start_clock: float
    play_clock: float
    players: tuple[str, ...]
    tournament: str = ""
    game_url: str = ""
    scrambled: bool = False
    details: Details | None = None

    @classmethod
    def of(cls, match: ManagedMatch, tournament: str = "") -> MatchFile:
        """The record of a match that was run."""
        record, settings = match.record, match.settings
        return cls(
            match=match.match,
            token=secrets.token_hex(_TOKEN_BYTES),
            states=tuple(position.facts for position in match.positions),
            moves=record.moves,
            times=match.times,
            errors=errors_of(record),
            goals=record.goals if record.complete else (),
            completed=record.complete,
            aborted=match.aborted,
            start_clock=settings.start_clock,
            play_clock=settings.play_clock,
            players=match.players,
            tournament=tournament,
            scrambled=settings.scramble,
            details=_details_of(match),
        )

    @property
    def game(self) -> Game | None:
        """The game, where the record holds its rules."""
        if self.details is None:
            return None
        return Game.from_kif(self.details.rules, self.details.game)

    def to_json(self) -> str:
        """The record as text; `from_json` reads it back."""
        values: dict[str, Any] = {
            "matchId": self.match,
            "randomToken": self.token,
            "startTime": self.times[0],
        }
        if self.game_url:
            values["gameMetaURL"] = self.game_url
        values |= {
            "isCompleted": self.completed,
            "isAborted": self.aborted,
            "states": [_state_text(facts) for facts in self.states],
            "moves": [[*map(spaced, joint)] for joint in self.moves],
            "stateTimes": list(self.times),
            "errors": [list(each) for each in self.errors],
            "goalValues": [goal or 0 for goal in self.goals],
            "previewClock": _NO_CLOCK,
            "startClock": _whole_seconds(self.start_clock),
            "playClock": _whole_seconds(self.play_clock),
            "playerNamesFromHost": list(self.players),
            "tournamentNameFromHost": self.tournament,
            "scrambled": self.scrambled,
        }
        if self.details is not None:
            values["gamelore"] = _details_json(self.details, self.goals)
        return json.dumps(values, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str, source: str = "record") -> MatchFile:
        """The record in a text; `RecordError` says what is wrong and where."""
        fields = Fields.parse(text, source)
        ours = fields.part("gamelore") if "gamelore" in fields else None
        details = None if ours is None else _read_details(ours)
        goals: tuple[int | None, ...] = fields.numbers("goalValues", default=())
        if ours is not None:
            goals = ours.goals("goals")
        moves = fields.joint_moves("moves")
        # Whole seconds in one part, as they were in the other.
        clocks = details or _Clocks.of(fields)
        record = cls(
            match=fields.text("matchId"),
            token=fields.text("randomToken", default=""),
            states=fields.states("states"),
            moves=moves,
            times=fields.numbers("stateTimes"),
            errors=fields.word_lists("errors", default=((),) * (len(moves) + 1)),
            goals=goals,
            completed=fields.flag("isCompleted"),
            aborted=fields.flag("isAborted", default=False),
            start_clock=clocks.start_clock,
            play_clock=clocks.play_clock,
            players=fields.words("playerNamesFromHost", default=()),
            tournament=fields.text("tournamentNameFromHost", default=""),
            game_url=fields.text("gameMetaURL", default=""),
            scrambled=fields.flag("scrambled", default=False),
            details=details,
        )
        _check(record, fields)
        return record


def write_match(
    match: ManagedMatch | MatchFile, folder: str | Path, tournament: str = ""
) -> Path:
    """Write a record into a folder, whole or not at all; the file it is in."""
    record = match if isinstance(match, MatchFile) else MatchFile.of(match, tournament)
    path = Path(folder) / f"{_file_name(record.match)}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_whole(path, record.to_json())
    except OSError as error:
        raise RecordError(f"cannot write {path}: {_reason(error)}") from error
    return path


def read_match(path: str | Path) -> MatchFile:
    """Read a record, ours or ggp-base's; `RecordError` where it is damaged."""
    path = Path(path)
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise RecordError(f"{path} has more than {LARGEST_FILE:,} bytes")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RecordError(f"cannot read {path}: {_reason(error)}") from error
    except UnicodeDecodeError:
        raise RecordError(f"{path} is no match record: it is not text") from None
    return MatchFile.from_json(text, str(path))


def errors_of(record: MatchRecord) -> tuple[tuple[str, ...], ...]:
    """What went wrong, as ggp-base writes it: a list for the start and each move."""
    table = [[""] * len(record.roles) for _ in range(len(record.moves) + 1)]
    for fault in record.faults:
        if fault.step < len(record.moves):  # later ones have no place in its form
            table[fault.step + 1][record.roles.index(fault.role)] = _code(fault)
    return tuple(map(tuple, table))


@cache
def _version() -> str:
    return version("gamelore")


@lru_cache(maxsize=16_384)
def spaced(term: Term) -> str:
    """A term as ggp-base writes it: `( cell 1 1 b )`."""
    return to_kif(term).replace("(", "( ").replace(")", " )")


def _code(fault: Fault) -> str:
    code = CODES[fault.kind]
    if fault.kind != "illegal":
        return code
    return f"{code} {'null' if fault.answer is None else spaced(fault.answer)}"


def _state_text(facts: Iterable[Fact]) -> str:
    return " ".join(["(", *map(spaced, facts), ")"])


def _details_of(match: ManagedMatch) -> Details:
    settings, game = match.settings, match.game
    return Details(
        game=game.name,
        source=game.source,
        fingerprint=game.fingerprint,
        rules=match.rules,
        roles=game.roles,
        seed=match.seed,
        start_clock=settings.start_clock,
        play_clock=settings.play_clock,
        grace=settings.grace,
        move_limit=settings.move_limit,
        faults=match.record.faults,
        version=_version(),
    )


def _details_json(details: Details, goals: tuple[int | None, ...]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": details.version,
        "game": details.game,
        "source": details.source,
        "fingerprint": details.fingerprint,
        "roles": list(details.roles),
        "goals": list(goals),
        "seed": details.seed,
        "start_clock": _finite(details.start_clock),
        "play_clock": _finite(details.play_clock),
        "grace": details.grace,
        "move_limit": details.move_limit,
        "faults": [_fault_json(fault) for fault in details.faults],
        "rules": details.rules,
    }


def _fault_json(fault: Fault) -> dict[str, Any]:
    return {
        "step": fault.step,
        "role": fault.role,
        "kind": fault.kind,
        "message": fault.message,
        "answer": None if fault.answer is None else to_kif(fault.answer),
    }


def _read_details(fields: Fields) -> Details:
    if fields.number("format") != FORMAT:
        raise fields.error("format", f"is not {FORMAT}: another version wrote it")
    return Details(
        game=fields.text("game"),
        source=fields.text("source"),
        fingerprint=fields.text("fingerprint"),
        rules=fields.text("rules"),
        roles=fields.words("roles"),
        seed=int(fields.number("seed")),
        start_clock=fields.number("start_clock", default=math.inf),
        play_clock=fields.number("play_clock", default=math.inf),
        grace=fields.number("grace"),
        move_limit=int(fields.number("move_limit")),
        faults=tuple(_read_fault(each) for each in fields.parts("faults")),
        version=fields.text("version"),
    )


def _read_fault(fields: Fields) -> Fault:
    kind = fields.text("kind")
    if kind not in CODES:
        raise fields.error("kind", f"is none of {', '.join(CODES)}")
    return Fault(
        step=int(fields.number("step")),
        role=fields.text("role"),
        kind=next(known for known in CODES if known == kind),
        message=fields.text("message"),
        answer=fields.move("answer"),
    )


def _check(record: MatchFile, fields: Fields) -> None:
    """Lists that belong together have the lengths they must have."""
    expected = len(record.moves) + 1
    for key, found in (
        ("states", len(record.states)),
        ("stateTimes", len(record.times)),
        ("errors", len(record.errors)),
    ):
        if found != expected:
            message = (
                f"has {found} parts where {len(record.moves)} moves need {expected}"
            )
            raise fields.error(key, message)
    widths = {len(joint) for joint in record.moves}
    if record.players:
        widths.add(len(record.players))
    if record.details is not None:
        widths.add(len(record.details.roles))
    if len(widths) > 1:
        raise fields.error("moves", "are not one for each player")


def _whole_seconds(clock: float) -> int:
    """Other programs read whole seconds only."""
    return math.ceil(clock) if math.isfinite(clock) else _NO_CLOCK


class _Clocks(NamedTuple):
    """The clocks as ggp-base writes them."""

    start_clock: float
    play_clock: float

    @classmethod
    def of(cls, fields: Fields) -> _Clocks:
        clocks = fields.number("startClock"), fields.number("playClock")
        return cls(*(math.inf if each == _NO_CLOCK else each for each in clocks))


def _finite(clock: float) -> float | None:
    return clock if math.isfinite(clock) else None


def _file_name(match: str) -> str:
    """An id as the name of a file, on any system."""
    safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in match)
    return safe.strip(".")[:200] or "match"


def _write_whole(path: Path, text: str) -> None:
    """Write beside it, then take its place: nobody ever sees half a record."""
    handle, part = tempfile.mkstemp(prefix=f".{path.name[:40]}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        Path(part).replace(path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
