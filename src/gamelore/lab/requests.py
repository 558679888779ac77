"""What the page asks of the server: one half of the lab's schema.

Every message is a JSON object whose `type` is the name of a class. Requests have an
`id`; what answers a request (`events`) has it as `re`.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec

Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=200)]
MoveText: TypeAlias = Annotated[str, msgspec.Meta(max_length=2000)]
RuleText: TypeAlias = Annotated[str, msgspec.Meta(max_length=1_000_000)]
Moves: TypeAlias = Annotated[
    list[Annotated[list[MoveText], msgspec.Meta(max_length=32)]],
    msgspec.Meta(max_length=5000),
]
"""Joint moves: each has a move of every role in order, or only of those who choose."""
Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
Seed: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class Place(msgspec.Struct, forbid_unknown_fields=True):
    """A position: a game, and the joint moves that lead there."""

    game: Name
    moves: Moves = []


class Request(msgspec.Struct, tag=True, forbid_unknown_fields=True, kw_only=True):
    """What the page asks for."""

    id: Annotated[int, msgspec.Meta(ge=0, lt=2**53)] = 0


class ShowPosition(Request):
    """Draw a position; answered by `PositionView`."""

    place: Place
    flipped: bool = False


class OpenMatch(Request):
    """Begin a match; answered by `MatchOpened`."""

    game: Name
    players: dict[Name, Name]
    """For each role, `person` or who plays it."""
    seconds: Seconds | None = None
    """For each move; without them, as long as a player takes."""
    pace: Annotated[float, msgspec.Meta(ge=0, le=60)] = 0.0
    """Seconds from one move to the next at least, for those who watch."""
    seed: Seed | None = None
    moves: Moves = []
    """Where it begins, if not at the initial position."""


class FollowMatch(Request):
    """Be told of a match from now on; answered by `MatchState`."""

    match: Name


class LeaveMatch(Request):
    """Be told of it no more."""

    match: Name


class PlayMove(Request):
    """Make a move for a role that a person plays."""

    match: Name
    role: Name
    move: MoveText
    step: Annotated[int, msgspec.Meta(ge=0)]
    """How many joint moves the page has seen: a late click plays nothing."""


class TakeBack(Request):
    """Return to the last decision of a person."""

    match: Name


class SwitchSides(Request):
    """Have every player play the next role."""

    match: Name


class SetPace(Request):
    """Change how fast a match between agents goes, or have it wait."""

    match: Name
    pace: Annotated[float, msgspec.Meta(ge=0, le=60)]
    waiting: bool = False


class ListMatches(Request):
    """Answered by `MatchList`."""


class StartTournament(Request):
    """Have agents meet each other; answered by `TournamentStarted`."""

    game: Name
    agents: Annotated[list[Name], msgspec.Meta(max_length=30)]
    rounds: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1


class StopTournament(Request):
    """End a tournament."""

    name: Name


class Analyse(Request):
    """Search a position for this page; answered by `AnalysisReport`, again and again.

    A page has one analysis at a time: another one ends it.
    """

    place: Place
    seconds: Annotated[float, msgspec.Meta(gt=0, le=600)] = 10.0
    lines: Annotated[int, msgspec.Meta(ge=1, le=20)] = 5


class StopAnalysis(Request):
    """Search no more for this page."""


class Review(Request):
    """Search every position of a match; answered by `ReviewPoint` and `ReviewEnd`."""

    place: Place
    playouts: Annotated[int, msgspec.Meta(ge=16, le=100_000)] = 2000


class StopReview(Request):
    """Review no more for this page; what was found so far is ended by `ReviewEnd`."""


class AskHint(Request):
    """Answered by `Hint`."""

    place: Place


class ImportRecord(Request):
    """Read a match record that the page has; answered by `RecordView`."""

    text: Annotated[str, msgspec.Meta(max_length=8_000_000)]


class FollowRecord(Request):
    """Read a match record of the folder; answered by `RecordView`.

    While another program plays the match, further ones come by themselves.
    """

    path: Name


class LeaveRecord(Request):
    """Be told of it no more."""

    path: Name


class ExportRecord(Request):
    """Answered by `RecordText`, in the form that managers write."""

    place: Place
    players: list[Name] = []


class ListFiles(Request):
    """Answered by `FileList`."""


class ReadFile(Request):
    """Answered by `FileText`."""

    path: Name


class SaveFile(Request):
    """Write rules into the folder; answered by `FileSaved`."""

    path: Name
    text: RuleText
    version: str | None = None
    """Of the file as the page knows it; none if it is to be new."""


class ReadTemplate(Request):
    """Rules to begin with; answered by `FileText`."""

    name: Name


class CheckDraft(Request):
    """Answered by `DraftProblems`, and by `DraftReport` where rules have no error."""

    text: RuleText
    name: Name = "draft"


class MeasureDraft(Request):
    """Play random matches; answered by `DraftFigures`, again and again."""

    game: Name
    seconds: Annotated[float, msgspec.Meta(gt=0, le=30)] = 3.0


class KeepDraft(Request):
    """Make a game of rules, to be played; answered by `GameKept`."""

    text: RuleText
    name: Name = "draft"


class ShowForm(Request):
    """The settings of a training run; answered by `RunForm`."""

    game: Name


class StartRun(Request):
    """Begin a training run; answered by `RunStarted`."""

    game: Name
    options: dict[Name, Any] = {}
    """By the names of options, as the form has them."""
    name: Name = ""
    knowledge: Name | None = None
    """The run whose tree patterns it begins with."""


class StartRace(Request):
    """Learn a game with and without the tree patterns of a run.

    Answered by `RaceStarted`.
    """

    source: Name
    game: Name
    matches: Annotated[int, msgspec.Meta(ge=1, le=10**9)] = 3000
    seed: Seed = 0


class PauseRun(Request):
    """Save a run, and train no more until it is resumed."""

    run: Name


class ResumeRun(Request):
    """Go on training; `matches` is a new limit."""

    run: Name
    matches: Annotated[int, msgspec.Meta(ge=1, le=10**12)] | None = None


class RemoveRun(Request):
    """End a run, and delete what it has learned."""

    run: Name


class FollowRuns(Request):
    """Be told of all runs from now on; answered by `RunList`."""


class LeaveRuns(Request):
    """Be told of them no more."""


class ShowPatterns(Request):
    """The tree patterns of a run with their values; answered by `PatternList`."""

    run: Name


AnyRequest: TypeAlias = (
    ShowPosition
    | OpenMatch
    | FollowMatch
    | LeaveMatch
    | PlayMove
    | TakeBack
    | SwitchSides
    | SetPace
    | ListMatches
    | StartTournament
    | StopTournament
    | Analyse
    | StopAnalysis
    | Review
    | StopReview
    | AskHint
    | ImportRecord
    | FollowRecord
    | LeaveRecord
    | ExportRecord
    | ListFiles
    | ReadFile
    | SaveFile
    | ReadTemplate
    | CheckDraft
    | MeasureDraft
    | KeepDraft
    | ShowForm
    | StartRun
    | StartRace
    | PauseRun
    | ResumeRun
    | RemoveRun
    | FollowRuns
    | LeaveRuns
    | ShowPatterns
)
