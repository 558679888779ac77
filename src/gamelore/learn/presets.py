"""Settings that were found to learn a game well by self-play, by the game's name."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gamelore.errors import UnknownGameError
from gamelore.learn.config import TrainConfig
from gamelore.learn.schedules import Fixed, Geometric, StepDecay
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, SearchedPlay, TDSettings
from gamelore.values.ntuple.settings import NTupleSettings
from gamelore.values.settings import NetworkSettings


@dataclass(frozen=True)
class Preset:
    """Settings, how long to train by them, and how to play by what was learned."""

    config: TrainConfig
    matches: int | None = None
    """How many to play, if that is what ends it …"""
    minutes: float | None = None
    """… or for how long; with both, whichever is over first."""
    depth: int = 1
    """Of the search on top, in moves; 1 takes the move with the best value."""
    features: str | None = None
    """The features of the game, by name, that a value function sees."""

    def __post_init__(self) -> None:
        if self.matches is None and self.minutes is None:
            raise ValueError("a preset needs matches or minutes")


def _network(
    step_size: float,
    trace_decay: float,
    epsilon: float,
    *,
    fluents: bool | None = None,
) -> TrainConfig:
    return TrainConfig(
        TDSettings(step_size=step_size, trace_decay=trace_decay),
        SelfPlay(),
        schedule=Fixed(epsilon),
        function=NetworkSettings(hidden=80, initial_range=None, fluents=fluents),
    )


NTUPLES = TrainConfig(
    TDSettings(step_size=0.5, trace_decay=0.5),
    SelfPlay(),
    schedule=Fixed(0.1),
    opening=12,
    function=NTupleSettings(),
)
"""What a game without a preset is learned by, where it is too large for a table."""

NETWORKS = {
    # By Q-learning, which learns the values of best play while it explores, and with a
    # step size that decays, so that it converges.
    "tictactoe": Preset(
        TrainConfig(
            QSettings(step_size=0.1, discount=1.0),
            SelfPlay(),
            schedule=Geometric(0.9, 0.9999985),
            step_decay=StepDecay(500_000, 0.3),
            function=NetworkSettings(hidden=80, initial_range=None),
        ),
        1_500_000,
    ),
    "connect-four": Preset(
        _network(0.1, 0.7, 0.1, fluents=True),
        matches=500_000,
        minutes=10.0,
        depth=6,
        features="threats",
    ),
    # As Campos and Langlois (2003), in the reading under which it learns: values of the
    # learner, from all moves, and moves chosen by their reward too.
    "abalone": Preset(
        TrainConfig(
            TDSettings(step_size=0.1, discount=0.9, trace_decay=0.7, risk=-0.3),
            SelfPlay(),
            role="alternate",
            schedule=Geometric(0.9, 0.99),
            function=NetworkSettings(
                hidden=10,
                perspective="learner",
                risk_side="mover",
                reward_in_selection=True,
                lowest_reward=-1.0,
            ),
            shaping=(("(lost other)", 1.0), ("(lost own)", -1.0)),
        ),
        matches=1_000,
        depth=4,
        features="abalearn3",
    ),
    "breakthrough-6x6": Preset(
        _network(0.1, 0.7, 0.1), matches=200_000, minutes=10.0, depth=4
    ),
}
"""Networks; those of Connect Four and breakthrough are kept to compare with."""


PRESETS = {
    **NETWORKS,
    "connect-four": Preset(
        TrainConfig(
            TDSettings(step_size=0.5, trace_decay=0.5),
            SelfPlay(),
            schedule=Fixed(0.1),
            opening=20,
            step_decay=StepDecay(250_000, 0.75),
            function=NTupleSettings(tuples=120),
        ),
        matches=2_500_000,
        minutes=30.0,
        depth=6,
    ),
    "othello": Preset(NTUPLES, minutes=10.0, depth=4),
    "othello-6x6": Preset(NTUPLES, minutes=5.0, depth=4),
    "breakthrough": Preset(NTUPLES, minutes=10.0, depth=4),
    "breakthrough-6x6": Preset(NTUPLES, minutes=4.0, depth=4),
    "hex-7x7": Preset(NTUPLES, minutes=10.0, depth=4),
    "english-draughts": Preset(
        replace(
            NTUPLES,
            step_decay=StepDecay(60_000, 0.75),
            function=NTupleSettings(tuples=80, tuple_length=6, exchange=True),
            search=SearchedPlay(nodes=300, after=400_000),
        ),
        matches=403_000,
        minutes=30.0,
        depth=4,
    ),
}
"""What `--preset` trains."""


def preset_for(game: str) -> Preset:
    """Return the preset of a game; `UnknownGameError` if it has none."""
    if game not in PRESETS:
        known = ", ".join(PRESETS)
        raise UnknownGameError(f"no preset for {game!r}: there are {known}")
    return PRESETS[game]
