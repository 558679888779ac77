"""The files of a training run, and the lines that its process writes."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from gamelore.errors import GameloreError
from gamelore.files import write_atomic
from gamelore.gdl import Game
from gamelore.lab.events import EvaluationView, GameSample
from gamelore.lab.forms import read_form
from gamelore.learn.config import TrainConfig
from gamelore.learn.references import ReferenceResult
from gamelore.learn.run import RunConfig

SNAPSHOTS = 10
"""That a run keeps, where its settings do not say."""


class RunSpec(msgspec.Struct, kw_only=True):
    """What a run is, in `run.json`."""

    run: str
    name: str
    game: str
    """Its id in the lab."""
    label: str
    """The name of the game."""
    rules: str
    options: dict[str, Any] = {}
    knowledge: str | None = None
    """The run whose tree patterns are its initial values."""
    status: str = "running"
    """What is wanted: `running` and `paused`; or what has come of it: `done` and
    `failed`."""
    message: str = ""
    created: float = 0.0

    def load_game(self) -> Game:
        """Return the game by its rules."""
        return Game.from_kif(self.rules, self.label)

    def settings(self) -> tuple[TrainConfig, RunConfig]:
        """Return the settings of the run; snapshots are kept if nothing is said."""
        config, run = read_form(self.options)
        limit = run.match_limit
        if run.snapshot_every is None and limit is not None:
            run = dataclasses.replace(run, snapshot_every=max(1, limit // SNAPSHOTS))
        return config, run


class RunFolder:
    """The folder of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.spec = path / "run.json"
        self.checkpoint = path / "run.ckpt"
        self.knowledge = path / "knowledge.json"

    def read(self) -> RunSpec:
        """Return what the run is; `GameloreError` where the file is damaged."""
        try:
            return msgspec.json.decode(self.spec.read_bytes(), type=RunSpec)
        except (OSError, msgspec.DecodeError) as error:
            raise GameloreError(f"{self.spec} cannot be read: {error}") from error

    def write(self, spec: RunSpec) -> None:
        """Keep what the run is."""
        self.path.mkdir(parents=True, exist_ok=True)
        content = msgspec.json.format(msgspec.json.encode(spec), indent=2)
        write_atomic(self.spec, content)

    def snapshots(self) -> list[int]:
        """Return the matches after which there are snapshots."""
        numbers = (
            path.stem.removeprefix("run-") for path in self.path.glob("run-*.ckpt")
        )
        return sorted(int(number) for number in numbers if number.isdecimal())


# ── lines ───────────────────────────────────────────────────────────────────────────


class ProgressLine(msgspec.Struct, tag="progress"):
    """How far training is."""

    matches: int
    seconds: float
    per_second: float


class CurveLine(msgspec.Struct, tag="curve"):
    """Points of the learning curve: all of them, or those that are new."""

    points: list[EvaluationView]
    whole: bool


class SampleLine(msgspec.Struct, tag="sample"):
    """A match of the learner as it is."""

    sample: GameSample


class EndLine(msgspec.Struct, tag="end"):
    """Training is over: `matches`, `minutes` or `stopped`."""

    reason: str
    matches: int


class ErrorLine(msgspec.Struct, tag="error"):
    """Training has failed."""

    message: str


AnyLine: TypeAlias = ProgressLine | CurveLine | SampleLine | EndLine | ErrorLine


def view_result(one: ReferenceResult) -> EvaluationView:
    """Return a result as a point of the curve."""
    return EvaluationView(one.trained, one.opponent, one.score, one.low, one.high)
