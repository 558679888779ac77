"""Choose moves uniformly at random in 512 lanes, and add lanes to groups of moves.

Exactly as `choose_moves` does, but over what a turn's circuit has: groups of moves in
place of moves (`gamelore.circuit.move_groups`). What only games of many moves need is
in `_many_kernels`, and called through a pointer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.circuit.program import BLOCK, BLOCK_SLOTS
from gamelore.engine.compiled._choice_kernels import (
    HALF,
    WORDS,
    count_block,
    draw,
    legal4,
    load_count,
    store_count,
)
from gamelore.engine.compiled._lanes import (
    add_planes,
    any_lane,
    below,
    decrease,
    load4,
    nonzero,
    splat4,
    splat8,
    store,
    subtract_planes,
    zero_planes,
)
from gamelore.kernels import call_address, lean_function, lean_part

_NONE = np.uint64(0)
_STEP = np.uint64(1)
MOST_SOME = 254
"""Moves that are chosen among without what games of more moves need."""

SINGLE, OFTEN, SELDOM = range(3)
"""Ways to join groups: each move has its own; some lane picks most; or few."""


class MoveArrays(NamedTuple):
    """The arrays of `Turns` that `choose_many_groups` takes; few are passed soon."""

    legal: np.ndarray
    groups: np.ndarray
    group_ends: np.ndarray
    products: np.ndarray
    product_ends: np.ndarray
    single: np.ndarray


class Choices(NamedTuple):
    """What moves are chosen with."""

    random: np.ndarray  # uint64 [4, 4]   aligned: generators
    many: np.uint64  # the address of `choose_many_groups`; only called if needed


@lean_part
def _pick_single(turns, base, first, end, picks, number):
    """Set the groups of the moves of a number, each of which has one of its own."""
    for move in range(np.uint64(first), np.uint64(end)):
        legal = legal4(turns, base, move) & picks
        picked = legal & ~nonzero(number)
        group = turns.groups[np.uint64(turns.group_ends[move]) - _STEP]
        store(base, np.int64(group) * WORDS, picked)
        number = decrease(number, legal)
        picks = picks & ~picked


@lean_part
def join_groups(turns, base, move, picked):
    """Add lanes to the groups of a move."""
    start = np.uint64(turns.group_ends[move - _STEP]) if move else _NONE
    for i in range(start, np.uint64(turns.group_ends[move])):
        word = np.int64(turns.groups[i]) * WORDS
        store(base, word, load4(base, word) | picked)


@lean_part
def _pick_often(turns, base, first, end, picks, number):
    """Add lanes to the groups of the move of a number, counted within the block.

    Most moves are picked in some lane: to ask which would take longer.
    """
    for move in range(np.uint64(first), np.uint64(end)):
        legal = legal4(turns, base, move) & picks
        picked = legal & ~nonzero(number)
        join_groups(turns, base, move, picked)
        number = decrease(number, legal)
        picks = picks & ~picked


@lean_part
def _pick_seldom(turns, base, first, end, picks, number):
    """The same where few moves are picked."""
    for move in range(np.uint64(first), np.uint64(end)):
        legal = legal4(turns, base, move) & picks
        picked = legal & ~nonzero(number)
        if any_lane(picked):
            join_groups(turns, base, move, picked)
            picks = picks & ~picked
            if not any_lane(picks):
                break
        number = decrease(number, legal)


@lean_part
def count_blocks(turns, base, first, end, word, count):
    """Add the legal moves first … end to a count, and keep that of every block."""
    for block in range(first, end, BLOCK):
        inside = count_block(turns, base, block, min(block + BLOCK, end))
        store_count(base, word, inside, BLOCK)
        count = add_planes(count, inside)
        word += BLOCK_SLOTS * WORDS
    return count


@lean_part
def pick_in_blocks(turns, base, span, word, wanted, way):
    """Let lanes pick the move of a number, counted from the first of some blocks.

    span: the first move and the end; wanted: lanes, and the planes of their numbers
    """
    first, end = span
    picks, number = wanted
    for block in range(first, end, BLOCK):
        inside = load_count(base, word, BLOCK)
        here = below(number, inside) & picks
        if any_lane(here):
            stop = min(block + BLOCK, end)
            if way == SINGLE:
                _pick_single(turns, base, block, stop, here, number[:4])
            elif way == OFTEN:
                _pick_often(turns, base, block, stop, here, number[:4])
            else:
                _pick_seldom(turns, base, block, stop, here, number[:4])
            picks = picks & ~here
            if not any_lane(picks):
                break
        number = subtract_planes(number, inside)
        word += BLOCK_SLOTS * WORDS


@lean_function
def _choose_few_groups(turns, base, span, random, live, way):
    """Put lanes into the groups of one of their legal moves: one of a single block.

    Returns whether every live lane had a move.
    """
    first, end = span
    count = count_block(turns, base, first, end)
    some = nonzero(count)
    if any_lane(live & ~some):
        return False
    number = draw(decrease(count, some), random, live)
    if way == SINGLE:
        _pick_single(turns, base, first, end, some, number)
    else:
        _pick_often(turns, base, first, end, some, number)
    return True


@lean_function
def _choose_some_groups(turns, base, span, random, live, way):
    """The same for fewer than 255 moves."""
    first, end = span
    word = np.int64(turns.scratch) * WORDS
    count = zero_planes(splat4(_NONE), 8)
    count = count_blocks(turns, base, first, end, word, count)
    some = nonzero(count)
    if any_lane(live & ~some):
        return False
    number = draw(decrease(count, some), random, live)
    pick_in_blocks(turns, base, span, word, (some, number), way)
    return True


@lean_function
def _choose_many(turns, turn, lanes, span, choices, playing):
    """The same for more moves, by address.  playing: that of the lanes that play"""
    moves = MoveArrays(
        turns.legal,
        turns.groups,
        turns.group_ends,
        turns.products,
        turns.product_ends,
        turns.single,
    )
    of_turn = np.int64(turn), span[0], span[1], np.int64(turns.scratch)
    generators = np.uint64(choices.random.ctypes.data)
    arguments = moves, of_turn, lanes, generators, playing
    return call_address(choices.many, arguments) != 0


@lean_part
def choose_groups(turns, turn, base, choices, live):
    """Choose moves in every lane; return the first role without one, or -1."""
    generators = np.uint64(choices.random.ctypes.data)
    playing = np.uint64(live.ctypes.data)
    roles = turns.move_ends.shape[1]
    first = turns.move_ends[turn - 1, roles - 1] if turn else np.int32(0)
    if not turns.single[turn] or turns.move_ends[turn, roles - 1] - first >= BLOCK:
        for slot in range(turns.group_slots[turn, 0], turns.group_slots[turn, 1]):
            store(base, np.int64(slot) * WORDS, splat8(_NONE))
    for role in range(roles):
        end = turns.move_ends[turn, role]
        for half in range(0, WORDS if end > first else 0, HALF):
            way = SINGLE if turns.single[turn] else OFTEN
            live_half = load4(playing, half)
            lanes = base + np.uint64(8 * half)
            span = np.int64(first), np.int64(end)  # of one type, as blocks of moves
            if end - first < BLOCK:
                fine = _choose_few_groups(
                    turns, lanes, span, generators, live_half, way
                )
            elif end - first <= MOST_SOME:
                fine = _choose_some_groups(
                    turns, lanes, span, generators, live_half, way
                )
            else:
                fine = _choose_many(
                    turns, turn, lanes, span, choices, playing + np.uint64(8 * half)
                )
            if not fine:
                return role
        first = end
    return -1
