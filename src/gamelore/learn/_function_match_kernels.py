"""Whole matches of a learner with a value function, without Python in between."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore._random_kernels import (
    draw_below,
    draw_unit,
    restore_streams,
    save_streams,
)
from gamelore.graph._kernels import ENDED, FINE, ensure_expanded
from gamelore.kernels import as_part, lean, lean_part
from gamelore.learn._learner_kernels import OF_LEARNER, PlayedMatch, append_decision
from gamelore.learn._match_kernels import (
    BUILT_IN,
    LEARNER,
    NO_MOVE,
    TOO_LONG,
    begin_match,
    clear_graph,
    record_match,
    valued_role,
)
from gamelore.learn._ntuple_search_kernels import expand_targets
from gamelore.learn._play_td_kernels import (
    GOES_ON,
    restore_weights,
    save_weights,
)
from gamelore.search._policy_kernels import FAILED, choose_edge
from gamelore.values._function_kernels import DURING_PLAY
from gamelore.values._function_kernels import FunctionHandle as FunctionHandle

_choose_edge = as_part(choose_edge)


class FunctionPlayers(NamedTuple):
    """The value functions of a match."""

    learner: FunctionHandle
    opponent: FunctionHandle  # if it has one


@lean_part
def _choose(graph, handle, role, stream, node, epsilon):
    """Return an ε-greedy edge by a role's values, or the mover's if that is -1.

    Also return 1 if it was drawn at random, else 0.
    """
    nodes = graph.nodes
    first, degree = nodes.first[node], nodes.degree[node]
    if draw_unit(stream) < epsilon:
        return np.int64(first + draw_below(stream, degree)), 1
    mover = np.int64(nodes.mover[node])
    viewer = mover if role < 0 else np.int64(role)
    values = handle.function.workspace.move_values
    if degree > values.shape[0]:
        return np.int64(FAILED), 0
    handle.evaluate(handle.program, nodes, handle.function, node, viewer)
    sign = 1.0 if viewer == mover else -1.0
    best = -np.inf
    ties = 0
    choice = np.int64(first)
    for i in range(degree):
        value = sign * values[i]
        if value > best:
            best, ties, choice = value, 1, np.int64(first + i)
        elif value == best:
            ties += 1
            if draw_below(stream, ties) == 0:
                choice = np.int64(first + i)
    return choice, 0


@lean
def choose_function_move(graph, handle, role, stream, node, epsilon):
    """Return the edge a learner takes from a node, or FAILED; for Python."""
    if ensure_expanded(graph, node) != FINE:
        return np.int64(FAILED)
    edge, _ = _choose(graph, handle, role, stream, node, epsilon)
    return edge


@lean
def evaluate_moves(graph, handle, node, role):
    """Put the values of an expanded node's moves, to a role, into `move_values`."""
    handle.evaluate(handle.program, graph.nodes, handle.function, node, role)


@lean_part
def update_function(graph, handle, learner, match):
    """Learn from a match; return a status."""
    return handle.update(handle.program, graph.nodes, handle.function, learner, match)


@lean
def learn_function_match(graph, handle, learner, match, failure):
    """Learn from one match that Python has played; return a status.

    failure: int64 [2], the node at which it failed
    """
    status, failed = expand_targets(graph, handle, match.trajectory)
    if status != FINE:
        failure[0] = failed
        return status
    return update_function(graph, handle, learner, match)


@lean_part
def _learn_move(graph, handle, learner, trajectory, role):
    """Learn from the latest move of a trajectory, where weights change during play."""
    if handle.function.updates.mode != DURING_PLAY:
        return np.int64(FINE)
    last = trajectory.edges[trajectory.length[0] - 1]
    if graph.nodes.mover[graph.nodes.child[last]] == ENDED:
        return np.int64(FINE)  # which is learned from after the match
    played = PlayedMatch(trajectory, np.int64(GOES_ON), role)
    return update_function(graph, handle, learner, played)


@lean_part
def play_function_match(setup, players, learner, streams, buffers, turn):
    """Play one match; return a status, its length, and the node where it ended.

    turn: the role that learns, its epsilon, and how many moves are random at first
    """
    graph, opponent, perspective = setup.graph, setup.opponent, learner.perspective
    nodes = graph.nodes
    role, epsilon, opening = turn
    rival_epsilon = epsilon if opponent.kind == LEARNER else opponent.epsilon
    own_view = role if perspective.role == OF_LEARNER else perspective.role
    rival_view = role if opponent.valued == OF_LEARNER else opponent.valued
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
        explored = 0
        if length < opening and mover != perspective.chance:
            count = nodes.degree[node]
            edge = np.int64(nodes.first[node] + draw_below(streams.learner, count))
            explored = 1
        elif mover == role:
            own, stream = players.learner, streams.learner
            edge, explored = _choose(graph, own, own_view, stream, node, epsilon)
        elif mover == perspective.chance:
            count = nodes.degree[node]
            edge = np.int64(nodes.first[node] + draw_below(streams.chance, count))
        elif opponent.kind == BUILT_IN:
            edge = np.int64(
                _choose_edge(graph, opponent.policy, streams.opponent, node)
            )
        else:
            other, stream = players.opponent, streams.opponent
            edge, explored = _choose(
                graph, other, rival_view, stream, node, rival_epsilon
            )
        if edge == FAILED:
            return np.int64(NO_MOVE), length, node
        if mover == role or perspective.both_players:
            buffers.own.explored[buffers.own.length[0]] = explored
            append_decision(buffers.own, node, edge)
            valued = valued_role(learner, role)
            status = _learn_move(graph, players.learner, learner, buffers.own, valued)
        elif opponent.kind == LEARNER and mover != perspective.chance:
            buffers.other.explored[buffers.other.length[0]] = explored
            append_decision(buffers.other, node, edge)
            other, valued = players.opponent, np.int64(mover)
            status = _learn_move(graph, other, learner, buffers.other, valued)
        if status != FINE:
            return status, length, node
        # the whole match, until these are used
        buffers.other.cells[length] = 2 * edge + explored
        node = np.int64(nodes.child[edge])
        length += 1
    return np.int64(FINE), length, node


@lean_part
def begin_function_match(setup, players):
    """Forget the last match, and the state graph when it is half full."""
    players.learner.function.workspace.summed[0] = -1
    players.opponent.function.workspace.summed[0] = -1
    nodes = setup.graph.nodes
    half_full = 2 * nodes.used[0] > nodes.rows.shape[0]
    if half_full or 2 * nodes.used[1] > nodes.child.shape[0]:
        clear_graph(setup.graph, setup.root)
        players.learner.function.inputs.cache.counted[:] = 0
        players.opponent.function.inputs.cache.counted[:] = 0
        setup.opponent.policy.searched_depth[:] = 0


@lean_part
def draw_opening(streams, assignments):
    """Return how many moves of a match are random at first."""
    if not assignments.opening:
        return np.int64(0)
    return np.int64(draw_below(streams.learner, assignments.opening + 1))


@lean_part
def update_functions(setup, players, learner, buffers, role, end):
    """Learn from the match in the trajectories, both players' if both learn; a status.

    role: the one that learns, end: the node where the match ended
    """
    graph = setup.graph
    rival_learns = setup.opponent.kind == LEARNER
    rival_learns = rival_learns and not learner.perspective.both_players
    status, failed = expand_targets(graph, players.learner, buffers.own)
    if status == FINE and rival_learns:
        status, failed = expand_targets(graph, players.opponent, buffers.other)
    if status != FINE:
        buffers.failure[0] = failed
        return status
    if rival_learns:
        other = setup.roles[1] if role == setup.roles[0] else setup.roles[0]
        played = PlayedMatch(buffers.other, end, np.int64(other))
        status = update_function(graph, players.opponent, learner, played)
        if status != FINE:
            return status
    played = PlayedMatch(buffers.own, end, valued_role(learner, role))
    return update_function(graph, players.learner, learner, played)


@lean
def run_function_matches(setup, players, learner, streams, buffers, assignments):
    """Play and learn matches; return a status, and the match it stopped before.

    A match that cannot be finished leaves nothing behind: it is played again, the same,
    once what it lacked is there.
    """
    for match in range(assignments.first, assignments.end):
        save_streams(streams)
        begin_function_match(setup, players)
        during_play = players.learner.function.updates.mode == DURING_PLAY
        if during_play:
            save_weights(players.learner.function)
        role = np.int64(assignments.roles[match])
        opening = draw_opening(streams, assignments)
        turn = role, assignments.epsilons[match], opening
        status, length, end = play_function_match(
            setup, players, learner, streams, buffers, turn
        )
        if status == FINE:
            status = update_functions(setup, players, learner, buffers, role, end)
        if status != FINE:
            restore_streams(streams)
            if during_play:
                restore_weights(players.learner.function)
            return status, match
        record_match(setup.graph.nodes, buffers, match, role, end, length)
    return np.int64(FINE), assignments.end


@lean
def play_function_matches(setup, players, learner, streams, buffers, assignments):
    """Play matches, and learn nothing; return the same.

    Exactly so many moves are random at first as the assignments say.
    """
    nodes = setup.graph.nodes
    for match in range(assignments.first, assignments.end):
        save_streams(streams)
        begin_function_match(setup, players)
        role = np.int64(assignments.roles[match])
        turn = role, assignments.epsilons[match], np.int64(assignments.opening)
        status, length, end = play_function_match(
            setup, players, learner, streams, buffers, turn
        )
        if status != FINE:
            restore_streams(streams)
            return status, match
        record_match(nodes, buffers, match, role, end, length)
    return np.int64(FINE), assignments.end
