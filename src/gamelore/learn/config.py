"""Plans of courses: who learns how, against whom, and which of them make sense."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gamelore.engine import CircuitSimulator, Simulator
from gamelore.errors import GameloreError
from gamelore.learn.opponents import FeaturePlayer
from gamelore.learn.schedules import Fixed, Schedule, StepDecay
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.learn.shaping import check_shaping
from gamelore.search.policies import PlayerSettings
from gamelore.values.by_feature import ByFeature
from gamelore.values.settings import FunctionSettings

RoleChoice: TypeAlias = Literal["first", "second", "alternate"]


@dataclass(frozen=True)
class TrainConfig:
    """How a training run learns, in which role, against which opponent."""

    learner: TDSettings | QSettings = field(default_factory=TDSettings)
    opponent: PlayerSettings | SelfPlay | FeaturePlayer = field(
        default_factory=PlayerSettings
    )
    role: RoleChoice = "first"
    """Which player learns; *alternate*: both, match by match in turn."""
    schedule: Schedule = field(default_factory=Fixed)
    step_decay: StepDecay | None = None
    """How the step size decays; it is constant if not given."""
    lookahead: Lookahead | None = None
    """Initial values by searching ahead; features are given to the training itself."""
    seed: int = 0
    longest_match: int = 2000
    function: FunctionSettings | None = None
    """The value function that is learned; a table if not given."""
    shaping: ByFeature = ()
    """Rewards along the way: a feature, by name, and what its going up by 1 earns. They
    are added to goals as they are in tables, and to what goals count in functions."""

    def __post_init__(self) -> None:
        check_shaping(self.shaping)


def check_self_play(config: TrainConfig, game: str, players: int) -> None:
    """Refuse to play against oneself where that has no meaning."""
    against = config.opponent
    if not isinstance(against, SelfPlay):
        return
    if players != 2:
        raise GameloreError(f"{game!r} has {players} players; self-play needs two")
    if config.function is not None:
        return
    if against.values == "shared" and isinstance(config.learner, QSettings):
        raise GameloreError(
            "values of moves in a table are each role's own: use SelfPlay('own')"
        )
    if (
        against.values == "own"
        and against.opponent_refresh
        and config.role != "alternate"
    ):
        raise GameloreError(
            "copies of each role's own values need both roles to learn: use"
            " role='alternate'"
        )


def check_engine(config: TrainConfig, simulator: Simulator) -> None:
    """Refuse what kernels could never play."""
    learner = config.learner
    searches = isinstance(learner, QSettings) and learner.playouts > 0
    searches = searches or config.opponent.name == "monte-carlo"
    if searches and not isinstance(simulator, CircuitSimulator):
        raise GameloreError(
            f"whole courses with Monte Carlo search need {simulator.game.name!r}"
            " compiled; on the interpreter, let players play match by match"
        )


def learning_roles(role: RoleChoice, players: list[int], game: str) -> list[int]:
    """Return the numbers of the roles that learn, in turn."""
    if len(players) < 2 and role != "first":
        raise GameloreError(f"{game!r} has one player only, so no {role!r} role")
    return {"first": players[:1], "second": players[1:2], "alternate": players[:2]}[
        role
    ]
