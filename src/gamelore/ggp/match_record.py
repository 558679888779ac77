"""Match records as files: ggp-base's JSON, with a part of our own.

Whoever reads ggp-base's records reads these. What that form has no place for is under
the key `gamelore`: the rules and their fingerprint, the seed, and faults in words.
"""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gamelore.errors import RecordError
from gamelore.files import write_atomic
from gamelore.gdl import Fact, Game, Move, Role, Term, to_kif
from gamelore.ggp.manager.manager import ManagedMatch
from gamelore.ggp.record_schema import (
    FaultFields,
    MakeError,
    OwnFields,
    RecordFields,
    decode_record,
    parse_facts,
    parse_term,
)
from gamelore.ggp.validation import convert
from gamelore.match.record import Fault, FaultKind, MatchRecord

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
            errors=write_errors(record),
            goals=record.goals if record.complete else (),
            completed=record.complete,
            aborted=match.aborted,
            start_clock=settings.start_clock,
            play_clock=settings.play_clock,
            players=match.players,
            tournament=tournament,
            scrambled=settings.scramble,
            details=_make_details(match),
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
        values = decode_record(text, RecordFields, source)

        def error(message: str) -> RecordError:
            return RecordError(f"{source} is damaged: {message}")

        details, own_goals = None, None
        if values.gamelore is not None:
            details, own_goals = _read_details(values.gamelore, error)
        elif values.start_clock is None or values.play_clock is None:
            raise error("startClock or playClock is missing")
        moves = tuple(
            tuple(parse_term(text, f"moves[{i + 1}]", error) for text in joint)
            for i, joint in enumerate(values.moves)
        )
        record = cls(
            match=values.match_id,
            token=values.random_token or "",
            states=tuple(
                parse_facts(text, f"states[{i + 1}]", error)
                for i, text in enumerate(values.states)
            ),
            moves=moves,
            times=tuple(map(int, values.state_times)),
            errors=tuple(map(tuple, values.errors or [[]] * (len(moves) + 1))),
            goals=tuple(values.goal_values or ()) if own_goals is None else own_goals,
            completed=values.is_completed,
            aborted=bool(values.is_aborted),
            # Whole seconds in one part, as they were in the other.
            start_clock=details.start_clock if details else _clock(values.start_clock),
            play_clock=details.play_clock if details else _clock(values.play_clock),
            players=tuple(values.player_names_from_host or ()),
            tournament=values.tournament_name_from_host or "",
            game_url=values.game_url or "",
            scrambled=bool(values.scrambled),
            details=details,
        )
        _check(record, error)
        return record


def write_match(
    match: ManagedMatch | MatchFile,
    folder: str | Path,
    tournament: str = "",
    suffix: str = ".json",
) -> Path:
    """Write a record into a folder, whole or not at all; the file it is in."""
    record = match if isinstance(match, MatchFile) else MatchFile.of(match, tournament)
    path = Path(folder) / f"{_file_name(record.match)}{suffix}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, record.to_json().encode("utf-8", "replace"))
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


def write_errors(record: MatchRecord) -> tuple[tuple[str, ...], ...]:
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


def _make_details(match: ManagedMatch) -> Details:
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


def _read_details(
    given: Mapping[str, Any], error: MakeError
) -> tuple[Details, tuple[int | None, ...]]:
    """Return what our own part says, and the goals in it."""
    if given.get("format") != FORMAT:
        raise error(f"format is not {FORMAT}: another version wrote it")
    own = convert(given, OwnFields, "gamelore", error)
    details = Details(
        game=own.game,
        source=own.source,
        fingerprint=own.fingerprint,
        rules=own.rules,
        roles=tuple(own.roles),
        seed=own.seed,
        start_clock=math.inf if own.start_clock is None else own.start_clock,
        play_clock=math.inf if own.play_clock is None else own.play_clock,
        grace=own.grace,
        move_limit=own.move_limit,
        faults=tuple(_read_fault(fault, error) for fault in own.faults),
        version=own.version,
    )
    return details, tuple(own.goals)


def _read_fault(fields: FaultFields, error: MakeError) -> Fault:
    answer = fields.answer and parse_term(fields.answer, "answer", error)
    return Fault(fields.step, fields.role, fields.kind, fields.message, answer or None)


def _check(record: MatchFile, error: MakeError) -> None:
    """Check that lists which belong together have the lengths they must have."""
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
            raise error(f"{key} {message}")
    widths = {len(joint) for joint in record.moves}
    if record.players:
        widths.add(len(record.players))
    if record.details is not None:
        widths.add(len(record.details.roles))
    if len(widths) > 1:
        raise error("moves are not one for each player")


def _whole_seconds(clock: float) -> int:
    """Other programs read whole seconds only."""
    return math.ceil(clock) if math.isfinite(clock) else _NO_CLOCK


def _clock(seconds: float | None) -> float:
    """Return a clock as ggp-base writes it in seconds."""
    return math.inf if seconds is None or seconds == _NO_CLOCK else seconds


def _finite(clock: float) -> float | None:
    return clock if math.isfinite(clock) else None


def _file_name(match: str) -> str:
    """An id as the name of a file, on any system."""
    safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in match)
    return safe.strip(".")[:200] or "match"


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
