"""Compiled games on disk: one file each, named after rules, features and compiler.

A file is a checksum and an archive of arrays. One that is damaged, or was made by
another version, is as good as none.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gamelore.cache import cache_folder
from gamelore.circuit.compiled import CompiledGame, Feature, Statistics
from gamelore.circuit.schedule import Program
from gamelore.gdl import Compound, Game, Term
from gamelore.gdl.features import FeatureRules

_MAGIC = b"gamelore circuit\n"
_DIGEST = 32
_NUMBERS = ("slots", "terminal", "first_move")
"""The fields of a program that are numbers, not arrays."""


@cache
def _compiler_version() -> str:
    """A hash of every source file that has a part in compiling."""
    digest = hashlib.sha256()
    package = Path(__file__).parent.parent
    for layer in ("gdl", "ground", "circuit"):
        for source in sorted((package / layer).rglob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def path_of(game: Game, features: FeatureRules | None = None) -> Path:
    """Where the compiled form of a game, with such features, is kept."""
    seen = f"-{features.fingerprint}" if features else ""
    folder = cache_folder() / f"games-{_compiler_version()}"
    return folder / f"{game.fingerprint}{seen}.bin"


def load(game: Game, features: FeatureRules | None = None) -> CompiledGame | None:
    """The stored form of a game, if there is one and it is sound."""
    try:
        content = path_of(game, features).read_bytes()
    except OSError:
        return None
    head, payload = content[: len(_MAGIC) + _DIGEST], content[len(_MAGIC) + _DIGEST :]
    if head != _MAGIC + hashlib.sha256(payload).digest():
        return None
    try:
        with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
            return _unpack(dict(arrays))
    except (ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None


def save(
    game: Game, compiled: CompiledGame, features: FeatureRules | None = None
) -> None:
    """Store a compiled game; where that is not possible, do without."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **_pack(compiled))
    payload = buffer.getvalue()
    path = path_of(game, features)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + hashlib.sha256(payload).digest() + payload)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)


def _pack(compiled: CompiledGame) -> dict[str, npt.NDArray[Any]]:
    names = {
        "fluents": compiled.fluents,
        "moves": compiled.moves,
        "statistics": asdict(compiled.statistics),
        "features": [
            [(one.name, one.averaged, one.weights) for one in view]
            for view in compiled.features
        ],
    }
    arrays = {name: np.asarray(v) for name, v in compiled.program._asdict().items()}
    text = json.dumps(names, separators=(",", ":")).encode()
    return {
        **arrays,
        "initial": np.array(compiled.initial, dtype=bool),
        "names": np.frombuffer(text, dtype=np.uint8),
    }


def _unpack(arrays: dict[str, npt.NDArray[Any]]) -> CompiledGame:
    names = json.loads(arrays.pop("names").tobytes())
    initial = tuple(arrays.pop("initial").tolist())
    program: dict[str, Any] = dict(arrays)
    program |= {name: int(arrays[name]) for name in _NUMBERS}
    return CompiledGame(
        fluents=_terms(names["fluents"]),
        initial=initial,
        moves=tuple(_terms(moves) for moves in names["moves"]),
        program=Program(**program),
        statistics=Statistics(**names["statistics"]),
        features=tuple(tuple(map(_feature, view)) for view in names["features"]),
    )


def _feature(encoded: Sequence[Any]) -> Feature:
    name, averaged, weights = encoded
    return Feature(_terms([name])[0], averaged, tuple(weights))


def _terms(encoded: Sequence[Any]) -> tuple[Term, ...]:
    """Terms as JSON has them: a compound is a list of its functor and its arguments."""
    return tuple(
        term if isinstance(term, str) else Compound(term[0], _terms(term[1]))
        for term in encoded
    )
