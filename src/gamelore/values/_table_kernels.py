"""Tables of values: how they are looked up, and how matches change them.

N nodes and E edges of the state graph, C cells of the table, K words per position.
A learner keys its cells by afterstate (a node) or by action (an edge); everything else
is the same for both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore._hash_kernels import add_row, find_row
from gamelore._random_kernels import draw_below, draw_unit
from gamelore.graph._kernels import ENDED, FINE
from gamelore.graph._lookahead_kernels import look_ahead
from gamelore.graph._pattern_kernels import NO_SHAPE, Shapes, find_shape
from gamelore.kernels import lean_part
from gamelore.search._policy_kernels import FAILED

AFTERSTATES, ACTIONS = range(2)
"""What a cell stands for."""

DEFAULT, LOOKAHEAD, FEATURES = range(3)
"""Where initial values come from."""

UNLINKED, ABSENT = -1, -2
"""In place of a cell: not looked for yet, and known not to be there."""

NO_CELLS = 64
"""A status besides those of the state graph: the table is full."""


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
    depth: int  # of the lookahead, or of the patterns
    rule: int  # MINIMAX, MAXMAX or AVGMAX
    on_sight: int  # 1: cells are made for moves that are merely considered
    sees_ends: int  # 1: a terminal afterstate has its true value before it is visited
    keeps_end: int  # 1: the terminal position is the last afterstate, whoever moved
    searches: int  # 1: playouts choose where the table knows nothing
    side: int  # the role whose goals the values are of, or -1: of the role that moves
    every_ply: int  # 1: afterstates of all roles are learned, not only of one
    risk: float  # kappa
    chance: int  # the role `random`, or -1
    function: int  # the kind of value function that is learned instead, if it is


class Prior(NamedTuple):
    """What one role knows of positions that are not in its table."""

    shapes: Shapes
    features: np.ndarray  # float64 [·]   per pattern, its value, not a number where
    # there is none, or infinity where it must be asked for


class Log(NamedTuple):
    """What became of each match, and of the one being played."""

    rewards: np.ndarray  # float64 [matches]
    lengths: np.ndarray  # int32 [matches]
    cells: np.ndarray  # int64 [matches]   size of the learner's table after it
    edges: np.ndarray  # int64 [longest match]   the learner's moves in this match
    nodes: np.ndarray  # int32 [longest match]   where it made them
    path: np.ndarray  # int64 [longest match + 1]   the cells of those moves
    fresh: np.ndarray  # float64 [longest match]   what their cells begin with
    earned: np.ndarray  # float64 [longest match + 1]   along the way from each of them
    # to the next; 0 where there are no such rewards
    trouble: np.ndarray  # int64 [2]   the node at which a kernel had to stop, and the
    # role that was to move or to learn


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
def initial_value(graph, prior, method, role, node):
    """The value a new afterstate begins with; not a number where there was no room."""
    nodes = graph.nodes
    if method.initial == DEFAULT and not method.sees_ends:
        return method.default
    if nodes.mover[node] == ENDED:
        if method.sees_ends:
            return np.float64(nodes.goals[node, role])
        return method.default
    if method.initial == LOOKAHEAD:
        return look_ahead(graph, role, node, method.depth, method.rule, method.default)
    if method.initial == FEATURES:
        shape = find_shape(graph, prior.shapes, role, node, method.depth)
        if shape == NO_SHAPE:
            return np.nan
        known = prior.features
        if shape < known.shape[0] and not np.isnan(known[shape]):
            return np.nan if np.isinf(known[shape]) else known[shape]
    return method.default


# ── choosing ────────────────────────────────────────────────────────────────────────


@lean_part
def choose_greedily(graph, memory, method, prior, node, epsilon, stream):
    """The edge a learner takes: any with probability epsilon, else the best it knows.

    Where values are of one side, the other role wants the lowest. Ties are broken at
    random. By afterstates, what is unknown has the default value, or
    its initial value on sight, or its true value if it is an end that is seen; by
    actions, only what is known is compared. FAILED where an initial value could not be
    found, or no action is known.
    """
    nodes = graph.nodes
    first = nodes.first[node]
    degree = nodes.degree[node]
    if draw_unit(stream) < epsilon:
        return first + draw_below(stream, degree)
    role = nodes.mover[node] if method.side < 0 else method.side
    sign = 1.0 if role == nodes.mover[node] else -1.0
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
            value = initial_value(graph, prior, method, role, nodes.child[edge])
            if np.isnan(value):
                return np.int64(FAILED)
        elif method.keyed_by == AFTERSTATES:
            value = method.default
        else:
            continue
        value *= sign
        if value > best:
            best, ties, choice = value, 1, np.int64(edge)
        elif value == best:
            ties += 1
            if draw_below(stream, ties) == 0:
                choice = np.int64(edge)
    return choice


# ── learning ────────────────────────────────────────────────────────────────────────


@lean_part
def at_risk(error, risk):
    """The transformation of temporal differences of Mihatsch and Neuneier (2002)."""
    return (1.0 - risk) * error if error > 0.0 else (1.0 + risk) * error


@lean_part
def update_afterstates(memory, method, log, count, reward):
    """Equation 2 of Banerjee and Stone (2007), in the order it is written."""
    cells = log.path
    for t in range(count):
        following = memory.values[cells[t + 1]] if t + 1 < count else 0.0
        earned = log.earned[t] + (reward if t + 1 == count else 0.0)
        error = earned + method.discount * following - memory.values[cells[t]]
        error = at_risk(error, method.risk)
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
        earned = log.earned[t] + (reward if t + 1 == count else 0.0)
        cell = find_cell(nodes, memory, method, node, edge)
        value = memory.values[cell]
        target = earned + method.discount * best_after
        if method.risk != 0.0:
            target = value + at_risk(target - value, method.risk)
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
def prepare_table(graph, memory, method, prior, role, log, count):
    """Make sure that a match can be folded in; a status.

    What is made for moves in sight stays: it would be made again all the same.
    """
    nodes = graph.nodes
    edges = log.edges
    fresh = log.fresh
    log.trouble[1] = role
    if method.on_sight:
        status = _consider(graph, memory, method, prior, role, log, count)
        if status != FINE:
            return status
    if memory.used[0] + count + 1 > memory.values.shape[0]:
        return NO_CELLS
    for t in range(count - 1, -1, -1):  # patterns may be made of those further on
        fresh[t] = method.default
        if method.keyed_by == ACTIONS:
            continue
        if find_cell(nodes, memory, method, log.nodes[t], edges[t]) < 0:
            child = nodes.child[edges[t]]
            fresh[t] = initial_value(graph, prior, method, role, child)
            if np.isnan(fresh[t]):
                log.trouble[0] = child
                return NO_SHAPE
    return FINE


@lean_part
def fold_into_table(nodes, memory, method, role, log, count, end):
    """Learn from a match, once all is prepared.  end: the terminal node"""
    edges = log.edges
    fresh = log.fresh
    reward = np.float64(nodes.goals[end, role])
    cells = log.path
    for t in range(count):
        cell = find_cell(nodes, memory, method, log.nodes[t], edges[t])
        if cell < 0:
            cell = _add_cell(nodes, memory, method, log.nodes[t], edges[t], fresh[t])
        cells[t] = cell
    if method.keyed_by == ACTIONS:
        update_actions(nodes, memory, method, log, count, reward)
        return
    if method.keeps_end and (count == 0 or nodes.child[edges[count - 1]] != end):
        cells[count] = _end_cell(nodes, memory, method, role, end)
        count += 1
    for t in range(count):
        memory.visits[cells[t]] += np.uint32(1)
    update_afterstates(memory, method, log, count, reward)


@lean_part
def _consider(graph, memory, method, prior, role, log, count):
    """Make cells for every afterstate that was in sight in a match; a status."""
    nodes = graph.nodes
    for t in range(count):
        node = log.nodes[t]
        first = nodes.first[node]
        for edge in range(first, first + nodes.degree[node]):
            if find_cell(nodes, memory, method, node, edge) >= 0:
                continue
            child = nodes.child[edge]
            value = initial_value(graph, prior, method, role, child)
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
