"""Whole matches of a learner with tables, without Python in between."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore._random_kernels import draw_below, restore_streams, save_streams
from gamelore.graph._kernels import ENDED, FINE, ensure_expanded
from gamelore.kernels import as_part, lean, lean_part
from gamelore.learn._learner_kernels import AFTERSTATES, PlayedMatch, append_decision
from gamelore.learn._match_kernels import (
    BUILT_IN,
    LEARNER,
    NO_MOVE,
    TOO_LONG,
    begin_match,
    record_match,
    valued_role,
)
from gamelore.learn._shaping_kernels import ShapingHandle
from gamelore.learn._table_update_kernels import prepare_table, update_table
from gamelore.search._policy_kernels import (
    FAILED,
    PolicyParameters,
    choose_by_playouts,
    choose_edge,
)
from gamelore.values._table_kernels import PatternPriors as PatternPriors
from gamelore.values._table_kernels import TableArrays as TableArrays
from gamelore.values._table_kernels import TableValues as TableValues
from gamelore.values._table_kernels import choose_greedily

_choose_edge = as_part(choose_edge)


class TablePlayers(NamedTuple):
    """The tables of a match, each by role: first the home role, then the other."""

    learner: tuple[TableValues, TableValues]
    opponent: tuple[TableValues, TableValues]  # if it has tables
    shaping: tuple[ShapingHandle, ShapingHandle]


class Exploration(NamedTuple):
    """How a learner chooses where it does not go by its table."""

    stream: np.ndarray  # uint64 [4]
    epsilon: float  # the share of moves at random
    search: PolicyParameters  # where the table has no entry


@lean_part
def _choose(graph, values, learner, exploration, node):
    """Return an ε-greedy edge; if no action has an entry, by playouts or at random."""
    nodes = graph.nodes
    stream, epsilon, search = exploration
    edge = choose_greedily(graph, values, learner, stream, node, epsilon)
    if edge >= 0 or learner.keyed_by == AFTERSTATES:
        return np.int64(edge)
    if learner.searches:
        return np.int64(choose_by_playouts(graph, search, stream, node))
    return np.int64(nodes.first[node] + draw_below(stream, nodes.degree[node]))


@lean
def choose_table_move(graph, values, learner, exploration, node):
    """Return the edge a learner takes from a node, or FAILED; for Python."""
    if ensure_expanded(graph, node) != FINE:
        return np.int64(FAILED)
    return _choose(graph, values, learner, exploration, node)


@lean
def learn_table_match(graph, values, shaping, learner, match, failure):
    """Learn from one match that Python has played, all of it or nothing; a status."""
    status = prepare_table(graph, values, learner, match, failure)
    if status == FINE:
        update_table(graph, values.table, shaping, learner, match)
    return status


@lean_part
def play_table_match(setup, players, learner, streams, buffers, turn):
    """Play one match; return a status, its length, and the node where it ended.

    turn: the role that learns, and its epsilon
    """
    graph, opponent = setup.graph, setup.opponent
    nodes = graph.nodes
    role, epsilon = turn
    own = players.learner[0] if role == players.learner[0].role else players.learner[1]
    rival_epsilon = epsilon if opponent.kind == LEARNER else opponent.epsilon
    chance, both = learner.perspective.chance, learner.perspective.both_players
    begin_match(buffers)
    node = np.int64(setup.root)
    length = 0
    while nodes.mover[node] != ENDED:
        buffers.failure[0] = node
        status = ensure_expanded(graph, node)
        if status != FINE:
            return status, length, node
        if length == buffers.own.edges.shape[0]:
            return np.int64(TOO_LONG), length, node
        mover = nodes.mover[node]
        buffers.failure[1] = mover
        if mover == chance:
            edge = nodes.first[node] + draw_below(streams.chance, nodes.degree[node])
        elif mover != role and opponent.kind == BUILT_IN:
            edge = _choose_edge(graph, opponent.policy, streams.opponent, node)
        else:
            values, stream = own, streams.learner
            explored = epsilon
            if mover != role:
                home = mover == players.opponent[0].role
                values = players.opponent[0] if home else players.opponent[1]
                stream, explored = streams.opponent, rival_epsilon
            exploration = Exploration(stream, explored, setup.search)
            edge = _choose(graph, values, learner, exploration, node)
        if edge == FAILED:
            return np.int64(NO_MOVE), length, node
        if mover == role or both:
            append_decision(buffers.own, node, edge)
        elif opponent.kind == LEARNER and mover != chance:
            append_decision(buffers.other, node, edge)
        buffers.other.cells[length] = 2 * edge  # the whole match, until these are used
        node = np.int64(nodes.child[edge])
        length += 1
    return np.int64(FINE), length, node


@lean_part
def _select_values(players, role, k):
    """Return the values and the shaping of the learner (k = 0) or its opponent (1)."""
    home = role == players.learner[0].role
    if k == 1:
        values = players.opponent[1] if home else players.opponent[0]
        shaping = players.shaping[1] if home else players.shaping[0]
    else:
        values = players.learner[0] if home else players.learner[1]
        shaping = players.shaping[0] if home else players.shaping[1]
    return values, shaping


@lean_part
def _played_match(learner, buffers, values, end, k):
    """Return what the learner (k = 0) or its opponent (1) learns from."""
    role = valued_role(learner, np.int64(values.role))
    return PlayedMatch(buffers.own if k == 0 else buffers.other, end, role)


@lean_part
def update_tables(setup, players, learner, buffers, role, end):
    """Learn from the match in the trajectories, all of it or nothing.

    role: the one that learns, end: the node where the match ended. Returns a status,
    and the size of the learner's table.
    """
    graph = setup.graph
    both_learn = setup.opponent.kind == LEARNER
    both_learn = both_learn and not learner.perspective.both_players
    learners = 2 if both_learn else 1
    for k in range(learners):
        values, _ = _select_values(players, role, k)
        played = _played_match(learner, buffers, values, end, k)
        status = prepare_table(graph, values, learner, played, buffers.failure)
        if status != FINE:
            return status, np.int64(0)
    size = np.int64(0)
    for k in range(learners - 1, -1, -1):
        values, shaping = _select_values(players, role, k)
        played = _played_match(learner, buffers, values, end, k)
        update_table(graph, values.table, shaping, learner, played)
        size = np.int64(values.table.used[0])
    return np.int64(FINE), size


@lean
def run_table_matches(setup, players, learner, streams, buffers, assignments):
    """Play and learn matches; return a status, and the match it stopped before.

    A match that cannot be finished leaves nothing behind: it is played again, the same,
    once what it lacked is there.
    """
    for match in range(assignments.first, assignments.end):
        save_streams(streams)
        role = np.int64(assignments.roles[match])
        turn = role, assignments.epsilons[match]
        status, length, end = play_table_match(
            setup, players, learner, streams, buffers, turn
        )
        size = np.int64(0)
        if status == FINE:
            status, size = update_tables(setup, players, learner, buffers, role, end)
        if status != FINE:
            restore_streams(streams)
            return status, match
        buffers.cells[match] = size
        record_match(setup.graph.nodes, buffers, match, role, end, length)
    return np.int64(FINE), assignments.end
