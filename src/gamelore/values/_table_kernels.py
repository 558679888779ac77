"""Tables of values: how they are looked up, and how moves are chosen by them.

N nodes and E edges of the state graph, C cells of the table, K words per position.
A learner keys its cells by afterstate (a node) or by action (an edge); everything else
is the same for both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore._hash_kernels import add_row, find_row
from gamelore._random_kernels import draw_below, draw_unit
from gamelore.graph._kernels import ENDED
from gamelore.graph._lookahead_kernels import look_ahead
from gamelore.graph._pattern_kernels import NO_SHAPE, Shapes, find_shape
from gamelore.kernels import lean_function, lean_part
from gamelore.search._policy_kernels import FAILED

AFTERSTATES, ACTIONS = range(2)
"""What a cell stands for."""

DEFAULT, LOOKAHEAD, PATTERNS = range(3)
"""Where initial values come from."""

UNLINKED, ABSENT = -1, -2
"""In place of a cell: not looked for yet, and known not to be there."""

TABLE_FULL = 64
"""A status besides those of the state graph."""


class TableArrays(NamedTuple):
    """A table, and which cell belongs to which node or edge."""

    rows: np.ndarray  # uint64 [C, K or K + 1]   positions; for actions, the move too
    slots: np.ndarray  # int32 [power of two]   hash table: cell + 1, or 0
    values: np.ndarray  # float64 [C]
    visits: np.ndarray  # uint32 [C]
    used: np.ndarray  # int64 [1]   cells in use
    link: np.ndarray  # int32 [N or E]   cells, UNLINKED or ABSENT
    key: np.ndarray  # uint64 [K or K + 1]   buffer for the key being looked for


class PatternPriors(NamedTuple):
    """Initial values by tree pattern."""

    shapes: Shapes
    values: np.ndarray  # float64 [·]   per pattern, its value, not a number where
    # there is none, or infinity where Python must compute it


class TableValues(NamedTuple):
    """The values of one role's moves: those in its table, and initial ones."""

    role: int
    table: TableArrays
    priors: PatternPriors


# ── cells ───────────────────────────────────────────────────────────────────────────


@lean_part
def _link_index(nodes, keyed_by, edge):
    """Return where an edge's cell is linked from."""
    return np.int64(nodes.child[edge]) if keyed_by == AFTERSTATES else np.int64(edge)


@lean_part
def _write_key(nodes, table, keyed_by, node, edge):
    """Put the row that an edge's cell is stored under into `table.key`."""
    words = nodes.rows.shape[1]
    key = table.key
    source = nodes.child[edge] if keyed_by == AFTERSTATES else node
    for word in range(words):
        key[word] = nodes.rows[source, word]
    if keyed_by == ACTIONS:
        key[words] = np.uint64(nodes.move[edge])


@lean_part
def find_cell(nodes, table, keyed_by, node, edge):
    """Return the cell of an edge, or ABSENT."""
    index = _link_index(nodes, keyed_by, edge)
    cell = table.link[index]
    if cell == UNLINKED:
        _write_key(nodes, table, keyed_by, node, edge)
        found = find_row(table.slots, table.rows, table.key)
        cell = np.int32(found) if found >= 0 else np.int32(ABSENT)
        table.link[index] = cell
    return np.int64(cell)


@lean_part
def add_cell(nodes, table, keyed_by, node, edge, value):
    """Make a cell for an edge that has none, and return it."""
    _write_key(nodes, table, keyed_by, node, edge)
    cell = table.used[0]
    found = find_row(table.slots, table.rows, table.key)
    add_row(table.slots, table.rows, table.key, found, cell)
    table.values[cell] = value
    table.visits[cell] = 0
    table.used[0] += 1
    table.link[_link_index(nodes, keyed_by, edge)] = np.int32(cell)
    return cell


@lean_function
def initial_value(graph, priors, initial, role, node):
    """Return the value of a new afterstate; not a number where buffers were full."""
    nodes = graph.nodes
    if initial.source == DEFAULT and not initial.terminal_lookahead:
        return initial.default
    if nodes.mover[node] == ENDED:
        if initial.terminal_lookahead:
            return np.float64(nodes.goals[node, role])
        return initial.default
    if initial.source == LOOKAHEAD:
        depth, rule = initial.depth, initial.rule
        return look_ahead(graph, role, node, depth, rule, initial.default)
    if initial.source == PATTERNS:
        shape = find_shape(graph, priors.shapes, role, node, initial.depth)
        if shape == NO_SHAPE:
            return np.nan
        known = priors.values
        if shape < known.shape[0] and not np.isnan(known[shape]):
            return np.nan if np.isinf(known[shape]) else known[shape]
    return initial.default


# ── choosing ────────────────────────────────────────────────────────────────────────


@lean_part
def choose_greedily(graph, values, learner, stream, node, epsilon):
    """Return the edge that is ε-greedy by a table: the best with probability 1 - ε.

    Where values are of one role's goals, the other wants the lowest. Ties are broken at
    random. By afterstates, what has no cell has the default value, its initial value if
    candidates are initialised, or its goal if it is a terminal position that is looked
    ahead to; by actions, only moves with a cell are compared. FAILED where an initial
    value could not be found, or no action has a cell.
    """
    nodes, table, initial = graph.nodes, values.table, learner.initial
    first, degree = nodes.first[node], nodes.degree[node]
    if draw_unit(stream) < epsilon:
        return first + draw_below(stream, degree)
    mover = nodes.mover[node]
    role = mover if learner.perspective.role < 0 else learner.perspective.role
    sign = 1.0 if role == mover else -1.0
    best = -np.inf
    ties = 0
    choice = np.int64(FAILED)
    for edge in range(first, first + degree):
        cell = find_cell(nodes, table, learner.keyed_by, node, edge)
        if cell >= 0:
            value = table.values[cell]
        elif initial.candidates or (
            initial.terminal_lookahead and nodes.mover[nodes.child[edge]] == ENDED
        ):
            child = nodes.child[edge]
            value = initial_value(graph, values.priors, initial, role, child)
            if np.isnan(value):
                return np.int64(FAILED)
        elif learner.keyed_by == AFTERSTATES:
            value = initial.default
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
