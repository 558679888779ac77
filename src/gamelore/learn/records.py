"""Settings as plain JSON values, and back.

Every dataclass of settings becomes an object that says its kind:

    {"kind": "Fixed", "epsilon": 0.01, "until": null}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gamelore.errors import CheckpointError
from gamelore.graph import Pattern, PatternIndex, StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.opponents import FeaturePlayer
from gamelore.learn.role_values import PatternValues
from gamelore.learn.schedules import Cosine, Fixed, Geometric, StepDecay
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.search.policies import PlayerSettings
from gamelore.values.settings import LinearSettings, NetworkSettings

JsonObject: TypeAlias = dict[str, Any]


class FeatureSheet(NamedTuple):
    """A features file, kept with what was learned by it."""

    name: str
    text: str


_KINDS: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        TrainConfig,
        TDSettings,
        QSettings,
        PlayerSettings,
        SelfPlay,
        FeaturePlayer,
        Fixed,
        Cosine,
        Geometric,
        StepDecay,
        Lookahead,
        LinearSettings,
        NetworkSettings,
    )
}


def config_record(config: TrainConfig) -> JsonObject:
    """A plan as JSON; `CheckpointError` if a part of it is not gamelore's own."""
    record = _write(config)
    assert isinstance(record, dict)
    return record


def read_config(record: object) -> TrainConfig:
    """The plan of such a record; `CheckpointError` says what is wrong with it."""
    config = _read(record)
    if not isinstance(config, TrainConfig):
        raise CheckpointError("what should be a plan is something else")
    return config


def flat_settings(record: JsonObject, within: str = "") -> Iterator[tuple[str, Any]]:
    """Every setting of a plan's record by its path: `learner.step_size`, 0.3.

    What is set by feature has the feature in its path: `shaping.(lost own)`, -1.0.
    """
    for name, value in record.items():
        if isinstance(value, dict):
            yield from flat_settings(value, f"{within}{name}.")
        elif isinstance(value, list):
            yield from flat_settings(dict(value), f"{within}{name}.")
        else:
            yield f"{within}{name}", value


def _write(value: object) -> object:
    kind = type(value)
    if _KINDS.get(kind.__name__) is kind:
        members = {one.name: getattr(value, one.name) for one in fields(value)}  # type: ignore[arg-type]
        return {"kind": kind.__name__} | {n: _write(v) for n, v in members.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple):
        return [_write(one) for one in value]
    raise CheckpointError(
        f"a plan with {value!r} in it cannot be saved, since nothing could read it back"
    )


def _read(value: object) -> object:
    if isinstance(value, list):
        return tuple(_read(one) for one in value)
    if not isinstance(value, dict):
        return value
    members = dict(value)
    kind = members.pop("kind", None)
    if kind not in _KINDS:
        raise CheckpointError(f"settings of a kind {kind!r} are not known")
    try:
        return _KINDS[kind](**{name: _read(one) for name, one in members.items()})
    except (TypeError, ValueError) as error:
        raise CheckpointError(f"settings of {kind} that do not hold: {error}") from None


# ── initial values by pattern ──────────────────────────────────────────────────────


def features_record(features: PatternValues) -> JsonObject:
    """Values of patterns as JSON, in an order of their own."""
    if features.compose is not None:
        raise CheckpointError("values that are composed as they are met are not saved")
    pattern_index, values = features.pattern_index, features.values
    known = np.flatnonzero(~np.isnan(values)).tolist()
    return {
        "depth": pattern_index.depth,
        "outcomes": {
            str(g): pattern_index.outcomes[g] for g in sorted(pattern_index.outcomes)
        },
        "values": sorted(
            ([_nested(pattern_index.structure(n)), float(values[n])] for n in known),
            key=repr,
        ),
    }


def read_features(record: JsonObject, graph: StateGraph, role: int) -> PatternValues:
    """The same values, for patterns of this state graph as a role sees them."""
    outcomes = {int(goal): name for goal, name in record["outcomes"].items()}
    pattern_index = PatternIndex(graph, role, record["depth"], outcomes)
    numbered = [(pattern_index.intern(_template(t)), v) for t, v in record["values"]]
    values = np.full(len(pattern_index.shapes.first), np.nan)
    for number, value in numbered:
        values[number] = value
    return PatternValues(pattern_index, values)


def _nested(pattern: Pattern) -> Any:
    if isinstance(pattern, str):
        return pattern
    return sorted(map(_nested, pattern), key=repr)


def _template(nested: Any) -> Pattern:
    if isinstance(nested, str):
        return nested
    return frozenset(map(_template, nested))
