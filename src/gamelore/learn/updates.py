"""Pointers through which kernels update value functions, by learner and function."""

from __future__ import annotations

from functools import cache
from typing import Any

from gamelore.circuit import empty_program
from gamelore.graph import empty_nodes
from gamelore.kernels import lean_pointer
from gamelore.learn._learner_kernels import (
    AFTERSTATES,
    DEFAULT,
    InitialValues,
    LearnerParameters,
    LearningRates,
    Perspective,
    PlayedMatch,
)
from gamelore.learn._ntuple_td_kernels import update_tuple_td
from gamelore.learn._q_kernels import update_linear_q, update_network_q
from gamelore.learn._td_kernels import update_linear_td, update_network_td
from gamelore.learn.match_buffers import new_trajectory
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.values.function_arrays import empty_function
from gamelore.values.ntuple.settings import NTupleSettings
from gamelore.values.settings import LinearSettings, NetworkSettings

_UPDATES = {
    (TDSettings.__name__, LinearSettings.__name__): update_linear_td,
    (TDSettings.__name__, NetworkSettings.__name__): update_network_td,
    (TDSettings.__name__, NTupleSettings.__name__): update_tuple_td,
    (QSettings.__name__, LinearSettings.__name__): update_linear_q,
    (QSettings.__name__, NetworkSettings.__name__): update_network_q,
}


@cache
def update_pointer(learner: str, function: str) -> Any:
    """Return the pointer for settings of classes with these names; compiled here."""
    parameters = LearnerParameters(
        keyed_by=AFTERSTATES,
        rates=LearningRates(0.0, 0.0, 0.0, 0.0),
        initial=InitialValues(DEFAULT, 0.0, 0, 0, 0, 0),
        perspective=Perspective(-1, 0, -1),
        terminal_afterstate=0,
        searches=0,
    )
    match = PlayedMatch(new_trajectory(1), 0, 0)
    nodes, example = empty_nodes(), empty_function()
    update = _UPDATES[learner, function]
    return lean_pointer(update, 0, empty_program(), nodes, example, parameters, match)
