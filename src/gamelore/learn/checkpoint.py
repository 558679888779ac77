"""The whole state of a training run after a match, in a form that lasts.

It has two parts: a *header* in JSON, and *arrays* by name, little-endian:

    streams            uint64 [3, 4]
    rewards            int16 [matches]
    N.rows             uint64 [n, ·]   keys of the table of the header's N-th role
    N.values           float64 [n]
    N.visits           uint32 [n]
    copy.N.rows …      the same of the copies that the learner plays against
    weights.NAME       of the value function, if one is learned instead of tables
    copy.weights.NAME  of the copy of it that the learner plays against
    pending.choices    uint16 [·]   matches that were played but not learned from, where
    pending.starts     int64 [·]    training is spread: see `PlayedMatches`
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from gamelore.engine import Simulator
from gamelore.errors import CheckpointError
from gamelore.files import Arrays
from gamelore.gdl import Game
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.match_trainer import make_trainer
from gamelore.learn.played import PlayedMatches
from gamelore.learn.records import FeatureSheet, features_record, read_features
from gamelore.learn.references import ReferenceResult
from gamelore.learn.settings import QSettings
from gamelore.learn.state_codec import RowLayout, words_for
from gamelore.learn.trainer import State, Trainer
from gamelore.settings import JsonObject, from_json, to_json
from gamelore.values.functions import Weights
from gamelore.values.table import Cells

_DTYPES = {"rows": "<u8", "values": "<f8", "visits": "<u4"}


class CheckpointHeader(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """All of a checkpoint but its arrays."""

    game: str
    rules: str
    config: dict[str, Any]
    features: dict[str, Any]
    matches: int
    wanted: int
    roles: list[str]
    copies: list[str]
    weights: list[str]
    fluents: tuple[str, ...]
    moves: tuple[tuple[str, ...], ...]
    sheet: str
    inputs: FeatureSheet | None
    depth: int
    evaluations: tuple[ReferenceResult, ...]


@dataclass(frozen=True)
class Checkpoint:
    """The whole state of a training run."""

    game: str
    rules: str
    """The fingerprint of the game's rules."""
    config: TrainConfig
    features: Mapping[str, JsonObject]
    """Per role, its initial values by pattern; empty if there are none."""
    matches: int
    wanted: int
    """How many matches the run was to have."""
    layout: RowLayout = field(repr=False)
    streams: npt.NDArray[np.uint64] = field(repr=False)
    """uint64 [3, 4]"""
    tables: Mapping[str, Cells] = field(repr=False)
    """Per role, its cells, keys in the layout."""
    rewards: npt.NDArray[np.int16] = field(repr=False)
    """int16 [matches]: the learner's goals so far"""
    copies: Mapping[str, Cells] = field(default_factory=dict, repr=False)
    """The same as `tables`, of the copies that the learner plays against."""
    weights: Weights = field(default_factory=dict, repr=False)
    """Of the value function, by name; inputs in the order of the layout's fluents."""
    copied_weights: Weights = field(default_factory=dict, repr=False)
    sheet: str = field(default="", repr=False)
    """The rules of the game as text; empty if they were not kept."""
    inputs: FeatureSheet | None = field(default=None, repr=False)
    """The features file that the value function has inputs from, if it has one."""
    depth: int = 1
    """How many moves to look ahead when playing by the value function."""
    evaluations: tuple[ReferenceResult, ...] = ()
    """The results against reference players so far."""
    pending: PlayedMatches | None = field(default=None, repr=False)
    """Matches that were played but not learned from, where training is spread."""

    @classmethod
    def of(
        cls,
        trainer: Trainer,
        rewards: npt.ArrayLike,
        *,
        wanted: int = 0,
        depth: int = 1,
        evaluations: tuple[ReferenceResult, ...] = (),
    ) -> Checkpoint:
        """Return the state of a trainer, with the rewards of all its matches."""
        rewards = np.asarray(rewards).astype(np.int16)
        if len(rewards) != trainer.matches:
            raise ValueError(
                f"rewards must be of {trainer.matches} matches, got {len(rewards)}"
            )
        pending = trainer.pending()
        simulator, state = trainer.graph.simulator, trainer.state()
        tables, copies = state.tables, state.copies
        rows = (cells.rows for cells in (*tables.values(), *copies.values()))
        layout = RowLayout.of(simulator, rows)
        return cls(
            game=simulator.game.name,
            rules=simulator.game.fingerprint,
            config=trainer.config,
            features={
                simulator.roles[role]: features_record(features)
                for role, features in sorted(trainer.features.items())
            },
            matches=state.matches,
            wanted=max(wanted, state.matches),
            layout=layout,
            streams=state.streams,
            tables=_written(layout, simulator, tables),
            rewards=rewards,
            copies=_written(layout, simulator, copies),
            weights=state.weights,
            copied_weights=state.copied_weights,
            sheet=simulator.game.to_kif(),
            inputs=_find_inputs(trainer),
            depth=depth,
            evaluations=evaluations,
            pending=pending,
        )

    def trainer(self, graph: StateGraph) -> Trainer:
        """Return a trainer that goes on from here, or raise `CheckpointError`."""
        simulator = graph.simulator
        self.check_game(simulator.game)
        self._check_inputs(simulator)
        number = {name: role for role, name in enumerate(simulator.roles)}
        try:
            features = [
                read_features(record, graph, number[name])
                for name, record in self.features.items()
            ]
            tables = _read(self.layout, simulator, self.tables)
            copies = _read(self.layout, simulator, self.copies)
            trainer = make_trainer(graph, self.config, features)
            order = self._order(simulator)
            trainer.restore(
                State(
                    self.matches,
                    self.streams,
                    tables,
                    copies,
                    _sorted(self.weights, order),
                    _sorted(self.copied_weights, order),
                )
            )
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise CheckpointError(f"it does not hold together: {error}") from error
        return trainer

    def check_game(self, game: Game) -> None:
        """`CheckpointError` if it is about other rules."""
        if game.fingerprint != self.rules:
            if game.name == self.game:
                raise CheckpointError(f"the rules of {game.name} have changed since")
            raise CheckpointError(f"it is about {self.game}, not {game.name}")

    def _check_inputs(self, simulator: Simulator) -> None:
        """Refuse a simulator that counts other features than a function has seen."""
        if self.inputs is None:
            return
        counted = simulator.features
        if counted is None or counted.to_kif() != self.inputs.text:
            raise CheckpointError(
                f"it was learned with the features {self.inputs.name}, and the game is"
                f" given {'none' if counted is None else 'others'}"
            )

    def _order(self, simulator: Simulator) -> npt.NDArray[np.intp]:
        """Where each fluent of the simulator is in the layout."""
        fluents = RowLayout.of(simulator, ()).fluents
        if not self.weights or fluents == self.layout.fluents:
            return np.arange(len(fluents))
        number = {name: bit for bit, name in enumerate(self.layout.fluents)}
        return np.array([number[name] for name in fluents], np.intp)

    @property
    def opponent(self) -> str:
        """The name of the learner's opponent."""
        return self.config.opponent.name

    @property
    def key(self) -> str:
        """A hash of rules, settings and initial values, which tells runs apart."""
        return run_key(self.rules, self.config, self.features, self.inputs)

    # ── the two parts ───────────────────────────────────────────────────────────────

    def header(self) -> bytes:
        """Return all but the arrays, as JSON."""
        header = CheckpointHeader(
            game=self.game,
            rules=self.rules,
            config=to_json(self.config),
            features=dict(self.features),
            matches=self.matches,
            wanted=self.wanted,
            roles=list(self.tables),
            copies=list(self.copies),
            weights=list(self.weights),
            fluents=self.layout.fluents,
            moves=self.layout.moves,
            sheet=self.sheet,
            inputs=self.inputs,
            depth=self.depth,
            evaluations=self.evaluations,
        )
        return msgspec.json.encode(header)

    def arrays(self) -> Arrays:
        """Return the arrays by name."""
        arrays: Arrays = {
            "streams": self.streams.astype("<u8", copy=False),
            "rewards": self.rewards.astype("<i2", copy=False),
        }
        tables = {str(n): cells for n, cells in enumerate(self.tables.values())}
        copies = {f"copy.{n}": cells for n, cells in enumerate(self.copies.values())}
        for place, cells in {**tables, **copies}.items():
            for name, dtype in _DTYPES.items():
                array = getattr(cells, name).astype(dtype, copy=False)
                arrays[f"{place}.{name}"] = np.ascontiguousarray(array)
        for prefix, weights in (("", self.weights), ("copy.", self.copied_weights)):
            for name, array in weights.items():
                little = array.astype(array.dtype.newbyteorder("<"), copy=False)
                arrays[f"{prefix}weights.{name}"] = np.ascontiguousarray(little)
        if self.pending is not None:
            arrays["pending.choices"] = self.pending.choices.astype("<u2", copy=False)
            arrays["pending.starts"] = self.pending.starts.astype("<i8", copy=False)
        return arrays

    @classmethod
    def from_parts(cls, header: bytes, arrays: Mapping[str, Any]) -> Checkpoint:
        """Put the parts together; `CheckpointError` where they do not fit."""
        try:
            known = msgspec.json.decode(header, type=CheckpointHeader)
            checkpoint = cls(
                game=known.game,
                rules=known.rules,
                config=from_json(TrainConfig, known.config),
                features=known.features,
                matches=known.matches,
                wanted=known.wanted,
                layout=RowLayout(known.fluents, known.moves),
                streams=arrays["streams"].astype(np.uint64),
                tables={r: _cells(arrays, f"{n}") for n, r in enumerate(known.roles)},
                rewards=arrays["rewards"].astype(np.int16),
                copies={
                    role: _cells(arrays, f"copy.{number}")
                    for number, role in enumerate(known.copies)
                },
                weights=_weights(arrays, known.weights, "weights."),
                copied_weights=_weights(arrays, known.weights, "copy.weights."),
                sheet=known.sheet,
                inputs=known.inputs,
                depth=known.depth,
                evaluations=known.evaluations,
                pending=_pending(arrays, known.matches),
            )
            checkpoint._check()
        except (msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"it does not hold together: {error}") from error
        return checkpoint

    def _check(self) -> None:
        width = words_for(len(self.layout.fluents))
        width += isinstance(self.config.learner, QSettings)
        for rows, values, visits in (*self.tables.values(), *self.copies.values()):
            count = len(rows)
            shapes = rows.shape, values.shape, visits.shape
            if shapes != ((count, width), (count,), (count,)):
                raise ValueError("tables of the wrong shape")
        if self.streams.shape != (3, 4):
            raise ValueError("streams of the wrong shape")
        if self.matches != len(self.rewards):
            raise ValueError(f"{len(self.rewards)} rewards of {self.matches} matches")


def _find_inputs(trainer: Trainer) -> FeatureSheet | None:
    features = trainer.graph.simulator.features
    counted = trainer.function is not None or trainer.config.shaping
    if not counted or features is None:
        return None
    return FeatureSheet(features.name, features.to_kif())


def _written(
    layout: RowLayout, simulator: Simulator, tables: Mapping[int, Cells]
) -> dict[str, Cells]:
    """Tables by the names of roles, keys in a layout."""
    return {
        simulator.roles[role]: cells._replace(rows=layout.write(simulator, cells.rows))
        for role, cells in tables.items()
    }


def _read(
    layout: RowLayout, simulator: Simulator, tables: Mapping[str, Cells]
) -> dict[int, Cells]:
    """Tables by the numbers of roles, keys as the simulator has them."""
    number = {name: role for role, name in enumerate(simulator.roles)}
    return {
        number[name]: cells._replace(
            rows=layout.read(simulator, cells.rows, number[name])
        )
        for name, cells in tables.items()
    }


def _weights(arrays: Mapping[str, Any], names: list[str], prefix: str) -> Weights:
    found = {n: arrays[prefix + n] for n in names if prefix + n in arrays}
    return {n: one.astype(one.dtype.newbyteorder("=")) for n, one in found.items()}


def _pending(arrays: Mapping[str, Any], matches: int) -> PlayedMatches | None:
    if "pending.starts" not in arrays:
        return None
    choices = arrays["pending.choices"].astype(np.uint16)
    starts = arrays["pending.starts"].astype(np.int64)
    if not len(starts) or starts[0] or (np.diff(starts) < 0).any():
        raise ValueError("pending matches that do not follow one another")
    if starts[-1] != len(choices):
        raise ValueError(f"{len(choices)} choices of pending matches")
    return PlayedMatches(matches, choices, starts)


def _sorted(weights: Weights, order: npt.NDArray[np.intp]) -> Weights:
    """Weights with those of fluents in another order; others follow them as before."""
    found = dict(weights)
    for name in ("hidden", "direct"):
        if name in found and len(found[name]) > len(order):
            rows = found[name]
            found[name] = np.concatenate([rows[order], rows[len(order) :]])
    return found


def _cells(arrays: Mapping[str, Any], name: str) -> Cells:
    return Cells(
        arrays[f"{name}.rows"].astype(np.uint64),
        arrays[f"{name}.values"].astype(np.float64),
        arrays[f"{name}.visits"].astype(np.uint32),
    )


def run_key(
    rules: str,
    config: TrainConfig,
    features: Mapping[str, JsonObject],
    inputs: FeatureSheet | None = None,
) -> str:
    """Return a hash of all that decides how a training run goes."""
    parts: list[Any] = [rules, to_json(config), dict(features)]
    if inputs is not None:
        parts.append(inputs.text)
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
