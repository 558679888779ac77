"""What the server tells the page: the other half of the lab's schema.

What answers a request has the request's `id` as `re`; the rest comes as things happen.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from gamelore.lab.requests import Place


class Event(msgspec.Struct, tag=True, kw_only=True, omit_defaults=True):
    """What the server tells the page."""

    re: int = 0
    """The request that this answers, if it does."""


class GameEntry(msgspec.Struct):
    """A game to choose."""

    game: str
    label: str
    description: str
    roles: list[str]


class AgentEntry(msgspec.Struct):
    """A player to choose."""

    spec: str
    label: str
    description: str
    game: str = ""
    """The only game that it plays, if it does not play every one."""


class Welcome(Event):
    """The first message: what there is."""

    version: str
    folder: str
    games: list[GameEntry]
    agents: list[AgentEntry]
    templates: list[str]


class Done(Event):
    """A request was carried out."""


class Failure(Event):
    """A request was not: why, and which setting is at fault, if one is."""

    message: str
    setting: str = ""


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
    colours: dict[str, str] = {}
    """The names of the colours that roles have on the board."""
    last: list[str] = []
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
    live: list[RecordEntry] = []
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


class FileEntry(msgspec.Struct):
    """A rule sheet of the folder."""

    path: str
    bytes: int


class FileList(Event):
    """The rule sheets of the folder."""

    files: list[FileEntry]


class FileText(Event):
    """A rule sheet."""

    path: str
    text: str
    version: str | None


class FileSaved(Event):
    """A rule sheet was written."""

    path: str
    version: str
    game: str


class ProblemView(msgspec.Struct):
    """A problem of rules, with its place in the text."""

    line: int
    column: int
    length: int
    severity: str
    message: str


class DraftProblems(Event):
    """All that is wrong with rules."""

    problems: list[ProblemView]
    relations: list[str]
    """The relations that occur, to be completed."""


class DraftReport(Event):
    """What rules without an error come to."""

    problems: list[ProblemView]
    """Found in playing."""
    engine: str
    fluents: int
    moves: int
    gates: int
    game: str
    view: PositionView | None


class DraftFigures(Event):
    """Random matches by rules, so far."""

    matches: int
    per_second: float
    length: float
    shortest: int
    longest: int
    cut_off: int
    goals: dict[str, float]
    margins: dict[str, float]
    """Half the width of the 95% interval of each mean goal."""
    over: bool


class GameKept(Event):
    """Rules have become a game of the lab."""

    game: str


class FormField(msgspec.Struct):
    """A setting, as a field of a form."""

    key: str
    label: str
    help: str
    group: str
    kind: str
    """`number`, `whole`, `choice`, `flag` or `text`."""
    choices: list[str] = []
    default: Any = None
    least: float | None = None
    above: float | None = None
    most: float | None = None
    shown_for: list[dict[str, str]] = []
    """What must be chosen elsewhere for it to have a meaning: one of these."""


class RunForm(Event):
    """The form of a training run."""

    game: str
    fields: list[FormField]


class EvaluationView(msgspec.Struct):
    """A point of a learning curve."""

    trained: int
    opponent: str
    score: float
    low: float
    high: float


class GameSample(msgspec.Struct):
    """The latest match that a learner has played, with what it thinks."""

    trained: int
    moves: list[list[str]]
    values: list[float | None]
    """Of each position, what the learner estimates for its role."""
    role: str


class RunView(msgspec.Struct):
    """A training run."""

    run: str
    name: str
    game: str
    label: str
    status: str
    """`starting`, `running`, `pausing`, `paused`, `done` or `failed`."""
    message: str
    matches: int
    limit: int | None
    minutes: float | None
    per_second: float
    seconds: float
    summary: str
    curve: list[EvaluationView]
    snapshots: list[int]
    knowledge: str
    has_patterns: bool
    """Whether it learns what has tree patterns: a table of afterstates."""


class RunList(Event):
    """All runs."""

    runs: list[RunView]


class RunState(Event):
    """A run has changed."""

    view: RunView


class RunSample(Event):
    """A match that a run's learner has just played."""

    run: str
    sample: GameSample
    view: PositionView


class RunRemoved(Event):
    """A run is gone."""

    run: str


class RunStarted(Event):
    """A run has begun."""

    run: str


class RaceStarted(Event):
    """Two runs have begun: without tree patterns, and with them."""

    runs: list[str]


class PatternView(msgspec.Struct):
    """A tree pattern with its value."""

    pattern: str
    tree: Any
    """A name, or a list of trees."""
    value: float
    visits: int
    afterstates: int


class PatternList(Event):
    """The tree patterns of a run."""

    run: str
    patterns: list[PatternView]
    file: str


AnyEvent: TypeAlias = (
    Welcome
    | Done
    | Failure
    | PositionView
    | MatchOpened
    | MatchState
    | MatchList
    | TournamentStarted
    | AnalysisReport
    | ReviewPoint
    | ReviewEnd
    | Hint
    | RecordView
    | RecordText
    | FileList
    | FileText
    | FileSaved
    | DraftProblems
    | DraftReport
    | DraftFigures
    | GameKept
    | RunForm
    | RunList
    | RunState
    | RunSample
    | RunRemoved
    | RunStarted
    | RaceStarted
    | PatternList
)
