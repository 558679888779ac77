"""Rollouts by a policy, 512 at once, and the adaptation of policies to a path.

A policy has a weight for each *code*: a move in a context, which is nothing, the number
of moves so far, or the move before. G policies share the lanes, 512 / G to each.

M moves, L moves of a rollout at most, X codes, K words per position, S slots.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore._random_kernels import draw_unit
from gamelore.circuit.program import GOALS, LEGAL, NEXT, TERMINAL
from gamelore.engine.compiled._kernels import (
    LANES,
    clear_moves,
    gather_by,
    read_goals,
    run_phase,
    spread_by,
    take_next,
)
from gamelore.engine.compiled._lanes import lowest_one
from gamelore.kernels import lean, lean_part
from gamelore.search.puzzle._layer_kernels import read_lanes

ANYWHERE, BY_STEP, BY_MOVE = range(3)
"""Contexts of a move."""

STEP, LIVE, CONTEXT, WORK = range(4)
"""What `state` holds: moves made, rollouts under way, the kind of context, and moves of
all rollouts so far."""

NOWHERE = -2
"""The goal of a rollout that did not come to an end."""

_ONE = np.uint64(1)


class Rollouts(NamedTuple):
    """Rollouts under way; what they did, and where they ended."""

    words: np.ndarray  # uint64 [S, 8]   lanes of the circuit
    legal: np.ndarray  # uint64 [512, ·]   legal moves in bits
    path: np.ndarray  # int32 [512, L]
    length: np.ndarray  # int64 [512]
    goal: np.ndarray  # int16 [512]   -1 where the rules derive none
    final: np.ndarray  # uint64 [512, K]   the terminal positions
    live: np.ndarray  # bool [512]
    ended: np.ndarray  # uint64 [8]   lanes whose position is terminal
    goals: np.ndarray  # int16 [1]
    block: np.ndarray  # uint64 [64]
    random: np.ndarray  # uint64 [4]
    state: np.ndarray  # int64 [4]


class Policies(NamedTuple):
    """G policies."""

    weights: np.ndarray  # float64 [G, X]
    odds: np.ndarray  # float64 [G, X]   exp(weights)


class ListedPath(NamedTuple):
    """A path, and what could have been done along it."""

    moves: np.ndarray  # int32 [n]
    options: np.ndarray  # int32 [·]   the legal moves at each step, one after the other
    ends: np.ndarray  # int64 [n]


@lean
def begin_rollouts(program, rollouts, rows):
    """Put positions into all lanes.  rows: uint64 [512, K]"""
    spread_by(rows, rollouts.words, rollouts.block, 1, program.next.shape[0])
    for lane in range(LANES):
        rollouts.live[lane] = True
        rollouts.goal[lane] = NOWHERE
        rollouts.length[lane] = 0
    rollouts.state[STEP] = 0
    rollouts.state[LIVE] = LANES


@lean
def roll_out(program, rollouts, policies, steps):
    """Play on for so many steps, or to the ends of all rollouts."""
    words, state = rollouts.words, rollouts.state
    base = np.uint64(words.ctypes.data)
    group = LANES // policies.odds.shape[0]
    for _ in range(steps):
        run_phase(program, base, TERMINAL)
        read_lanes(words, program.terminal, rollouts.ended)
        run_phase(program, base, GOALS)
        for lane in range(LANES):
            ended = (rollouts.ended[lane >> 6] >> np.uint64(lane & 63)) & _ONE
            if rollouts.live[lane] and ended:
                read_goals(program, words, lane, rollouts.goals)
                rollouts.goal[lane] = rollouts.goals[0]
                _copy_row(program, rollouts, lane)
                _end(rollouts, lane)
        if state[STEP] == rollouts.path.shape[1]:
            for lane in range(LANES):
                if rollouts.live[lane]:
                    _end(rollouts, lane)
        if state[LIVE] == 0:
            return
        run_phase(program, base, LEGAL)
        gather_by(words, program.legal, rollouts.block, rollouts.legal)
        clear_moves(program, base)
        state[WORK] += state[LIVE]
        for lane in range(LANES):
            if rollouts.live[lane]:
                odds = policies.odds[lane // group]
                move = _choose(rollouts, odds, lane, program.legal.shape[0])
                if move < 0:
                    _end(rollouts, lane)
                    continue
                rollouts.path[lane, state[STEP]] = move
                slot = program.first_move + move
                words[slot, lane >> 6] |= _ONE << np.uint64(lane & 63)
        run_phase(program, base, NEXT)
        take_next(program, base)
        state[STEP] += 1


@lean_part
def _copy_row(program, rollouts, lane):
    """Keep the position of one lane."""
    word, shift = np.uint64(lane >> 6), np.uint64(lane & 63)
    for column in range(rollouts.final.shape[1]):
        bits = np.uint64(0)
        for b in range(min(64, program.next.shape[0] - 64 * column)):
            bit = (rollouts.words[1 + 64 * column + b, word] >> shift) & _ONE
            bits |= bit << np.uint64(b)
        rollouts.final[lane, column] = bits


@lean_part
def _end(rollouts, lane):
    rollouts.live[lane] = False
    rollouts.length[lane] = rollouts.state[STEP]
    rollouts.state[LIVE] -= 1


@lean_part
def _choose(rollouts, odds, lane, moves):
    """Draw a legal move in proportion to its odds; -1 if there is none.

    odds: float64 [X]
    """
    bits = rollouts.legal[lane]
    step = rollouts.state[STEP]
    before = np.int64(rollouts.path[lane, step - 1]) if step else np.int64(-1)
    first = find_codes(rollouts.state[CONTEXT], step, before, moves, odds.shape[0])
    total = 0.0
    for word in range(bits.shape[0]):
        left = bits[word]
        while left:
            total += odds[first + 64 * word + lowest_one(left)]
            left &= left - _ONE
    if total == 0.0:
        return -1
    sought = total * draw_unit(rollouts.random)
    last = -1
    for word in range(bits.shape[0]):
        left = bits[word]
        while left:
            last = 64 * word + lowest_one(left)
            left &= left - _ONE
            sought -= odds[first + last]
            if sought < 0:
                return last
    return last


@lean_part
def find_codes(context, step, before, moves, codes):
    """Return the code of move 0, after so many steps and a move or -1.

    Where there are fewer contexts than steps, the last is for all that is left.
    """
    number = np.int64(0)
    if context == BY_STEP:
        number = step
    elif context == BY_MOVE:
        number = before + 1
    return moves * min(number, codes // moves - 1)


@lean
def adapt(policies, group, path, rate, context, moves):
    """Make a path likelier under a policy: one step of gradient ascent."""
    weights, odds = policies.weights[group], policies.odds[group]
    before = np.int64(-1)
    begin = np.int64(0)
    for step in range(path.moves.shape[0]):
        first = find_codes(context, step, before, moves, weights.shape[0])
        before = np.int64(path.moves[step])
        total = 0.0
        for i in range(begin, path.ends[step]):
            total += odds[first + path.options[i]]
        weights[first + before] += rate
        for i in range(begin, path.ends[step]):
            code = first + path.options[i]
            weights[code] -= rate * odds[code] / total
        for i in range(begin, path.ends[step]):
            code = first + path.options[i]
            odds[code] = np.exp(min(max(weights[code], -50.0), 50.0))
        begin = path.ends[step]
