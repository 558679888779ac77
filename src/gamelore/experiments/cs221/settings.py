"""What is compared: TD and Q, linear functions and networks, on three games."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gamelore.learn.config import TrainConfig
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.values.settings import LinearSettings, NetworkSettings

Method: TypeAlias = Literal["td", "q"]
Model: TypeAlias = Literal["linear", "network"]
Output: TypeAlias = Literal["identity", "tanh"]

METHODS: tuple[Method, ...] = ("td", "q")
MODELS: tuple[Model, ...] = ("linear", "network")

GAMES = {"tictactoe": 200_000, "connect-four": 50_000, "breakthrough-6x6": 20_000}
"""The games, each with the matches that are learned from."""

TITLES = {
    "tictactoe": "tic-tac-toe",
    "connect-four": "Connect Four",
    "breakthrough-6x6": "breakthrough 6×6",
}

STEP_SIZES: dict[Output, dict[Model, float]] = {
    "identity": {"linear": 0.002, "network": 0.02},
    "tanh": {"linear": 0.02, "network": 0.1},
}
"""The lecture gives none; these are the same for TD and Q and for all games."""

POINTS = 10
"""How often a course is interrupted to see how well it plays."""


@dataclass(frozen=True)
class CS221Settings:
    """How to run the comparison."""

    learners: Literal["td", "q", "both"] = "both"
    """Which ways to learn are run."""
    runs: int = 5
    """Independent repetitions of every course of learning."""
    scale: float = 1.0
    """All numbers of matches as a multiple of the usual ones."""
    hidden: int = 40
    """Hidden units of the networks."""
    output: Output = "tanh"
    """What is made of a function's sum: nothing, as in the lecture, or its tanh, which
    is never more than a win."""
    epsilon: float = 0.2
    """How often a learner moves at random while it learns; the lecture's backgammon has
    dice instead."""
    tests: int = 200
    """Matches against each opponent at each point of a curve, half from each seat."""
    playouts: int = 10
    """Of the Monte Carlo player at the end, for each of its moves."""
    seed: int = 0
    """All that is drawn at random follows from it."""

    def __post_init__(self) -> None:
        if self.learners not in ("td", "q", "both"):
            raise ValueError(
                f"learners must be one of td, q, both, got {self.learners!r}"
            )
        if self.output not in STEP_SIZES:
            raise ValueError(f"output must be identity or tanh, got {self.output!r}")
        if self.runs < 2:
            raise ValueError(f"runs must be at least 2, got {self.runs}")
        if not 0 < self.scale <= 100:
            raise ValueError(f"scale must be in (0, 100], got {self.scale}")
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"epsilon must be in [0, 1], got {self.epsilon}")
        for name in ("hidden", "tests", "playouts"):
            if getattr(self, name) < 1:
                raise ValueError(
                    f"{name} must be at least 1, got {getattr(self, name)}"
                )


@dataclass(frozen=True)
class Case:
    """One way to learn one game."""

    game: str
    method: Method
    model: Model
    step: int
    """Matches between two points of the curve."""

    @property
    def matches(self) -> int:
        return POINTS * self.step

    @property
    def name(self) -> str:
        return f"{_METHOD_NAMES[self.method]}, {self.model}"


_METHOD_NAMES: dict[Method, str] = {"td": "TD", "q": "Q"}


def cases(settings: CS221Settings) -> list[Case]:
    """All that is compared, game by game."""
    return list(_cases(settings))


def _cases(settings: CS221Settings) -> Iterator[Case]:
    for game, matches in GAMES.items():
        step = max(1, round(matches * settings.scale / POINTS))
        for method in METHODS:
            if settings.learners not in ("both", method):
                continue
            for model in MODELS:
                yield Case(game, method, model, step)


def config_for(case: Case, settings: CS221Settings, seed: int) -> TrainConfig:
    """How such a case learns.

    The lecture's functions: sums of inputs, or of hidden sigmoid units. Values are of
    the first player's utility, 1 for a win and -1 for a loss; it plays against itself.
    """
    function: LinearSettings | NetworkSettings
    if case.model == "linear":
        function = LinearSettings(output=settings.output, lowest_reward=-1.0)
    else:
        function = NetworkSettings(
            hidden=settings.hidden,
            output=settings.output,
            initial_range=None,
            lowest_reward=-1.0,
        )
    step_size = STEP_SIZES[settings.output][case.model]
    learner: TDSettings | QSettings
    if case.method == "td":
        learner = TDSettings(step_size=step_size, discount=1.0, trace_decay=0.0)
    else:
        learner = QSettings(step_size=step_size, discount=1.0)
    return TrainConfig(
        learner=learner,
        opponent=SelfPlay("shared"),
        schedule=Fixed(settings.epsilon),
        seed=seed,
        function=function,
    )
