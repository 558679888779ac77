"""What the server tells the page: the other half of the lab's schema.

What answers a request has the request's `id` as `re`; the rest comes as things happen.
"""

from __future__ import annotations

from typing import TypeAlias

from gamelore.lab.events.base import (
    AgentEntry,
    Done,
    Event,
    Failure,
    GameEntry,
    Welcome,
)
from gamelore.lab.events.matches import (
    AnalysisReport,
    CandidateView,
    FaultView,
    Hint,
    MatchEntryView,
    MatchList,
    MatchOpened,
    MatchState,
    MoveChoice,
    PositionView,
    RecordEntry,
    RecordGroup,
    RecordText,
    RecordView,
    ReviewEnd,
    ReviewPoint,
    StandingView,
    TournamentStarted,
    TournamentView,
)
from gamelore.lab.events.rules import (
    DraftFigures,
    DraftProblems,
    DraftReport,
    FileEntry,
    FileList,
    FileSaved,
    FileText,
    GameKept,
    ProblemView,
)
from gamelore.lab.events.runs import (
    EvaluationView,
    FormField,
    GameSample,
    PatternList,
    PatternView,
    RaceStarted,
    RunForm,
    RunList,
    RunRemoved,
    RunSample,
    RunStarted,
    RunState,
    RunView,
)

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

__all__ = [
    "AgentEntry",
    "AnalysisReport",
    "AnyEvent",
    "CandidateView",
    "Done",
    "DraftFigures",
    "DraftProblems",
    "DraftReport",
    "EvaluationView",
    "Event",
    "Failure",
    "FaultView",
    "FileEntry",
    "FileList",
    "FileSaved",
    "FileText",
    "FormField",
    "GameEntry",
    "GameKept",
    "GameSample",
    "Hint",
    "MatchEntryView",
    "MatchList",
    "MatchOpened",
    "MatchState",
    "MoveChoice",
    "PatternList",
    "PatternView",
    "PositionView",
    "ProblemView",
    "RaceStarted",
    "RecordEntry",
    "RecordGroup",
    "RecordText",
    "RecordView",
    "ReviewEnd",
    "ReviewPoint",
    "RunForm",
    "RunList",
    "RunRemoved",
    "RunSample",
    "RunStarted",
    "RunState",
    "RunView",
    "StandingView",
    "TournamentStarted",
    "TournamentView",
    "Welcome",
]
