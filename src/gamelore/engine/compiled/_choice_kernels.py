"""Choose moves uniformly at random in 512 lanes, without separating them.

The number of legal moves is counted in bit planes, and so is a number below it drawn.
Counts are made in blocks of moves, and of so many blocks again, so that few planes are
touched for each move: as many as registers hold.
"""

from __future__ import annotations

import numpy as np

from gamelore.circuit.program import (
    BLOCK,
    BLOCK_SLOTS,
    MANY,
    MANY_SLOTS,
)
from gamelore.engine.compiled._lanes import (
    above,
    add_planes,
    any_lane,
    below,
    decrease,
    increase,
    load4,
    mask_planes,
    nonzero,
    random_planes,
    replace_where,
    smear,
    splat4,
    splat8,
    store,
    subtract_planes,
    zero_planes,
)
from gamelore.kernels import lean_part, lean_recursion, part

WORDS = 8
HALF = 4  # words per step of the choice of moves: as many planes as registers hold

_NONE = np.uint64(0)
_STEP = np.uint64(1)
_FULL = np.uint64(BLOCK)
_MOST_OFTEN = 1000  # moves, of which most are picked in one of 256 lanes
_SINGLE, _OFTEN, _SELDOM = range(3)
"""Ways to join groups: each move has its own; some lane picks most; or few."""


@lean_part
def _value4(base, literal):
    flip = _NONE - np.uint64(literal & 1)
    return load4(base, np.int64(literal >> 1) * WORDS) ^ splat4(flip)


@lean_part
def _store_count(base, word, count, moves):
    """Keep a block's count where its moves will be: a plane in each of four slots."""
    store(base, word, count[0])
    if moves > 1:
        store(base, word + WORDS, count[1])
    if moves > 2:
        store(base, word + 2 * WORDS, count[2])
    if moves > 3:
        store(base, word + 3 * WORDS, count[3])


@lean_part
def _load_count(base, word, moves):
    """The count of a block of so many moves; fewer than four need fewer planes."""
    zero = splat4(_NONE)
    return (
        load4(base, word),
        load4(base, word + WORDS) if moves > 1 else zero,
        load4(base, word + 2 * WORDS) if moves > 2 else zero,
        load4(base, word + 3 * WORDS) if moves > 3 else zero,
    )


@lean_part
def _legal4(program, base, move):
    """The lanes in which a move is legal.  move: uint64, for signed indices take longer

    program: a Program, or Turns
    """
    return _value4(base, program.legal[move])


@lean_part
def _add3(one, other, third):
    """Add three bits: the sum's two planes."""
    differ = one ^ other
    return differ ^ third, (one & other) | (differ & third)


@lean_part
def _count3(program, base, move, one):
    """Add the legal moves of two numbers to a bit."""
    two = _legal4(program, base, move)
    return _add3(one, two, _legal4(program, base, move + _STEP))


@lean_part
def _count_block(program, base, first, end):
    """Count the legal moves first … end, at most a block, in 256 lanes.

    A full block takes eleven additions of three bits; one by one, fifteen of one bit to
    four would be twice as much.
    """
    first, end = np.uint64(first), np.uint64(end)
    if end - first < _FULL:
        count = zero_planes(splat4(_NONE), 4)
        for move in range(first, end):
            count = increase(count, _legal4(program, base, move))
        return count
    ones = _legal4(program, base, first)
    ones, twos = _count3(program, base, first + np.uint64(1), ones)
    ones, b = _count3(program, base, first + np.uint64(3), ones)
    ones, c = _count3(program, base, first + np.uint64(5), ones)
    twos, fours = _add3(twos, b, c)
    ones, b = _count3(program, base, first + np.uint64(7), ones)
    ones, c = _count3(program, base, first + np.uint64(9), ones)
    twos, d = _add3(twos, b, c)
    ones, b = _count3(program, base, first + np.uint64(11), ones)
    ones, c = _count3(program, base, first + np.uint64(13), ones)
    twos, b = _add3(twos, b, c)
    fours, eights = _add3(fours, d, b)
    return ones, twos, fours, eights


@lean_part
def _pick_in_block(program, base, first, end, picks, number):
    """Set the move of a number, counted within the block, in lanes that pick here."""
    offset = np.int64(program.first_move) * WORDS
    for move in range(first, end):
        legal = _value4(base, program.legal[move]) & picks
        picked = legal & ~nonzero(number)
        store(base, offset + move * WORDS, picked)
        number = decrease(number, legal)
        picks = picks & ~picked


@lean_part
def _draw(last, random, live):
    """Numbers from 0 to the last ones, uniformly, by rejection.

    How often is drawn depends on live lanes only: others hold what was there before.
    """
    pending = nonzero(last) & live
    bits = smear(last)
    number = mask_planes(last, subtract_planes(last, last))  # zero
    while any_lane(pending):
        drawn = mask_planes(random_planes(number, random), bits)
        fits = pending & ~above(drawn, last)
        number = replace_where(fits, number, drawn)
        pending = pending & ~fits
    return number


def _make_choose(planes):
    """Return a kernel that chooses among fewer than 2 ** planes moves."""

    @part
    def choose(program, base, first, end, random, live):
        """Set one of the legal moves first … end in 256 lanes, uniformly.

        Counts each lane's legal moves, block by block, and draws a number below the
        count (by rejection, so that it is exactly uniform). A second walk over the
        blocks looks only into those in which some lane's number lies. Returns whether
        every live lane had a move. base: address of the lanes' first words.
        """
        zero = splat4(_NONE)
        count = zero_planes(zero, planes)
        offset = np.int64(program.first_move) * WORDS
        for block in range(first, end, BLOCK):
            stop = min(block + BLOCK, end)
            inside = _count_block(program, base, block, stop)
            _store_count(base, offset + block * WORDS, inside, stop - block)
            count = add_planes(count, inside)
        some = nonzero(count)
        if any_lane(live & ~some):
            return False
        last = decrease(count, some)
        number = _draw(last, random, live)
        waiting = some
        for block in range(first, end, BLOCK):
            stop = min(block + BLOCK, end)
            inside = _load_count(base, offset + block * WORDS, stop - block)
            picks = below(number, inside) & waiting
            if any_lane(picks):
                _pick_in_block(program, base, block, stop, picks, number[:4])
                waiting = waiting & ~picks
            else:
                for move in range(block, stop):
                    store(base, offset + move * WORDS, zero)
            number = subtract_planes(number, inside)
        return True

    return choose


_choose4 = _make_choose(4)
_choose8 = _make_choose(8)
_choose20 = _make_choose(20)


@part
def choose_moves(program, base, random, live):
    """Choose moves in every lane; return the first role without one, or -1."""
    generators = np.uint64(random.ctypes.data)
    playing = np.uint64(live.ctypes.data)
    first = 0
    for role in range(program.move_ends.shape[0]):
        end = program.move_ends[role]
        for half in range(0, WORDS, HALF):
            mask = load4(playing, half)
            lanes = base + np.uint64(8 * half)
            if end - first < 15:
                fine = _choose4(program, lanes, first, end, generators, mask)
            elif end - first < 255:
                fine = _choose8(program, lanes, first, end, generators, mask)
            else:
                fine = _choose20(program, lanes, first, end, generators, mask)
            if not fine:
                return role
        first = end
    return -1


# ── groups of moves, in place of moves ──────────────────────────────────────────────


@lean_part
def _pick_single(turns, base, first, end, picks, number):
    """Set the groups of the moves of a number, each of which has one of its own."""
    for move in range(np.uint64(first), np.uint64(end)):
        legal = _legal4(turns, base, move) & picks
        picked = legal & ~nonzero(number)
        group = turns.groups[np.uint64(turns.group_ends[move]) - _STEP]
        store(base, np.int64(group) * WORDS, picked)
        number = decrease(number, legal)
        picks = picks & ~picked


@lean_part
def _join_groups(turns, base, move, picked):
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
        legal = _legal4(turns, base, move) & picks
        picked = legal & ~nonzero(number)
        _join_groups(turns, base, move, picked)
        number = decrease(number, legal)
        picks = picks & ~picked


@lean_part
def _pick_seldom(turns, base, first, end, picks, number):
    """The same where few moves are picked."""
    for move in range(np.uint64(first), np.uint64(end)):
        legal = _legal4(turns, base, move) & picks
        picked = legal & ~nonzero(number)
        if any_lane(picked):
            _join_groups(turns, base, move, picked)
            picks = picks & ~picked
            if not any_lane(picks):
                break
        number = decrease(number, legal)


@lean_part
def _count_blocks(turns, base, first, end, word, count):
    """Add the legal moves first … end to a count, and keep that of every block."""
    for block in range(first, end, BLOCK):
        inside = _count_block(turns, base, block, min(block + BLOCK, end))
        _store_count(base, word, inside, BLOCK)
        count = add_planes(count, inside)
        word += BLOCK_SLOTS * WORDS
    return count


@lean_part
def _pick_in_blocks(turns, base, span, word, wanted, way):
    """Let lanes pick the move of a number, counted from the first of some blocks.

    span: the first move and the end; wanted: lanes, and the planes of their numbers
    """
    first, end = span
    picks, number = wanted
    for block in range(first, end, BLOCK):
        inside = _load_count(base, word, BLOCK)
        here = below(number, inside) & picks
        if any_lane(here):
            stop = min(block + BLOCK, end)
            if way == _SINGLE:
                _pick_single(turns, base, block, stop, here, number[:4])
            elif way == _OFTEN:
                _pick_often(turns, base, block, stop, here, number[:4])
            else:
                _pick_seldom(turns, base, block, stop, here, number[:4])
            picks = picks & ~here
            if not any_lane(picks):
                break
        number = subtract_planes(number, inside)
        word += BLOCK_SLOTS * WORDS


@lean_recursion
def _choose_few_groups(turns, base, span, random, live, way):
    """Put lanes into the groups of one of their legal moves: one of a single block."""
    first, end = span
    count = _count_block(turns, base, first, end)
    some = nonzero(count)
    if any_lane(live & ~some):
        return False
    number = _draw(decrease(count, some), random, live)
    if way == _SINGLE:
        _pick_single(turns, base, first, end, some, number)
    else:
        _pick_often(turns, base, first, end, some, number)
    return True


@lean_recursion
def _choose_some_groups(turns, base, span, random, live, way):
    """The same for fewer than 255 moves."""
    first, end = span
    word = np.int64(turns.scratch) * WORDS
    count = zero_planes(splat4(_NONE), 8)
    count = _count_blocks(turns, base, first, end, word, count)
    some = nonzero(count)
    if any_lane(live & ~some):
        return False
    number = _draw(decrease(count, some), random, live)
    _pick_in_blocks(turns, base, span, word, (some, number), way)
    return True


@lean_part
def _store_planes8(base, word, count):
    for plane in range(8):
        store(base, word + plane * WORDS, count[plane])


@lean_part
def _load_planes8(base, word):
    return (
        load4(base, word),
        load4(base, word + WORDS),
        load4(base, word + 2 * WORDS),
        load4(base, word + 3 * WORDS),
        load4(base, word + 4 * WORDS),
        load4(base, word + 5 * WORDS),
        load4(base, word + 6 * WORDS),
        load4(base, word + 7 * WORDS),
    )


@lean_recursion
def _choose_many_groups(turns, base, span, random, live, way):
    """The same for up to 2 ** 20 moves: counts of blocks, and of blocks of blocks."""
    first, end = span
    zero = splat4(_NONE)
    count = zero_planes(zero, 20)
    start = np.int64(turns.scratch) * WORDS
    word = start
    for many in range(first, end, MANY):
        stop = min(many + MANY, end)
        few = zero_planes(zero, 8)
        few = _count_blocks(turns, base, many, stop, word + 8 * WORDS, few)
        _store_planes8(base, word, few)
        count = add_planes(count, few)
        word += MANY_SLOTS * WORDS
    some = nonzero(count)
    if any_lane(live & ~some):
        return False
    number = _draw(decrease(count, some), random, live)
    waiting = some
    word = start
    for many in range(first, end, MANY):
        inside = _load_planes8(base, word)
        picks = below(number, inside) & waiting
        if any_lane(picks):
            stop = min(many + MANY, end)
            at = word + 8 * WORDS
            wanted = picks, number[:8]
            _pick_in_blocks(turns, base, (many, stop), at, wanted, way)
            waiting = waiting & ~picks
            if not any_lane(waiting):
                break
        number = subtract_planes(number, inside)
        word += MANY_SLOTS * WORDS
    return True


@lean_part
def choose_groups(turns, turn, base, random, live):
    """Choose moves in every lane; return the first role without one, or -1."""
    generators = np.uint64(random.ctypes.data)
    playing = np.uint64(live.ctypes.data)
    roles = turns.move_ends.shape[1]
    first = turns.move_ends[turn - 1, roles - 1] if turn else np.int32(0)
    if not turns.single[turn] or turns.move_ends[turn, roles - 1] - first >= BLOCK:
        for slot in range(turns.group_slots[turn, 0], turns.group_slots[turn, 1]):
            store(base, np.int64(slot) * WORDS, splat8(_NONE))
    for role in range(roles):
        end = turns.move_ends[turn, role]
        for half in range(0, WORDS if end > first else 0, HALF):
            way = _SINGLE if turns.single[turn] else _OFTEN
            live_half = load4(playing, half)
            lanes = base + np.uint64(8 * half)
            span = first, end
            if end - first < BLOCK:
                fine = _choose_few_groups(
                    turns, lanes, span, generators, live_half, way
                )
            elif end - first < 255:
                fine = _choose_some_groups(
                    turns, lanes, span, generators, live_half, way
                )
            else:
                way = way if end - first < _MOST_OFTEN else _SELDOM
                fine = _choose_many_groups(
                    turns, lanes, span, generators, live_half, way
                )
            if not fine:
                return role
        first = end
    return -1
