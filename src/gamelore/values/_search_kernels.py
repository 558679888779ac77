"""Value functions as evaluators of a search, 64 positions at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.circuit.program import FEATURES
from gamelore.engine.compiled._feature_kernels import count_features
from gamelore.engine.compiled._kernels_64 import run_phase
from gamelore.graph._kernels import FINE
from gamelore.kernels import lean_part
from gamelore.values._function_kernels import (
    LINEAR,
    NETWORK,
    NTUPLE,
    FunctionArrays,
)
from gamelore.values._linear_kernels import linear_value
from gamelore.values._network_kernels import network_value, shift_row, sum_row
from gamelore.values._ntuple_kernels import is_nearer, shifted_value, turn_reference

OF_MOVER, OF_ROLE = -1, -2
"""Whose values a function has, if not those of one role: of the role that has just
moved, or of the role that values are asked for."""


class FunctionEvaluation(NamedTuple):
    """A value function, and whose values it has."""

    function: FunctionArrays
    viewer: int  # the role whose goals values are of, OF_MOVER or OF_ROLE
    chance: int  # the role `random`, or -1
    reward_sum: float  # of both players' values of a position
    columns: np.ndarray  # float32 [64, C]   features of the positions


def evaluate_positions(program, evaluation, batch, count, mover, role):
    """Evaluate positions for a role, after the mover has moved.

    batch: the positions in the first lanes of `words`, their `rows`, and their parent
    """
    function, columns = evaluation.function, evaluation.columns
    viewer = find_viewer(evaluation, mover, role)
    view = function.inputs.views[viewer]
    if function.inputs.features:
        cache = function.inputs.cache
        features = cache.programs[0] if view == 0 else cache.programs[1]
        run_phase(program, batch.words, FEATURES)
        count_features(features, batch.words, count, cache.block, columns)
    first, scratch = function.workspace.sums[0], function.workspace.sums[1]
    if function.shape.kind == NETWORK:
        sum_row(function, view, batch.rows[0], columns[0], first)
    tuples, buffers = function.weights.tuples, function.workspace.tuples
    if function.shape.kind == NTUPLE:
        # Positions differ from their parent by one move, from each other by two.
        if is_nearer(batch.parent, batch.rows[0]):
            reference = batch.parent
        else:
            reference = batch.rows[0]
        turn_reference(tuples, buffers, reference)
    discount = function.selection.discount
    for lane in range(count):
        row = batch.rows[lane]
        if function.shape.kind == LINEAR:
            value, _ = linear_value(function, view, row, columns[lane])
        elif function.shape.kind == NTUPLE:
            value = shifted_value(tuples, buffers, reference, row)
        else:
            for j in range(scratch.shape[0]):
                scratch[j] = first[j]
            before, after = (batch.rows[0], columns[0]), (row, columns[lane])
            shift_row(function, view, before, after, scratch)
            value = network_value(function, scratch)
        if discount > 0.0:
            # What was earned before the search is the same in all it compares.
            value *= discount
            for feature in range(function.inputs.features):
                reward = np.float64(function.rewards.shaping[feature])
                value += reward * np.float64(columns[lane, feature])
        if viewer != role:
            value = evaluation.reward_sum - value
        batch.values[lane] = value
    return np.int64(FINE)


@lean_part
def find_viewer(evaluation, mover, role):
    """Return the role whose value of a position is asked for."""
    if evaluation.viewer >= 0:
        return evaluation.viewer
    if evaluation.viewer == OF_ROLE or mover == evaluation.chance:
        return role
    return mover
