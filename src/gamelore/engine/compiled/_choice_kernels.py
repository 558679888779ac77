"""Choose moves uniformly at random in 512 lanes, without separating them.

The number of legal moves is counted in bit planes, and so is a number below it drawn.
Counts are made in blocks of moves, and of so many blocks again, so that few planes are
touched for each move: as many as registers hold.
"""

from __future__ import annotations

import numpy as np

from gamelore.circuit.program import BLOCK
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
    store,
    subtract_planes,
    zero_planes,
)
from gamelore.kernels import lean_function, lean_part

WORDS = 8
HALF = 4  # words per step of the choice of moves: as many planes as registers hold

_NONE = np.uint64(0)
_STEP = np.uint64(1)
_FULL = np.uint64(BLOCK)


@lean_part
def _value4(base, literal):
    flip = _NONE - np.uint64(literal & 1)
    return load4(base, np.int64(literal >> 1) * WORDS) ^ splat4(flip)


@lean_part
def store_count(base, word, count, moves):
    """Keep a block's count where its moves will be: a plane in each of four slots."""
    store(base, word, count[0])
    if moves > 1:
        store(base, word + WORDS, count[1])
    if moves > 2:
        store(base, word + 2 * WORDS, count[2])
    if moves > 3:
        store(base, word + 3 * WORDS, count[3])


@lean_part
def load_count(base, word, moves):
    """The count of a block of so many moves; fewer than four need fewer planes."""
    zero = splat4(_NONE)
    return (
        load4(base, word),
        load4(base, word + WORDS) if moves > 1 else zero,
        load4(base, word + 2 * WORDS) if moves > 2 else zero,
        load4(base, word + 3 * WORDS) if moves > 3 else zero,
    )


@lean_part
def legal4(program, base, move):
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
    two = legal4(program, base, move)
    return _add3(one, two, legal4(program, base, move + _STEP))


@lean_part
def count_block(program, base, first, end):
    """Count the legal moves first … end, at most a block, in 256 lanes.

    A full block takes eleven additions of three bits; one by one, fifteen of one bit to
    four would be twice as much.
    """
    first, end = np.uint64(first), np.uint64(end)
    if end - first < _FULL:
        count = zero_planes(splat4(_NONE), 4)
        for move in range(first, end):
            count = increase(count, legal4(program, base, move))
        return count
    ones = legal4(program, base, first)
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
def draw(last, random, live):
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

    @lean_function
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
            inside = count_block(program, base, block, stop)
            store_count(base, offset + block * WORDS, inside, stop - block)
            count = add_planes(count, inside)
        some = nonzero(count)
        if any_lane(live & ~some):
            return False
        last = decrease(count, some)
        number = draw(last, random, live)
        waiting = some
        for block in range(first, end, BLOCK):
            stop = min(block + BLOCK, end)
            inside = load_count(base, offset + block * WORDS, stop - block)
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


@lean_function
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
