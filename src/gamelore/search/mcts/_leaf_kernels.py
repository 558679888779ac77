"""Search a tree over an evaluator: many leaves in a batch, and no playouts.

A step selects leaves, as many as a batch holds, and expands them. Their children are
new nodes, which the evaluator values before the tickets of the leaves are paid out.

n positions, K words per position.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.engine.compiled._feature_kernels import spread
from gamelore.engine.compiled._kernels_64 import LANES
from gamelore.kernels import lean, lean_part
from gamelore.search.mcts._expansion_kernels import FINE, expand_queue
from gamelore.search.mcts._tree_kernels import (
    CHANCE,
    EXPAND_AFTER,
    EXPANDED,
    OPEN,
    PLAYOUTS,
    PROVEN,
    QUEUE,
    QUEUED,
    ROOT,
    SIMULTANEOUS,
    back_up,
    descend,
)


class Positions(NamedTuple):
    """Positions that an evaluator's kernel values, and its working arrays."""

    rows: np.ndarray  # uint64 [n, K]
    moved: np.ndarray  # int16 [n]   the role whose move led there; below 0, several
    values: np.ndarray  # float64 [n]   the result
    block: np.ndarray  # uint64 [64]


@lean
def evaluate_rows(program, evaluate, data, batch, positions, role):
    """Evaluate positions for a role, at most 64 after moves of the same role at once.

    evaluate: the evaluator's function; data, batch: what it takes
    """
    rows, moved = positions.rows, positions.moved
    first = 0
    while first < rows.shape[0]:
        end = first + 1
        while (
            end < rows.shape[0] and moved[end] == moved[first] and end < first + LANES
        ):
            end += 1
        count = end - first
        spread(program, batch.words, rows, first, count, positions.block)
        for lane in range(count):
            for word in range(rows.shape[1]):
                batch.rows[lane, word] = rows[first + lane, word]
        mover = np.int64(moved[first])
        evaluate(program, data, batch, count, mover if mover >= 0 else role, role)
        for lane in range(count):
            positions.values[first + lane] = batch.values[lane]
        first = end
    return np.int64(FINE)


@lean
def select_leaves(program, tree, buffers, batch):
    """Descend to so many leaves, and expand them.

    Returns the status of the expansion; tickets of open leaves wait for estimates.
    """
    nodes, tickets, state = tree.nodes, tree.tickets, tree.state
    if state[QUEUE] and nodes.status[state[ROOT]] == QUEUED:
        return expand_queue(program, tree, buffers)
    for ticket in range(batch):
        if nodes.status[state[ROOT]] == PROVEN:
            break
        leaf = descend(tree, ticket)
        state[PLAYOUTS] += 1
        if nodes.status[leaf] == PROVEN:
            back_up(tree, ticket)
            continue
        tickets.left[ticket] = 1
        if nodes.status[leaf] == OPEN and nodes.begun[leaf] > state[EXPAND_AFTER]:
            nodes.status[leaf] = QUEUED
            tree.queue[state[QUEUE]] = leaf
            state[QUEUE] += 1
    if state[QUEUE] == 0:
        return np.int64(FINE)
    return expand_queue(program, tree, buffers)


@lean
def pay_out(tree):
    """Back up every leaf that waits, by the estimate of its best child."""
    tickets = tree.tickets
    for ticket in range(tickets.left.shape[0]):
        if tickets.left[ticket] == 0:
            continue
        leaf = np.int64(tickets.nodes[ticket, tickets.depth[ticket]])
        if tree.nodes.status[leaf] == EXPANDED and tree.nodes.visits[leaf] == 0:
            _take_best(tree, leaf)
        back_up(tree, ticket)


@lean_part
def _take_best(tree, leaf):
    """Set the estimate of a leaf to that of the child that its mover likes best."""
    nodes, edges, estimates = tree.nodes, tree.edges, tree.estimates
    mover = np.int64(nodes.mover[leaf])
    if mover == SIMULTANEOUS or mover == tree.state[CHANCE]:
        return
    best = np.int64(-1)
    highest = -np.inf
    for edge in range(nodes.first[leaf], nodes.first[leaf] + nodes.degree[leaf]):
        child = np.int64(edges.child[edge])
        value = np.float64(estimates[child, mover])
        if nodes.status[child] == PROVEN:
            value = np.float64(nodes.goals[child, mover])
        if value > highest:
            highest = value
            best = child
    if best < 0:
        return
    for role in range(estimates.shape[1]):
        estimates[leaf, role] = estimates[best, role]
        if nodes.status[best] == PROVEN:
            estimates[leaf, role] = nodes.goals[best, role]
