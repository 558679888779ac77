"""What moves lead to: within one turn, and by a search of fixed depth.

N nodes, E edges, R roles.
"""

from __future__ import annotations

import numpy as np

from gamelore.graph._kernels import ENDED, FINE, UNSEEN, ensure_expanded
from gamelore.kernels import lean_function, lean_part

# ── one turn ahead ──────────────────────────────────────────────────────────────────

LOSING, OPEN, WINNING = range(3)
"""One-ply outcomes of a move: the other can win at once, neither, or the mover won."""


@lean_part
def find_move_outcomes(graph, best, worst, node):
    """Find the one-ply outcome of each move of a node, for the role that moves.

    best, worst: int16 [R]   each role's highest and lowest goal
    """
    nodes = graph.nodes
    status = ensure_expanded(graph, node)
    if status != FINE:
        return status
    mover = nodes.mover[node]
    first = nodes.first[node]
    if mover == ENDED or nodes.outcome[first] != UNSEEN:
        return np.int64(FINE)
    for edge in range(first, first + nodes.degree[node]):
        child = nodes.child[edge]
        if nodes.mover[child] == ENDED:
            nodes.outcome[edge] = _classify_goal(
                nodes.goals[child, mover], mover, best, worst
            )
            continue
        status = ensure_expanded(graph, child)
        if status != FINE:
            nodes.outcome[first] = UNSEEN
            return status
        nodes.outcome[edge] = OPEN
        if nodes.mover[child] == mover:
            continue
        start = nodes.first[child]
        for reply in range(start, start + nodes.degree[child]):
            leaf = nodes.child[reply]
            if nodes.mover[leaf] == ENDED:
                outcome = _classify_goal(nodes.goals[leaf, mover], mover, best, worst)
                if outcome == LOSING:
                    nodes.outcome[edge] = LOSING
                    break
    return np.int64(FINE)


@lean_part
def _classify_goal(goal, role, best, worst):
    """Return the outcome that a goal is to a role."""
    if best[role] == worst[role]:
        return OPEN
    if goal == best[role]:
        return WINNING
    return LOSING if goal == worst[role] else OPEN


# ── search of a fixed depth ─────────────────────────────────────────────────────────

MINIMAX, MAXMAX, AVGMAX = range(3)
"""What the others do in a lookahead: their best, our best, or anything."""


@lean_function
def look_ahead(graph, role, node, depth, rule, unknown):
    """Return a node's value for a role by a search of fixed depth.

    Terminal nodes have their goal, open leaves the value `unknown`. Not a number where
    a node could not be expanded.
    """
    nodes = graph.nodes
    mover = nodes.mover[node]
    if mover == ENDED:
        return np.float64(nodes.goals[node, role])
    if depth == 0:
        return np.float64(unknown)
    if ensure_expanded(graph, node) != FINE:
        return np.nan
    mover = nodes.mover[node]
    first = nodes.first[node]
    highest, lowest, total = -np.inf, np.inf, 0.0
    for edge in range(first, first + nodes.degree[node]):
        child = nodes.child[edge]
        value = look_ahead(graph, role, child, depth - 1, rule, unknown)
        highest, lowest, total = max(highest, value), min(lowest, value), total + value
    if np.isnan(total):
        return np.nan
    if mover == role or rule == MAXMAX:
        return highest
    if rule == MINIMAX:
        return lowest
    return total / nodes.degree[node]
