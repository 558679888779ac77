"""The policies of training opponents, over a state graph.  N nodes, E edges, R roles.

Every choice is an edge of the state graph, or FAILED where a node could not be
expanded.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gamelore._random_kernels import draw, draw_below, draw_unit
from gamelore.engine.compiled._kernels import (
    LANES,
    WORDS,
    Tally,
    gather_starts,
    play_out,
)
from gamelore.graph._kernels import ENDED, FINE, ensure_expanded
from gamelore.graph._lookahead_kernels import (
    LOSING,
    OPEN,
    WINNING,
    find_move_outcomes,
)
from gamelore.kernels import lean, lean_function, lean_part, part

RANDOM, NOVICE, WEAK, MINIMAX, MONTE_CARLO = range(5)

FAILED = -1

_LONGEST = 10_000  # moves of a playout
_FOREVER = 2**62  # steps

EXACT, AT_LEAST, AT_MOST = range(3)
"""How the value stored for a node bounds its value."""


class Playouts(NamedTuple):
    """Parameters of playouts."""

    per_move: int
    reset: np.ndarray  # int32 [·]   slots that hold the position a playout starts from
    chance: int  # the role `random`, or -1
    decided: np.ndarray  # int64 [N or none]   edges that Python chose, or FAILED


class PolicyParameters(NamedTuple):
    """The parameters of a policy, and the table of its minimax search."""

    kind: int
    epsilon: float  # how often it moves at random instead
    depth: int  # of minimax
    best: np.ndarray  # int16 [R]   each role's highest goal
    worst: np.ndarray  # int16 [R]   and its lowest
    searched: np.ndarray  # float32 [R, N]   values found by minimax
    searched_depth: np.ndarray  # int8 [R, N]   how deep; 0 where not at all
    searched_bound: np.ndarray  # int8 [R, N]   EXACT, AT_LEAST or AT_MOST
    playouts: Playouts  # of Monte Carlo
    search: Any  # pointer to `search_by_playouts` or one in its place


@lean
def choose_edge(graph, policy, stream, node):
    """Return the edge that a policy takes from a node."""
    nodes = graph.nodes
    if ensure_expanded(graph, node) != FINE:
        return FAILED
    first, degree = nodes.first[node], nodes.degree[node]
    if degree == 1:
        return first
    if policy.kind == RANDOM:
        return first + draw_below(stream, degree)
    if policy.epsilon > 0.0 and draw_unit(stream) < policy.epsilon:
        return first + draw_below(stream, degree)
    if policy.kind == MINIMAX:
        return _choose_by_minimax(graph, policy, stream, node)
    if policy.kind == MONTE_CARLO:
        return choose_by_playouts(graph, policy, stream, node)
    if find_move_outcomes(graph, policy.best, policy.worst, node) != FINE:
        return FAILED
    if policy.kind == NOVICE:
        return _pick_by_outcome(nodes, stream, node, WINNING, LOSING)
    return _pick_by_outcome(nodes, stream, node, LOSING, WINNING)


@lean_part
def _pick_by_outcome(nodes, stream, node, wanted, avoided):
    """Return any edge with the wanted outcome, else any open one, else any."""
    first, degree = nodes.first[node], nodes.degree[node]
    for outcome in (wanted, OPEN, avoided):
        count = 0
        choice = np.int64(FAILED)
        for edge in range(first, first + degree):
            if nodes.outcome[edge] == outcome:
                count += 1
        if count:
            skip = draw_below(stream, count)
            for edge in range(first, first + degree):
                if nodes.outcome[edge] == outcome:
                    if skip == 0:
                        choice = np.int64(edge)
                        break
                    skip -= 1
            return choice
    return first


# ── minimax ─────────────────────────────────────────────────────────────────────────


@lean_part
def _choose_by_minimax(graph, policy, stream, node):
    """Return the edge with the best value, at random among equals."""
    nodes = graph.nodes
    role = nodes.mover[node]
    best = -np.inf
    ties = 0
    choice = np.int64(FAILED)
    first = nodes.first[node]
    for edge in range(first, first + nodes.degree[node]):
        child = nodes.child[edge]
        window = (best, np.inf)
        value = search(graph, policy, role, child, policy.depth - 1, window)
        if np.isnan(value):
            return FAILED
        if value > best:
            best, ties, choice = value, 1, np.int64(edge)
        elif value == best:
            ties += 1
            if draw_below(stream, ties) == 0:
                choice = np.int64(edge)
    return choice


@lean_function
def search(graph, policy, role, node, depth, window):
    """Return a node's value to a role that all others play against, by alpha-beta.

    window: low and high. The value is exact between them; a result below low is an
    upper bound, one at or above high a lower bound. Open leaves have the value of the
    middle of the role's goals. nan where a node could not be expanded.
    """
    low, high = window
    nodes = graph.nodes
    if nodes.mover[node] == ENDED:
        return np.float64(nodes.goals[node, role])
    if depth <= 0:
        return (np.float64(policy.best[role]) + np.float64(policy.worst[role])) / 2.0
    if policy.searched_depth[role, node] == depth:
        known = np.float64(policy.searched[role, node])
        bound = policy.searched_bound[role, node]
        if bound == EXACT:
            return known
        if bound == AT_LEAST and known >= high:
            return known
        if bound == AT_MOST and known < low:
            return known
    if ensure_expanded(graph, node) != FINE:
        return np.nan
    ours = nodes.mover[node] == role
    value = -np.inf if ours else np.inf
    alpha, beta = low, high
    first = nodes.first[node]
    for edge in range(first, first + nodes.degree[node]):
        child = nodes.child[edge]
        below = search(graph, policy, role, child, depth - 1, (alpha, beta))
        if np.isnan(below):
            return np.nan
        if ours:
            value = max(value, below)
            alpha = max(alpha, value)
            if value >= high:
                break
        else:
            value = min(value, below)
            beta = min(beta, value)
            if value < low:
                break
    bound = EXACT
    if value >= high:
        bound = AT_LEAST
    elif value < low:
        bound = AT_MOST
    policy.searched[role, node] = value
    policy.searched_depth[role, node] = depth
    policy.searched_bound[role, node] = bound
    return value


# ── Monte Carlo ─────────────────────────────────────────────────────────────────────


@lean_part
def choose_by_playouts(graph, policy, stream, node):
    """Return the edge that playouts choose."""
    return policy.search(graph.program, graph.nodes, policy.playouts, stream, node)


def search_by_playouts(program, nodes, playouts, stream, node):
    """Return the edge with the best mean goal in playouts, at random among equals.

    Plays out every move of an expanded node; kernels call it by a pointer.
    """
    if nodes.expansion.words512.shape[0] == 0:
        return np.int64(FAILED)
    first, degree = nodes.first[node], nodes.degree[node]
    role = nodes.mover[node]
    sums = np.zeros(degree)
    open_moves = np.empty(degree, np.int64)
    rows = np.empty((degree, nodes.rows.shape[1]), np.uint64)
    n = 0
    for i in range(degree):
        child = nodes.child[first + i]
        if nodes.mover[child] == ENDED:
            sums[i] = np.float64(nodes.goals[child, role]) * playouts.per_move
        else:
            open_moves[n] = i
            rows[n] = nodes.rows[child]
            n += 1
    if n:
        per_move, reset = playouts.per_move, playouts.reset
        tally = play_from(
            program, nodes.expansion.words512, reset, stream, rows[:n], per_move
        )
        for i in range(n):
            sums[open_moves[i]] = tally.goal_sums[i, role]
    return first + pick_best(stream, sums)


def recall_decision(program, nodes, playouts, stream, node):
    """Return the edge that Python chose at a node, or FAILED to ask it."""
    if node < playouts.decided.shape[0]:
        return playouts.decided[node]
    return np.int64(FAILED)


@part
def pick_best(stream, values):
    """Return the index of the highest value, at random among equals."""
    best = -np.inf
    ties = 0
    choice = 0
    for i in range(values.shape[0]):
        if values[i] > best:
            best, ties, choice = values[i], 1, i
        elif values[i] == best:
            ties += 1
            if draw_below(stream, ties) == 0:
                choice = i
    return choice


@part
def play_from(program, words, reset, stream, rows, playouts):
    """Return the tally of so many random playouts from each row, uint64 [n, K]."""
    # Two starts at least, since with one alone the kernel keeps no sums per start.
    n = max(rows.shape[0], 2)
    # Contents of idle lanes affect how many random numbers are drawn.
    words[:, :] = np.uint64(0)
    starts = np.zeros((n, (reset.shape[0] + 63) // 64), np.uint64)
    literals = np.empty(reset.shape[0], np.int32)
    for i in range(reset.shape[0]):
        literals[i] = 2 * reset[i]
    gather_starts(program, words, rows, literals, starts[: rows.shape[0]])
    generators = aligned_words(16)
    for i in range(16):
        generators[i] = draw(stream)
    roles = program.goal_ends.shape[0]
    tally = Tally(
        starts,
        reset,
        np.zeros(LANES, np.int32),
        np.zeros(LANES, np.int64),
        aligned_words(WORDS),
        aligned_words(WORDS),
        aligned_words(WORDS),
        np.zeros((n, roles)),
        np.zeros((n, roles)),
        np.zeros(n, np.int64),
        np.zeros(program.goals.shape[0], np.int64),
        np.zeros(_LONGEST + 1, np.int64),
        np.zeros(1, np.int64),
        np.zeros(3, np.int64),
        playouts,
    )
    total = rows.shape[0] * playouts
    play_out(program, words, generators.reshape(4, 4), tally, total, _FOREVER)
    return tally


@part
def aligned_words(count):
    """Return zeros, uint64 [count], that begin at a cache line."""
    words = np.zeros(count + 8, np.uint64)
    beyond = np.int64(np.uint64(words.ctypes.data) & np.uint64(63))
    skip = ((64 - beyond) & 63) >> 3
    return words[skip : skip + count]
