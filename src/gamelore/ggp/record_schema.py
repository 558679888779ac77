"""Match records as JSON has them: their keys, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec

from gamelore.errors import GdlError, RecordError
from gamelore.gdl import Compound, Fact, ReaderLimits, Term, read_term, variables
from gamelore.ggp.validation import convert
from gamelore.match.record import FaultKind

_LIMITS = ReaderLimits()

T = TypeVar("T")

MakeError: TypeAlias = Callable[[str], RecordError]
"""Makes an exception that names the file, from a message that names the key."""

_Number: TypeAlias = Annotated[
    float, msgspec.Meta(ge=-(2**63), le=2**63, description="must be a number that fits")
]


class FaultFields(msgspec.Struct):
    """A fault in our own part of a record."""

    role: str
    step: int
    kind: FaultKind
    message: str
    answer: str | None = None


class OwnFields(msgspec.Struct):
    """Our own part of a record."""

    version: str
    game: str
    source: str
    fingerprint: str
    roles: list[str]
    goals: list[int | None]
    seed: int
    grace: _Number
    move_limit: int
    faults: list[FaultFields]
    rules: str
    start_clock: _Number | None = None
    play_clock: _Number | None = None


class RecordFields(msgspec.Struct, rename="camel"):
    """A record, with the keys of ggp-base."""

    match_id: str
    is_completed: bool
    states: list[str]
    moves: list[list[str]]
    state_times: list[_Number]
    random_token: str | None = None
    is_aborted: bool | None = None
    errors: list[list[str]] | None = None
    goal_values: list[int] | None = None
    start_clock: _Number | None = None
    play_clock: _Number | None = None
    player_names_from_host: list[str] | None = None
    tournament_name_from_host: str | None = None
    game_url: str | None = msgspec.field(default=None, name="gameMetaURL")
    scrambled: bool | None = None
    gamelore: dict[str, Any] | None = None


class RecordedFault(msgspec.Struct):
    """Whose fault it was."""

    role: str


class RecordedOutcomeFields(msgspec.Struct):
    """The part of `RecordedOutcome` that is our own."""

    roles: list[str]
    goals: list[int | None]
    faults: list[RecordedFault]


class RecordedOutcome(msgspec.Struct, rename="camel"):
    """What a record says of the outcome of a match."""

    match_id: str
    gamelore: RecordedOutcomeFields


def read_outcome(text: str, source: str) -> RecordedOutcome:
    """Return the outcome of a match from the text of our own record.

    Much faster than `MatchFile.from_json`: nothing else is read.
    """
    return decode_record(text, RecordedOutcome, source)


def decode_record(text: str, kind: type[T], source: str) -> T:
    """Return the struct in a JSON text; `RecordError` says what is wrong."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError:
        values = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise RecordError(f"{source} is no match record: {error}") from None
    if not isinstance(values, dict):
        raise RecordError(f"{source} is no match record: it is no JSON object")
    return convert(
        values, kind, "", lambda message: RecordError(f"{source} is damaged: {message}")
    )


def parse_facts(text: str, key: str, error: MakeError) -> tuple[Fact, ...]:
    """Return the facts of a position: `( ( cell 1 1 b ) … )`."""
    inner = text.strip()
    if not (inner.startswith("(") and inner.endswith(")")):
        raise error(f"{key} is not a list of facts")
    inner = inner[1:-1].strip()
    if not inner:
        return ()
    term = parse_term(f"(facts {inner})", key, error)
    return term.arguments if isinstance(term, Compound) else ()


def parse_term(text: str, key: str, error: MakeError) -> Term:
    """Return the term in a text; it has no variables."""
    try:
        term = read_term(text, _LIMITS)
    except GdlError as reason:
        message = reason.problems[0].message
        raise error(f"{key} cannot be read: {message}") from None
    if any(True for _ in variables(term)):
        raise error(f"{key} holds a variable")
    return term
