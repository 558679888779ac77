"""Whole matches of learning, without Python in between.

N nodes and E edges of the atlas, C cells of the table, K words per position.
A learner keys its cells by afterstate (a node) or by action (an edge); everything else
is the same for both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.atlas._kernels import (
    ENDED,
    FINE,
    NO_SHAPE,
    Chart,
    Shapes,
    add_row,
    draw_below,
    draw_unit,
    find_row,
    find_shape,
    look_ahead,
    open_up,
)
from gamelore.kernels import lean, lean_part
from gamelore.play._kernels import FAILED, Habits, choose_by_playouts, choose_edge

AFTERSTATES, ACTIONS = range(2)
"""What a cell stands for."""

DEFAULT, LOOKAHEAD, FEATURES = range(3)
"""Where initial values come from."""

UNLINKED, ABSENT = -1, -2
"""In place of a cell: not looked for yet, and known not to be there."""

NO_CELLS, NO_MOVE, TOO_LONG = range(64, 67)
"""Statuses besides those of the atlas: the table is full; a player could not choose
before more of the game is known; a match is longer than the log has room for."""


class Memory(NamedTuple):
    """The table of one role, and which cell belongs to which node or edge."""

    rows: np.ndarray  # uint64 [C, K or K + 1]   positions; for actions, the move too
    slots: np.ndarray  # int32 [power of two]   hash table: cell + 1, or 0
    values: np.ndarray  # float64 [C]
    visits: np.ndarray  # uint32 [C]
    used: np.ndarray  # int64 [1]   cells in use
    link: np.ndarray  # int32 [N or E]   cells, UNLINKED or ABSENT
    key: np.ndarray  # uint64 [K or K + 1]   room for the key being looked for


class Method(NamedTuple):
    """How to learn."""

    keyed_by: int  # AFTERSTATES or ACTIONS
    step_size: float
    discount: float
    trace_decay: float
    default: float  # the value of what is not in the table
    initial: int  # DEFAULT, LOOKAHEAD or FEATURES
    depth: int  # of the lookahead, or of the templates
    rule: int  # MINIMAX, MAXMAX or AVGMAX
    on_sight: int  # 1: cells are made for moves that are merely considered
    sees_ends: int  # 1: a terminal afterstate has its true value before it is visited
    keeps_end: int  # 1: the terminal position is the last afterstate, whoever moved
    searches: int  # 1: playouts choose where the table knows nothing


class Streams(NamedTuple):
    """Independent randomness for each who draws.  uint64 [4] each"""

    learner: np.ndarray
    rival: np.ndarray
    chance: np.ndarray
    kept: np.ndarray  # uint64 [3, 4]   the others, as they were before the match


class Prior(NamedTuple):
    """What one role knows of positions that are not in its table."""

    shapes: Shapes
    features: np.ndarray  # float64 [·]   per template, its value, not a number where
    # there is none, or infinity where it must be asked for


class Task(NamedTuple):
    """The game, what is known of it, and who plays."""

    chart: Chart
    rival: Habits
    own: Habits  # the learner's, where it knows nothing
    root: int
    chance: int  # the role `random`, or -1
    home: int  # the role whose memory and prior come first


class Log(NamedTuple):
    """What became of each match, and of the one being played."""

    rewards: np.ndarray  # float64 [matches]
    lengths: np.ndarray  # int32 [matches]
    cells: np.ndarray  # int64 [matches]   size of the learner's table after it
    edges: np.ndarray  # int64 [longest match]   the learner's moves in this match
    nodes: np.ndarray  # int32 [longest match]   where it made them
    path: np.ndarray  # int64 [longest match + 1]   the cells of those moves
    fresh: np.ndarray  # float64 [longest match]   what their cells begin with
    trouble: np.ndarray  # int64 [1]   the node at which a kernel had to stop


# ── cells ───────────────────────────────────────────────────────────────────────────


@lean_part
def _place(nodes, method, edge):
    """Where an edge's cell is linked from."""
    if method.keyed_by == AFTERSTATES:
        return np.int64(nodes.child[edge])
    return np.int64(edge)


@lean_part
def _write_key(nodes, memory, method, node, edge):
    """Put the row that an edge's cell is stored under into `memory.key`."""
    words = nodes.rows.shape[1]
    key = memory.key
    source = nodes.child[edge] if method.keyed_by == AFTERSTATES else node
    for word in range(words):
        key[word] = nodes.rows[source, word]
    if method.keyed_by == ACTIONS:
        key[words] = np.uint64(nodes.move[edge])


@lean_part
def find_cell(nodes, memory, method, node, edge):
    """The cell of an edge, or ABSENT."""
    place = _place(nodes, method, edge)
    cell = memory.link[place]
    if cell == UNLINKED:
        _write_key(nodes, memory, method, node, edge)
        found = find_row(memory.slots, memory.rows, memory.key)
        cell = np.int32(found) if found >= 0 else np.int32(ABSENT)
        memory.link[place] = cell
    return np.int64(cell)


@lean_part
def _add_cell(nodes, memory, method, node, edge, value):
    _write_key(nodes, memory, method, node, edge)
    cell = memory.used[0]
    found = find_row(memory.slots, memory.rows, memory.key)
    add_row(memory.slots, memory.rows, memory.key, found, cell)
    memory.values[cell] = value
    memory.visits[cell] = 0
    memory.used[0] += 1
    memory.link[_place(nodes, method, edge)] = np.int32(cell)
    return cell


@lean_part
def initial_value(chart, prior, method, role, node):
    """The value a new afterstate begins with; not a number where there was no room."""
    nodes = chart.nodes
    if method.initial == DEFAULT and not method.sees_ends:
        return method.default
    if nodes.mover[node] == ENDED:
        if method.sees_ends:
            return np.float64(nodes.goals[node, role])
        return method.default
    if method.initial == LOOKAHEAD:
        return look_ahead(chart, role, node, method.depth, method.rule, method.default)
    if method.initial == FEATURES:
        shape = find_shape(chart, prior.shapes, role, node, method.depth)
        if shape == NO_SHAPE:
            return np.nan
        known = prior.features
        if shape < known.shape[0] and not np.isnan(known[shape]):
            return np.nan if np.isinf(known[shape]) else known[shape]
    return method.default


# ── choosing ────────────────────────────────────────────────────────────────────────


@lean_part
def choose_greedily(chart, memory, method, prior, node, epsilon, stream):
    """The edge a learner takes: any with probability epsilon, else the best it knows.

    Ties are broken at random. By afterstates, what is unknown has the default value, or
    its initial value on sight, or its true value if it is an end that is seen; by
    actions, only what is known is compared. FAILED where an initial value could not be
    found, or no action is known.
    """
    nodes = chart.nodes
    first = nodes.first[node]
    degree = nodes.degree[node]
    if draw_unit(stream) < epsilon:
        return first + draw_below(stream, degree)
    best = -np.inf
    ties = 0
    choice = np.int64(FAILED)
    for edge in range(first, first + degree):
        cell = find_cell(nodes, memory, method, node, edge)
        if cell >= 0:
            value = memory.values[cell]
        elif method.on_sight or (
            method.sees_ends and nodes.mover[nodes.child[edge]] == ENDED
        ):
            role, child = nodes.mover[node], nodes.child[edge]
            value = initial_value(chart, prior, method, role, child)
            if np.isnan(value):
                return np.int64(FAILED)
        elif method.keyed_by == AFTERSTATES:
            value = method.default
        else:
            continue
        if value > best:
            best, ties, choice = value, 1, np.int64(edge)
        elif value == best:
            ties += 1
            if draw_below(stream, ties) == 0:
                choice = np.int64(edge)
    return choice


# ── learning ────────────────────────────────────────────────────────────────────────


@lean_part
def update_afterstates(memory, method, cells, count, reward):
    """Equation 2 of Banerjee and Stone (2007), in the order it is written.

    cells: int64 [·]   the cells of the afterstates, in the order of the match
    """
    for t in range(count):
        following = memory.values[cells[t + 1]] if t + 1 < count else 0.0
        earned = reward if t + 1 == count else 0.0
        error = earned + method.discount * following - memory.values[cells[t]]
        weight = method.step_size
        for p in range(t, -1, -1):
            memory.values[cells[p]] += weight * error
            weight *= method.trace_decay


@lean_part
def update_actions(nodes, memory, method, log, count, reward):
    """Algorithm 1 of Wang, Emmerich and Plaat (2018), from the end to the start."""
    best_after = 0.0
    for t in range(count - 1, -1, -1):
        node, edge = log.nodes[t], log.edges[t]
        earned = reward if t + 1 == count else 0.0
        cell = find_cell(nodes, memory, method, node, edge)
        value = memory.values[cell]
        target = earned + method.discount * best_after
        memory.values[cell] = (
            1.0 - method.step_size
        ) * value + method.step_size * target
        memory.visits[cell] += np.uint32(1)
        best_after = -np.inf
        first = nodes.first[node]
        for other in range(first, first + nodes.degree[node]):
            known = find_cell(nodes, memory, method, node, other)
            if known >= 0:
                best_after = max(best_after, memory.values[known])


@lean_part
def _learn_match(chart, memory, method, prior, role, log, count, end):
    """Fold one match in, all of it or nothing.  end: the terminal node

    What is made for moves in sight stays: it would be made again all the same.
    """
    nodes = chart.nodes
    edges = log.edges
    fresh = log.fresh
    if method.on_sight:
        status = _consider(chart, memory, method, prior, role, log, count)
        if status != FINE:
            return status
    if memory.used[0] + count + 1 > memory.values.shape[0]:
        return NO_CELLS
    for t in range(count):
        fresh[t] = method.default
        if method.keyed_by == ACTIONS:
            continue
        if find_cell(nodes, memory, method, log.nodes[t], edges[t]) < 0:
            child = nodes.child[edges[t]]
            fresh[t] = initial_value(chart, prior, method, role, child)
            if np.isnan(fresh[t]):
                log.trouble[0] = child
                return NO_SHAPE
    reward = np.float64(nodes.goals[end, role])
    cells = log.path
    for t in range(count):
        cell = find_cell(nodes, memory, method, log.nodes[t], edges[t])
        if cell < 0:
            cell = _add_cell(nodes, memory, method, log.nodes[t], edges[t], fresh[t])
        cells[t] = cell
    if method.keyed_by == ACTIONS:
        update_actions(nodes, memory, method, log, count, reward)
        return FINE
    if method.keeps_end and (count == 0 or nodes.child[edges[count - 1]] != end):
        cells[count] = _end_cell(nodes, memory, method, role, end)
        count += 1
    for t in range(count):
        memory.visits[cells[t]] += np.uint32(1)
    update_afterstates(memory, method, cells, count, reward)
    return FINE


@lean
def learn_match(chart, memory, method, prior, role, log, count, end):
    """Fold in one match that Python has played; a status."""
    return _learn_match(chart, memory, method, prior, role, log, count, end)


@lean_part
def _consider(chart, memory, method, prior, role, log, count):
    """Make cells for every afterstate that was in sight in a match; a status."""
    nodes = chart.nodes
    for t in range(count):
        node = log.nodes[t]
        first = nodes.first[node]
        for edge in range(first, first + nodes.degree[node]):
            if find_cell(nodes, memory, method, node, edge) >= 0:
                continue
            child = nodes.child[edge]
            value = initial_value(chart, prior, method, role, child)
            if np.isnan(value):
                log.trouble[0] = child
                return NO_SHAPE
            if memory.used[0] == memory.values.shape[0]:
                return NO_CELLS
            _add_cell(nodes, memory, method, node, edge, value)
    return FINE


@lean_part
def _end_cell(nodes, memory, method, role, end):
    """The cell of a terminal position that the other player moved to."""
    cell = memory.link[end]
    if cell < 0:
        found = find_row(memory.slots, memory.rows, nodes.rows[end])
        if found < 0:
            cell = np.int32(memory.used[0])
            add_row(memory.slots, memory.rows, nodes.rows[end], found, cell)
            goal = np.float64(nodes.goals[end, role])
            memory.values[cell] = goal if method.sees_ends else method.default
            memory.visits[cell] = 0
            memory.used[0] += 1
        else:
            cell = np.int32(found)
        memory.link[end] = cell
    return np.int64(cell)


# ── matches ─────────────────────────────────────────────────────────────────────────


@lean_part
def _own_edge(chart, memory, method, prior, habits, stream, node, epsilon):
    """The edge the learner takes; where it knows no action, by playouts or by lot."""
    nodes = chart.nodes
    edge = choose_greedily(chart, memory, method, prior, node, epsilon, stream)
    if edge >= 0 or method.keyed_by == AFTERSTATES:
        return edge
    if method.searches:
        return choose_by_playouts(chart, habits, stream, node)
    return nodes.first[node] + draw_below(stream, nodes.degree[node])


@lean
def choose_move(chart, memory, method, prior, habits, stream, node, epsilon):
    """The edge a learner takes from a node, or FAILED, when Python asks."""
    if open_up(chart, node) != FINE:
        return np.int64(FAILED)
    return _own_edge(chart, memory, method, prior, habits, stream, node, epsilon)


@lean_part
def play_match(task, memory, method, prior, streams, log, role, epsilon):
    """Play one match: its status, the learner's moves, its length, where it ended."""
    chart = task.chart
    nodes = chart.nodes
    node = np.int64(task.root)
    count = 0
    length = 0
    while nodes.mover[node] != ENDED:
        log.trouble[0] = node
        status = open_up(chart, node)
        if status != FINE:
            return status, count, length, node
        if length == log.edges.shape[0]:
            return TOO_LONG, count, length, node
        mover = nodes.mover[node]
        if mover == role:
            edge = _own_edge(
                chart,
                memory,
                method,
                prior,
                task.own,
                streams.learner,
                node,
                epsilon,
            )
            log.nodes[count] = node
            log.edges[count] = edge
            count += 1
        elif mover == task.chance:
            edge = nodes.first[node] + draw_below(streams.chance, nodes.degree[node])
        else:
            edge = choose_edge(chart, task.rival, streams.rival, node)
        if edge == FAILED:
            return NO_MOVE, count, length, node
        node = np.int64(nodes.child[edge])
        length += 1
    return FINE, count, length, node


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


@lean
def run_matches(task, tables, method, streams, log, courses, first, end):
    """Play and learn matches first … end; a status, and the match it stopped before.

    tables: memories and priors of at most two roles. courses: int8 [matches] the role
    that learns and float64 [matches] epsilon. A match that cannot be finished leaves no
    trace: it is played again, the same, once there is room for it.
    """
    memories, priors = tables
    roles, epsilons = courses
    for match in range(first, end):
        _keep_streams(streams)
        role = np.int64(roles[match])
        memory = memories[0] if role == task.home else memories[1]
        prior = priors[0] if role == task.home else priors[1]
        status, count, length, node = play_match(
            task, memory, method, prior, streams, log, role, epsilons[match]
        )
        if status == FINE:
            status = _learn_match(
                task.chart, memory, method, prior, role, log, count, node
            )
        if status != FINE:
            _restore_streams(streams)
            return status, match
        log.rewards[match] = task.chart.nodes.goals[node, role]
        log.lengths[match] = length
        log.cells[match] = memory.used[0]
    return FINE, end
