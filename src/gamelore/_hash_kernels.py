"""Hash tables from rows of words to numbers, with open addressing.

rows    uint64 [n, K]            the rows, by number
slots   int32 [power of two]     a row's number + 1, or 0 where the slot is empty
"""

from __future__ import annotations

import numpy as np

from gamelore.kernels import lean, lean_part


@lean_part
def hash_row(row):
    """Return a hash of all the words of a row.  row: uint64 [K]"""
    value = np.uint64(0x9E3779B97F4A7C15)
    for i in range(row.shape[0]):
        value ^= row[i]
        value *= np.uint64(0xFF51AFD7ED558CCD)
        value ^= value >> np.uint64(32)
    value *= np.uint64(0xC4CEB9FE1A85EC53)
    return value ^ (value >> np.uint64(29))


@lean
def find_row(slots, rows, row):
    """Return the number of a row, or -1 - its empty slot if it is not there."""
    return find_from_slot(slots, rows, row, first_slot(slots, row))


@lean_part
def first_slot(slots, row):
    """Return the slot at which the search for a row begins."""
    return np.int64(hash_row(row) & np.uint64(slots.shape[0] - 1))


@lean_part
def find_from_slot(slots, rows, row, slot):
    """Return what `find_row` returns, from a row's first slot on."""
    mask = np.int64(slots.shape[0] - 1)
    while slots[slot]:
        number = slots[slot] - 1
        same = True
        for word in range(row.shape[0]):
            if rows[number, word] != row[word]:
                same = False
                break
        if same:
            return np.int64(number)
        slot = (slot + 1) & mask
    return -1 - slot


@lean
def add_row(slots, rows, row, found, number):
    """Store a row under a number; `found` is what `find_row` returned for it."""
    slots[-1 - found] = number + 1
    for word in range(row.shape[0]):
        rows[number, word] = row[word]


@lean
def rehash(slots, rows, count):
    """Fill empty slots with the first `count` rows, after the table has grown."""
    mask = np.int64(slots.shape[0] - 1)
    for number in range(count):
        slot = np.int64(hash_row(rows[number]) & np.uint64(mask))
        while slots[slot]:
            slot = (slot + 1) & mask
        slots[slot] = number + 1
