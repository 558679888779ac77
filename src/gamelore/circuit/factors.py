"""ANDs of several literals, factored so that they share what they have in common.

The moves of a game often have preconditions in common, in pairs: that a piece can go
from one cell to another, and that it can shoot from there to a third. As chains of
gates, in whatever order, most ANDs share their beginnings only. Here the pair of
literals that most ANDs have becomes a literal of its own, again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

_Tables: TypeAlias = dict[int, npt.NDArray[np.int64]]
_LONGEST = 12  # literals of an AND that is factored: it has as many pairs, squared


def conjoin_all(
    products: Sequence[Sequence[int]],
    both: Callable[[int, int], int],
    *,
    gathered: bool,
) -> list[int]:
    """Return the literal of each AND, made by `both`.

    The literals of an AND differ, and there is one at least. Gates are made in the
    order of the ANDs, or `gathered`: those that begin with the same literal together.
    """
    result = [0] * len(products)
    by_length: dict[int, list[int]] = {}
    for number, literals in enumerate(products):
        if len(literals) == 1:
            result[number] = literals[0]
        elif len(literals) > _LONGEST:
            value = literals[0]
            for literal in literals[1:]:
                value = both(value, literal)
            result[number] = value
        else:
            by_length.setdefault(len(literals), []).append(number)
    tables = {
        length: np.sort(np.array([products[n] for n in numbers], np.int64), axis=1)
        for length, numbers in by_length.items()
    }
    owners = {length: np.array(numbers) for length, numbers in by_length.items()}
    while tables:
        tables, owners = _merge_pairs(tables, owners, both, gathered)
        if 1 in tables:
            values = tables.pop(1)[:, 0].tolist()
            for number, value in zip(owners.pop(1).tolist(), values, strict=True):
                result[number] = value
    return result


def _merge_pairs(
    tables: _Tables,
    owners: _Tables,
    both: Callable[[int, int], int],
    gathered: bool,
) -> tuple[_Tables, _Tables]:
    """Replace in every AND the pair that most of them have by one literal.

    tables: per number of literals L, int64 [n, L], sorted; owners: int64 [n], which
    ANDs they are
    """
    base = 1 + max(int(table.max()) for table in tables.values())
    keys = [_list_pairs(table, base) for table in tables.values()]
    pairs, places, counts = np.unique(
        np.concatenate([key.ravel() for key in keys]),
        return_inverse=True,
        return_counts=True,
    )
    counts[pairs // base == pairs % base] = len(places)  # first: else both would go
    chosen = []
    start = 0
    for key in keys:
        common = counts[places[start : start + key.size]].reshape(key.shape)
        chosen.append(key[np.arange(len(key)), common.argmax(axis=1)])
        start += key.size
    everyone = np.argsort(np.concatenate(list(owners.values())), kind="stable")
    made, first = np.unique(np.concatenate(chosen)[everyone], return_index=True)
    values = np.zeros(len(made), np.int64)
    for place in range(len(made)) if gathered else np.argsort(first).tolist():
        values[place] = both(*divmod(int(made[place]), base))
    merged: _Tables = {}
    for (length, table), key in zip(tables.items(), chosen, strict=True):
        gone = (table == (key // base)[:, None]) | (table == (key % base)[:, None])
        rest = table[~gone].reshape(len(table), length - 2)
        value = values[np.searchsorted(made, key)]
        merged[length - 1] = np.sort(np.column_stack([rest, value]), axis=1)
    return merged, {length - 1: numbers for length, numbers in owners.items()}


def _list_pairs(table: npt.NDArray[np.int64], base: int) -> npt.NDArray[np.int64]:
    """Return a number for each pair of literals in a row: int64 [n, pairs]."""
    one, other = np.triu_indices(table.shape[1], 1)
    return table[:, one] * base + table[:, other]
