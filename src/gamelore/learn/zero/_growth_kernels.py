"""Grow the trees of many matches: one leaf of each in a pass of the circuit.

B matches, R roles, K words per position, W words for a bit per move.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamelore.circuit.program import GOALS, LEGAL
from gamelore.engine.compiled._kernels import (
    LANES,
    clear_moves,
    gather_by,
    read_goals,
    run_phase,
)
from gamelore.engine.compiled._pass_kernels import (
    find_ended,
    has_ended,
    list_moves,
    load_lanes,
    make_moves,
)
from gamelore.kernels import lean, lean_function, lean_part
from gamelore.learn.zero._forest_kernels import (
    EDGES,
    EXPANDED,
    FULL,
    NO_NODE,
    NODES,
    NOT_PROVEN,
    PROVEN,
    add_child,
    back_up,
    clear_node,
    descend,
    draw_noise,
)
from gamelore.values._policy_value_kernels import (
    evaluate_units,
    evaluate_values,
    move_logit,
)

FINE, STUCK = 0, 1
"""What came of a search: a role may have no legal move before the end."""

_NONE = np.uint64(0)
_ONE = np.uint64(1)


class Passes(NamedTuple):
    """Working arrays for passes of the circuit, of one thread."""

    words: np.ndarray  # uint64 [S, 8]   512 lanes
    rows: np.ndarray  # uint64 [512, K]
    legal: np.ndarray  # uint64 [512, W]
    joint: np.ndarray  # int32 [512, R]   moves, of all moves of all roles
    lanes: np.ndarray  # int32 [512]   the match of each lane
    ended: np.ndarray  # uint64 [8]
    block: np.ndarray  # uint64 [64]
    goals: np.ndarray  # int16 [512, R]   of lanes that have ended
    listed: np.ndarray  # int32 [M]   legal moves of a position
    ends: np.ndarray  # int32 [R]   where each role's end
    scale: (
        np.ndarray
    )  # float64 [R, 2]   lowest goal, and what a point above it is worth
    sides: np.ndarray  # int32 [2]   roles of the first and of the second view, or -1


# ── passes ──────────────────────────────────────────────────────────────────────────


@lean_function
def advance_lanes(program, passes, count):
    """Make a joint move in each of the first lanes; `rows` then has the successors."""
    words = passes.words
    load_lanes(program, passes, count)
    clear_moves(program, np.uint64(words.ctypes.data))
    for lane in range(count):
        bit = _ONE << np.uint64(lane & 63)
        for role in range(passes.joint.shape[1]):
            words[program.first_move + passes.joint[lane, role], lane >> 6] |= bit
    make_moves(program, passes, count)


@lean_function
def view_lanes(program, passes, count):
    """Find ends, goals and legal moves of the positions in the first lanes."""
    words = passes.words
    base = np.uint64(words.ctypes.data)
    if find_ended(program, passes, count):
        run_phase(program, base, GOALS)
        for lane in range(count):
            if has_ended(passes, lane):
                read_goals(program, words, lane, passes.goals[lane])
    run_phase(program, base, LEGAL)
    gather_by(words, program.legal, passes.block, passes.legal[:count])


@lean_part
def scaled_goal(passes, lane, role):
    """Return the goal of a role in a lane that has ended, in 0 to 1."""
    goal = np.float64(passes.goals[lane, role])
    if goal < 0.0 or passes.scale[role, 1] == 0.0:
        return 0.5
    return (goal - passes.scale[role, 0]) * passes.scale[role, 1]


@lean_part
def list_all_moves(program, passes, lane):
    """List the legal moves in a lane, role by role; return whether each has one."""
    list_moves(program, passes, lane)
    first = 0
    for role in range(passes.ends.shape[0]):
        if passes.ends[role] == first:
            return False
        first = passes.ends[role]
    return True


@lean_part
def find_view(passes):
    """Return the view of a position whose moves are listed.

    It is the second where only the second player has a choice.
    """
    first, second = passes.sides[0], passes.sides[1]
    if second < 0:
        return np.int32(0)
    seconds = _count(passes, second) > 1 and _count(passes, first) <= 1
    return np.int32(1) if seconds else np.int32(0)


@lean_part
def _count(passes, role):
    return passes.ends[role] - (passes.ends[role - 1] if role else 0)


# ── growing ─────────────────────────────────────────────────────────────────────────


@lean_part
def _expand(program, network, forest, passes, lane, node):
    """Evaluate the position in a lane, and give its node edges; return a status."""
    b = passes.lanes[lane]
    row = forest.rows[b, node]
    for word in range(row.shape[0]):
        row[word] = passes.rows[lane, word]
    if has_ended(passes, lane):
        for role in range(passes.ends.shape[0]):
            forest.values[b, node, role] = scaled_goal(passes, lane, role)
        forest.status[b, node] = PROVEN
        return FINE
    if not list_all_moves(program, passes, lane):
        return STUCK
    view = find_view(passes)
    evaluate_units(network, view, row)
    evaluate_values(network, view)
    first = 0
    room = forest.used[b, EDGES] + passes.ends[passes.ends.shape[0] - 1]
    fits = room <= forest.move.shape[1]
    forest.status[b, node] = EXPANDED if fits else FULL
    for role in range(passes.ends.shape[0]):
        forest.values[b, node, role] = network.buffers.values[role]
        if fits:
            _make_edges(network, forest, passes, (b, node, role), first, view)
        first = passes.ends[role]
    return FINE


@lean_part
def _make_edges(network, forest, passes, place, first, view):
    """Make an edge for each move of a role, with the logarithm of its probability."""
    b, node, role = place
    edge = forest.used[b, EDGES]
    end = passes.ends[role]
    forest.first[b, node, role] = edge
    forest.counts[b, node, role] = end - first
    forest.used[b, EDGES] += end - first
    highest = -np.inf
    for i in range(first, end):
        move = passes.listed[i]
        logit = np.float64(move_logit(network, view, move)) if end - first > 1 else 0.0
        forest.move[b, edge] = move
        forest.logit[b, edge] = logit
        forest.tries[b, edge] = 0
        forest.sums[b, edge] = 0.0
        forest.exact[b, edge] = NOT_PROVEN
        highest = max(highest, logit)
        edge += 1
    total = 0.0
    for e in range(forest.first[b, node, role], edge):
        total += math.exp(forest.logit[b, e] - highest)
    for e in range(forest.first[b, node, role], edge):
        forest.logit[b, e] -= highest + math.log(total)
        forest.prior[b, e] = math.exp(forest.logit[b, e])


@lean
def grow_roots(program, network, forest, rule, passes, span):
    """Begin trees with the positions in node 0 of matches first … end; draw noise.

    span: (first, end). Returns a status, and a match where a role is stuck.
    """
    for start in range(span[0], span[1], LANES):
        count = min(LANES, span[1] - start)
        for lane in range(count):
            b = start + lane
            passes.lanes[lane] = b
            for word in range(passes.rows.shape[1]):
                passes.rows[lane, word] = forest.rows[b, 0, word]
        load_lanes(program, passes, count)
        view_lanes(program, passes, count)
        for lane in range(count):
            b = start + lane
            forest.used[b, NODES] = 1
            forest.used[b, EDGES] = 0
            clear_node(forest, b, 0)
            if _expand(program, network, forest, passes, lane, 0) != FINE:
                return STUCK, b
            if forest.status[b, 0] == EXPANDED:
                draw_noise(forest, rule, b)
    return FINE, 0


@lean
def grow(program, network, forest, rule, passes, span):
    """Search the trees of matches first … end, whose roots have been expanded.

    span: (first, end). Returns a status, and a match where a role is stuck.
    """
    for simulation in range(rule.simulations):
        for start in range(span[0], span[1], LANES):
            count = 0
            for b in range(start, min(start + LANES, span[1])):
                if forest.status[b, 0] != EXPANDED:
                    continue
                if descend(forest, rule, b, simulation) != NO_NODE:
                    back_up(forest, rule, b)
                    continue
                _put_lane(forest, passes, b, count)
                count += 1
            if count == 0:
                continue
            advance_lanes(program, passes, count)
            view_lanes(program, passes, count)
            for lane in range(count):
                b = passes.lanes[lane]
                node = add_child(forest, b)
                if _expand(program, network, forest, passes, lane, node) != FINE:
                    return STUCK, b
                back_up(forest, rule, b)
    return FINE, 0


@lean_part
def _put_lane(forest, passes, b, lane):
    """Have the last joint move of a descent made in a lane."""
    place = forest.depth[b] - 1
    parent = forest.path[b, place]
    passes.lanes[lane] = b
    for word in range(passes.rows.shape[1]):
        passes.rows[lane, word] = forest.rows[b, parent, word]
    for role in range(passes.joint.shape[1]):
        passes.joint[lane, role] = forest.move[b, forest.chosen[b, place, role]]
