"""Buffers of value functions, and pointers to the kernels that evaluate them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gamelore.circuit import empty_program
from gamelore.graph import empty_nodes
from gamelore.kernels import lean_pointer
from gamelore.values._function_kernels import (
    LINEAR,
    NETWORK,
    NTUPLE,
    FunctionArrays,
    FunctionShape,
    Inputs,
    PositionBuffers,
    RewardScale,
    SelectionRule,
    UpdateRule,
    WeightArrays,
    WeightBuffers,
    Workspace,
)
from gamelore.values._linear_kernels import evaluate_linear_moves
from gamelore.values._network_kernels import evaluate_network_moves
from gamelore.values._ntuple_kernels import evaluate_tuple_moves
from gamelore.values.arrays import LANES, zeros32
from gamelore.values.inputs import empty_cache
from gamelore.values.ntuple_arrays import new_tuple_buffers, no_tuples

_EVALUATIONS = {
    LINEAR: evaluate_linear_moves,
    NETWORK: evaluate_network_moves,
    NTUPLE: evaluate_tuple_moves,
}


def new_workspace(
    weights: WeightArrays, positions: int, moves: int, *, during_play: bool = False
) -> Workspace:
    """Return buffers for matches of so many positions, with so many moves in each.

    `during_play`: whether there are traces of weights to hidden units, too
    """
    inputs, width = weights.hidden.shape
    return Workspace(
        summed=np.full(2, -1, np.int64),
        sums=zeros32(2, width),
        move_values=np.zeros(moves),
        positions=PositionBuffers(
            nodes=np.zeros(positions, np.int64),
            sums=zeros32(positions, width),
            gradients=zeros32(positions, width),
            steps=np.zeros(positions),
            traces=np.zeros(positions),
            similarity=np.zeros(positions),
        ),
        weights=WeightBuffers(
            output=zeros32(3, width + LANES),
            linear=np.zeros((3, len(weights.linear))),
            hidden=zeros32(inputs, width),
            traces=_new_traces(inputs if during_play else 0, width),
        ),
        tuples=new_tuple_buffers(weights.tuples, positions),
    )


def _new_traces(inputs: int, width: int) -> npt.NDArray[np.float32]:
    """Return float32 [2, inputs, width] of zeros."""
    return zeros32(2 * inputs, width).reshape(2, inputs, width)


@cache
def empty_function() -> FunctionArrays:
    """Return a function without weights: an example of its type."""
    weights = WeightArrays(
        zeros32(0, 0), zeros32(1, LANES)[0], np.zeros(0), no_tuples()
    )
    return FunctionArrays(
        shape=FunctionShape(LINEAR, 0, 0, 0, 0, 0),
        inputs=Inputs(
            views=np.zeros(1, np.int64),
            fluents=0,
            places=np.zeros((2, 0), np.int32),
            features=0,
            cache=empty_cache(),
        ),
        selection=SelectionRule(0, 0.0),
        updates=UpdateRule(0, 0, 0, 0, 0, 1, 0),
        rewards=RewardScale(np.zeros((0, 2)), np.zeros(0, np.float32)),
        weights=weights,
        workspace=new_workspace(weights, 0, 0),
    )


@cache
def evaluation_pointer(kind: int) -> Any:
    """Return the pointer through which kernels evaluate moves; compiled when needed."""
    program, nodes = empty_program(), empty_nodes()
    return lean_pointer(_EVALUATIONS[kind], 0, program, nodes, empty_function(), 0, 0)
