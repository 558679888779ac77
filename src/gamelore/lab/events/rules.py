"""Rule sheets and drafts, as the page is told of them."""

from __future__ import annotations

import msgspec

from gamelore.lab.events.base import Event
from gamelore.lab.events.matches import PositionView


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
