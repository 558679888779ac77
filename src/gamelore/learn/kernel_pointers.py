"""Pointers through which training kernels ask value functions and update them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from gamelore.circuit import Program, empty_program
from gamelore.graph.state_graph import empty_nodes
from gamelore.kernels import lean_pointer
from gamelore.learn import _q_kernels as q_teaching
from gamelore.learn import _td_kernels as teaching
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.values import kernel_types as kernels
from gamelore.values.functions import no_function
from gamelore.values.kernel_types import Function, Mind, Moves, Rule

_JUDGES = {
    kernels.NO_FUNCTION: kernels.judge_nothing,
    kernels.LINEAR: kernels.judge_linear,
    kernels.NETWORK: kernels.judge_network,
}
_TEACHERS = {
    (TDSettings, kernels.LINEAR): teaching.teach_linear,
    (TDSettings, kernels.NETWORK): teaching.teach_network,
    (QSettings, kernels.LINEAR): q_teaching.teach_linear,
    (QSettings, kernels.NETWORK): q_teaching.teach_network,
}


def mind_of(
    function: Function, program: Program, learner: type[TDSettings | QSettings]
) -> Mind:
    """A function, how it is asked, how such a learner teaches it, and what counts its
    features."""
    teach = _TEACHERS.get((learner, function.kind), teaching.teach_nothing)
    return Mind(function, judge_of(function.kind), teacher_of(teach), program)


@cache
def judge_of(kind: int) -> Any:
    """The pointer through which kernels judge moves; compiled only if it is wanted."""
    judge = _JUDGES[kind]
    return lean_pointer(judge, 0, empty_program(), empty_nodes(), no_function(), 0, 0)


@cache
def teacher_of(teach: Callable[..., Any]) -> Any:
    """The pointer through which kernels teach matches."""
    rule = Rule(0.0, 0.0, 0.0, 0.0, 0)
    moves = Moves(np.zeros(1, np.int32), np.zeros(1, np.int64))
    program, nodes = empty_program(), empty_nodes()
    return lean_pointer(teach, 0, program, nodes, no_function(), rule, moves, 0, 0, 0)
