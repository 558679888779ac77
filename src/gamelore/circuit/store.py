"""Compiled games on disk: one file each, named after rules, features and compiler.

A file is a checksum and an archive of arrays. One that is damaged, or was made by
another version, is as good as none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gamelore.cache import cache_folder, report_unwritable
from gamelore.circuit.compiled import CompiledGame, Feature, Statistics
from gamelore.circuit.program import Program, Turns
from gamelore.files import ArchiveError, pack_archive, unpack_archive, write_atomic
from gamelore.gdl import Compound, Game, Term
from gamelore.gdl.features import FeatureRules

_MAGIC = b"gamelore circuit\n"
_BUNDLES: dict[str, type] = {
    "program": Program,
    "turn_program": Program,
    "turns": Turns,
}
_LOOKAHEAD_MAGIC = b"gamelore lookahead\n"
_LOOKAHEAD: dict[str, Any] = {"program": Program, "turns": Turns}
_NUMBERS = ("slots", "terminal", "first_move", "scratch")
"""The fields of bundles that are numbers, not arrays, unless they have dimensions."""


@cache
def _compiler_version() -> str:
    """Return a hash of every source file that has a part in compiling."""
    digest = hashlib.sha256()
    package = Path(__file__).parent.parent
    for layer in ("gdl", "ground", "circuit"):
        for source in sorted((package / layer).rglob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def path_for(game: Game, features: FeatureRules | None = None) -> Path:
    """Return where the compiled form of a game, with such features, is kept."""
    seen = f"-{features.fingerprint}" if features else ""
    folder = cache_folder() / f"games-{_compiler_version()}"
    return folder / f"{game.fingerprint}{seen}.bin"


def load(game: Game, features: FeatureRules | None = None) -> CompiledGame | None:
    """Return the stored form of a game, if there is one and it is sound."""
    try:
        content = path_for(game, features).read_bytes()
        return _unpack(unpack_archive(_MAGIC, content))
    except (OSError, ArchiveError, ValueError, KeyError, TypeError):
        return None


def save(
    game: Game, compiled: CompiledGame, features: FeatureRules | None = None
) -> None:
    """Store a compiled game; where that is not possible, warn and do without."""
    path = path_for(game, features)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, pack_archive(_MAGIC, _pack(compiled)))
    except OSError as error:
        report_unwritable(error)


class LookaheadStore:
    """Where the circuits with lookahead of one compiled game are kept, beside it.

    That a game has no such circuits takes as long to find out, and is kept too.
    """

    def __init__(self, game: Game, program: Program, settings: str) -> None:
        """`settings`: what else the circuits depend on."""
        digest = hashlib.sha256(settings.encode())
        for array in (program.left, program.right, program.slot, program.next):
            digest.update(np.ascontiguousarray(array).tobytes())
        name = f"{game.fingerprint}-ahead-{digest.hexdigest()[:16]}.bin"
        self.path = path_for(game).with_name(name)

    def load(self) -> tuple[Program, Turns] | Literal["none"] | None:
        """Return what is stored: the circuits, or that there are none; else None."""
        try:
            arrays = unpack_archive(_LOOKAHEAD_MAGIC, self.path.read_bytes())
            if not arrays:
                return "none"
            program, turns = (
                _bundle(name, kind, arrays) for name, kind in _LOOKAHEAD.items()
            )
            return program, turns
        except (OSError, ArchiveError, ValueError, KeyError, TypeError):
            return None

    def save(self, made: tuple[Program, Turns] | None) -> None:
        """Store circuits; where that is not possible, warn and do without."""
        arrays: dict[str, npt.NDArray[Any]] = {}
        if made is not None:
            for bundle, one in zip(_LOOKAHEAD, made, strict=True):
                fields = zip(_LOOKAHEAD[bundle]._fields, one, strict=True)
                arrays |= {f"{bundle} {name}": np.asarray(v) for name, v in fields}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self.path, pack_archive(_LOOKAHEAD_MAGIC, arrays))
        except OSError as error:
            report_unwritable(error)


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
    arrays = {
        f"{bundle} {name}": np.asarray(value)
        for bundle in _BUNDLES
        for name, value in getattr(compiled, bundle)._asdict().items()
    }
    text = json.dumps(names, separators=(",", ":")).encode()
    return {
        **arrays,
        "initial": np.array(compiled.initial, dtype=bool),
        "names": np.frombuffer(text, dtype=np.uint8),
    }


def _unpack(arrays: dict[str, npt.NDArray[Any]]) -> CompiledGame:
    names = json.loads(arrays.pop("names").tobytes())
    initial = tuple(arrays.pop("initial").tolist())
    bundles = {name: _bundle(name, kind, arrays) for name, kind in _BUNDLES.items()}
    return CompiledGame(
        fluents=_terms(names["fluents"]),
        initial=initial,
        moves=tuple(_terms(moves) for moves in names["moves"]),
        statistics=Statistics(**names["statistics"]),
        features=tuple(tuple(map(_feature, view)) for view in names["features"]),
        **bundles,
    )


def _bundle(name: str, kind: Any, arrays: dict[str, npt.NDArray[Any]]) -> Any:
    """Return a bundle of arrays, some of whose fields are numbers."""
    fields = {field: arrays[f"{name} {field}"] for field in kind._fields}
    numbers = {f: int(v) for f, v in fields.items() if f in _NUMBERS and not v.ndim}
    return kind(**{**fields, **numbers})


def _feature(encoded: Sequence[Any]) -> Feature:
    name, averaged, weights = encoded
    return Feature(_terms([name])[0], averaged, tuple(weights))


def _terms(encoded: Sequence[Any]) -> tuple[Term, ...]:
    """Return terms as JSON has them: a compound is a list, its functor first."""
    return tuple(
        term if isinstance(term, str) else Compound(term[0], _terms(term[1]))
        for term in encoded
    )
