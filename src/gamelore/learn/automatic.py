"""A learner for any game, chosen by its size: what `gamelore learn GAME` trains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gamelore.engine import CircuitSimulator, Simulator
from gamelore.errors import NotTurnTakingError, UnknownGameError
from gamelore.learn.config import TrainConfig
from gamelore.learn.presets import NTUPLES, preset_for
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import TDSettings
from gamelore.search.policies import PlayerSettings
from gamelore.values.ntuple.settings import NTupleSettings

MOST_STATES = 20_000
"""Positions of a game that a table is chosen for."""
PATIENCE = 10
"""Evaluations without a better one, after which an automatic run has settled."""


def count_states(simulator: Simulator, most: int = MOST_STATES) -> int | None:
    """Return how many positions can be reached; None if there are more than `most`."""
    rows = simulator.initial_row()[None]
    known = {rows[0].tobytes()}
    while len(rows):
        following = np.unique(simulator.expand(rows).successors, axis=0)
        fresh = [row for row in following if row.tobytes() not in known]
        known.update(row.tobytes() for row in fresh)
        if len(known) > most:
            return None
        rows = np.array(fresh, np.uint64).reshape(-1, simulator.width)
    return len(known)


def choose_config(simulator: Simulator, seed: int = 0) -> TrainConfig:
    """Return settings that suit a game: a table where its positions fit, else n-tuples.

    Games of two players are learned by self-play, others against random players. A
    preset of n-tuples is taken where the game has one.
    """
    players = [role for role in simulator.roles if role != "random"]
    alone = len(players) != 2
    opponent = PlayerSettings("random") if alone else SelfPlay()
    is_small = not isinstance(simulator, CircuitSimulator) or (
        _is_open_at_start(simulator) and count_states(simulator) is not None
    )
    if is_small:
        schedule = Fixed(0.1)
        return TrainConfig(TDSettings(), opponent, schedule=schedule, seed=seed)
    try:
        config = preset_for(simulator.game.name).config
    except UnknownGameError:
        config = NTUPLES
    if not isinstance(config.function, NTupleSettings):
        config = NTUPLES
    return replace(config, opponent=opponent, seed=seed)


def can_play_itself(config: TrainConfig) -> bool:
    """Return whether a learner of such settings can be judged by its former self."""
    return config.function is not None and isinstance(config.opponent, SelfPlay)


def _is_open_at_start(simulator: Simulator) -> bool:
    """Return true; `NotTurnTakingError` if two roles have a choice at the start."""
    legal = simulator.legal(simulator.initial_row()[None])
    if sum(int(one[0].sum()) > 1 for one in legal) > 1:
        raise NotTurnTakingError(
            "learning takes turns, but two roles have a choice at once at the start of"
            f" {simulator.game.name!r}"
        )
    return True
