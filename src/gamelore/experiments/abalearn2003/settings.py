"""What Campos and Langlois (2003) ran: every agent, by method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from gamelore.learn.config import TrainConfig
from gamelore.learn.opponents import FeaturePlayer
from gamelore.learn.schedules import Fixed, Geometric, Schedule
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import TDSettings
from gamelore.search.policies import PlayerSettings
from gamelore.values.settings import NetworkSettings

Opponent: TypeAlias = Literal["random", "heuristic", "self"]
Draws: TypeAlias = Literal["stones", "half", "nothing"]
Choices: TypeAlias = Literal["value", "reward"]
Credit: TypeAlias = Literal["before", "through"]
Inputs: TypeAlias = Literal["numbers", "shares"]
Views: TypeAlias = Literal["both", "one"]

STEP_SIZE, DISCOUNT, TRACE_DECAY = 0.1, 0.9, 0.7
"""α, γ and λ, the same for all methods."""

RISKS = (0.0, -0.3, -0.8, -1.0)
"""κ in Figure 4."""

BASICS = 1_000
"""Games against the random player before self-play, in Methods I and I(a)."""

REFERENCES = (10, 250, 2_750)
"""After how many games the networks of Figure 2 were taken that all others meet."""

METHOD_POINTS = (10, 250, 500, 1_000, 1_500, 2_000, 2_500, 2_750, 3_000)
RISK_POINTS = (10, 50, 100, 250, 500, 1_000, 1_500, 2_000)
TEACHER_POINTS = (10, 50, 100, 250, 500)

SHAPING = (("(lost other)", 1.0), ("(lost own)", -1.0))
"""A stone pushed off earns 1, one lost −1, as does the end of a match."""

ALL_STONES, FARTHEST = 14, 4
"""What inputs are shares of, if they are: the stones of a side, and for distances the
steps from the centre to the border."""

EXPLORATION = Geometric(start=0.9, factor=0.99)
"""ε of Method II."""


@dataclass(frozen=True)
class Abalearn2003Settings:
    """How to rerun the experiment; what the paper says is not for choice."""

    agents: int = 10
    """Agents that are trained by each method."""
    scale: float = 1.0
    """All numbers of training games as a multiple of the paper's."""
    tests: int = 50
    """Test games of each agent at each point of a curve, half from each seat."""
    hidden: int = 10
    """Hidden units."""
    epsilon: float = 0.1
    """How often agents of Methods I and I(a) move at random while they learn."""
    move_limit: int = 200
    """Moves, of both sides together, after which a game is drawn."""
    draws: Draws = "stones"
    """What such a game counts: for who has pushed off more stones; half a win; or
    nothing."""
    choices: Choices = "value"
    """Whether moves are chosen by the value of what they lead to, or by the reward
    they earn and that value."""
    credit: Credit = "before"
    """Which positions learn from an error: those before it was found, or also the one
    it was found at, as Equation 5 is printed."""
    inputs: Inputs = "numbers"
    """Whether inputs are numbers of stones, or shares of all."""
    views: Views = "both"
    """In self-play, whether either side has its own view of positions and learns from
    its own moves; or one view is both's, which one side maximises and one minimises."""
    opening: int = 4
    """Moves at the start of test games that are drawn by lot, so that games differ."""
    teacher_depth: int = 1
    """Search depth of the heuristic player that agents learn from."""
    search_nodes: int = 200_000
    """Nodes that the searching players of Table 3 may expand for a move."""
    duel_moves: int = 62
    """Moves, of both sides together, after which a game of Table 3 ends; the longest of
    the paper has 61."""
    seed: int = 0
    """All that is drawn at random follows from it."""
    readings: bool = False
    """Also how self-play fares if the paper is read otherwise."""

    def __post_init__(self) -> None:
        if self.agents < 2:
            raise ValueError(f"agents must be at least 2, got {self.agents}")
        if not 0 < self.scale <= 100:
            raise ValueError(f"scale must be in (0, 100], got {self.scale}")
        if self.tests < 2:
            raise ValueError(f"tests must be at least 2, got {self.tests}")
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"epsilon must be in [0, 1], got {self.epsilon}")
        for name, kind in _CHOICES.items():
            if getattr(self, name) not in get_args(kind):
                raise ValueError(
                    f"{name} must be one of {', '.join(get_args(kind))},"
                    f" got {getattr(self, name)!r}"
                )
        if not 1 <= self.move_limit <= 9999:
            raise ValueError(f"move_limit must be in 1 to 9999, got {self.move_limit}")
        if self.opening < 0:
            raise ValueError(f"opening must not be negative, got {self.opening}")
        for name in ("hidden", "teacher_depth", "search_nodes", "duel_moves"):
            if getattr(self, name) < 1:
                raise ValueError(
                    f"{name} must be at least 1, got {getattr(self, name)}"
                )

    @property
    def game(self) -> str:
        """The library's name for the game."""
        return f"abalone-5-{self.move_limit}"

    def scaled(self, games: int) -> int:
        """A number of training games at the scale asked for."""
        return max(1, round(games * self.scale)) if games else 0


_CHOICES = {
    "draws": Draws,
    "choices": Choices,
    "credit": Credit,
    "inputs": Inputs,
    "views": Views,
}


@dataclass(frozen=True)
class Lesson:
    """Games against one kind of opponent."""

    opponent: Opponent
    games: int


@dataclass(frozen=True)
class Case:
    """One way to train an agent; numbers of games are the paper's."""

    name: str
    features: str
    """The state representation: abalearn2 or abalearn3."""
    lessons: tuple[Lesson, ...]
    points: tuple[int, ...]
    """After how many games it is tested."""
    risk: float = 0.0
    """κ"""
    schedule: Schedule | None = None
    """ε; the settings' if not given."""

    @property
    def games(self) -> int:
        return sum(lesson.games for lesson in self.lessons)


def _after_basics(name: str, features: str) -> Case:
    lessons = Lesson("random", BASICS), Lesson("self", METHOD_POINTS[-1] - BASICS)
    return Case(name, features, lessons, METHOD_POINTS)


def _taught_by(opponent: Opponent) -> Case:
    lesson = Lesson(opponent, TEACHER_POINTS[-1])
    return Case(f"taught by {opponent}", "abalearn2", (lesson,), TEACHER_POINTS)


def _risky(risk: float) -> Case:
    lesson = Lesson("self", RISK_POINTS[-1])
    name = f"Method II, κ = {risk:g}"
    return Case(name, "abalearn3", (lesson,), RISK_POINTS, risk, EXPLORATION)


METHOD_I = _after_basics("Method I", "abalearn2")
METHOD_IA = _after_basics("Method I(a)", "abalearn3")
METHOD_II = {risk: _risky(risk) for risk in RISKS}
"""By κ."""
TAUGHT: dict[Opponent, Case] = {
    "random": _taught_by("random"),
    "heuristic": _taught_by("heuristic"),
    "self": _taught_by("self"),
}
"""Figure 3, by opponent."""

CASES = (METHOD_I, METHOD_IA, *METHOD_II.values(), *TAUGHT.values())


def config_for(
    case: Case, opponent: Opponent, settings: Abalearn2003Settings, seed: int
) -> TrainConfig:
    """How an agent learns against an opponent."""
    both = settings.views == "both"
    against: dict[Opponent, SelfPlay | FeaturePlayer | PlayerSettings] = {
        "self": SelfPlay("own" if both else "shared"),
        "heuristic": FeaturePlayer("heuristic"),
        "random": PlayerSettings("random"),
    }
    return TrainConfig(
        learner=TDSettings(STEP_SIZE, DISCOUNT, TRACE_DECAY, risk=case.risk),
        opponent=against[opponent],
        role="alternate",
        schedule=case.schedule or Fixed(settings.epsilon),
        seed=seed,
        function=NetworkSettings(
            hidden=settings.hidden,
            perspective="current-player" if both else "first",
            lowest_reward=-1.0,
            reward_in_selection=settings.choices == "reward",
            trace_includes="successor" if settings.credit == "through" else "current",
            scaling=_scaling(case) if settings.inputs == "shares" else (),
        ),
        shaping=SHAPING,
    )


def _scaling(case: Case) -> tuple[tuple[str, float], ...]:
    """What the inputs of a case are multiplied by to be shares."""
    zones = [f"in {zone}" for zone in ("centre", "middle", "border")]
    factors = dict.fromkeys([*zones, "lost"], 1 / ALL_STONES)
    if case.features == "abalearn3":
        factors |= {"protected": 1 / ALL_STONES, "threatened": 1 / ALL_STONES}
        factors["distance"] = 1 / FARTHEST
    return tuple(
        (f"({name} {side})", factor)
        for name, factor in factors.items()
        for side in ("own", "other")
    )
