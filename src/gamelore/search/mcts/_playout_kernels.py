"""Search a tree by random playouts, 512 of them under way at any time.

All lanes take turns in step, since each turn has gates of its own. A lane whose playout
has ended gets a new leaf as soon as there are lanes enough for the playouts of a
ticket; if the leaf is in another turn, the ticket waits for it. Nodes that are to be
expanded wait in a queue, until there are enough of them for a pass of the circuit;
until then, playouts begin there as at any leaf. So all lanes are in use whatever the
lengths of playouts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.circuit.program import (
    GOALS,
    LEGAL,
    NEXT,
    PHASES,
    TERMINAL,
    Program,
    Turns,
)
from gamelore.engine.compiled._group_kernels import Choices, choose_groups
from gamelore.engine.compiled._kernels import LANES, WORDS, read_bit
from gamelore.engine.compiled._lanes import count_ones, lowest_one
from gamelore.engine.compiled._turn_kernels import run_turn_phase, take_next_turn
from gamelore.kernels import lean, lean_part
from gamelore.search.mcts._expansion_kernels import FINE, STUCK, expand_queue
from gamelore.search.mcts._tree_kernels import (
    CHILDREN,
    EVALUATED,
    EXPAND_AFTER,
    EXPANDED_NODES,
    FAULT,
    FIRST,
    LENGTH,
    LIMIT,
    NODES,
    OPEN,
    PLAYOUTS,
    PROVEN,
    QUEUE,
    QUEUED,
    QUEUED_SINCE,
    ROOT,
    STEPS,
    SUM,
    WEIGHT,
    back_up,
    descend,
    note_facts,
    prove,
)

SOLVED = 16
"""A result of `search_on`: the value of the root is proven."""

_PATIENCE = 16  # steps that a node waits for others, to be expanded with them
_MOST_DESCENTS = 64  # in a row that lead to proven leaves, before playouts go on

_NONE = np.uint64(0)
_ONE = np.uint64(1)


ROOT_TURN, WAITING = range(2)
"""Indices into the progress of lanes: the turn of the root, and how many tickets wait
for their turns."""


class Lanes(NamedTuple):
    """What each lane plays."""

    program: Program  # the gates of all turns
    turns: Turns
    words: np.ndarray  # uint64 [S, 8]   the circuit
    choices: Choices
    live: np.ndarray  # uint64 [8]   lanes that play
    ended: np.ndarray  # uint64 [8]   those whose playout has ended in this step
    cut_off: np.ndarray  # uint64 [8]   those of them that are not terminal
    placed: np.ndarray  # uint64 [8]   lanes of the ticket that is placed
    ticket: np.ndarray  # int32 [512]
    began: np.ndarray  # int64 [512]   the step at which a playout began
    waiting: np.ndarray  # int32 [512]   tickets that wait for their turns
    progress: np.ndarray  # int64 [2]
    goals: np.ndarray  # int16 [R]
    fluents: int  # in slots 1, 2, …
    most: int  # lanes that may play at once
    proving: int  # 1 if a playout that ends at once proves the value of its leaf


@lean
def search_on(program, tree, lanes, buffers, budget):
    """Search on, until `budget` more playouts have begun or the root is proven.

    Returns FINE, SOLVED, or the status of an expansion that failed. Where there is an
    evaluator, it returns after every expansion, since new nodes wait for estimates.
    """
    state, turns = tree.state, lanes.turns
    base = np.uint64(lanes.words.ctypes.data)
    until = state[PLAYOUTS] + budget
    if state[QUEUE] and tree.nodes.status[state[ROOT]] == QUEUED:
        status = expand_queue(program, tree, buffers)
        if status != FINE:
            return status
    while state[PLAYOUTS] < until:
        if tree.nodes.status[state[ROOT]] == PROVEN:
            return SOLVED
        turn = state[STEPS] % turns.terminal.shape[0]
        fill_lanes(tree, lanes, turn)
        if _is_due(state):
            status = expand_queue(program, tree, buffers)
            if status != FINE or 0 <= state[EVALUATED] < state[NODES]:
                return status
        if _any_live(lanes):
            phase = PHASES * turn
            run_turn_phase(lanes.program, base, phase + TERMINAL)
            if _find_ended(turns.terminal[turn], lanes, state):
                run_turn_phase(lanes.program, base, phase + GOALS)
                _end_playouts(tree, lanes, turns.goals[turn])
            run_turn_phase(lanes.program, base, phase + LEGAL)
            role = choose_groups(turns, turn, base, lanes.choices, lanes.live)
            if role >= 0:
                state[FAULT] = -1
                return STUCK
            run_turn_phase(lanes.program, base, phase + NEXT)
            take_next_turn(turns.next[turn], base)
        state[STEPS] += 1
    return FINE


@lean_part
def _any_live(lanes):
    some = _NONE
    for word in range(WORDS):
        some |= lanes.live[word]
    return some != _NONE


@lean_part
def _is_due(state):
    """Return whether the nodes of the queue should be expanded now."""
    waiting = state[QUEUE]
    if waiting == 0:
        return False
    if state[STEPS] - state[QUEUED_SINCE] >= _PATIENCE or waiting >= LANES // 2:
        return True
    return waiting * state[CHILDREN] >= LANES * state[EXPANDED_NODES]


# ── lanes ───────────────────────────────────────────────────────────────────────────


@lean_part
def fill_lanes(tree, lanes, turn):
    """Begin playouts from new leaves in the lanes that do not play."""
    state, tickets = tree.state, tree.tickets
    _place_waiting(tree, lanes, turn)
    free = lanes.most - lanes.progress[WAITING] * state[WEIGHT]
    for word in range(WORDS):
        free -= np.int64(count_ones(lanes.live[word]))
    ticket = 0
    tries = 0
    while free >= state[WEIGHT] and tries < _MOST_DESCENTS:
        while tickets.left[ticket]:
            ticket += 1
        leaf = descend(tree, ticket)
        state[PLAYOUTS] += state[WEIGHT]
        if tree.nodes.status[leaf] == PROVEN:
            back_up(tree, ticket)
            tries += 1
            if tree.nodes.status[state[ROOT]] == PROVEN:
                return
            continue
        _queue(tree, leaf)
        tickets.left[ticket] = state[WEIGHT]
        if _find_turn(tree, lanes, ticket) == turn:
            _place(tree, lanes, ticket)
        else:
            lanes.waiting[lanes.progress[WAITING]] = ticket
            lanes.progress[WAITING] += 1
        free -= state[WEIGHT]


@lean_part
def _find_turn(tree, lanes, ticket):
    """Return the turn of a ticket's leaf: every move leads to the next turn."""
    plies = lanes.progress[ROOT_TURN] + np.int64(tree.tickets.depth[ticket])
    return plies % lanes.turns.terminal.shape[0]


@lean_part
def _place_waiting(tree, lanes, turn):
    """Begin the playouts of tickets that have waited for this turn."""
    count = lanes.progress[WAITING]
    left = np.int64(0)
    for i in range(count):
        ticket = np.int64(lanes.waiting[i])
        if _find_turn(tree, lanes, ticket) == turn:
            _place(tree, lanes, ticket)
        else:
            lanes.waiting[left] = ticket
            left += 1
    lanes.progress[WAITING] = left


@lean_part
def _queue(tree, leaf):
    """Have a leaf expanded soon, if it was visited often enough."""
    nodes, state = tree.nodes, tree.state
    if nodes.status[leaf] != OPEN or nodes.begun[leaf] <= state[EXPAND_AFTER]:
        return
    if state[QUEUE] == tree.queue.shape[0]:
        return
    if state[QUEUE] == 0:
        state[QUEUED_SINCE] = state[STEPS]
    nodes.status[leaf] = QUEUED
    tree.queue[state[QUEUE]] = leaf
    state[QUEUE] += 1


@lean_part
def _place(tree, lanes, ticket):
    """Put the leaf of a ticket into as many free lanes as it has playouts."""
    state = tree.state
    wanted = state[WEIGHT]
    for word in range(WORDS):
        lanes.placed[word] = _NONE
        free = ~lanes.live[word]
        while free and wanted:
            bit = free & (_NONE - free)
            lane = 64 * word + lowest_one(free)
            lanes.ticket[lane] = ticket
            lanes.began[lane] = state[STEPS]
            lanes.placed[word] |= bit
            free &= free - _ONE
            wanted -= 1
        lanes.live[word] |= lanes.placed[word]
    leaf = tree.tickets.nodes[ticket, tree.tickets.depth[ticket]]
    row = tree.nodes.rows[leaf]
    for word in range(WORDS):
        placed = lanes.placed[word]
        if placed:
            _write_row(lanes, row, np.uint64(word), placed)


@lean_part
def _write_row(lanes, row, word, placed):
    """Write a position into some lanes of one word of every fluent's slot."""
    words = lanes.words
    for fluent in range(np.uint64(lanes.fluents)):
        bit = (row[fluent >> np.uint64(6)] >> (fluent & np.uint64(63))) & _ONE
        slot = fluent + _ONE
        old = words[slot, word]
        words[slot, word] = (old & ~placed) | ((_NONE - bit) & placed)


# ── ends ────────────────────────────────────────────────────────────────────────────


@lean_part
def _find_ended(literal, lanes, state):
    """Find the lanes whose playouts have ended, or are as long as they may be."""
    flip = _NONE - np.uint64(literal & 1)
    some = _NONE
    for word in range(WORDS):
        terminal = lanes.words[literal >> 1, word] ^ flip
        lanes.ended[word] = terminal & lanes.live[word]
        lanes.cut_off[word] = _NONE
        some |= lanes.ended[word]
    if state[STEPS] & 15 == 0:
        for word in range(WORDS):
            left = lanes.live[word] & ~lanes.ended[word]
            while left:
                lane = 64 * word + lowest_one(left)
                if state[STEPS] - lanes.began[lane] >= state[LIMIT]:
                    lanes.ended[word] |= left & (_NONE - left)
                    lanes.cut_off[word] |= left & (_NONE - left)
                    some |= _ONE
                left &= left - _ONE
    return some != _NONE


@lean_part
def _end_playouts(tree, lanes, literals):
    """Credit the tickets of the playouts that have ended.  literals: int32 [·]"""
    state, tickets = tree.state, tree.tickets
    for word in range(WORDS):
        left = lanes.ended[word]
        lanes.live[word] &= ~left
        while left:
            lane = 64 * word + lowest_one(left)
            left &= left - _ONE
            ticket = np.int64(lanes.ticket[lane])
            _read_goals(lanes, literals, lane)
            cut_off = (lanes.cut_off[word] >> np.uint64(lane & 63)) & _ONE
            for role in range(lanes.goals.shape[0]):
                goal = np.float64(max(lanes.goals[role], 0))
                if cut_off and lanes.goals[role] < 0:
                    goal = 0.5 * (tree.goal_range[role, 0] + tree.goal_range[role, 1])
                tickets.sums[ticket, role] += goal
                if role == state[FIRST] and tree.facts.playouts.shape[0]:
                    note_facts(tree, ticket, lanes.words, lane, goal)
            length = state[STEPS] - lanes.began[lane]
            state[LENGTH] += length
            if lanes.proving and length == 0 and not cut_off:
                _prove_leaf(tree, lanes, ticket)
            tickets.left[ticket] -= 1
            if tickets.left[ticket] == 0:
                back_up(tree, ticket)


@lean_part
def _read_goals(lanes, literals, lane):
    """Read one lane's goals; -1 where there is none, or more."""
    program, goals = lanes.program, lanes.goals
    first = 0
    for role in range(program.goal_ends.shape[0]):
        found = 0
        for g in range(first, program.goal_ends[role]):
            if read_bit(lanes.words, literals[g], lane) == _ONE:
                found += 1
                goals[role] = program.goal_values[g]
        if found != 1:
            goals[role] = -1
        first = program.goal_ends[role]


@lean_part
def _prove_leaf(tree, lanes, ticket):
    """Prove the value of a leaf where a role wins at once, or cannot but lose."""
    nodes, state = tree.nodes, tree.state
    leaf = np.int64(tree.tickets.nodes[ticket, tree.tickets.depth[ticket]])
    if nodes.status[leaf] != OPEN or state[SUM] < 0:
        return
    for role in range(lanes.goals.shape[0]):
        nodes.goals[leaf, role] = np.float32(max(lanes.goals[role], 0))
    value = nodes.goals[leaf, state[FIRST]]
    nodes.bounds[leaf, 0] = value
    nodes.bounds[leaf, 1] = value
    prove(tree, leaf)
