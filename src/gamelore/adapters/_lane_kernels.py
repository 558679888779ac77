"""Many matches at once, in which roles are asked for their moves from outside.

Shapes: n matches, R roles, K words per position, M moves of all roles one after the
other, L words for a bit per move, A actions, F facts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore._random_kernels import draw_below
from gamelore.circuit.program import GOALS, LEGAL, NEXT, SHARED, TERMINAL
from gamelore.engine.compiled._kernels import (
    LANES,
    clear_moves,
    gather_by,
    run_phase,
    spread_by,
    take_next,
)
from gamelore.engine.compiled._lanes import count_ones, lowest_one
from gamelore.kernels import kernel, lean, lean_function, lean_part, part

GOING, ENDED, CUT_OFF, ILLEGAL = range(4)
"""What `status` holds; ILLEGAL is a match lost by an action that was not legal."""

KEEP, BEGIN = -1, -2
"""Instead of an action: leave a match as it is; begin a new one in its place."""

ASKED, NO_MOVE, SEVERAL = -1, -2, -3
"""Instead of a move: the role is asked for it; it has none, which no match survives; it
has a choice."""

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_ALL = ~np.uint64(0)


class ActionTable(NamedTuple):
    """What actions mean, and which moves are chosen here."""

    moves: np.ndarray  # int32 [R, A]   the move of an action, of M, or -1
    actions: np.ndarray  # int32 [M]   the action of a move
    idle: np.ndarray  # bool [M]   moves that change nothing
    own: np.ndarray  # uint64 [R, L]   bits of each role's moves
    spans: np.ndarray  # int32 [R, 2]   the first and the end of the words of these
    asked: np.ndarray  # bool [R]   roles whose moves come from outside
    start: np.ndarray  # uint64 [K]   the position that matches begin with
    start_legal: np.ndarray  # uint64 [L]
    move_limit: int
    replace_illegal: bool  # by a random move; else they lose the match
    lowest: float  # the reward of goal 0
    scale: float  # what the reward grows by for a point of the goal


class Matches(NamedTuple):
    """The state of n matches."""

    rows: np.ndarray  # uint64 [n, K]
    legal: np.ndarray  # uint64 [n, L]   bits
    chosen: np.ndarray  # int32 [n, R]   moves of the next joint move, of M, or ASKED
    player: np.ndarray  # int32 [n]   the role that is asked, or that was the last
    steps: np.ndarray  # int32 [n]   joint moves made
    status: np.ndarray  # int8 [n]
    goals: np.ndarray  # int16 [n, R]
    random: np.ndarray  # uint64 [n, 4]   a stream for each match


class Workspace(NamedTuple):
    """Buffers for a pass of 512 lanes."""

    words: np.ndarray  # uint64 [S, 8]   of the slots, aligned
    going: np.ndarray  # int32 [n]   matches in which a joint move is complete
    rows: np.ndarray  # uint64 [512, K]
    legal: np.ndarray  # uint64 [512, L]
    block: np.ndarray  # uint64 [64]


@kernel
def play(program, table, matches, work, given):
    """Take an action in each match, and go on until each asks for another or is over.

    given: int32 [n]: actions, KEEP or BEGIN. Returns -1, or the number of a match in
    which a role has no legal move.
    """
    count = _take_all(table, matches, work, given)
    while count > 0:
        _advance(program, matches, work, count)
        count = _go_on(table, matches, work, count)
    return -1 - count


@lean_function
def _take_all(table, matches, work, given):
    """Take actions; return in how many matches the joint move is complete."""
    count = 0
    for i in range(given.shape[0]):
        action = given[i]
        if action == BEGIN:
            _begin(table, matches, i)
            asks = _prepare(table, matches, i)
        elif action == KEEP or matches.status[i] != GOING:
            continue
        else:
            asks = _take(table, matches, i, action)
        if not asks:
            work.going[count] = i
            count += 1
    return count


@lean_function
def _go_on(table, matches, work, count):
    """After joint moves in so many matches, find those that ask for no action.

    Returns how many there are, or -1 - i where a role has no legal move in match i.
    """
    kept = 0
    for place in range(count):
        i = work.going[place]
        matches.steps[i] += 1
        if matches.status[i] != GOING:
            continue
        if matches.steps[i] >= table.move_limit:
            matches.status[i] = CUT_OFF
            continue
        if not _prepare(table, matches, i):
            work.going[kept] = i
            kept += 1
        elif matches.chosen[i, matches.player[i]] == NO_MOVE:
            return -1 - i
    return kept


@lean_part
def _begin(table, matches, i):
    """Put the first position in the place of a match."""
    for word in range(table.start.shape[0]):
        matches.rows[i, word] = table.start[word]
    for word in range(table.start_legal.shape[0]):
        matches.legal[i, word] = table.start_legal[word]
    matches.steps[i] = 0
    matches.status[i] = GOING


@lean_part
def _take(table, matches, i, action):
    """Take the action of the role that is asked; return whether another is now."""
    role = matches.player[i]
    legal = matches.legal[i]
    move = -1
    if 0 <= action < table.moves.shape[1]:
        move = table.moves[role, action]
    if move < 0 or not (legal[move >> 6] >> np.uint64(move & 63)) & _ONE:
        if not table.replace_illegal:
            matches.status[i] = ILLEGAL
            return True
        move = _draw_move(table, legal, role, matches.random[i])
    matches.chosen[i, role] = move
    return _ask(matches, i)


@lean_part
def _ask(matches, i):
    """Turn to the first role whose move is missing; return whether there is one."""
    for role in range(matches.chosen.shape[1]):
        if matches.chosen[i, role] < 0:
            matches.player[i] = role
            return True
    return False


@lean_part
def _prepare(table, matches, i):
    """Choose the moves that are not asked for; return whether any is.

    Asked for are moves of roles with more than one to choose from; where there is no
    such role, those that do something. A role without any is turned to, too.
    """
    legal = matches.legal[i]
    chosen = matches.chosen[i]
    choices = False
    for role in range(chosen.shape[0]):
        move = _find_only(table, legal, role)
        if move == NO_MOVE:
            chosen[role] = NO_MOVE
            matches.player[i] = role
            return True
        if move == SEVERAL:
            choices = True
            if table.asked[role]:
                move = ASKED
            else:
                move = _draw_move(table, legal, role, matches.random[i])
        chosen[role] = move
    if not choices:
        for role in range(chosen.shape[0]):
            if table.asked[role] and not table.idle[chosen[role]]:
                chosen[role] = ASKED
    return _ask(matches, i)


@lean_part
def _find_only(table, legal, role):
    """Return the only legal move of a role, or SEVERAL, or NO_MOVE."""
    only = np.int32(NO_MOVE)
    for word in range(table.spans[role, 0], table.spans[role, 1]):
        bits = legal[word] & table.own[role, word]
        if bits:
            if only >= 0 or bits & (bits - _ONE):
                return np.int32(SEVERAL)
            only = np.int32(64 * word + lowest_one(bits))
    return only


@lean_part
def _draw_move(table, legal, role, random):
    """Return a random legal move of a role; it must have one."""
    first, end = table.spans[role, 0], table.spans[role, 1]
    count = np.int64(0)
    for word in range(first, end):
        count += np.int64(count_ones(legal[word] & table.own[role, word]))
    number = draw_below(random, count)
    for word in range(first, end):
        bits = legal[word] & table.own[role, word]
        count = np.int64(count_ones(bits))
        if number < count:
            for _ in range(number):
                bits &= bits - _ONE
            return np.int32(64 * word + lowest_one(bits))
        number -= count
    return np.int32(NO_MOVE)


@part
def _advance(program, matches, work, count):
    """Make the joint moves of the first so many matches of `going`."""
    words = work.words
    base = np.uint64(words.ctypes.data)
    for begin in range(0, count, LANES):
        lanes = min(LANES, count - begin)
        clear_moves(program, base)
        _load(program, matches, work, begin, lanes)
        run_phase(program, base, SHARED)
        run_phase(program, base, LEGAL)
        run_phase(program, base, NEXT)
        take_next(program, base)
        _store_rows(program, matches, work, begin, lanes)
        run_phase(program, base, TERMINAL)
        if _note_ends(program, matches, work, begin, lanes):
            run_phase(program, base, GOALS)
            _note_goals(program, matches, work, begin, lanes)
        run_phase(program, base, LEGAL)
        _store_legal(program, matches, work, begin, lanes)


@lean_function
def _load(program, matches, work, begin, lanes):
    """Put positions and joint moves into lanes."""
    rows, words = work.rows[:lanes], work.words
    for lane in range(lanes):
        i = work.going[begin + lane]
        for word in range(rows.shape[1]):
            rows[lane, word] = matches.rows[i, word]
        bit = _ONE << np.uint64(lane & 63)
        for role in range(matches.chosen.shape[1]):
            words[program.first_move + matches.chosen[i, role], lane >> 6] |= bit
    spread_by(rows, words, work.block, 1, program.next.shape[0])


@lean_function
def _store_rows(program, matches, work, begin, lanes):
    """Take positions out of lanes."""
    rows = work.rows[:lanes]
    gather_by(work.words, program.fluents, work.block, rows)
    for lane in range(lanes):
        i = work.going[begin + lane]
        for word in range(rows.shape[1]):
            matches.rows[i, word] = rows[lane, word]


@lean_function
def _store_legal(program, matches, work, begin, lanes):
    """Take legal moves out of lanes."""
    legal = work.legal[:lanes]
    gather_by(work.words, program.legal, work.block, legal)
    for lane in range(lanes):
        i = work.going[begin + lane]
        for word in range(legal.shape[1]):
            matches.legal[i, word] = legal[lane, word]


@lean_function
def _note_ends(program, matches, work, begin, lanes):
    """Note which matches have ended; return whether any has."""
    flip = _NONE - np.uint64(program.terminal & 1)
    some = False
    for lane in range(lanes):
        word = work.words[program.terminal >> 1, lane >> 6] ^ flip
        if (word >> np.uint64(lane & 63)) & _ONE:
            matches.status[work.going[begin + lane]] = ENDED
            some = True
    return some


@lean_function
def _note_goals(program, matches, work, begin, lanes):
    """Note the goals of matches that have ended; -1 where there is none, or more."""
    for lane in range(lanes):
        i = work.going[begin + lane]
        if matches.status[i] != ENDED:
            continue
        first = 0
        for role in range(program.goal_ends.shape[0]):
            found = 0
            for g in range(first, program.goal_ends[role]):
                literal = program.goals[g]
                flip = _NONE - np.uint64(literal & 1)
                word = work.words[literal >> 1, lane >> 6] ^ flip
                if (word >> np.uint64(lane & 63)) & _ONE:
                    found += 1
                    matches.goals[i, role] = program.goal_values[g]
            if found != 1:
                matches.goals[i, role] = -1
            first = program.goal_ends[role]


# ── what is seen ────────────────────────────────────────────────────────────────────


@lean
def observe(rows, facts):
    """Write the facts of positions.  rows: uint64 [n, K], facts: int8 [n, F]"""
    count = facts.shape[1]
    for i in range(rows.shape[0]):
        for word in range(rows.shape[1]):
            bits = rows[i, word]
            for place in range(min(64, count - 64 * word)):
                facts[i, 64 * word + place] = (bits >> np.uint64(place)) & _ONE


@lean
def mask_actions(table, matches, roles, masks):
    """Write which actions are legal, each for a role; all, where a match is over.

    roles: int32 [n], masks: int8 [n, A], cleared
    """
    for i in range(roles.shape[0]):
        if matches.status[i] != GOING:
            for action in range(masks.shape[1]):
                masks[i, action] = 1
            continue
        role = roles[i]
        for word in range(table.spans[role, 0], table.spans[role, 1]):
            bits = matches.legal[i, word] & table.own[role, word]
            while bits:
                masks[i, table.actions[64 * word + lowest_one(bits)]] = 1
                bits &= bits - _ONE


@lean
def score(table, matches, roles, rewards, own):
    """Write the rewards of matches that are over; leave the others as they are.

    roles: int32 [n], rewards: float64 [n, R], own: float64 [n]: that of its role. An
    illegal action is as goal 0 to its role and goal 100 to the others.
    """
    for i in range(own.shape[0]):
        if matches.status[i] == GOING or matches.status[i] == CUT_OFF:
            continue
        for role in range(rewards.shape[1]):
            goal = np.int64(matches.goals[i, role])
            if matches.status[i] == ILLEGAL:
                goal = 0 if matches.player[i] == role else 100
            if goal >= 0:
                rewards[i, role] = table.lowest + table.scale * goal
        own[i] = rewards[i, roles[i]]


@lean
def draw_actions(table, matches, random, actions):
    """Write a random legal action for each match; 0 where it is over.

    random: uint64 [4], actions: int64 [n]
    """
    for i in range(actions.shape[0]):
        actions[i] = 0
        if matches.status[i] == GOING:
            legal, role = matches.legal[i], matches.player[i]
            actions[i] = table.actions[_draw_move(table, legal, role, random)]
