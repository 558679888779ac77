"""What Campos and Langlois (2003) ran: every agent, by method, in two readings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from gamelore.learn.config import TrainConfig
from gamelore.learn.opponents import FeaturePlayer
from gamelore.learn.schedules import Fixed, Geometric, Schedule
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import TDSettings
from gamelore.search.policies import PlayerSettings
from gamelore.settings import check, setting
from gamelore.values.settings import NetworkSettings

Opponent: TypeAlias = Literal["random", "heuristic", "self"]
Draws: TypeAlias = Literal["stones", "half", "nothing"]

STEP_SIZE, DISCOUNT, TRACE_DECAY = 0.1, 0.9, 0.7
"""α, γ and λ, the same for all methods."""

RISKS = (0.0, -0.3, -0.8, -1.0)
"""κ in Figure 4."""

BASICS = 1_000
"""Games against the random player before self-play, in Methods I and I(a)."""

REFERENCES = (10, 250, 2_750)
"""After how many games the networks of Figure 2 were saved that all others meet."""

METHOD_POINTS = (10, 250, 500, 1_000, 1_500, 2_000, 2_500, 2_750, 3_000)
RISK_POINTS = (10, 50, 100, 250, 500, 1_000, 1_500, 2_000)
OPPONENT_POINTS = (10, 50, 100, 250, 500)

SHAPING = (("(lost other)", 1.0), ("(lost own)", -1.0))
"""Shaping rewards: 1 for a stone pushed off, −1 for one lost."""

ALL_STONES, FARTHEST = 14, 4
"""What inputs are shares of, if they are: the stones of a side, and for distances the
steps from the centre to the border."""

EXPLORATION = Geometric(start=0.9, factor=0.99)
"""ε of Method II."""


@dataclass(frozen=True)
class Abalearn2003Settings:
    """How to rerun the experiment; what the paper states is not for choice."""

    runs: int = setting(10, least=2, most=10_000)
    """Agents that are trained by each method; the paper has 10."""
    scale: float = setting(1.0, above=0, most=100)
    """All numbers of training games as a multiple of the paper's."""
    variants: bool = False
    """Also self-play with other choices where the paper leaves one open."""
    tests: int = setting(50, least=2, most=1_000_000)
    """Test games of each agent at each point of a curve; it moves first in half of
    them."""
    draws: Draws = "stones"
    """What a game counts that the move limit ends: a win for who has pushed off more
    stones; half a win; or nothing."""
    seed: int = setting(0, least=0)
    """Where random numbers start; the same seed repeats the same experiment."""
    move_limit: int = setting(200, least=1, most=9999)
    """Moves, of both sides together, after which a game is drawn."""
    opening: int = setting(4, least=0, most=9999)
    """Random moves at the start of test games, so that games differ."""
    hidden: int = setting(10, least=1, most=10_000)
    """Hidden units."""
    epsilon: float = setting(0.1, least=0, most=1)
    """Probability of a random move during training in Methods I and I(a)."""
    readings: Literal["both", "chosen"] = "both"
    """Run everything in the reading that the options below choose and in the other one
    beside it, which goes by the value alone; or only as chosen."""
    reward_in_selection: bool = True
    """Choose moves by their shaping reward plus the value of what they lead to, not by
    that value alone."""
    trace_includes: Literal["current", "successor"] = "current"
    """The last position in the eligibility trace when a TD error is applied: the
    current one, or its successor as well, as Equation 5 is printed."""
    inputs: Literal["numbers", "shares"] = "numbers"
    """Whether inputs are numbers of stones, or shares of all."""
    perspective: Literal["learner", "current-player", "first"] = "learner"
    """Whose values are learned: of the learner, which has either colour in turn, from
    all moves, and which its opponent in self-play minimises; of each player, from its
    own moves; or of the first player alone, from all moves."""
    risk_side: Literal["values", "mover"] = "mover"
    """Whose gain a TD error is when κ weighs it: of the side whose values these are,
    or of the mover. Values that are learned from a player's own moves are always its
    own."""
    updates: Literal["online", "during-play"] = "online"
    """When weights change: after a match, move by move; or during play, so that each
    move is chosen with the weights of that moment."""
    limit: Literal["draw", "bootstrap"] = "draw"
    """What is learned where the move limit ends a training game: that nothing follows,
    as after a draw; or what the value of the last position says, which is added to the
    reward of every game's end."""
    heuristic_depth: int = setting(1, least=1, most=100)
    """Search depth of the heuristic player as an opponent in training."""
    search_nodes: int = setting(200_000, least=1)
    """Nodes per move of the searching players of Table 3."""
    duel_moves: int = setting(0, least=0)
    """Moves, of both sides together, after which a game of Table 3 ends; with 0, as
    many as the paper's game had, which are 21 to 61."""

    def __post_init__(self) -> None:
        check(self)

    @property
    def game(self) -> str:
        """The game in the library."""
        return f"abalone-5-{self.move_limit}"

    def scale_games(self, games: int) -> int:
        """Return a number of training games at the scale of the settings."""
        return max(1, round(games * self.scale)) if games else 0


CHOSEN, VALUE_ALONE = "reward and value", "value alone"
"""Readings of the paper, by what moves are chosen by."""

_VALUE_ALONE: dict[str, Any] = {
    "reward_in_selection": False,
    "trace_includes": "current",
    "inputs": "numbers",
    "perspective": "current-player",
    "updates": "online",
    "limit": "draw",
}

READINGS: Mapping[str, Mapping[str, Any]] = {CHOSEN: {}, VALUE_ALONE: _VALUE_ALONE}
"""How each differs from the settings: the first is what these say."""


def list_readings(settings: Abalearn2003Settings) -> list[str]:
    """Return the readings that are asked for."""
    return list(READINGS) if settings.readings == "both" else [CHOSEN]


def apply_reading(reading: str, settings: Abalearn2003Settings) -> Abalearn2003Settings:
    """Return the settings in a reading."""
    return replace(settings, **READINGS[reading])


@dataclass(frozen=True)
class TrainingPhase:
    """Games against one kind of opponent."""

    opponent: Opponent
    games: int


@dataclass(frozen=True)
class AbalearnCase:
    """One way to train an agent; numbers of games are the paper's."""

    name: str
    features: str
    """The state representation: abalearn2 or abalearn3."""
    phases: tuple[TrainingPhase, ...]
    points: tuple[int, ...]
    """After how many games it is tested."""
    risk: float = 0.0
    """κ"""
    schedule: Schedule | None = None
    """ε; the settings' if not given."""
    seed_name: str = ""
    """What seeds are derived from, if not the name; to change it changes results."""

    @property
    def games(self) -> int:
        """Training games."""
        return sum(phase.games for phase in self.phases)


def _method_one(name: str, features: str) -> AbalearnCase:
    phases = (
        TrainingPhase("random", BASICS),
        TrainingPhase("self", METHOD_POINTS[-1] - BASICS),
    )
    return AbalearnCase(name, features, phases, METHOD_POINTS)


def _method_two(risk: float) -> AbalearnCase:
    phase = TrainingPhase("self", RISK_POINTS[-1])
    name = f"Method II, κ = {risk:g}"
    return AbalearnCase(name, "abalearn3", (phase,), RISK_POINTS, risk, EXPLORATION)


def _train_against(opponent: Opponent, name: str) -> AbalearnCase:
    phase = TrainingPhase(opponent, OPPONENT_POINTS[-1])
    return AbalearnCase(
        name,
        "abalearn2",
        (phase,),
        OPPONENT_POINTS,
        seed_name=f"taught by {opponent}",
    )


METHOD_I = _method_one("Method I", "abalearn2")
METHOD_IA = _method_one("Method I(a)", "abalearn3")
METHOD_II = {risk: _method_two(risk) for risk in RISKS}
"""By κ."""
OPPONENTS: dict[Opponent, AbalearnCase] = {
    "random": _train_against("random", "against the random player"),
    "heuristic": _train_against("heuristic", "against the heuristic player"),
    "self": _train_against("self", "against itself"),
}
"""Figure 3."""

CASES = (METHOD_I, METHOD_IA, *METHOD_II.values(), *OPPONENTS.values())


def make_config(
    case: AbalearnCase, opponent: Opponent, settings: Abalearn2003Settings, seed: int
) -> TrainConfig:
    """Return how an agent learns against an opponent."""
    own = settings.perspective == "current-player"
    opponents: dict[Opponent, SelfPlay | FeaturePlayer | PlayerSettings] = {
        "self": SelfPlay("own" if own else "shared"),
        "heuristic": FeaturePlayer("heuristic"),
        "random": PlayerSettings("random"),
    }
    return TrainConfig(
        learner=TDSettings(STEP_SIZE, DISCOUNT, TRACE_DECAY, risk=case.risk),
        opponent=opponents[opponent],
        role="alternate",
        schedule=case.schedule or Fixed(settings.epsilon),
        seed=seed,
        function=NetworkSettings(
            hidden=settings.hidden,
            perspective=settings.perspective,
            lowest_reward=-1.0,
            reward_in_selection=settings.reward_in_selection,
            trace_includes=settings.trace_includes,
            risk_side="values" if own else settings.risk_side,
            updates=settings.updates,
            terminal_target="both" if settings.limit == "bootstrap" else "reward",
            scaling=_scaling(case) if settings.inputs == "shares" else (),
        ),
        shaping=SHAPING,
    )


def _scaling(case: AbalearnCase) -> tuple[tuple[str, float], ...]:
    """Return what the inputs of a case are multiplied by to be shares."""
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
