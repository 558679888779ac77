"""Initial values by tree pattern as plain JSON values, and back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gamelore.errors import CheckpointError
from gamelore.graph import Pattern, PatternIndex, StateGraph
from gamelore.learn.role_values import PatternValues
from gamelore.settings import JsonObject


class FeatureSheet(NamedTuple):
    """A features file, kept with what was learned by it."""

    name: str
    text: str


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
