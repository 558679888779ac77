"""Training runs and tree patterns, as the page is told of them."""

from __future__ import annotations

from typing import Any

import msgspec

from gamelore.lab.events.base import Event
from gamelore.lab.events.matches import PositionView


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
    role: str
    """Which player learns: `first`, `second`, or both in turn, `alternate`."""
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
