"""Values and visits of positions, or of moves in positions, by their whole key.

No two keys share a cell. Cells are numbered in the order they were made, so that saving
and loading a table changes nothing of what is learned next.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamelore._hash_kernels import find_row, rehash
from gamelore.values._table_kernels import UNLINKED, TableArrays

_FIRST_CELLS = 1 << 10
_GROWTH = 1.5  # bounds what lies idle: an entry of a small game takes < 48 bytes


class Cell(NamedTuple):
    """One entry of a table."""

    row: npt.NDArray[np.uint64]
    value: float
    visits: int


class Cells(NamedTuple):
    """The entries of a table as arrays, in the order they were made."""

    rows: npt.NDArray[np.uint64]  # uint64 [n, width]
    values: npt.NDArray[np.float64]  # float64 [n]
    visits: npt.NDArray[np.uint32]  # uint32 [n]


class Table:
    """Grows as it is filled; `arrays` is what kernels see of it."""

    def __init__(self, width: int) -> None:
        """`width`: words per key."""
        self.width = width
        self.arrays = _empty(_FIRST_CELLS, width, np.zeros(0, np.int32))

    @classmethod
    def from_arrays(
        cls,
        rows: npt.NDArray[np.uint64],
        values: npt.NDArray[np.float64],
        visits: npt.NDArray[np.uint32],
    ) -> Table:
        """Return the table with these cells, in this order."""
        table = cls(rows.shape[1])
        while len(table.arrays.values) < len(rows):
            table.grow()
        arrays = table.arrays
        arrays.rows[: len(rows)] = rows
        arrays.values[: len(rows)] = values
        arrays.visits[: len(rows)] = visits
        arrays.used[0] = len(rows)
        rehash(arrays.slots, arrays.rows, len(rows))
        return table

    def __len__(self) -> int:
        return int(self.arrays.used[0])

    def __iter__(self) -> Iterator[Cell]:
        for row, value, visits in zip(self.rows, self.values, self.visits, strict=True):
            yield Cell(row, float(value), int(visits))

    @property
    def rows(self) -> npt.NDArray[np.uint64]:
        """uint64 [n, width]"""
        return self.arrays.rows[: len(self)]

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """float64 [n]"""
        return self.arrays.values[: len(self)]

    @property
    def visits(self) -> npt.NDArray[np.uint32]:
        """uint32 [n]"""
        return self.arrays.visits[: len(self)]

    def cells(self) -> Cells:
        """Return a copy of all entries; `from_arrays` makes the same table of them."""
        return Cells(self.rows.copy(), self.values.copy(), self.visits.copy())

    def find(self, row: npt.NDArray[np.uint64]) -> Cell | None:
        """Return the cell with this key, if there is one."""
        arrays = self.arrays
        number = int(find_row(arrays.slots, arrays.rows, row))
        if number < 0:
            return None
        value, visits = arrays.values[number], arrays.visits[number]
        return Cell(arrays.rows[number].copy(), float(value), int(visits))

    @property
    def bytes_per_cell(self) -> float:
        """Bytes of an entry, free cells included; links to a state graph are not."""
        own = self.arrays
        arrays = own.rows, own.slots, own.values, own.visits
        return sum(array.nbytes for array in arrays) / max(1, len(self))

    def fit(self, links: int) -> None:
        """Make sure that there are so many links to nodes or edges."""
        link = self.arrays.link
        if len(link) < links:
            larger = np.full(links, UNLINKED, np.int32)
            larger[: len(link)] = link
            self.arrays = self.arrays._replace(link=larger)

    def grow(self) -> None:
        """Make space for half as many cells again."""
        old = self.arrays
        count = len(self)
        self.arrays = _empty(int(_GROWTH * len(old.values)), self.width, old.link)
        self.arrays.rows[:count] = old.rows[:count]
        self.arrays.values[:count] = old.values[:count]
        self.arrays.visits[:count] = old.visits[:count]
        self.arrays.used[0] = count
        rehash(self.arrays.slots, self.arrays.rows, count)


def _empty(cells: int, width: int, link: npt.NDArray[np.int32]) -> TableArrays:
    slots = 1 << int(4 * cells / 3).bit_length()
    return TableArrays(
        rows=np.zeros((cells, width), np.uint64),
        slots=np.zeros(slots, np.int32),
        values=np.zeros(cells),
        visits=np.zeros(cells, np.uint32),
        used=np.zeros(1, np.int64),
        link=link,
        key=np.zeros(width, np.uint64),
    )
