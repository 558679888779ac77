"""Plans of courses: who learns how, against whom, and which of them make sense."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gamelore.engine import CircuitSimulator, Simulator
from gamelore.errors import GameloreError
from gamelore.learn.opponents import FeaturePlayer
from gamelore.learn.schedules import Fixed, Schedule, Shrinking
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.learn.shaping import check_shaping
from gamelore.search.policies import PlayerSettings
from gamelore.values.by_feature import ByFeature
from gamelore.values.settings import FunctionSettings

Seat: TypeAlias = Literal["first", "second", "alternate"]


@dataclass(frozen=True)
class TrainConfig:
    """Who learns how, against whom, from which seat."""

    learner: TDSettings | QSettings = field(default_factory=TDSettings)
    against: PlayerSettings | SelfPlay | FeaturePlayer = field(
        default_factory=PlayerSettings
    )
    seat: Seat = "first"
    schedule: Schedule = field(default_factory=Fixed)
    steps: Shrinking | None = None
    """How the learner's step size gets smaller; it stays the same if not given."""
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
    against = config.against
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
    if against.values == "own" and against.renew and config.seat != "alternate":
        raise GameloreError(
            "copies of each role's own values need both roles to learn: use the"
            " seat 'alternate'"
        )


def check_engine(config: TrainConfig, simulator: Simulator) -> None:
    """Refuse what kernels could never play."""
    learner = config.learner
    searches = isinstance(learner, QSettings) and learner.playouts > 0
    searches = searches or config.against.name == "monte-carlo"
    if searches and not isinstance(simulator, CircuitSimulator):
        raise GameloreError(
            f"whole courses with Monte Carlo search need {simulator.game.name!r}"
            " compiled; on the interpreter, let players play match by match"
        )


def seats_of(seat: Seat, players: list[int], game: str) -> list[int]:
    """The roles that learn, in turn."""
    if len(players) < 2 and seat != "first":
        raise GameloreError(
            f"{game!r} has one player only, so there is no {seat!r} seat"
        )
    return {"first": players[:1], "second": players[1:2], "alternate": players[:2]}[
        seat
    ]
