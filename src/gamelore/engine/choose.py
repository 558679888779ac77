"""Which engine plays a game."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Literal, TypeAlias

from gamelore.circuit import compile_game
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.simulator import Simulator
from gamelore.errors import GroundingError
from gamelore.gdl import Game
from gamelore.gdl.features import FeatureRules
from gamelore.ground import GroundLimits

Engine: TypeAlias = Literal["auto", "circuit", "interpreter"]


class SlowEngineWarning(UserWarning):
    """A game does not ground within the limits, so the interpreter plays it."""


def simulator(
    game: Game,
    engine: Engine = "auto",
    limits: GroundLimits | None = None,
    features: FeatureRules | None = None,
) -> Simulator:
    """A simulator for a game; the same one when asked again.

    `auto` compiles the game, and falls back to the interpreter, with a
    `SlowEngineWarning`, where it does not ground within the limits.
    """
    return _simulator(game, game.source, engine, limits, features)


@lru_cache(maxsize=32)
def _simulator(
    game: Game,
    source: str,
    engine: Engine,
    limits: GroundLimits | None,
    features: FeatureRules | None,
) -> Simulator:
    """`source` is only a part of the key: equal rules may be drawn differently."""
    if engine == "interpreter":
        return Interpreter(game, features)
    try:
        compiled = compile_game(game, limits, features=features)
        return CircuitSimulator(game, compiled, features)
    except GroundingError as error:
        if engine == "circuit":
            raise
        warnings.warn(
            f"{game.name!r} is played by the interpreter, slowly: {error}",
            SlowEngineWarning,
            stacklevel=3,
        )
        return Interpreter(game, features)
