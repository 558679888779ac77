"""What is compared: TD and Q, linear functions and networks, on three games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from gamelore.learn.config import TrainConfig
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.settings import check, setting
from gamelore.values.settings import LinearSettings, NetworkSettings

Method: TypeAlias = Literal["td", "q"]
Model: TypeAlias = Literal["linear", "network"]
Output: TypeAlias = Literal["identity", "tanh"]

METHODS: tuple[Method, ...] = ("td", "q")
MODELS: tuple[Model, ...] = ("linear", "network")

GAMES = {"tictactoe": 200_000, "connect-four": 50_000, "breakthrough-6x6": 20_000}
"""The games, each with its training matches."""

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
"""How often training is interrupted for test matches."""


@dataclass(frozen=True)
class CS221Settings:
    """How to run the comparison."""

    runs: int = setting(5, least=2, most=10_000)
    """Independent runs of every learner."""
    scale: float = setting(1.0, above=0, most=100)
    """All numbers of training matches as a multiple of the usual ones."""
    learners: Literal["td", "q", "both"] = "both"
    """Which learners are run."""
    tests: int = setting(200, least=1, most=1_000_000)
    """Test matches against each opponent at each point of a curve; the learner moves
    first in half of them."""
    playouts: int = setting(10, least=1, most=1_000_000)
    """Playouts per move of the Monte Carlo player that learners meet at the end."""
    seed: int = setting(0, least=0)
    """Where random numbers start; the same seed repeats the same experiment."""
    hidden: int = setting(40, least=1, most=10_000)
    """Hidden units of the networks."""
    output: Output = "tanh"
    """The output of a function's sum: identity, as in the lecture, or its tanh, which
    is never more than a win."""
    epsilon: float = setting(0.2, least=0, most=1)
    """Probability of a random move during training; the lecture's backgammon has dice
    instead."""

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class CS221Case:
    """One way to learn one game."""

    game: str
    method: Method
    model: Model
    step: int
    """Matches between two points of the curve."""

    @property
    def matches(self) -> int:
        """Matches of a training run."""
        return POINTS * self.step

    @property
    def name(self) -> str:
        """As reports call it."""
        return f"{_METHOD_NAMES[self.method]}, {self.model}"


_METHOD_NAMES: dict[Method, str] = {"td": "TD", "q": "Q"}


def list_cases(settings: CS221Settings) -> list[CS221Case]:
    """Return all that is compared, game by game."""
    return [
        CS221Case(game, method, model, max(1, round(matches * settings.scale / POINTS)))
        for game, matches in GAMES.items()
        for method in METHODS
        if settings.learners in ("both", method)
        for model in MODELS
    ]


def make_config(case: CS221Case, settings: CS221Settings, seed: int) -> TrainConfig:
    """Return the training settings of a case.

    The lecture's functions are sums of inputs, or of hidden sigmoid units. They predict
    the first player's utility, 1 for a win and -1 for a loss, and learn by self-play.
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
