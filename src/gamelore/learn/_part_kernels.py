"""Matches that are played in one place and learned from in another.

A match is sent as its choices: at each position, the place of the move that was made
among the moves there, and in the highest bit whether it was made at random. M choices
of all matches follow one another; those of match i are
`choices[starts[i]:starts[i + 1]]`.

    log: (choices uint16 [M], starts int64 [matches + 1])
"""

from __future__ import annotations

import numpy as np

from gamelore._random_kernels import restore_streams, save_streams
from gamelore.graph._kernels import ENDED, FINE, ensure_expanded
from gamelore.kernels import lean, lean_part
from gamelore.learn._function_match_kernels import (
    begin_function_match,
    draw_opening,
    play_function_match,
    update_functions,
)
from gamelore.learn._learner_kernels import append_decision
from gamelore.learn._match_kernels import (
    LEARNER,
    TOO_LONG,
    begin_match,
    record_match,
)
from gamelore.learn._table_match_kernels import play_table_match, update_tables

EXPLORED = 1 << 15
"""The bit of a choice that was made at random; no position has so many moves."""
LOG_FULL, NO_CHOICE = range(67, 69)
"""Statuses besides those of training: there is no room for the choices of a match; a
match that was sent has a choice that its game has not."""


@lean_part
def _log_match(setup, buffers, log, match, length):
    """Write the choices of the match that was just played; return a status."""
    choices, starts = log
    nodes = setup.graph.nodes
    start = starts[match]
    if start + length > choices.shape[0]:
        return np.int64(LOG_FULL)
    node = np.int64(setup.root)
    for t in range(length):
        edge, explored = buffers.other.cells[t] >> 1, buffers.other.cells[t] & 1
        choices[start + t] = edge - nodes.first[node] + EXPLORED * explored
        node = np.int64(nodes.child[edge])
    starts[match + 1] = start + length
    return np.int64(FINE)


@lean_part
def _follow_match(setup, learner, buffers, log, match, role):
    """Find the decisions of a match that was sent; a status, and where it ended."""
    choices, starts = log
    graph, nodes = setup.graph, setup.graph.nodes
    both, chance = learner.perspective.both_players, learner.perspective.chance
    begin_match(buffers)
    node = np.int64(setup.root)
    if starts[match + 1] - starts[match] > buffers.own.edges.shape[0]:
        return np.int64(TOO_LONG), node
    for t in range(starts[match], starts[match + 1]):
        buffers.failure[0] = node
        mover = nodes.mover[node]
        if mover == ENDED:
            return np.int64(NO_CHOICE), node
        status = ensure_expanded(graph, node)
        if status != FINE:
            return status, node
        mover = nodes.mover[node]
        buffers.failure[1] = mover
        choice = np.int64(choices[t])
        explored, choice = choice // EXPLORED, choice % EXPLORED
        if choice >= nodes.degree[node]:
            return np.int64(NO_CHOICE), node
        edge = np.int64(nodes.first[node]) + choice
        if mover == role or both:
            buffers.own.explored[buffers.own.length[0]] = explored
            append_decision(buffers.own, node, edge)
        elif setup.opponent.kind == LEARNER and mover != chance:
            buffers.other.explored[buffers.other.length[0]] = explored
            append_decision(buffers.other, node, edge)
        node = np.int64(nodes.child[edge])
    status = FINE if nodes.mover[node] == ENDED else NO_CHOICE
    return np.int64(status), node


# ── value functions ─────────────────────────────────────────────────────────────────


@lean
def play_function_part(setup, players, learner, streams, buffers, part):
    """Play matches and write their choices; a status, and the match it stopped before.

    part: (assignments, log)
    """
    assignments, log = part
    for match in range(assignments.first, assignments.end):
        save_streams(streams)
        begin_function_match(setup, players)
        role = np.int64(assignments.roles[match])
        turn = role, assignments.epsilons[match], draw_opening(streams, assignments)
        status, length, _ = play_function_match(
            setup, players, learner, streams, buffers, turn
        )
        if status == FINE:
            status = _log_match(setup, buffers, log, match, length)
        if status != FINE:
            restore_streams(streams)
            return status, match
    return np.int64(FINE), assignments.end


@lean
def learn_function_part(setup, players, learner, buffers, part):
    """Learn from matches that were sent; a status, and the match it stopped before.

    part: (assignments, log)
    """
    assignments, log = part
    for match in range(assignments.first, assignments.end):
        begin_function_match(setup, players)
        role = np.int64(assignments.roles[match])
        status, end = _follow_match(setup, learner, buffers, log, match, role)
        if status == FINE:
            status = update_functions(setup, players, learner, buffers, role, end)
        if status != FINE:
            return status, match
        length = log[1][match + 1] - log[1][match]
        record_match(setup.graph.nodes, buffers, match, role, end, length)
    return np.int64(FINE), assignments.end


# ── tables ──────────────────────────────────────────────────────────────────────────


@lean
def play_table_part(setup, players, learner, streams, buffers, part):
    """Play matches and write their choices; a status, and the match it stopped before.

    part: (assignments, log)
    """
    assignments, log = part
    for match in range(assignments.first, assignments.end):
        save_streams(streams)
        role = np.int64(assignments.roles[match])
        turn = role, assignments.epsilons[match]
        status, length, _ = play_table_match(
            setup, players, learner, streams, buffers, turn
        )
        if status == FINE:
            status = _log_match(setup, buffers, log, match, length)
        if status != FINE:
            restore_streams(streams)
            return status, match
    return np.int64(FINE), assignments.end


@lean
def learn_table_part(setup, players, learner, buffers, part):
    """Learn from matches that were sent; a status, and the match it stopped before.

    part: (assignments, log)
    """
    assignments, log = part
    for match in range(assignments.first, assignments.end):
        role = np.int64(assignments.roles[match])
        status, end = _follow_match(setup, learner, buffers, log, match, role)
        size = np.int64(0)
        if status == FINE:
            status, size = update_tables(setup, players, learner, buffers, role, end)
        if status != FINE:
            return status, match
        buffers.cells[match] = size
        length = log[1][match + 1] - log[1][match]
        record_match(setup.graph.nodes, buffers, match, role, end, length)
    return np.int64(FINE), assignments.end
