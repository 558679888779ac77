"""What kernels are told about a learner and about a match to learn from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.kernels import lean_part
from gamelore.values._table_kernels import ACTIONS as ACTIONS
from gamelore.values._table_kernels import AFTERSTATES as AFTERSTATES
from gamelore.values._table_kernels import DEFAULT as DEFAULT
from gamelore.values._table_kernels import LOOKAHEAD as LOOKAHEAD
from gamelore.values._table_kernels import PATTERNS as PATTERNS

OF_MOVER, OF_LEARNER = -1, -2
"""Whose goals values are of, if not those of one role: of the role that moves, or of
the role that learns in a match."""

LARGEST_ERROR = 1e15
"""Of value functions; weights with larger errors have diverged."""


class LearningRates(NamedTuple):
    """The numbers in an update."""

    step_size: float  # α
    discount: float  # γ
    trace_decay: float  # λ
    risk: float  # κ


class InitialValues(NamedTuple):
    """What values are before anything was learned; of tables."""

    source: int  # DEFAULT, LOOKAHEAD or PATTERNS
    default: float  # the value of what has no other
    depth: int  # of the lookahead, or of the patterns
    rule: int  # of the lookahead: MINIMAX, MAXMAX or AVGMAX
    candidates: int  # 1: moves that are merely considered get cells, too
    terminal_lookahead: int  # 1: a terminal afterstate has its goal before any visit


class Perspective(NamedTuple):
    """Whose values are learned, from whose moves."""

    role: int  # the role whose goals values are of, OF_MOVER or OF_LEARNER
    both_players: int  # 1: all moves are learned from, not only one role's
    chance: int  # the role `random`, or -1


class LearnerParameters(NamedTuple):
    """A learner as kernels see it."""

    keyed_by: int  # AFTERSTATES or ACTIONS
    rates: LearningRates
    initial: InitialValues
    perspective: Perspective
    terminal_afterstate: int  # 1: the terminal position is the last, whoever moved
    searches: int  # 1: playouts choose where the table has no entry


class Trajectory(NamedTuple):
    """The decisions of a match that are learned from, in order."""

    length: np.ndarray  # int64 [1]   how many there are
    nodes: np.ndarray  # int32 [T]   where they were made
    edges: np.ndarray  # int64 [T]   what was chosen
    explored: np.ndarray  # uint8 [T]   1: at random; known for value functions only
    cells: np.ndarray  # int64 [T + 1]   their cells in a table
    initial: np.ndarray  # float64 [T]   the initial values of these cells
    rewards: np.ndarray  # float64 [T + 1]   shaping rewards from each to the next


class PlayedMatch(NamedTuple):
    """A finished match, for one role to learn from."""

    trajectory: Trajectory
    end: int  # the terminal node
    role: int


@lean_part
def append_decision(trajectory, node, edge):
    """Add a decision at the end of a trajectory."""
    t = trajectory.length[0]
    trajectory.nodes[t] = node
    trajectory.edges[t] = edge
    trajectory.length[0] = t + 1


@lean_part
def find_error(rates, prediction, target):
    """Return the TD error, risk-sensitive as of Mihatsch and Neuneier (2002).

    With κ above 0, what turns out worse than expected weighs more than what turns out
    better; with κ = 0 this is target - prediction.
    """
    error = target - prediction
    return (1.0 - rates.risk) * error if error > 0.0 else (1.0 + rates.risk) * error


@lean_part
def find_mover_error(rates, sign, prediction, target):
    """Return the TD error, risk-sensitive about the gains of who moves.

    sign: 1 if values are the mover's, -1 if they are another's; with 1 this is
    `find_error`, and with κ = 0 it is target - prediction with either
    """
    return sign * find_error(rates, sign * prediction, sign * target)
