"""Which engine plays a game."""

from __future__ import annotations

import copyreg
import hashlib
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, TypeAlias

from gamelore.circuit import compile_game, compile_in_stages
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.simulator import Simulator
from gamelore.errors import GroundingError, PositionError
from gamelore.gdl import Game, to_kif
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
    """Return a simulator for a game; the same one when asked again.

    `auto` compiles the game, and falls back to the interpreter, with a
    `SlowEngineWarning`, where it does not ground within the limits.
    """
    return _simulator(game, game.source, engine, limits, features)


def simulator_in_stages(game: Game) -> Iterator[Simulator]:
    """Return a simulator that can be used soon, and then that of `simulator`.

    Both have the same fluents and moves. There is only one where compiling does not
    take long, where the game is in the cache, and where it does not ground.
    """
    try:
        for compiled in compile_in_stages(game):
            if not compiled.statistics.reaches("normal"):
                yield CircuitSimulator(game, compiled)
    except GroundingError:
        pass  # simulator() says so
    yield simulator(game)


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


# ── pickling ────────────────────────────────────────────────────────────────────────


def _reduce(pickled: Simulator) -> tuple[object, ...]:
    """A simulator is pickled as what it is made from."""
    return _restore, (pickled.game, pickled.engine, pickled.features, _layout(pickled))


def _restore(
    game: Game, engine: Engine, features: FeatureRules | None, layout: str
) -> Simulator:
    restored = simulator(game, engine, features=features)
    if _layout(restored) != layout:
        raise PositionError(
            f"rows of {game.name!r} mean something else to this process: it has"
            " another version of gamelore"
        )
    return restored


def _layout(one: Simulator) -> str:
    """Return a hash of what the bits of rows and the numbers of moves mean."""
    if not one.portable:
        return ""
    lines = (" ".join(map(to_kif, names)) for names in (one.fluents, *one.moves))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


for _kind in (CircuitSimulator, Interpreter):
    copyreg.pickle(_kind, _reduce)  # type: ignore[arg-type]
