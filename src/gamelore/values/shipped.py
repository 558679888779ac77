"""Weights that come with gamelore: `weights/NAME.npz`, one file for each game.

A file has the weights of an n-tuple network, in 8 bits each, with all that is needed to
make the network again:

    tables    int8 [W]      weights, divided by `scale`
    scale     float32 []
    settings  uint8 [·]     `NTupleSettings` as JSON
    seed      int64 []      that tuples were drawn with
    rules     uint8 [·]     the fingerprint of the game's rules
    about     uint8 [·]     how the weights were learned, in a sentence
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator, Simulator
from gamelore.errors import GameloreError
from gamelore.gdl import Game
from gamelore.graph import StateGraph
from gamelore.settings import from_json, to_json
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import ValueFunction
from gamelore.values.ntuple.settings import NTupleSettings

FOLDER = Path(__file__).parent / "weights"
LARGEST = 1_000_000
"""Bytes of a file."""

_LEVELS = (127, 63, 31)  # of weights, to either side; fewer take less space
_CLIPPED = 99.9  # per cent of weights that are kept as they are, up to rounding


@dataclass(frozen=True)
class ShippedWeights:
    """The weights of a game, as its file has them."""

    settings: NTupleSettings
    seed: int
    tables: npt.NDArray[np.float32]
    rules: str
    about: str

    def function(self, simulator: CircuitSimulator) -> ValueFunction:
        """Return the value function; `GameloreError` if tuples are drawn otherwise."""
        graph = StateGraph(simulator)
        function = ValueFunction(graph, self.settings, seed=self.seed)
        try:
            function.load({**function.weights(), "tables": self.tables})
        except ValueError:
            raise GameloreError(
                f"the weights for {simulator.game.name} are of another version"
            ) from None
        return function


def find_shipped(game: Game) -> ShippedWeights | None:
    """Return the weights that come with a game, if it is one that has some."""
    path = FOLDER / f"{game.name}.npz"
    if not path.is_file():
        return None
    found = read_weights(path.read_bytes())
    return found if found.rules == game.fingerprint else None


def shipped_evaluator(simulator: Simulator) -> ValueFunctionEvaluator | None:
    """Return the weights that come with a game as an evaluator, if there are some."""
    found = find_shipped(simulator.game)
    if found is None or not isinstance(simulator, CircuitSimulator):
        return None
    if simulator.features is not None:
        return None
    return ValueFunctionEvaluator(found.function(simulator))


def write_weights(function: ValueFunction, seed: int, about: str) -> bytes:
    """Return the file of an n-tuple network, with weights as fine as fits the size.

    `GameloreError` if it is another function, or if the file would be too large.
    """
    if not isinstance(function.settings, NTupleSettings):
        raise GameloreError("only weights of n-tuple networks are shipped")
    tables = function.weights()["tables"]
    sizes = np.abs(tables[tables != 0])
    top = float(np.percentile(sizes, _CLIPPED)) if len(sizes) else 1.0
    for most in _LEVELS:
        scale = np.float32(top / most)
        levels = np.clip(np.round(tables / scale), -most, most).astype(np.int8)
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            tables=levels,
            scale=scale,
            settings=_text(json.dumps(to_json(function.settings))),
            seed=np.int64(seed),
            rules=_text(function.graph.simulator.game.fingerprint),
            about=_text(about),
        )
        if buffer.tell() < LARGEST:
            return buffer.getvalue()
    raise GameloreError(
        f"the weights take {buffer.tell():,} bytes, more than {LARGEST:,}: learn fewer"
        " or shorter tuples"
    )


def read_weights(content: bytes) -> ShippedWeights:
    """Return what is in a file."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return ShippedWeights(
            settings=from_json(NTupleSettings, json.loads(_read(arrays["settings"]))),
            seed=int(arrays["seed"]),
            tables=arrays["tables"].astype(np.float32) * arrays["scale"],
            rules=_read(arrays["rules"]),
            about=_read(arrays["about"]),
        )


def _text(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)


def _read(array: npt.NDArray[np.uint8]) -> str:
    return array.tobytes().decode()
