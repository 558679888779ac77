"""Weights that come with gamelore: `weights/NAME.npz`, one file for each game.

A file has the weights of an n-tuple network, in few bits each, with all that is needed
to make the network again:

    tables    uint8 [·]     weights divided by `scale`, compressed by LZMA: int16 [W],
                            all low bytes, then all high ones; or int8 [W]
    scale     float32 []
    wide      bool []       whether they have two bytes each; where there is none, one
    settings  uint8 [·]     `NTupleSettings` as JSON
    seed      int64 []      that tuples were drawn with
    rules     uint8 [·]     the fingerprint of the game's rules
    form      uint8 [·]     and of their canonical form, the same under any names
    search    uint8 [·]     what plays best over them: `alpha-beta` or `tree`
    about     uint8 [·]     how the weights were learned, in a sentence
"""

from __future__ import annotations

import io
import json
import lzma
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.gdl.canonical import Renaming, canonical_form, is_canonical
from gamelore.graph import StateGraph
from gamelore.settings import from_json, to_json
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import ValueFunction
from gamelore.values.ntuple.settings import NTupleSettings

FOLDER = Path(__file__).parent / "weights"
LARGEST = 1_000_000
"""Bytes of a file."""

SearchKind: TypeAlias = Literal["alpha-beta", "tree"]

_KEPT = 64  # games that need not be recognised again
_LEVELS = (1023, 127, 63, 31)  # of weights, to either side; fewer take less space
_MOST_IN_A_BYTE = 127


@dataclass(frozen=True)
class ShippedWeights:
    """The weights of a game, as its file has them."""

    settings: NTupleSettings
    seed: int
    tables: npt.NDArray[np.float32]
    rules: str
    form: str
    search: SearchKind
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


@dataclass(frozen=True)
class Recognised:
    """A game that weights come with, under whatever names."""

    game: Game
    """As the library has it."""
    weights: ShippedWeights
    renaming: Renaming | None
    """From the names given to the library's, if they differ."""


def list_shipped() -> tuple[str, ...]:
    """Return the names of the games that weights come with."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.npz")))


def find_shipped(game: Game) -> Recognised | None:
    """Return the weights that come with a game, if it is one that has some.

    It is known again by its rules: under other names, and with rules and conditions in
    another order.
    """
    path = FOLDER / f"{game.name}.npz"
    if path.is_file() and _read_file(path).rules == game.fingerprint:
        return Recognised(game, _read_file(path), None)
    return _recognise(game)


@lru_cache(_KEPT)
def _recognise(game: Game) -> Recognised | None:
    """Return the weights of the game that has the same canonical form."""
    form = None if is_canonical(game) else canonical_form(game)
    wanted = game.fingerprint if form is None else form.game.fingerprint
    for name in list_shipped():
        weights = _read_file(FOLDER / f"{name}.npz")
        if weights.form != wanted:
            continue
        known = load(name)
        back = canonical_form(known).renaming.inverse
        renaming = back if form is None else form.renaming.then(back)
        return Recognised(known, weights, renaming)
    return None


@cache
def _read_file(path: Path) -> ShippedWeights:
    return read_weights(path.read_bytes())


def shipped_evaluator(simulator: CircuitSimulator) -> ValueFunctionEvaluator | None:
    """Return the weights of a game under the library's names, if there are some."""
    found = find_shipped(simulator.game)
    if found is None or found.renaming is not None or simulator.features is not None:
        return None
    return ValueFunctionEvaluator(found.weights.function(simulator))


def write_weights(
    function: ValueFunction, seed: int, about: str, search: SearchKind = "alpha-beta"
) -> bytes:
    """Return the file of an n-tuple network, with weights as fine as fits the size.

    `search`: what plays best over it. `GameloreError` if it is another function, or if
    the file would be too large.
    """
    if not isinstance(function.settings, NTupleSettings):
        raise GameloreError("only weights of n-tuple networks are shipped")
    game = function.graph.simulator.game
    tables = function.weights()["tables"]
    # The largest are those that matter: without them, values are five times as far off.
    top = float(np.abs(tables).max()) or 1.0
    for most in _LEVELS:
        scale = np.float32(top / most)
        levels = np.round(tables / scale).astype(np.int16)
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            tables=_pack_levels(levels, most > _MOST_IN_A_BYTE),
            scale=scale,
            wide=np.bool_(most > _MOST_IN_A_BYTE),
            settings=_text(json.dumps(to_json(function.settings))),
            seed=np.int64(seed),
            rules=_text(game.fingerprint),
            form=_text(canonical_form(game).game.fingerprint),
            search=_text(search),
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
            tables=_read_levels(arrays["tables"], bool(arrays.get("wide", False)))
            * arrays["scale"],
            rules=_read(arrays["rules"]),
            form=_read(arrays["form"]),
            search=cast(SearchKind, _read(arrays["search"])),
            about=_read(arrays["about"]),
        )


def _pack_levels(levels: npt.NDArray[np.int16], wide: bool) -> npt.NDArray[np.uint8]:
    """Return weights in units of the scale, int16 [W], in few bytes."""
    parts = levels.astype(np.int8)
    if wide:
        parts = levels.astype("<i2").view(np.int8).reshape(-1, 2).T
    return np.frombuffer(lzma.compress(parts.tobytes()), np.uint8)


def _read_levels(packed: npt.NDArray[np.uint8], wide: bool) -> npt.NDArray[np.float32]:
    """Return the weights in units of the scale, float32 [W]."""
    plain = lzma.decompress(packed.tobytes())
    if not wide:
        return np.frombuffer(plain, np.int8).astype(np.float32)
    parts = np.frombuffer(plain, np.uint8).reshape(2, -1).T
    levels = np.ascontiguousarray(parts).view("<i2").ravel()
    return np.asarray(levels.astype(np.float32))


def _text(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)


def _read(array: npt.NDArray[np.uint8]) -> str:
    return array.tobytes().decode()
