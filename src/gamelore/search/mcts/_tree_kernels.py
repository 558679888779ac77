"""The tree of a Monte Carlo tree search: select a leaf, back up results, prove values.

N nodes, E edges, A actions, K words per position, R roles, D plies, T tickets.

The tree is a graph: a position that is reached on two ways is one node. Statistics of
a position belong to its node, counts of choices to edges (Childs, Brodeur and Kocsis:
UCT2). Playouts that have begun and not ended count as visits without a value (Liu et
al.: WU-UCT), so that hundreds can be under way at once.

A *ticket* is one descent: its path, and the playouts that were begun from its leaf.

Values are proven where the rules decide them. In constant-sum games of two players
every node has bounds (Cazenave and Saffidine: score bounded search); in other games
a node is proven by its proven children, each role choosing for itself (max-n).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore._random_kernels import draw_below, draw_unit
from gamelore.kernels import lean_function, lean_part

OPEN, QUEUED, EXPANDED, PROVEN = range(4)
"""What is known of a node; QUEUED is to be expanded soon."""

SIMULTANEOUS = -1
"""In place of the mover, where two roles or more have a choice."""

(
    ROOT,
    NODES,
    EDGES,
    ACTIONS,
    PROOFS,
    PLAYOUTS,
    DESCENTS,
    WEIGHT,
    CHANCE,
    SUM,
    FIRST,
    SECOND,
    EXPAND_AFTER,
    QUEUE,
    QUEUED_SINCE,
    STEPS,
    EXPANDED_NODES,
    CHILDREN,
    FAULT,
    PLIES,
    LENGTH,
    LIMIT,
    EVALUATED,
    SOONEST,
) = range(24)
"""Indices into the state: the root; nodes, edges and actions used; proofs, playouts and
descents so far; the playouts of a ticket; the role `random` or -1; the sum of the goals
of two players where it is constant, else -1, and these two roles; the playouts begun at
a node before it is expanded; the length of the queue, and since which step it waits;
steps so far; nodes expanded and their children; where a role is stuck; the sum of the
depths of leaves; the summed lengths of playouts; the longest playout there may be;
the nodes that an evaluator has estimated, or -1 where there is none; and the playouts
after which nodes are expanded while there is much room.
"""
STATE_SIZE = 24

EXPLORATION, FIRST_PLAY, MIX, RAVE = range(4)
"""Indices into the parameters: c of UCT, how much less than its parent a child is worth
before it was visited, the share of an evaluator in the value of a leaf, and the visits
at which a move's own playouts count as much as those that it shares with others."""
PARAMETERS = 4

_ENOUGH = 64  # playouts below a node, before it has statistics of facts

_EXCLUDED = np.float32(-1e9)
_REGRET_EXPLORATION = 0.05  # of random choices where roles choose at once


class Nodes(NamedTuple):
    """Positions and what is known of them."""

    rows: np.ndarray  # uint64 [N, K]
    visits: np.ndarray  # int32 [N]   playouts that have ended
    begun: np.ndarray  # int32 [N]   playouts that have begun, and ended or not
    sums: np.ndarray  # float64 [N, R]   of goals
    status: np.ndarray  # int8 [N]
    mover: np.ndarray  # int16 [N]   the role that chooses, or SIMULTANEOUS
    moved: np.ndarray  # int16 [N]   the role whose move led there, or SIMULTANEOUS
    first: np.ndarray  # int64 [N]   the first edge
    degree: np.ndarray  # int32 [N]   the number of edges
    actions: np.ndarray  # int64 [N]   the first action, where roles choose at once
    choices: np.ndarray  # int32 [N, R]   the number of actions of each role there
    goals: np.ndarray  # float32 [N, R]   exact where proven
    bounds: np.ndarray  # float32 [N, 2]   of the goal of role FIRST
    proof: np.ndarray  # int64 [N]   proofs are numbered in the order they are found
    table: np.ndarray  # int32 [N]   1 + the number of its statistics of facts, or 0
    slots: np.ndarray  # int32 [·]   hash table of the rows


class Edges(NamedTuple):
    """Moves from one position to another."""

    child: np.ndarray  # int32 [E]
    move: np.ndarray  # int32 [E]   of the mover, among its own; the joint move's number
    begun: np.ndarray  # int32 [E]   playouts that were begun by this edge
    value: np.ndarray  # float32 [E]   to the mover, in 0 to 1; less if excluded
    key: np.ndarray  # int32 [E]   a fluent that no other edge of the node adds, or -1
    prior: np.ndarray  # float32 [E]   its probability by an evaluator, or below 0


class Actions(NamedTuple):
    """Moves of one role where several choose at once, by regret matching."""

    move: np.ndarray  # int32 [A]
    regret: np.ndarray  # float64 [A]   0 or more
    strategy: np.ndarray  # float64 [A]   sum of the probabilities it was given


class FactTables(NamedTuple):
    """How playouts end in which facts are true.  B tables, F fluents; B may be 0."""

    playouts: np.ndarray  # float32 [B, F]   those that ended with the fact
    goals: np.ndarray  # float32 [B, F]   their goals of role FIRST, in 0 to 1
    used: np.ndarray  # int64 [1]   tables that belong to nodes
    true: np.ndarray  # int32 [F]   a buffer: the facts of one position


class Tickets(NamedTuple):
    """Descents under way."""

    nodes: np.ndarray  # int32 [T, D]   the path from the root to the leaf
    edges: np.ndarray  # int64 [T, D]   the edge that led to each node
    depth: np.ndarray  # int32 [T]   of the leaf
    left: np.ndarray  # int32 [T]   playouts that have not ended; 0 if not in use
    sums: np.ndarray  # float64 [T, R]   goals of those that have


class Tree(NamedTuple):
    """The whole tree, and what a search of it keeps."""

    nodes: Nodes
    edges: Edges
    actions: Actions
    tickets: Tickets
    queue: np.ndarray  # int32 [512]   nodes to be expanded
    state: np.ndarray  # int64 [STATE_SIZE]
    parameters: np.ndarray  # float64 [PARAMETERS]
    goal_range: np.ndarray  # float64 [R, 2]   the lowest and the highest goal
    random: np.ndarray  # uint64 [4]   a stream
    strategies: np.ndarray  # float64 [·]   a buffer for the choices of one node
    estimates: np.ndarray  # float32 [N, R]   goals by an evaluator; or [0, R]
    facts: FactTables


# ── selection ───────────────────────────────────────────────────────────────────────


@lean_part
def descend(tree, ticket):
    """Select a leaf: walk down to a node without edges or with a proven value.

    Returns the leaf. Everything on the path counts as begun.
    """
    nodes, edges, state = tree.nodes, tree.edges, tree.state
    path, chosen = tree.tickets.nodes[ticket], tree.tickets.edges[ticket]
    weight = state[WEIGHT]
    node = state[ROOT]
    depth = 0
    path[0] = node
    nodes.begun[node] += weight
    table = np.int64(-1)  # of the deepest node that has one
    while nodes.status[node] == EXPANDED and depth + 1 < path.shape[0]:
        mover = np.int64(nodes.mover[node])
        if nodes.table[node] > 0:
            table = np.int64(nodes.table[node]) - 1
        if mover == SIMULTANEOUS:
            edge = _choose_together(tree, node)
        elif mover == state[CHANCE]:
            edge = _choose_by_chance(tree, node)
        else:
            edge = _choose_by_bound(tree, node, mover, table)
        edges.begun[edge] += weight
        depth += 1
        node = np.int64(edges.child[edge])
        path[depth] = node
        chosen[depth] = edge
        nodes.begun[node] += weight
    tree.tickets.depth[ticket] = depth
    state[DESCENTS] += 1
    state[PLIES] += depth
    return node


@lean_part
def _choose_by_bound(tree, node, mover, table):
    """Return the edge with the highest upper confidence bound.

    table: the statistics of facts that moves share (Cazenave: GRAVE), or -1
    """
    nodes, edges = tree.nodes, tree.edges
    weight = np.float64(tree.state[WEIGHT])
    factor = tree.parameters[EXPLORATION] * np.sqrt(
        np.log(np.float64(nodes.begun[node]) + weight)
    )
    unvisited = mean_value(tree, node, mover) - tree.parameters[FIRST_PLAY]
    estimated = tree.state[EVALUATED] > 0
    first = nodes.first[node]
    expected = edges.prior[first] >= 0.0
    if expected:  # PUCT: the bonus goes by the prior
        factor = tree.parameters[EXPLORATION] * np.sqrt(np.float64(nodes.begun[node]))
    best = first
    highest = -np.inf
    for edge in range(first, first + nodes.degree[node]):
        begun = np.float64(edges.begun[edge])
        value = np.float64(edges.value[edge])
        if begun == 0.0 and value > _EXCLUDED:
            value = unvisited
            if estimated:
                value = mean_value(tree, np.int64(edges.child[edge]), mover)
        if table >= 0 and edges.key[edge] >= 0 and value > _EXCLUDED:
            value = _share(tree, table, edge, mover, value)
        bound = value + factor / np.sqrt(begun + weight)
        if expected:
            bound = value + factor * np.float64(edges.prior[edge]) / (1.0 + begun)
        if bound > highest:
            highest = bound
            best = edge
    return best


@lean_part
def _share(tree, table, edge, mover, value):
    """Return the value of an edge, with all playouts that ended with its fact."""
    facts, key = tree.facts, np.int64(tree.edges.key[edge])
    count = np.float64(facts.playouts[table, key])
    if count == 0.0:
        return value
    mean = np.float64(facts.goals[table, key]) / count
    if mover == tree.state[SECOND]:
        mean = 1.0 - mean
    begun = np.float64(tree.edges.begun[edge])
    share = count / (count + begun + begun * count / tree.parameters[RAVE])
    return value + share * (mean - value)


@lean_part
def mean_value(tree, node, role):
    """Return the mean goal of a role at a node, in 0 to 1."""
    nodes = tree.nodes
    low, high = tree.goal_range[role, 0], tree.goal_range[role, 1]
    if high <= low:
        return 0.5
    if nodes.status[node] == PROVEN:
        return (np.float64(nodes.goals[node, role]) - low) / (high - low)
    if nodes.visits[node] == 0:
        if node < tree.state[EVALUATED]:
            return (np.float64(tree.estimates[node, role]) - low) / (high - low)
        return 0.5
    mean = nodes.sums[node, role] / nodes.visits[node]
    return (mean - low) / (high - low)


@lean_part
def _choose_by_chance(tree, node):
    """Return the edge that was chosen least often, at random among equals."""
    nodes, edges = tree.nodes, tree.edges
    first, degree = nodes.first[node], np.int64(nodes.degree[node])
    best = first + draw_below(tree.random, degree)
    for i in range(degree):
        if edges.begun[first + i] < edges.begun[best]:
            best = first + i
    return best


@lean_part
def _choose_together(tree, node):
    """Return the edge of a joint move, each role's by regret matching."""
    nodes, actions = tree.nodes, tree.actions
    action = nodes.actions[node]
    joint = np.int64(0)
    for role in range(nodes.choices.shape[1]):
        count = np.int64(nodes.choices[node, role])
        drawn = np.int64(0)
        if count > 1 and role == tree.state[CHANCE]:
            drawn = draw_below(tree.random, count)
        elif count > 1:
            _match_regrets(tree, action, count)
            left = draw_unit(tree.random)
            explore = _REGRET_EXPLORATION
            for i in range(count):
                share = tree.strategies[i]
                actions.strategy[action + i] += share
                left -= (1.0 - explore) * share + explore / count
                if left > 0.0 and drawn + 1 < count:
                    drawn += 1
        joint = joint * count + drawn
        action += count
    return nodes.first[node] + joint


@lean_part
def _match_regrets(tree, action, count):
    """Compute a strategy: probabilities in proportion to regrets."""
    total = 0.0
    for i in range(count):
        total += tree.actions.regret[action + i]
    for i in range(count):
        share = 1.0 / count
        if total > 0.0:
            share = tree.actions.regret[action + i] / total
        tree.strategies[i] = share


# ── backing up ──────────────────────────────────────────────────────────────────────


@lean_function
def back_up(tree, ticket):
    """Add the results of a ticket to every node of its path, and free the ticket.

    Where the leaf is proven by now, its goals stand in place of the playouts'.
    """
    nodes, tickets, state = tree.nodes, tree.tickets, tree.state
    path, chosen = tickets.nodes[ticket], tickets.edges[ticket]
    depth = np.int64(tickets.depth[ticket])
    weight = np.int32(state[WEIGHT])
    sums = tickets.sums[ticket]
    leaf = path[depth]
    proving = nodes.status[leaf] == PROVEN
    if proving:
        for role in range(sums.shape[0]):
            sums[role] = np.float64(nodes.goals[leaf, role]) * weight
    elif leaf < state[EVALUATED]:
        mix = tree.parameters[MIX]
        for role in range(sums.shape[0]):
            estimate = np.float64(tree.estimates[leaf, role]) * weight
            sums[role] += mix * (estimate - sums[role])
    for i in range(depth, -1, -1):
        node = path[i]
        nodes.visits[node] += weight
        for role in range(sums.shape[0]):
            nodes.sums[node, role] += sums[role]
        if nodes.visits[node] >= _ENOUGH and nodes.table[node] == 0:
            _give_table(tree, node)
        if i == 0:
            break
        parent = np.int64(path[i - 1])
        if proving:
            proving = update_proof(tree, parent)
        mover = nodes.mover[parent]
        if mover == SIMULTANEOUS:
            _add_regrets(tree, parent, chosen[i], sums, weight)
        else:
            refresh_edge(tree, parent, chosen[i])
    tickets.left[ticket] = 0
    for role in range(sums.shape[0]):
        sums[role] = 0.0


@lean_part
def _give_table(tree, node):
    """Give a node statistics of facts, if there are any left."""
    facts = tree.facts
    table = facts.used[0]
    if table < facts.playouts.shape[0]:
        facts.used[0] += 1
        tree.nodes.table[node] = table + 1


@lean_part
def note_facts(tree, ticket, words, lane, goal):
    """Count the facts at the end of a playout, at the nodes above that have tables.

    words: uint64 [·, 8], fluents in slots 1, 2, …; goal: of role FIRST
    """
    facts, tickets = tree.facts, tree.tickets
    word, shift = lane >> 6, np.uint64(lane & 63)
    found = 0
    for fluent in range(facts.playouts.shape[1]):
        facts.true[found] = fluent
        found += np.int64((words[1 + fluent, word] >> shift) & np.uint64(1))
    value = np.float32(_scale(tree, tree.state[FIRST], goal))
    for place in range(np.int64(tickets.depth[ticket]) + 1):
        table = np.int64(tree.nodes.table[tickets.nodes[ticket, place]]) - 1
        if table < 0:
            continue
        for i in range(found):
            fluent = facts.true[i]
            facts.playouts[table, fluent] += np.float32(1.0)
            facts.goals[table, fluent] += value


@lean_part
def refresh_edge(tree, parent, edge):
    """Set the value of an edge to that of its child, within the child's bounds."""
    nodes, edges, state = tree.nodes, tree.edges, tree.state
    if edges.value[edge] <= _EXCLUDED:
        return
    mover = np.int64(nodes.mover[parent])
    child = np.int64(edges.child[edge])
    value = mean_value(tree, child, mover)
    if state[SUM] >= 0:
        low, high = find_bounds(tree, child, mover)
        value = min(max(value, _scale(tree, mover, low)), _scale(tree, mover, high))
    edges.value[edge] = np.float32(value)


@lean_part
def _scale(tree, role, goal):
    low, high = tree.goal_range[role, 0], tree.goal_range[role, 1]
    return (goal - low) / (high - low) if high > low else 0.5


@lean_part
def _add_regrets(tree, node, edge, sums, weight):
    """Add what other actions would have brought each role, all else the same.

    Regrets do not fall below 0 (Tammelin: regret matching+), so that strategies turn
    soon and their mean converges.
    """
    nodes, actions = tree.nodes, tree.actions
    action = nodes.actions[node]
    first = nodes.first[node]
    number = edge - first
    stride = np.int64(nodes.degree[node])
    for role in range(nodes.choices.shape[1]):
        count = np.int64(nodes.choices[node, role])
        stride //= count
        if count > 1 and role != tree.state[CHANCE]:
            own = (number // stride) % count
            gained = _scale(tree, role, sums[role] / weight)
            for i in range(count):
                child = np.int64(tree.edges.child[edge + (i - own) * stride])
                if nodes.visits[child] > 0 or nodes.status[child] == PROVEN:
                    value = mean_value(tree, child, role)
                    regret = actions.regret[action + i] + value - gained
                    actions.regret[action + i] = max(regret, 0.0)
        action += count


# ── proofs ──────────────────────────────────────────────────────────────────────────


@lean_part
def prove(tree, node):
    """Note that the goals of a node are exact."""
    tree.nodes.status[node] = PROVEN
    tree.nodes.proof[node] = tree.state[PROOFS]
    tree.state[PROOFS] += 1


@lean_part
def find_bounds(tree, node, role):
    """Return the least and the most a player can get, where the sum is constant."""
    low = np.float64(tree.nodes.bounds[node, 0])
    high = np.float64(tree.nodes.bounds[node, 1])
    if role == tree.state[SECOND]:
        return tree.state[SUM] - high, tree.state[SUM] - low
    return low, high


@lean_function
def update_proof(tree, node):
    """Find what the children of a node prove of it; return whether that is new."""
    if tree.nodes.status[node] != EXPANDED:
        return False
    if tree.state[SUM] >= 0:
        return _update_bounds(tree, node)
    return _update_goals(tree, node)


@lean_part
def _update_bounds(tree, node):
    """Tighten the bounds of a node; exclude edges that cannot be better than others."""
    nodes, state = tree.nodes, tree.state
    mover = np.int64(nodes.mover[node])
    first, degree = nodes.first[node], nodes.degree[node]
    if mover == SIMULTANEOUS:
        low, high = _bound_together(tree, node)
    elif mover == state[CHANCE]:
        low, high = 0.0, 0.0
        for edge in range(first, first + degree):
            child = tree.edges.child[edge]
            low += np.float64(nodes.bounds[child, 0]) / degree
            high += np.float64(nodes.bounds[child, 1]) / degree
    else:
        low, high = -np.inf, -np.inf
        for edge in range(first, first + degree):
            one, other = find_bounds(tree, tree.edges.child[edge], mover)
            low, high = max(low, one), max(high, other)
        for edge in range(first, first + degree):
            _, other = find_bounds(tree, tree.edges.child[edge], mover)
            if other <= low:
                tree.edges.value[edge] = _EXCLUDED
        if mover == state[SECOND]:
            low, high = state[SUM] - high, state[SUM] - low
    least, most = np.float32(low), np.float32(high)  # as they are kept
    changed = least > nodes.bounds[node, 0] or most < nodes.bounds[node, 1]
    if changed:
        nodes.bounds[node, 0] = max(nodes.bounds[node, 0], least)
        nodes.bounds[node, 1] = min(nodes.bounds[node, 1], most)
        if nodes.bounds[node, 0] >= nodes.bounds[node, 1]:
            value = nodes.bounds[node, 0]
            nodes.goals[node, state[FIRST]] = value
            nodes.goals[node, state[SECOND]] = np.float32(state[SUM]) - value
            prove(tree, node)
    return changed


@lean_part
def _bound_together(tree, node):
    """Return the bounds of role FIRST by pure strategies, where both choose at once."""
    nodes, state = tree.nodes, tree.state
    first, second = state[FIRST], state[SECOND]
    rows = np.int64(nodes.choices[node, first])
    columns = np.int64(nodes.choices[node, second])
    if rows * columns < nodes.degree[node]:  # the role `random` chooses, too
        return -np.inf, np.inf
    across, down = columns, np.int64(1)
    if second < first:
        across, down = np.int64(1), rows
    low, high = -np.inf, np.inf
    for row in range(rows):
        least = np.inf
        for column in range(columns):
            edge = nodes.first[node] + row * across + column * down
            least = min(least, np.float64(nodes.bounds[tree.edges.child[edge], 0]))
        low = max(low, least)
    for column in range(columns):
        most = -np.inf
        for row in range(rows):
            edge = nodes.first[node] + row * across + column * down
            most = max(most, np.float64(nodes.bounds[tree.edges.child[edge], 1]))
        high = min(high, most)
    return low, high


@lean_part
def _update_goals(tree, node):
    """Prove a node by its proven children; exclude all of them but the best."""
    nodes = tree.nodes
    mover = np.int64(nodes.mover[node])
    if mover == tree.state[CHANCE]:
        return _average_goals(tree, node)
    if mover == SIMULTANEOUS:
        return False
    first, degree = nodes.first[node], nodes.degree[node]
    best = np.int64(-1)
    proven = 0
    for edge in range(first, first + degree):
        child = tree.edges.child[edge]
        if nodes.status[child] == PROVEN:
            proven += 1
            if (
                best < 0
                or nodes.goals[child, mover]
                > nodes.goals[tree.edges.child[best], mover]
            ):
                best = edge
    if best < 0:
        return False
    winner = tree.edges.child[best]
    if proven == degree or nodes.goals[winner, mover] >= tree.goal_range[mover, 1]:
        for role in range(nodes.goals.shape[1]):
            nodes.goals[node, role] = nodes.goals[winner, role]
        prove(tree, node)
        return True
    for edge in range(first, first + degree):
        if edge != best and nodes.status[tree.edges.child[edge]] == PROVEN:
            tree.edges.value[edge] = _EXCLUDED
    return False


@lean_part
def _average_goals(tree, node):
    """Prove a chance node once all of its children are proven."""
    nodes = tree.nodes
    first, degree = nodes.first[node], nodes.degree[node]
    for edge in range(first, first + degree):
        if nodes.status[tree.edges.child[edge]] != PROVEN:
            return False
    for role in range(nodes.goals.shape[1]):
        total = 0.0
        for edge in range(first, first + degree):
            total += np.float64(nodes.goals[tree.edges.child[edge], role])
        nodes.goals[node, role] = np.float32(total / degree)
    prove(tree, node)
    return True
