"""Positions, matches, analyses and records, as the page is told of them."""

from __future__ import annotations

import msgspec

from gamelore.lab.events.base import Event
from gamelore.lab.requests import Place


class MoveChoice(msgspec.Struct):
    """A legal move."""

    move: str
    label: str
    cells: list[str]
    """The cells that it is about, where it comes from first."""
    spot: str
    """The cell to mark: where it goes."""


class PositionView(Event):
    """A position, drawn."""

    game: str
    label: str
    """The name of the game."""
    step: int
    svg: str
    roles: list[str]
    choosing: list[str]
    """The roles that have a choice, chance left out."""
    legal: dict[str, list[MoveChoice]]
    """Of the roles that have a choice, chance too; of all where nobody has one."""
    terminal: bool
    goals: dict[str, int | None]
    """Empty before the end."""
    colours: dict[str, str] = msgspec.field(default_factory=dict)
    """The names of the colours that roles have on the board."""
    last: list[str] = msgspec.field(default_factory=list)
    """The joint move that led here, of all roles."""


class MatchOpened(Event):
    """A match has begun."""

    match: str


class FaultView(msgspec.Struct):
    """A move that an agent failed to give."""

    step: int
    role: str
    message: str


class MatchState(Event):
    """All that is known of a match, whenever it changes."""

    match: str
    game: str
    players: dict[str, str]
    labels: list[list[str]]
    """What was moved, for people: of each joint move, the moves of those who chose."""
    moves: list[list[str]]
    view: PositionView
    thinking: list[str]
    """Roles whose agents are choosing a move."""
    waiting: bool
    pace: float
    seconds: float | None
    left: float | None
    """Seconds until the clock of the move runs out."""
    faults: list[FaultView]
    watchers: int


class MatchEntryView(msgspec.Struct):
    """A match to open."""

    match: str
    game: str
    players: dict[str, str]
    moves: int
    over: bool
    goals: dict[str, int | None]


class RecordEntry(msgspec.Struct):
    """A match record of the folder."""

    path: str
    game: str
    players: list[str]
    moves: int
    goals: list[int | None]
    tournament: str
    live: bool = False
    """Whether another program is playing the match."""


class StandingView(msgspec.Struct):
    """How a player did in the records of one folder."""

    player: str
    matches: int
    score: float
    low: float
    high: float


class RecordGroup(msgspec.Struct):
    """The records of one folder, with the standings of their players."""

    folder: str
    records: list[RecordEntry]
    standings: list[StandingView]


class TournamentView(msgspec.Struct):
    """A tournament of the lab."""

    name: str
    game: str
    played: int
    matches: int
    running: bool
    match: str
    """The match that is being played, if one is."""
    message: str


class TournamentStarted(Event):
    """A tournament has begun."""

    name: str


class MatchList(Event):
    """The matches of the lab, and the records of the folder."""

    matches: list[MatchEntryView]
    tournaments: list[TournamentView]
    groups: list[RecordGroup]
    live: list[RecordEntry] = msgspec.field(default_factory=list)
    """Matches that other programs are playing, as far as their records are there."""
    left_out: int = 0
    """Files that are no records, or too many."""


class CandidateView(msgspec.Struct):
    """A move that the search has found."""

    move: str
    label: str
    cells: list[str]
    spot: str
    visits: int
    share: float
    value: float
    low: float
    high: float
    proven: bool
    line: list[list[str]]
    """The principal variation: joint moves, this one first."""
    labels: list[str]
    """The same for people."""
    spots: list[str]
    """The cell that each of its moves goes to; empty where it is about none."""


class AnalysisReport(Event):
    """What the search knows of a position so far."""

    game: str
    step: int
    role: str
    value: float
    """Of the role that is to move."""
    first: float | None
    """Of the first role, where what one role gets the other loses."""
    playouts: int
    nodes: int
    solved: bool
    mixed: bool
    candidates: list[CandidateView]
    seconds: float
    over: bool
    """Whether the search has ended."""


class ReviewPoint(Event):
    """What a short search says of one position of a match."""

    step: int
    role: str
    value: float
    first: float | None
    best: str = ""
    played: float | None = None
    """The value of the move that was made."""
    loss: float | None = None
    """How much less that is than the best."""
    mistake: str = ""
    """`inaccuracy`, `mistake` or `blunder`."""


class ReviewEnd(Event):
    """All positions were searched, or as many as there was time for."""

    points: int


class Hint(Event):
    """A move that the search would make."""

    move: str
    label: str
    cells: list[str]
    spot: str


class RecordView(Event):
    """A match record, as a place at the end of its moves."""

    place: Place
    match: str
    players: dict[str, str]
    goals: dict[str, int | None]
    completed: bool
    path: str = ""
    """The file of the folder that it is in."""
    live: bool = False
    """Whether another program is playing the match: there will be more."""


class RecordText(Event):
    """A match record in JSON."""

    name: str
    text: str
