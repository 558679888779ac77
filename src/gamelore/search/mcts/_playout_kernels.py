"""Search a tree by random playouts, 512 of them under way at any time.

A lane whose playout has ended gets a new leaf as soon as there are lanes enough for the
playouts of a ticket. Nodes that are to be expanded wait in a queue, until there are
enough of them for a pass of the circuit; until then, playouts begin there as at any
leaf. So all lanes are in use whatever the lengths of playouts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.circuit.program import GOALS, LEGAL, NEXT, TERMINAL
from gamelore.engine.compiled._kernels import (
    LANES,
    WORDS,
    choose_moves,
    read_goals,
    run_phase,
    take_next,
)
from gamelore.engine.compiled._lanes import lowest_one
from gamelore.kernels import lean, lean_part
from gamelore.search.mcts._decisive_kernels import (
    Lookahead,
    go_back,
    look_ahead,
    remember,
)
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
    WEIGHT,
    back_up,
    descend,
    note_facts,
)

SOLVED = 16
"""A result of `search_on`: the value of the root is proven."""

_PATIENCE = 16  # steps that a node waits for others, to be expanded with them
_MOST_DESCENTS = 64  # in a row that lead to proven leaves, before playouts go on

_NONE = np.uint64(0)
_ONE = np.uint64(1)


class MoveChoice(NamedTuple):
    """What lanes choose their moves by; the fields of a program that choosing reads."""

    legal: (
        np.ndarray
    )  # int32 [M]   literals: of legal moves, or of wins where there are
    move_ends: np.ndarray  # int32 [R]
    first_move: int  # slot


class Lanes(NamedTuple):
    """What each lane plays."""

    words: np.ndarray  # uint64 [S, 8]   the circuit
    random: np.ndarray  # uint64 [4, 4]   generators of the choice of moves
    live: np.ndarray  # uint64 [8]   lanes that play
    ended: np.ndarray  # uint64 [8]   those whose playout has ended in this step
    cut_off: np.ndarray  # uint64 [8]   those of them that are not terminal
    placed: np.ndarray  # uint64 [8]   lanes of the ticket that is placed
    ticket: np.ndarray  # int32 [512]
    began: np.ndarray  # int64 [512]   the step at which a playout began
    goals: np.ndarray  # int16 [R]
    choice: MoveChoice
    ahead: Lookahead
    fluents: int  # in slots 1, 2, …
    most: int  # lanes that may play at once


@lean
def search_on(program, tree, lanes, buffers, budget):
    """Search on, until `budget` more playouts have begun or the root is proven.

    Returns FINE, SOLVED, or the status of an expansion that failed. Where there is an
    evaluator, it returns after every expansion, since new nodes wait for estimates.
    """
    state = tree.state
    base = np.uint64(lanes.words.ctypes.data)
    until = state[PLAYOUTS] + budget
    if state[QUEUE] and tree.nodes.status[state[ROOT]] == QUEUED:
        status = expand_queue(program, tree, buffers)
        if status != FINE:
            return status
    while state[PLAYOUTS] < until:
        if tree.nodes.status[state[ROOT]] == PROVEN:
            return SOLVED
        fill_lanes(tree, lanes)
        if _is_due(state):
            status = expand_queue(program, tree, buffers)
            if status != FINE or 0 <= state[EVALUATED] < state[NODES]:
                return status
        if not _any_live(lanes):
            continue
        run_phase(program, base, TERMINAL)
        if _find_ended(program, lanes, state):
            run_phase(program, base, GOALS)
            _end_playouts(program, tree, lanes)
        run_phase(program, base, LEGAL)
        decisive = lanes.ahead.made.shape[0] > 0
        if decisive:
            look_ahead(program, base, lanes.choice, lanes.ahead)
        role = choose_moves(lanes.choice, base, lanes.random, lanes.live)
        if role >= 0:
            state[FAULT] = -1
            return STUCK
        run_phase(program, base, NEXT)
        if decisive:
            remember(program, base, lanes.ahead)
        take_next(program, base)
        if decisive:
            go_back(base, lanes.ahead)
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
def fill_lanes(tree, lanes):
    """Begin playouts from new leaves in the lanes that do not play."""
    state, tickets = tree.state, tree.tickets
    free = lanes.most
    for word in range(WORDS):
        free -= _count_ones(lanes.live[word])
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
        _place(tree, lanes, ticket, leaf)
        free -= state[WEIGHT]


@lean_part
def _count_ones(word):
    """Return how many bits are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


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
def _place(tree, lanes, ticket, leaf):
    """Put a leaf into as many free lanes as a ticket has playouts."""
    state = tree.state
    wanted = state[WEIGHT]
    tree.tickets.left[ticket] = wanted
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
        lanes.ahead.undoable[word] &= ~lanes.placed[word]
        lanes.ahead.returned[word] &= ~lanes.placed[word]
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


@lean_part
def _find_ended(program, lanes, state):
    """Find the lanes whose playouts have ended, or are as long as they may be."""
    flip = _NONE - np.uint64(program.terminal & 1)
    some = _NONE
    for word in range(WORDS):
        terminal = lanes.words[program.terminal >> 1, word] ^ flip
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
def _end_playouts(program, tree, lanes):
    """Credit the tickets of the playouts that have ended."""
    state, tickets = tree.state, tree.tickets
    for word in range(WORDS):
        left = lanes.ended[word]
        lanes.live[word] &= ~left
        while left:
            lane = 64 * word + lowest_one(left)
            left &= left - _ONE
            ticket = lanes.ticket[lane]
            read_goals(program, lanes.words, lane, lanes.goals)
            cut_off = (lanes.cut_off[word] >> np.uint64(lane & 63)) & _ONE
            for role in range(lanes.goals.shape[0]):
                goal = np.float64(max(lanes.goals[role], 0))
                if cut_off and lanes.goals[role] < 0:
                    goal = 0.5 * (tree.goal_range[role, 0] + tree.goal_range[role, 1])
                tickets.sums[ticket, role] += goal
                if role == state[FIRST] and tree.facts.playouts.shape[0]:
                    note_facts(tree, ticket, lanes.words, lane, goal)
            state[LENGTH] += state[STEPS] - lanes.began[lane]
            tickets.left[ticket] -= 1
            if tickets.left[ticket] == 0:
                back_up(tree, ticket)
