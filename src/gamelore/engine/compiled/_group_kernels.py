"""Choose moves uniformly at random in 512 lanes, and add lanes to groups of moves.

Exactly as `choose_moves` does, but over what a turn's circuit has: groups of moves in
place of moves (`gamelore.circuit.move_groups`), and rows and columns in place of moves
that are made of two parts (`gamelore.circuit.move_products`).
"""

from __future__ import annotations

import numpy as np

from gamelore.circuit.program import (
    BLOCK,
    BLOCK_SLOTS,
    MANY,
    MANY_SLOTS,
    PART_PLANES,
    PRODUCT_SLOTS,
)
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
    multiply_planes,
    nonzero,
    replace_where,
    splat4,
    splat8,
    store,
    subtract_planes,
    zero_planes,
)
from gamelore.kernels import lean_part, lean_recursion

_NONE = np.uint64(0)
_STEP = np.uint64(1)
_MOST_OFTEN = 1000  # moves, of which most are picked in one of 256 lanes
_SINGLE, _OFTEN, _SELDOM = range(3)
"""Ways to join groups: each move has its own; some lane picks most; or few."""

_ROWS = WORDS
"""Where the count of rows is kept, from a product's first word; before it, lanes."""

_COLUMNS = _ROWS + PART_PLANES * WORDS
_PAIRS = _COLUMNS + PART_PLANES * WORDS


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
        legal = legal4(turns, base, move) & picks
        picked = legal & ~nonzero(number)
        _join_groups(turns, base, move, picked)
        number = decrease(number, legal)
        picks = picks & ~picked


@lean_part
def _pick_seldom(turns, base, first, end, picks, number):
    """The same where few moves are picked."""
    for move in range(np.uint64(first), np.uint64(end)):
        legal = legal4(turns, base, move) & picks
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
        inside = count_block(turns, base, block, min(block + BLOCK, end))
        store_count(base, word, inside, BLOCK)
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
        inside = load_count(base, word, BLOCK)
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
    count = count_block(turns, base, first, end)
    some = nonzero(count)
    if any_lane(live & ~some):
        return False
    number = draw(decrease(count, some), random, live)
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
    number = draw(decrease(count, some), random, live)
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
def _choose_many_groups(turns, base, of_turn, random, live, way):
    """The same for up to 2 ** 20 moves: counts of blocks, and of blocks of blocks.

    of_turn: the first of its moves and the end, the first of its products and the end.
    Of products, one is chosen by the number of its pairs, then a row and a column.
    """
    span, products = of_turn
    first, end = span
    zero = splat4(_NONE)
    count = zero_planes(zero, 20)
    start = np.int64(turns.scratch) * WORDS
    if products[1] > products[0]:
        end = turns.products[products[0], 0]
        count = _count_products(turns, base, start, products, count)
        start += (products[1] - products[0]) * PRODUCT_SLOTS * WORDS
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
    number = draw(decrease(count, some), random, live)
    waiting = some
    if products[1] > products[0]:
        wanted = some, number
        waiting, number = _pick_pairs(turns, base, products, wanted, random, live)
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


@lean_recursion
def _count_parts(turns, base, first, end):
    """Count the rows, or columns, that are legal."""
    count = zero_planes(splat4(_NONE), 6)
    for block in range(first, end, BLOCK):
        inside = count_block(turns, base, block, min(block + BLOCK, end))
        count = add_planes(count, inside)
    return count


@lean_recursion
def _count_products(turns, base, word, products, count):
    """Add the legal moves of products to a count, and keep the counts of each."""
    for product in range(products[0], products[1]):
        middle = turns.products[product, 1]
        rows = _count_parts(turns, base, turns.products[product, 0], middle)
        columns = _count_parts(turns, base, middle, turns.products[product, 2])
        pairs = multiply_planes(rows, columns)
        _store_planes6(base, word + _ROWS, rows)
        _store_planes6(base, word + _COLUMNS, columns)
        _store_planes6(base, word + _PAIRS, pairs[:6])
        _store_planes6(base, word + _PAIRS + 6 * WORDS, pairs[6:])
        count = add_planes(count, pairs)
        word += PRODUCT_SLOTS * WORDS
    return count


@lean_recursion
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


@lean_recursion
def _pick_part(turns, base, first, end, picks, number):
    """Add lanes to the groups of the row, or column, of a number."""
    for option in range(np.uint64(first), np.uint64(end)):
        legal = legal4(turns, base, option) & picks
        if any_lane(legal):
            picked = legal & ~nonzero(number)
            if any_lane(picked):
                _join_groups(turns, base, option, picked)
                picks = picks & ~picked
                if not any_lane(picks):
                    break
            number = decrease(number, legal)


@lean_recursion
def _pick_pairs(turns, base, products, wanted, random, live):
    """Let lanes pick a row and a column, if their number is that of a pair.

    wanted: lanes, and the planes of their numbers. Returns the lanes that pick none,
    and what is left of their numbers.
    """
    start = np.int64(turns.scratch) * WORDS
    rows, columns, waiting, number = _find_products(base, start, products, wanted)
    pairs = wanted[0] & ~waiting
    row = draw(decrease(rows, pairs), random, live)
    column = draw(decrease(columns, pairs), random, live)
    word = start
    for product in range(products[0], products[1]):
        picks = load4(base, word)
        if any_lane(picks):
            middle = turns.products[product, 1]
            _pick_part(turns, base, turns.products[product, 0], middle, picks, row)
            _pick_part(turns, base, middle, turns.products[product, 2], picks, column)
        word += PRODUCT_SLOTS * WORDS
    return waiting, number


@lean_part
def _list_products(turns, turn):
    """The first product of a turn, and the end."""
    first = turns.product_ends[turn - 1] if turn else np.int32(0)
    return first, turns.product_ends[turn]


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
                of_turn = span, _list_products(turns, turn)
                fine = _choose_many_groups(
                    turns, lanes, of_turn, generators, live_half, way
                )
            if not fine:
                return role
        first = end
    return -1
