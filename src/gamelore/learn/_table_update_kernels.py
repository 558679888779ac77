"""How matches update tables: TD(λ) over afterstates, and Q-learning over actions."""

from __future__ import annotations

import numpy as np

from gamelore._hash_kernels import add_row, find_row
from gamelore.graph._kernels import FINE
from gamelore.graph._pattern_kernels import NO_SHAPE
from gamelore.kernels import lean_function, lean_part
from gamelore.learn._learner_kernels import ACTIONS, AFTERSTATES, find_error
from gamelore.values._table_kernels import (
    TABLE_FULL,
    add_cell,
    find_cell,
    initial_value,
)


@lean_part
def update_afterstates(table, rates, trajectory, count, goal):
    """TD(λ): Equation 2 of Banerjee and Stone (2007), in the order it is written."""
    cells = trajectory.cells
    for t in range(count):
        following = table.values[cells[t + 1]] if t + 1 < count else 0.0
        reward = trajectory.rewards[t] + (goal if t + 1 == count else 0.0)
        target = reward + rates.discount * following
        error = find_error(rates, table.values[cells[t]], target)
        weight = rates.step_size
        for p in range(t, -1, -1):
            table.values[cells[p]] += weight * error
            weight *= rates.trace_decay


@lean_part
def update_actions(nodes, table, rates, trajectory, goal):
    """Q-learning: Algorithm 1 of Wang, Emmerich and Plaat (2018), from the end on."""
    count = trajectory.length[0]
    best_after = 0.0
    for t in range(count - 1, -1, -1):
        node, edge = trajectory.nodes[t], trajectory.edges[t]
        reward = trajectory.rewards[t] + (goal if t + 1 == count else 0.0)
        cell = find_cell(nodes, table, ACTIONS, node, edge)
        value = table.values[cell]
        target = reward + rates.discount * best_after
        if rates.risk != 0.0:
            target = value + find_error(rates, value, target)
        table.values[cell] = (1.0 - rates.step_size) * value + rates.step_size * target
        table.visits[cell] += np.uint32(1)
        best_after = -np.inf
        first = nodes.first[node]
        for other in range(first, first + nodes.degree[node]):
            known = find_cell(nodes, table, ACTIONS, node, other)
            if known >= 0:
                best_after = max(best_after, table.values[known])


@lean_part
def prepare_table(graph, values, learner, match, failure):
    """Make sure that a match can be learned from; return a status.

    Cells that are made for candidates stay: they would be made again all the same.
    failure: int64 [2], the node at which it failed and the role that was to learn
    """
    nodes, table, trajectory = graph.nodes, values.table, match.trajectory
    count = trajectory.length[0]
    failure[1] = match.role
    if learner.initial.candidates:
        status = _add_candidates(graph, values, learner, match, failure)
        if status != FINE:
            return status
    if table.used[0] + count + 1 > table.values.shape[0]:
        return np.int64(TABLE_FULL)
    for t in range(count - 1, -1, -1):  # patterns may be made of those further on
        node, edge = trajectory.nodes[t], trajectory.edges[t]
        trajectory.initial[t] = learner.initial.default
        if learner.keyed_by == ACTIONS:
            continue
        if find_cell(nodes, table, AFTERSTATES, node, edge) < 0:
            child = nodes.child[edge]
            initial, priors = learner.initial, values.priors
            value = initial_value(graph, priors, initial, match.role, child)
            if np.isnan(value):
                failure[0] = child
                return np.int64(NO_SHAPE)
            trajectory.initial[t] = value
    return np.int64(FINE)


@lean_function
def _add_candidates(graph, values, learner, match, failure):
    """Make cells for every afterstate that was considered in a match; a status."""
    nodes, table, trajectory = graph.nodes, values.table, match.trajectory
    for t in range(trajectory.length[0]):
        node = trajectory.nodes[t]
        first = nodes.first[node]
        for edge in range(first, first + nodes.degree[node]):
            if find_cell(nodes, table, learner.keyed_by, node, edge) >= 0:
                continue
            child = nodes.child[edge]
            initial, priors = learner.initial, values.priors
            value = initial_value(graph, priors, initial, match.role, child)
            if np.isnan(value):
                failure[0] = child
                return np.int64(NO_SHAPE)
            if table.used[0] == table.values.shape[0]:
                return np.int64(TABLE_FULL)
            add_cell(nodes, table, learner.keyed_by, node, edge, value)
    return np.int64(FINE)


@lean_part
def update_table(graph, table, shaping, learner, match):
    """Learn from a match, once all is prepared."""
    nodes, trajectory = graph.nodes, match.trajectory
    if shaping.potentials.rewards.shape[0] > 0:
        _find_rewards(graph, shaping, learner, match)
    goal = np.float64(nodes.goals[match.end, match.role])
    cells, count = trajectory.cells, trajectory.length[0]
    for t in range(count):
        node, edge = trajectory.nodes[t], trajectory.edges[t]
        cell = find_cell(nodes, table, learner.keyed_by, node, edge)
        if cell < 0:
            value = trajectory.initial[t]
            cell = add_cell(nodes, table, learner.keyed_by, node, edge, value)
        cells[t] = cell
    if learner.keyed_by == ACTIONS:
        update_actions(nodes, table, learner.rates, trajectory, goal)
        return
    if learner.terminal_afterstate and (
        count == 0 or nodes.child[trajectory.edges[count - 1]] != match.end
    ):
        initial = (
            goal if learner.initial.terminal_lookahead else learner.initial.default
        )
        cells[count] = _terminal_cell(nodes, table, match.end, initial)
        count += 1
    for t in range(count):
        table.visits[cells[t]] += np.uint32(1)
    update_afterstates(table, learner.rates, trajectory, count, goal)


@lean_function
def _find_rewards(graph, shaping, learner, match):
    """Find the shaping reward from each decision to the next, and to the end."""
    nodes, trajectory = graph.nodes, match.trajectory
    shaping.extend(graph.program, nodes, shaping.potentials)
    potential = shaping.potentials.potential
    following = potential[match.end]
    count = trajectory.length[0]
    trajectory.rewards[count] = 0.0
    for t in range(count - 1, -1, -1):
        place = np.int64(trajectory.nodes[t])
        if learner.keyed_by == AFTERSTATES:
            place = np.int64(nodes.child[trajectory.edges[t]])
        trajectory.rewards[t] = following - potential[place]
        following = potential[place]


@lean_part
def _terminal_cell(nodes, table, end, initial):
    """Return the cell of a terminal position that the other player moved to."""
    cell = table.link[end]
    if cell < 0:
        found = find_row(table.slots, table.rows, nodes.rows[end])
        if found < 0:
            cell = np.int32(table.used[0])
            add_row(table.slots, table.rows, nodes.rows[end], found, cell)
            table.values[cell] = initial
            table.visits[cell] = 0
            table.used[0] += 1
        else:
            cell = np.int32(found)
        table.link[end] = cell
    return np.int64(cell)
