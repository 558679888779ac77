"""Choose among hundreds of moves and more, as `_group_kernels` does among fewer.

Rows and columns stand for moves that are made of two parts
(`gamelore.circuit.move_products`).
"""

from __future__ import annotations

import numpy as np

from gamelore.circuit.program import (
    BLOCK,
    MANY,
    MANY_SLOTS,
    PART_PLANES,
    PRODUCT_SLOTS,
)
from gamelore.engine.compiled._choice_kernels import WORDS, count_block, draw, legal4
from gamelore.engine.compiled._group_kernels import (
    OFTEN,
    SELDOM,
    SINGLE,
    count_blocks,
    join_groups,
    pick_in_blocks,
)
from gamelore.engine.compiled._lanes import (
    add_planes,
    any_lane,
    below,
    decrease,
    load4,
    multiply_planes,
    nonzero,
    replace_where,
    splat4,
    store,
    subtract_planes,
    zero_planes,
)
from gamelore.kernels import lean_function, lean_part

_NONE = np.uint64(0)
_MOST_OFTEN = 1000  # moves, of which most are picked in one of 256 lanes

_ROWS = WORDS
"""Where the count of rows is kept, from a product's first word; before it, lanes."""

_COLUMNS = _ROWS + PART_PLANES * WORDS
_PAIRS = _COLUMNS + PART_PLANES * WORDS


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


def choose_many_groups(moves, of_turn, base, random, playing):
    """Put lanes into the groups of one of up to 2 ** 20 legal moves.

    Counts are of blocks, and of blocks of blocks. Of products, one is chosen by the
    number of its pairs, then a row and a column. Kernels call it by its address.
    moves: MoveArrays; of_turn: its number, a role's first move and the end, and the
    first slot for counts; random, playing: addresses. Returns 1 if every live lane had
    a move, else 0.
    """
    turn, first, end, slot = of_turn
    scratch = slot * WORDS
    before = moves.product_ends[turn - 1] if turn else np.int32(0)
    products = np.int64(before), np.int64(moves.product_ends[turn])
    way = SINGLE if moves.single[turn] else OFTEN
    if end - first >= _MOST_OFTEN:
        way = SELDOM
    live = load4(playing, 0)
    zero = splat4(_NONE)
    count = zero_planes(zero, 20)
    word = scratch
    if products[1] > products[0]:
        end = moves.products[products[0], 0]
        count = _count_products(moves, base, word, products, count)
        word += (products[1] - products[0]) * PRODUCT_SLOTS * WORDS
    start = word
    for many in range(first, end, MANY):
        stop = min(many + MANY, end)
        few = zero_planes(zero, 8)
        few = count_blocks(moves, base, many, stop, word + 8 * WORDS, few)
        _store_planes8(base, word, few)
        count = add_planes(count, few)
        word += MANY_SLOTS * WORDS
    some = nonzero(count)
    if any_lane(live & ~some):
        return 0
    number = draw(decrease(count, some), random, live)
    waiting = some
    if products[1] > products[0]:
        wanted = some, number
        waiting, number = _pick_pairs(
            moves, base, (products, scratch), wanted, random, live
        )
    word = start
    for many in range(first, end, MANY):
        inside = _load_planes8(base, word)
        picks = below(number, inside) & waiting
        if any_lane(picks):
            stop = min(many + MANY, end)
            at = word + 8 * WORDS
            wanted = picks, number[:8]
            pick_in_blocks(moves, base, (many, stop), at, wanted, way)
            waiting = waiting & ~picks
            if not any_lane(waiting):
                break
        number = subtract_planes(number, inside)
        word += MANY_SLOTS * WORDS
    return 1


# ── rows and columns, in place of moves ─────────────────────────────────────────────


@lean_part
def _store_planes6(base, word, count):
    for plane in range(6):
        store(base, word + plane * WORDS, count[plane])


@lean_part
def _load_planes6(base, word):
    return (
        load4(base, word),
        load4(base, word + WORDS),
        load4(base, word + 2 * WORDS),
        load4(base, word + 3 * WORDS),
        load4(base, word + 4 * WORDS),
        load4(base, word + 5 * WORDS),
    )


@lean_part
def _load_planes12(base, word):
    return _load_planes6(base, word) + _load_planes6(base, word + 6 * WORDS)


@lean_function
def _count_parts(moves, base, first, end):
    """Count the rows, or columns, that are legal."""
    count = zero_planes(splat4(_NONE), 6)
    for block in range(first, end, BLOCK):
        inside = count_block(moves, base, block, min(block + BLOCK, end))
        count = add_planes(count, inside)
    return count


@lean_function
def _count_products(moves, base, word, products, count):
    """Add the legal moves of products to a count, and keep the counts of each."""
    for product in range(products[0], products[1]):
        middle = moves.products[product, 1]
        rows = _count_parts(moves, base, moves.products[product, 0], middle)
        columns = _count_parts(moves, base, middle, moves.products[product, 2])
        pairs = multiply_planes(rows, columns)
        _store_planes6(base, word + _ROWS, rows)
        _store_planes6(base, word + _COLUMNS, columns)
        _store_planes6(base, word + _PAIRS, pairs[:6])
        _store_planes6(base, word + _PAIRS + 6 * WORDS, pairs[6:])
        count = add_planes(count, pairs)
        word += PRODUCT_SLOTS * WORDS
    return count


@lean_function
def _find_products(base, word, products, wanted):
    """Keep which lanes pick a move of each product; return these lanes' counts.

    wanted: lanes, and the planes of their numbers. The counts are of rows and columns
    of the product that a lane picks from; then come the lanes that pick none, and what
    is left of their numbers.
    """
    waiting, number = wanted
    zero = zero_planes(splat4(_NONE), 6)
    rows, columns = zero, zero
    for _ in range(products[0], products[1]):
        inside = _load_planes12(base, word + _PAIRS)
        picks = below(number, inside) & waiting
        store(base, word, picks)
        if any_lane(picks):
            rows = replace_where(picks, rows, _load_planes6(base, word + _ROWS))
            of_product = _load_planes6(base, word + _COLUMNS)
            columns = replace_where(picks, columns, of_product)
            waiting = waiting & ~picks
        number = subtract_planes(number, inside)
        word += PRODUCT_SLOTS * WORDS
    return rows, columns, waiting, number


@lean_function
def _pick_part(moves, base, first, end, picks, number):
    """Add lanes to the groups of the row, or column, of a number."""
    for option in range(np.uint64(first), np.uint64(end)):
        legal = legal4(moves, base, option) & picks
        if any_lane(legal):
            picked = legal & ~nonzero(number)
            if any_lane(picked):
                join_groups(moves, base, option, picked)
                picks = picks & ~picked
                if not any_lane(picks):
                    break
            number = decrease(number, legal)


@lean_function
def _pick_pairs(moves, base, counted, wanted, random, live):
    """Let lanes pick a row and a column, if their number is that of a pair.

    counted: the first product and the end, and the first word of counts
    wanted: lanes, and the planes of their numbers. Removes the lanes that pick none,
    and what is left of their numbers.
    """
    products, start = counted
    rows, columns, waiting, number = _find_products(base, start, products, wanted)
    pairs = wanted[0] & ~waiting
    row = draw(decrease(rows, pairs), random, live)
    column = draw(decrease(columns, pairs), random, live)
    word = start
    for product in range(products[0], products[1]):
        picks = load4(base, word)
        if any_lane(picks):
            middle = moves.products[product, 1]
            _pick_part(moves, base, moves.products[product, 0], middle, picks, row)
            _pick_part(moves, base, middle, moves.products[product, 2], picks, column)
        word += PRODUCT_SLOTS * WORDS
    return waiting, number
