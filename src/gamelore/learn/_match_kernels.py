"""What matches of learning have in common, whatever values are kept in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore._hash_kernels import find_row
from gamelore.graph._kernels import ENDED, UNSEEN, GraphArrays
from gamelore.kernels import lean, lean_part
from gamelore.learn._learner_kernels import Trajectory
from gamelore.search._policy_kernels import PolicyParameters
from gamelore.values._function_kernels import DIVERGED as DIVERGED
from gamelore.values._table_kernels import TABLE_FULL as TABLE_FULL

NO_MOVE, TOO_LONG = range(65, 67)
"""Statuses besides those of the state graph: a player could not choose before more of
the game is known; a match has more moves than fit its trajectory."""

BUILT_IN, COPY, LEARNER, FUNCTION = range(4)
"""Opponents: a built-in player; a copy of the learner that does not learn; the learner
itself; or a player with a value function of its own."""


class Opponent(NamedTuple):
    """Who plays against the learner."""

    kind: int  # BUILT_IN, COPY, LEARNER or FUNCTION
    policy: PolicyParameters  # of a built-in player
    epsilon: float  # how often others move at random, but for the learner itself
    valued: int  # the role whose values a function has, OF_MOVER or OF_LEARNER


class MatchSetup(NamedTuple):
    """The game, and who plays."""

    graph: GraphArrays
    root: int
    roles: tuple[int, int]  # the two that may learn
    opponent: Opponent
    search: PolicyParameters  # of a learner, where its table has no entry


class MatchBuffers(NamedTuple):
    """What comes of matches."""

    own: Trajectory  # of the learner
    other: Trajectory  # of its opponent, if that learns too
    rewards: np.ndarray  # float64 [matches]
    lengths: np.ndarray  # int32 [matches]
    cells: np.ndarray  # int64 [matches]   size of the learner's table after each
    ends: np.ndarray  # uint64 [matches, K]   the last positions; or [matches, 0]
    failure: np.ndarray  # int64 [2]   error location: the node at which a kernel had to
    # stop, and the role that was to move or to learn


class Assignments(NamedTuple):
    """Who learns in which match, and how it explores."""

    roles: np.ndarray  # int8 [matches]   the role that learns
    epsilons: np.ndarray  # float64 [matches]
    opening: int  # up to so many moves at the start of a match are random
    first: int  # play these matches,
    end: int  # up to this one


@lean_part
def begin_match(buffers):
    """Empty the trajectories."""
    buffers.own.length[0] = 0
    buffers.other.length[0] = 0


@lean_part
def record_match(nodes, buffers, match, role, end, length):
    """Note the result of a match."""
    buffers.rewards[match] = nodes.goals[end, role]
    buffers.lengths[match] = length
    for word in range(buffers.ends.shape[1]):
        buffers.ends[match, word] = nodes.rows[end, word]


@lean_part
def valued_role(learner, role):
    """Return the role whose goals a role's moves are learned by."""
    return role if learner.perspective.role < 0 else np.int64(learner.perspective.role)


@lean
def clear_graph(graph, root):
    """Remove all nodes but the root, which must be the first."""
    nodes = graph.nodes
    nodes.slots[:] = 0
    nodes.used[0] = 1
    nodes.used[1] = 0
    nodes.used[2] += 1
    if nodes.mover[root] != ENDED:
        nodes.mover[root] = UNSEEN
    found = find_row(nodes.slots, nodes.rows, nodes.rows[root])
    nodes.slots[-1 - found] = root + 1
