"""Whole matches of learning, without Python in between.

The learner's values are in a table or are those of a function; both are asked for a
move, and taught a match, in the same places.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore._hash_kernels import find_row
from gamelore._random_kernels import draw_below, draw_unit
from gamelore.graph._kernels import ENDED, FINE, UNSEEN, GraphArrays, ensure_expanded
from gamelore.kernels import lean, lean_part, lean_recursion
from gamelore.learn._shaping_kernels import Earnings
from gamelore.search._policy_kernels import (
    FAILED,
    PolicyParameters,
    choose_by_playouts,
    choose_edge,
)
from gamelore.values._function_kernels import NO_FUNCTION, Mind, Moves, Rule
from gamelore.values._table_kernels import (
    AFTERSTATES,
    Log,
    Memory,
    Prior,
    choose_greedily,
    fold_into_table,
    prepare_table,
)

NO_MOVE, TOO_LONG = range(65, 67)
"""Statuses besides those of the state graph: a player could not choose before more of
the game is known; a match is longer than the log has room for."""

BUILT_IN, COPY, PUPIL, JUDGE = range(4)
"""Who is on the other seat: a built-in player; a copy of the learner that does not
learn, or one that learns too; or who judges by another function."""


class Streams(NamedTuple):
    """Independent randomness for each who draws.  uint64 [4] each"""

    learner: np.ndarray
    rival: np.ndarray
    chance: np.ndarray
    kept: np.ndarray  # uint64 [3, 4]   the others, as they were before the match


class Task(NamedTuple):
    """The game, what is known of it, and who plays."""

    graph: GraphArrays
    rival: PolicyParameters
    own: PolicyParameters  # the learner's, where it knows nothing
    root: int
    chance: int  # the role `random`, or -1
    home: int  # the role whose memory and prior come first
    away: int  # the role whose memory and prior come second
    opposition: int  # BUILT_IN, COPY or PUPIL
    rival_epsilon: float  # how often a copy moves at random


class Lessons(NamedTuple):
    """What becomes of matches, and the moves of the other pupil."""

    log: Log
    other: Log  # the same but for its moves


class Pupils(NamedTuple):
    """What is learned, and from what; each by the role that it is for: home, other."""

    memories: tuple[Memory, Memory]  # of the learner
    rivals: tuple[Memory, Memory]  # of who plays against it, unless built in
    priors: tuple[Prior, Prior]
    minds: tuple[Mind, Mind]  # value functions of the learner, and of its rival
    earnings: tuple[Earnings, Earnings]  # along the way, where tables learn


# ── learning ────────────────────────────────────────────────────────────────────────


@lean_recursion
def _teach(graph, mind, method, role, log, count, end):
    """Teach a value function a match; a status."""
    rule = Rule(
        method.step_size,
        method.discount,
        method.trace_decay,
        method.risk,
        method.chance,
    )
    moves = Moves(log.nodes, log.edges)
    return mind.teach(
        graph.program, graph.nodes, mind.function, rule, moves, count, end, role
    )


@lean_recursion
def _note_earned(graph, earnings, method, log, count, end):
    """Note what was earned from each place of a match to the next, and to its end."""
    nodes, ledger = graph.nodes, earnings.ledger
    earnings.measure(graph.program, nodes, ledger)
    following = ledger.earned[end]
    log.earned[count] = 0.0
    for t in range(count - 1, -1, -1):
        place = np.int64(log.nodes[t])
        if method.keyed_by == AFTERSTATES:
            place = np.int64(nodes.child[log.edges[t]])
        log.earned[t] = following - ledger.earned[place]
        following = ledger.earned[place]


@lean_part
def _fold(graph, memory, earnings, method, role, log, count, end):
    """Learn from a match by a table, once all is prepared."""
    if earnings.ledger.rewards.shape[0] > 0:
        _note_earned(graph, earnings, method, log, count, end)
    fold_into_table(graph.nodes, memory, method, role, log, count, end)


@lean
def learn_match(graph, learner, method, prior, role, log, count, end):
    """Fold in one match that Python has played, all of it or nothing; a status.

    learner: memory, mind and earnings
    """
    memory, mind, earnings = learner
    if method.function != NO_FUNCTION:
        return _teach(graph, mind, method, role, log, count, end)
    status = prepare_table(graph, memory, method, prior, role, log, count)
    if status == FINE:
        _fold(graph, memory, earnings, method, role, log, count, end)
    return status


# ── matches ─────────────────────────────────────────────────────────────────────────


@lean_recursion
def _judged_edge(graph, mind, side, stream, node, epsilon):
    """The edge that a value function speaks for, or any with probability epsilon."""
    nodes = graph.nodes
    first, degree = nodes.first[node], nodes.degree[node]
    if draw_unit(stream) < epsilon:
        return first + draw_below(stream, degree)
    mover = np.int64(nodes.mover[node])
    role = mover if side < 0 else np.int64(side)
    worth = mind.function.worth
    if degree > worth.shape[0]:
        return np.int64(FAILED)
    mind.judge(mind.program, nodes, mind.function, node, role)
    sign = 1.0 if role == mover else -1.0
    best = -np.inf
    ties = 0
    choice = first
    for i in range(degree):
        value = sign * worth[i]
        if value > best:
            best, ties, choice = value, 1, first + i
        elif value == best:
            ties += 1
            if draw_below(stream, ties) == 0:
                choice = first + i
    return choice


@lean
def judge_moves(graph, mind, node, role):
    """Put what the moves of an expanded node are worth to a role into `worth`."""
    mind.judge(mind.program, graph.nodes, mind.function, node, role)


@lean_part
def _own_edge(graph, memory, method, prior, policy, stream, node, epsilon):
    """The edge the learner takes; where it knows no action, by playouts or by lot."""
    nodes = graph.nodes
    edge = choose_greedily(graph, memory, method, prior, node, epsilon, stream)
    if edge >= 0 or method.keyed_by == AFTERSTATES:
        return edge
    if method.searches:
        return choose_by_playouts(graph, policy, stream, node)
    return nodes.first[node] + draw_below(stream, nodes.degree[node])


@lean
def choose_move(graph, learner, method, prior, policy, stream, node, epsilon):
    """The edge a learner takes from a node, or FAILED, when Python asks.

    learner: memory and mind
    """
    memory, mind = learner
    if ensure_expanded(graph, node) != FINE:
        return np.int64(FAILED)
    if method.function != NO_FUNCTION:
        return np.int64(_judged_edge(graph, mind, method.side, stream, node, epsilon))
    return _own_edge(graph, memory, method, prior, policy, stream, node, epsilon)


@lean_recursion
def _rival_edge(task, pupils, method, stream, node, epsilon):
    """The edge that a learner, or its copy, takes on the other seat."""
    home = task.graph.nodes.mover[node] == task.home
    memory = pupils.rivals[0] if home else pupils.rivals[1]
    prior = pupils.priors[0] if home else pupils.priors[1]
    if task.opposition != PUPIL:
        epsilon = task.rival_epsilon
    if method.function != NO_FUNCTION:
        mind = pupils.minds[1]
        side = -1 if task.opposition == JUDGE else method.side
        return np.int64(_judged_edge(task.graph, mind, side, stream, node, epsilon))
    return _own_edge(task.graph, memory, method, prior, task.own, stream, node, epsilon)


@lean_part
def play_match(task, own, pupils, method, streams, lessons, role, epsilon):
    """Play one match: its status, moves to learn from, its length, where it ended.

    own: memory and prior of the learner. Moves to learn from are counted for it and
    for the other pupil.
    """
    graph = task.graph
    nodes = graph.nodes
    log, other = lessons
    node = np.int64(task.root)
    count = 0
    others = 0
    length = 0
    while nodes.mover[node] != ENDED:
        log.trouble[0] = node
        status = ensure_expanded(graph, node)
        if status != FINE:
            return status, count, others, length, node
        if length == log.edges.shape[0]:
            return TOO_LONG, count, others, length, node
        mover = nodes.mover[node]
        log.trouble[1] = mover
        if mover == role and method.function != NO_FUNCTION:
            edge = _judged_edge(
                graph, pupils.minds[0], method.side, streams.learner, node, epsilon
            )
        elif mover == role:
            edge = _own_edge(
                graph,
                own[0],
                method,
                own[1],
                task.own,
                streams.learner,
                node,
                epsilon,
            )
        elif mover == task.chance:
            edge = nodes.first[node] + draw_below(streams.chance, nodes.degree[node])
        elif task.opposition == BUILT_IN:
            edge = choose_edge(graph, task.rival, streams.rival, node)
        else:
            edge = _rival_edge(task, pupils, method, streams.rival, node, epsilon)
        if edge == FAILED:
            return NO_MOVE, count, others, length, node
        if mover == role or method.every_ply:
            log.nodes[count] = node
            log.edges[count] = edge
            count += 1
        elif task.opposition == PUPIL and mover != task.chance:
            other.nodes[others] = node
            other.edges[others] = edge
            others += 1
        node = np.int64(nodes.child[edge])
        length += 1
    return FINE, count, others, length, node


@lean_part
def _keep_streams(streams):
    for i in range(4):
        streams.kept[0, i] = streams.learner[i]
        streams.kept[1, i] = streams.rival[i]
        streams.kept[2, i] = streams.chance[i]


@lean_part
def _restore_streams(streams):
    for i in range(4):
        streams.learner[i] = streams.kept[0, i]
        streams.rival[i] = streams.kept[1, i]
        streams.chance[i] = streams.kept[2, i]


@lean_recursion
def _begin(task, pupils):
    """Begin a match with functions: what they carried along is of the last one."""
    for mind in pupils.minds:
        mind.function.place[0] = -1
    nodes = task.graph.nodes
    nodes_full = 2 * nodes.used[0] > nodes.rows.shape[0]
    if nodes_full or 2 * nodes.used[1] > nodes.child.shape[0]:
        clear_graph(task.graph, task.root)
        for mind in pupils.minds:
            mind.function.lens.measured[:] = 0
        task.rival.searched_depth[:] = 0


@lean
def clear_graph(graph, root):
    """Forget all nodes but the root, which must be the first."""
    nodes = graph.nodes
    nodes.slots[:] = 0
    nodes.used[0] = 1
    nodes.used[1] = 0
    nodes.used[2] += 1
    if nodes.mover[root] != ENDED:
        nodes.mover[root] = UNSEEN
    found = find_row(nodes.slots, nodes.rows, nodes.rows[root])
    nodes.slots[-1 - found] = root + 1


@lean
def run_matches(task, pupils, method, streams, lessons, courses, first, end):
    """Play and learn matches first … end; a status, and the match it stopped before.

    courses: int8 [matches] the role that learns and float64 [matches] epsilon. A match
    that cannot be finished leaves no trace: it is played again, the same, once there is
    room for it.
    """
    graph = task.graph
    memories, _, priors, _, accounts = pupils
    log, _ = lessons
    roles, epsilons = courses
    both = task.opposition == PUPIL and not method.every_ply
    for match in range(first, end):
        _keep_streams(streams)
        if method.function != NO_FUNCTION:
            _begin(task, pupils)
        role = np.int64(roles[match])
        memory = memories[0] if role == task.home else memories[1]
        prior = priors[0] if role == task.home else priors[1]
        earnings = accounts[0] if role == task.home else accounts[1]
        status, count, others, length, node = play_match(
            task,
            (memory, prior),
            pupils,
            method,
            streams,
            lessons,
            role,
            epsilons[match],
        )
        learner = role if method.side < 0 else np.int64(method.side)
        if status == FINE and method.function == NO_FUNCTION:
            status = prepare_table(graph, memory, method, prior, learner, log, count)
        if status == FINE and both:
            status = _teach_rival(
                task, pupils, method, role, lessons.other, others, node
            )
        if status != FINE:
            _restore_streams(streams)
            return status, match
        if method.function != NO_FUNCTION:
            mind = pupils.minds[0]
            status = _teach(graph, mind, method, learner, log, count, node)
            if status != FINE:
                _restore_streams(streams)
                return status, match
        else:
            _fold(graph, memory, earnings, method, learner, log, count, node)
        log.rewards[match] = graph.nodes.goals[node, role]
        log.lengths[match] = length
        log.cells[match] = memory.used[0]
    return FINE, end


@lean_recursion
def _teach_rival(task, pupils, method, role, log, count, end):
    """Let the other pupil learn from a match as well, all of it or nothing."""
    home = role != task.home
    memory = pupils.rivals[0] if home else pupils.rivals[1]
    prior = pupils.priors[0] if home else pupils.priors[1]
    earnings = pupils.earnings[0] if home else pupils.earnings[1]
    pupil = np.int64(task.home if home else task.away)
    if method.function != NO_FUNCTION:
        mind = pupils.minds[1]
        return _teach(task.graph, mind, method, pupil, log, count, end)
    status = prepare_table(task.graph, memory, method, prior, pupil, log, count)
    if status == FINE:
        _fold(task.graph, memory, earnings, method, pupil, log, count, end)
    return status
