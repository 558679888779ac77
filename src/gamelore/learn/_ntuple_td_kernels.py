"""TD(λ) with temporal coherence for n-tuple networks, from the end of a match back.

The target of a position is the λ-return: its successor's value and target, mixed. Where
the successor was chosen at random, the target is the value of the best move, or there
is none; the targets of positions before begin there. Where targets are searched, the
value by that search takes the place of the successor's, also after random moves.
Updates are made at once, the last
position first, so that what a match ended with is known to all positions before.

The error of a position counts as it is, which is the gradient of the cross entropy
between value and target. Each of its S weights takes a step of 4 α / S times the error,
so that α = 1 takes a value near the middle all the way to its target. With temporal
coherence (Beal and Smith 1999) the step is also multiplied by |N| / A of the weight, N
being the sum of its errors so far and A that of their sizes.
"""

from __future__ import annotations

import numpy as np

from gamelore.graph._kernels import ENDED, FINE
from gamelore.kernels import lean_part
from gamelore.learn._learner_kernels import LARGEST_ERROR, find_error
from gamelore.learn._ntuple_search_kernels import ANYTHING, search_value
from gamelore.values._function_kernels import DIVERGED, terminal_reward
from gamelore.values._ntuple_kernels import (
    find_places,
    find_view,
    move_reference,
    shift_places,
    sum_weights,
)
from gamelore.values._unit_kernels import SIGMOID, ZERO, activate


@lean_part
def _list_positions(nodes, function, match):
    """List the positions to learn from; return how many, and if the end was random."""
    trajectory, positions = match.trajectory, function.workspace.positions
    length = 0
    ended_at_random = False
    for t in range(trajectory.length[0]):
        child = nodes.child[trajectory.edges[t]]
        if nodes.mover[child] == ENDED:
            ended_at_random = trajectory.explored[t] != 0
            continue
        positions.nodes[length] = child
        positions.steps[length] = np.float64(trajectory.explored[t])
        length += 1
    return length, ended_at_random


@lean_part
def _find_match_places(nodes, function, length):
    """Find the places of all slots in all positions of the match."""
    tuples, buffers = function.weights.tuples, function.workspace.tuples
    positions = function.workspace.positions.nodes
    for t in range(length):
        row = nodes.rows[positions[t]]
        view = find_view(tuples, row)
        coding = tuples.codings[view]
        buffers.match_views[t] = view
        before = -1
        for back in range(1, 3):  # the coding may be that of every other position
            same = tuples.codings[buffers.match_views[max(0, t - back)]] == coding
            if t >= back and before < 0 and same:
                before = t - back
        places = buffers.match_places[t]
        if before < 0:
            find_places(tuples, coding, row, places)
        else:
            for slot in range(places.shape[0]):
                places[slot] = buffers.match_places[before, slot]
            old = nodes.rows[positions[before]]
            shift_places(tuples, coding, old, row, places)


@lean_part
def _update_weights(function, view, places, error, step):
    """Have the weights of a position take their share of an error."""
    tuples = function.weights.tuples
    push = tuples.signs[view] * np.float32(error)
    size = abs(push)
    share = np.float32(4.0 * step) / np.float32(places.shape[0])
    for slot in range(places.shape[0]):
        place = tuples.bases[view, slot] + places[slot]
        if function.shape.coherence:
            total = tuples.changes[place, 1]
            rate = share
            if total > ZERO:
                rate = share * abs(tuples.changes[place, 0]) / total
            tuples.changes[place, 0] += push
            tuples.changes[place, 1] = total + size
            tuples.weights[place] += rate * push
        else:
            tuples.weights[place] += share * push


@lean_part
def _learn_child(nodes, function, rates, child, target):
    """Update a successor of a position of the match."""
    tuples = function.weights.tuples
    move_reference(nodes, function, child)
    view = find_view(tuples, nodes.rows[child])
    places = function.workspace.tuples.places[tuples.codings[view]]
    total = tuples.signs[view] * sum_weights(tuples, view, places)
    value, _ = activate(SIGMOID, total)
    error = find_error(rates, value, target)
    _update_weights(function, view, places, error, rates.step_size)


@lean_part
def _search_children(nodes, function, learner, node, match):
    """Return a node's value by search; its open successors learn theirs from it."""
    updates, chance = function.updates, learner.perspective.chance
    viewer = np.int64(match.role), np.int64(chance)
    mover, degree = nodes.mover[node], nodes.degree[node]
    best, total = -np.inf, 0.0
    sign = 1.0 if mover == match.role else -1.0
    depth = np.int64(updates.search_depth) - 1
    for i in range(degree):
        child = np.int64(nodes.child[nodes.first[node] + i])
        value = search_value(nodes, function, viewer, child, depth, ANYTHING)
        total += value
        best = max(best, sign * value)
        if nodes.mover[child] != ENDED:
            _learn_child(nodes, function, learner.rates, child, value)
    return total / degree if mover == chance else sign * best


@lean_part
def _search(nodes, function, learner, node, match):
    """Return the value of a node by the search that targets are made with."""
    if function.updates.tree_updates:
        return _search_children(nodes, function, learner, node, match)
    viewer = np.int64(match.role), np.int64(learner.perspective.chance)
    depth = np.int64(function.updates.search_depth)
    return search_value(nodes, function, viewer, node, depth, ANYTHING)


def update_tuple_td(program, nodes, function, learner, match):
    """Learn from a match by TD(λ); return FINE or DIVERGED."""
    rates = learner.rates
    tuples, buffers = function.weights.tuples, function.workspace.tuples
    is_random = function.workspace.positions.steps
    length, cut = _list_positions(nodes, function, match)
    if rates.step_size == 0.0:
        return np.int64(FINE)
    best_after_random = function.updates.best_after_random
    searches = function.updates.search_depth > 1
    chance = learner.perspective.chance
    function.workspace.summed[0] = -1
    _find_match_places(nodes, function, length)
    target = terminal_reward(nodes, function, match.end, match.role)
    for t in range(length - 1, -1, -1):
        node = np.int64(function.workspace.positions.nodes[t])
        if searches:
            searched = _search(nodes, function, learner, node, match)
            kept = 0.0 if cut else rates.trace_decay
            target = searched + kept * (target - searched)
            cut = False
        elif cut and best_after_random and nodes.mover[node] != chance:
            viewer, one = (np.int64(match.role), np.int64(chance)), np.int64(1)
            target = search_value(nodes, function, viewer, node, one, ANYTHING)
            cut = False
        view, places = buffers.match_views[t], buffers.match_places[t]
        total = tuples.signs[view] * sum_weights(tuples, view, places)
        value, _ = activate(SIGMOID, total)
        if not abs(total) < LARGEST_ERROR:
            return np.int64(DIVERGED)
        if cut:
            target = value
        else:
            error = find_error(rates, value, target)
            _update_weights(function, view, places, error, rates.step_size)
        if not searches and not cut:
            target = value + rates.trace_decay * (target - value)
        target *= rates.discount
        cut = is_random[t] != 0.0
    return np.int64(FINE)
