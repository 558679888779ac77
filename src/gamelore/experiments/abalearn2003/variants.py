"""How the paper may be read, where its words and equations leave room.

Self-play by each reading, in short, to see which of them let it succeed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np

from gamelore.experiments.abalearn2003.run import Agent, train
from gamelore.experiments.abalearn2003.settings import (
    METHOD_II,
    Abalearn2003Settings,
    Case,
    Choices,
    Credit,
    Inputs,
    Lesson,
    Views,
)
from gamelore.experiments.statistics import Floats
from gamelore.experiments.sweep import run_tasks

GAMES = 300
"""Games of self-play by each reading."""
AGENTS = 4
RISKS = (0.0, -0.8, -1.0)


@dataclass(frozen=True)
class Reading:
    """One way to read the paper; fields are as in the settings."""

    choices: Choices = "value"
    credit: Credit = "before"
    inputs: Inputs = "numbers"
    views: Views = "both"

    def __str__(self) -> str:
        return ", ".join(
            word
            for word, given in (
                ("rewards count in choices", self.choices == "reward"),
                ("credit as printed", self.credit == "through"),
                ("inputs are shares", self.inputs == "shares"),
                ("one view for both sides", self.views == "one"),
            )
            if given
        )


READINGS = (
    Reading(),
    Reading(credit="through"),
    Reading(inputs="shares"),
    Reading(views="one"),
    Reading(credit="through", inputs="shares"),
    Reading(choices="reward"),
    Reading(choices="reward", inputs="shares"),
    Reading(choices="reward", views="one"),
)


@dataclass(frozen=True)
class Trial:
    """One agent by one reading."""

    reading: Reading
    risk: float
    number: int


@dataclass(frozen=True)
class Tried:
    """What became of all agents by one reading."""

    reading: Reading
    risk: float
    scores: Floats
    """float64 [agents, 5]: at the end, against the heuristic player"""


def try_readings(
    settings: Abalearn2003Settings,
    jobs: int = 1,
    advance: Callable[[int], None] = lambda games: None,
) -> list[Tried]:
    """Self-play by every reading."""
    trials = [
        Trial(reading, risk, number)
        for reading in READINGS
        for risk in RISKS
        for number in range(AGENTS)
    ]
    games = settings.scaled(GAMES)
    found = run_tasks(
        partial(_try_once, settings=settings), trials, jobs, lambda _: advance(games)
    )
    return [
        Tried(trials[i].reading, trials[i].risk, np.stack(found[i : i + AGENTS]))
        for i in range(0, len(trials), AGENTS)
    ]


def matches_of_readings(settings: Abalearn2003Settings) -> int:
    """How many games that takes."""
    return len(READINGS) * len(RISKS) * AGENTS * settings.scaled(GAMES)


def _try_once(trial: Trial, settings: Abalearn2003Settings) -> Floats:
    read = replace(settings, **asdict(trial.reading))
    trained = train(Agent(_shortened(trial.risk), trial.number), read)
    return np.asarray(trained.scores[-1])


def _shortened(risk: float) -> Case:
    """Method II with fewer games, and a test at the end alone."""
    name = f"reading, κ = {risk:g}"
    lessons = (Lesson("self", GAMES),)
    return replace(METHOD_II[risk], name=name, lessons=lessons, points=(GAMES,))
