"""Small search trees of many matches: select a leaf in each, back up its values.

Every role chooses for itself (decoupled selection); in most positions one role has a
choice. Below the root, and at the root by one of two rules: PUCT, or Gumbel search
(Danihelka et al. 2022), where candidates are drawn without replacement and halved.

B matches, N nodes and E edges of each, R roles, K words per position, D plies. Node 0
is the root. An edge is a move of one role. Values are goals, scaled to 0 to 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gamelore._random_kernels import draw_below, draw_unit
from gamelore.kernels import lean_function, lean_part

GUMBEL, PUCT = range(2)
"""Rules of selection."""

OPEN, EXPANDED, FULL, PROVEN = range(4)
"""What is known of a node: FULL has a value, but no room for its edges."""

NODES, EDGES = range(2)
"""Indices into what is used."""

NOT_PROVEN = -1.0
NO_NODE = np.int32(-1)


class Forest(NamedTuple):
    """The trees of B matches."""

    rows: np.ndarray  # uint64 [B, N, K]
    status: np.ndarray  # int8 [B, N]
    visits: np.ndarray  # int32 [B, N]
    values: np.ndarray  # float64 [B, N, R]   the network's; exact where proven
    first: np.ndarray  # int32 [B, N, R]   each role's first edge
    counts: np.ndarray  # int32 [B, N, R]   its legal moves
    child: np.ndarray  # int32 [B, N]   the child that was added last
    sibling: np.ndarray  # int32 [B, N]   that before it
    key: np.ndarray  # int64 [B, N]   the number of the joint move that leads there
    used: np.ndarray  # int32 [B, 2]   nodes and edges
    move: np.ndarray  # int32 [B, E]   of all moves of all roles
    logit: np.ndarray  # float64 [B, E]   the logarithm of the policy …
    prior: np.ndarray  # float64 [B, E]   … and the policy itself
    tries: np.ndarray  # int32 [B, E]
    sums: np.ndarray  # float64 [B, E]   of values to the role
    exact: np.ndarray  # float64 [B, E]   the proven value, or NOT_PROVEN
    path: np.ndarray  # int32 [B, D]   nodes of the present descent
    chosen: np.ndarray  # int32 [B, D, R]   edges of the joint moves
    depth: np.ndarray  # int32 [B]
    noise: np.ndarray  # float64 [B, E]   of the root's edges
    policy: np.ndarray  # float64 [B, E]   of the root's edges: what the search found
    random: np.ndarray  # uint64 [B, 4]   a stream for each match


class SearchRule(NamedTuple):
    """How trees are searched."""

    kind: int
    simulations: int
    considered: np.ndarray  # int32 [·, simulations]   visits of the edge to be tried
    scale: float  # Gumbel: how much values weigh beside the policy …
    offset: float  # … in visits
    exploration: float  # PUCT: c
    reduction: float  # PUCT: how much less than expected an untried move is worth
    forced: float  # PUCT: k of forced playouts at the root
    noise: float  # the share of Dirichlet noise, or the scale of Gumbel noise
    concentration: float  # of Dirichlet noise, over all moves
    chance: int  # the role `random`, or -1


# ── what edges are worth ────────────────────────────────────────────────────────────


@lean_part
def edge_value(forest, b, edge, unknown):
    """Return the value of an edge to its role; that of an untried one is given."""
    if forest.exact[b, edge] != NOT_PROVEN:
        return forest.exact[b, edge]
    if forest.tries[b, edge] == 0:
        return unknown
    return forest.sums[b, edge] / forest.tries[b, edge]


@lean_part
def mean_value(forest, b, node, role):
    """Return the value of a node to a role: exact, or the mean of what was found."""
    total = forest.values[b, node, role]
    if forest.status[b, node] != EXPANDED:
        return total
    count = 1.0
    first = forest.first[b, node, role]
    for edge in range(first, first + forest.counts[b, node, role]):
        total += forest.sums[b, edge]
        count += forest.tries[b, edge]
    return total / count


@lean_part
def count_tries(forest, b, first, end):
    """Return the tries of edges in all, and of the one with the most."""
    total, most = np.int64(0), np.int64(0)
    for edge in range(first, end):
        tries = np.int64(forest.tries[b, edge])
        total += tries
        most = max(most, tries)
    return total, most


@lean_part
def expected_value(forest, b, node, role, total):
    """Return what untried moves are taken to be worth: the network's value and those
    of tried moves, weighted by the policy (Danihelka et al.: v_mix)."""
    first = forest.first[b, node, role]
    known = forest.values[b, node, role]
    if total == 0:
        return known
    weight, mean = 0.0, 0.0
    for edge in range(first, first + forest.counts[b, node, role]):
        if forest.tries[b, edge] > 0:
            share = forest.prior[b, edge] + 1e-12
            weight += share
            mean += share * edge_value(forest, b, edge, known)
    return (known + total * (mean / weight)) / (1 + total)


@lean_part
def improve_policy(forest, rule, b, node, role):
    """Put the improved policy of a role at a node into `policy`: from its first edge.

    Logits plus values, which weigh more the more there are visits.
    """
    first = forest.first[b, node, role]
    end = first + forest.counts[b, node, role]
    total, most = count_tries(forest, b, first, end)
    unknown = expected_value(forest, b, node, role, total)
    scale = rule.scale * (rule.offset + most)
    highest = -np.inf
    for edge in range(first, end):
        value = edge_value(forest, b, edge, unknown)
        forest.policy[b, edge] = forest.logit[b, edge] + scale * value
        highest = max(highest, forest.policy[b, edge])
    whole = 0.0
    for edge in range(first, end):
        forest.policy[b, edge] = math.exp(forest.policy[b, edge] - highest)
        whole += forest.policy[b, edge]
    for edge in range(first, end):
        forest.policy[b, edge] /= whole
    return total


# ── selection ───────────────────────────────────────────────────────────────────────


@lean_part
def choose_edge(forest, rule, b, node, role, simulation):
    """Return the edge that a role takes at a node."""
    first = forest.first[b, node, role]
    count = forest.counts[b, node, role]
    if count == 1:
        return np.int64(first)
    if role == rule.chance:
        return first + draw_below(forest.random[b], np.int64(count))
    if rule.kind == PUCT:
        return _choose_by_bound(forest, rule, b, node, role)
    if node == 0:
        return _choose_candidate(forest, rule, b, role, simulation)
    return _choose_by_policy(forest, rule, b, node, role)


@lean_part
def _choose_candidate(forest, rule, b, role, simulation):
    """Return the root's edge with the highest score, among those whose turn it is."""
    first = forest.first[b, 0, role]
    end = first + forest.counts[b, 0, role]
    total, most = count_tries(forest, b, first, end)
    unknown = expected_value(forest, b, 0, role, total)
    scale = rule.scale * (rule.offset + most)
    last = rule.considered.shape[0] - 1
    wanted = rule.considered[min(np.int64(end - first), last), simulation]
    best = np.int64(first)
    highest = -np.inf
    for edge in range(first, end):
        score = forest.noise[b, edge] + forest.logit[b, edge]
        score += scale * edge_value(forest, b, edge, unknown)
        if forest.tries[b, edge] != wanted:
            score -= 1e9
        if score > highest:
            highest = score
            best = np.int64(edge)
    return best


@lean_part
def _choose_by_policy(forest, rule, b, node, role):
    """Return the edge that has been taken least beside the improved policy."""
    total = improve_policy(forest, rule, b, node, role)
    first = forest.first[b, node, role]
    best = np.int64(first)
    highest = -np.inf
    for edge in range(first, first + forest.counts[b, node, role]):
        score = forest.policy[b, edge] - forest.tries[b, edge] / (1.0 + total)
        if score > highest:
            highest = score
            best = np.int64(edge)
    return best


@lean_part
def _choose_by_bound(forest, rule, b, node, role):
    """Return the edge with the highest bound: its value and a bonus by its prior."""
    first = forest.first[b, node, role]
    end = first + forest.counts[b, node, role]
    total, _ = count_tries(forest, b, first, end)
    unknown = expected_value(forest, b, node, role, total) - rule.reduction
    factor = rule.exploration * math.sqrt(1.0 + total)
    best = np.int64(first)
    highest = -np.inf
    for edge in range(first, end):
        share = root_share(forest, rule, b, edge, node)
        tries = np.float64(forest.tries[b, edge])
        bound = edge_value(forest, b, edge, unknown) + factor * share / (1.0 + tries)
        if node == 0 and 0.0 < tries < math.sqrt(rule.forced * share * total):
            bound += 1e6
        if bound > highest:
            highest = bound
            best = np.int64(edge)
    return best


@lean_part
def root_share(forest, rule, b, edge, node):
    """Return the prior of an edge, with noise at the root."""
    share = forest.prior[b, edge]
    if node == 0 and rule.noise > 0.0:
        share += rule.noise * (forest.noise[b, edge] - share)
    return share


@lean_part
def descend(forest, rule, b, simulation):
    """Walk down a tree; return the node where it ends, or NO_NODE for a new child.

    Then the last joint move of the path leads to it.
    """
    node = np.int64(0)
    depth = np.int64(0)
    roles = forest.counts.shape[2]
    while True:
        forest.path[b, depth] = node
        if forest.status[b, node] != EXPANDED or depth + 1 == forest.path.shape[1]:
            forest.depth[b] = depth
            return node
        number = np.int64(0)
        for role in range(roles):
            edge = choose_edge(forest, rule, b, node, role, simulation)
            forest.chosen[b, depth, role] = edge
            first, count = forest.first[b, node, role], forest.counts[b, node, role]
            number = number * count + (edge - first)
        child = find_child(forest, b, node, number)
        depth += 1
        if child < 0:
            forest.depth[b] = depth
            forest.key[b, forest.used[b, NODES]] = number
            return np.int64(NO_NODE)
        node = child


@lean_part
def find_child(forest, b, node, number):
    """Return the child by a joint move, or -1."""
    child = np.int64(forest.child[b, node])
    while child >= 0 and forest.key[b, child] != number:
        child = np.int64(forest.sibling[b, child])
    return child


@lean_part
def add_child(forest, b):
    """Add the child that a descent leads to; return its number."""
    depth = forest.depth[b]
    parent = forest.path[b, depth - 1]
    node = forest.used[b, NODES]
    forest.used[b, NODES] += 1
    forest.sibling[b, node] = forest.child[b, parent]
    forest.child[b, parent] = node
    forest.path[b, depth] = node
    clear_node(forest, b, node)
    return np.int64(node)


@lean_part
def clear_node(forest, b, node):
    """Make a node one that nothing is known of."""
    forest.child[b, node] = NO_NODE
    forest.status[b, node] = OPEN
    forest.visits[b, node] = 0


# ── backing up ──────────────────────────────────────────────────────────────────────


@lean_function
def back_up(forest, rule, b):
    """Add the values of the last node of a path to all edges on it."""
    depth = np.int64(forest.depth[b])
    node = np.int64(forest.path[b, depth])
    forest.visits[b, node] += 1
    for place in range(depth - 1, -1, -1):
        parent = np.int64(forest.path[b, place])
        forest.visits[b, parent] += 1
        for role in range(forest.values.shape[2]):
            edge = forest.chosen[b, place, role]
            forest.tries[b, edge] += 1
            forest.sums[b, edge] += forest.values[b, node, role]
        child = np.int64(forest.path[b, place + 1])
        if forest.status[b, child] == PROVEN and _prove(
            forest, rule, b, parent, place, child
        ):
            node = parent  # exact from here on


@lean_part
def _prove(forest, rule, b, parent, place, child):
    """Find what a proven child proves of its parent; return whether it does.

    Where several roles have a choice, or `random` has, nothing is proven.
    """
    chooser = np.int64(-1)
    for role in range(forest.counts.shape[2]):
        if forest.counts[b, parent, role] > 1:
            if chooser >= 0 or role == rule.chance:
                return False
            chooser = np.int64(role)
    best = child
    if chooser >= 0:
        edge = forest.chosen[b, place, chooser]
        forest.exact[b, edge] = forest.values[b, child, chooser]
        best = _find_proof(forest, b, parent, chooser)
        if best < 0:
            return False
    for role in range(forest.values.shape[2]):
        forest.values[b, parent, role] = forest.values[b, best, role]
    forest.status[b, parent] = PROVEN
    return True


@lean_part
def _find_proof(forest, b, parent, chooser):
    """Return the best child if that is certain, or -1."""
    first = forest.first[b, parent, chooser]
    count = forest.counts[b, parent, chooser]
    highest, best = NOT_PROVEN, 0
    unknown = False
    for i in range(count):
        value = forest.exact[b, first + i]
        unknown |= value == NOT_PROVEN
        if value > highest:
            highest = value
            best = i
    if unknown and highest < 1.0:
        return np.int64(-1)
    number = np.int64(0)
    for role in range(forest.counts.shape[2]):  # all others have one move only
        number = number * forest.counts[b, parent, role]
        if role == chooser:
            number += best
    return find_child(forest, b, parent, number)


# ── noise ───────────────────────────────────────────────────────────────────────────


@lean_part
def draw_noise(forest, rule, b):
    """Draw noise for all edges of the root."""
    for role in range(forest.counts.shape[2]):
        first, count = forest.first[b, 0, role], forest.counts[b, 0, role]
        if rule.kind == GUMBEL:
            for edge in range(first, first + count):
                unit = draw_unit(forest.random[b]) + 1e-300
                forest.noise[b, edge] = -rule.noise * math.log(-math.log(unit) + 1e-300)
        elif rule.noise > 0.0:
            total = 0.0
            for edge in range(first, first + count):
                alpha = rule.concentration / count
                forest.noise[b, edge] = _draw_gamma(forest.random[b], alpha)
                total += forest.noise[b, edge]
            for edge in range(first, first + count):
                forest.noise[b, edge] /= max(total, 1e-300)


@lean_part
def _draw_gamma(random, alpha):
    """Return a number from a gamma distribution (Marsaglia and Tsang)."""
    d = alpha + 1.0 - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        radius = math.sqrt(-2.0 * math.log(draw_unit(random) + 1e-300))
        x = radius * math.cos(2.0 * math.pi * draw_unit(random))
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = draw_unit(random) + 1e-300
        if math.log(u) < 0.5 * x * x + d - d * v + d * math.log(v):
            return d * v * math.pow(draw_unit(random) + 1e-300, 1.0 / alpha)
