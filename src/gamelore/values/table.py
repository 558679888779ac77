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
from gamelore.values._table_kernels import UNLINKED, Memory

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
    """Grows as it is filled; `memory` is what kernels see of it."""

    def __init__(self, width: int) -> None:
        """`width`: words per key."""
        self.width = width
        self.memory = _empty(_FIRST_CELLS, width, np.zeros(0, np.int32))

    @classmethod
    def from_arrays(
        cls,
        rows: npt.NDArray[np.uint64],
        values: npt.NDArray[np.float64],
        visits: npt.NDArray[np.uint32],
    ) -> Table:
        """The table with these cells, in this order."""
        table = cls(rows.shape[1])
        while len(table.memory.values) < len(rows):
            table.grow()
        memory = table.memory
        memory.rows[: len(rows)] = rows
        memory.values[: len(rows)] = values
        memory.visits[: len(rows)] = visits
        memory.used[0] = len(rows)
        rehash(memory.slots, memory.rows, len(rows))
        return table

    def __len__(self) -> int:
        return int(self.memory.used[0])

    def __iter__(self) -> Iterator[Cell]:
        for row, value, visits in zip(self.rows, self.values, self.visits, strict=True):
            yield Cell(row, float(value), int(visits))

    @property
    def rows(self) -> npt.NDArray[np.uint64]:
        """uint64 [n, width]"""
        return self.memory.rows[: len(self)]

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """float64 [n]"""
        return self.memory.values[: len(self)]

    @property
    def visits(self) -> npt.NDArray[np.uint32]:
        """uint32 [n]"""
        return self.memory.visits[: len(self)]

    def cells(self) -> Cells:
        """A copy of all entries; `from_arrays` makes the same table of them."""
        return Cells(self.rows.copy(), self.values.copy(), self.visits.copy())

    def find(self, row: npt.NDArray[np.uint64]) -> Cell | None:
        """The cell with this key."""
        memory = self.memory
        number = int(find_row(memory.slots, memory.rows, row))
        if number < 0:
            return None
        value, visits = memory.values[number], memory.visits[number]
        return Cell(memory.rows[number].copy(), float(value), int(visits))

    @property
    def bytes_per_cell(self) -> float:
        """What an entry takes, room in reserve included; links to a state graph are
        not."""
        memory = self.memory
        arrays = (memory.rows, memory.slots, memory.values, memory.visits)
        return sum(array.nbytes for array in arrays) / max(1, len(self))

    def fit(self, links: int) -> None:
        """Have a link for every node or edge of a state graph."""
        link = self.memory.link
        if len(link) < links:
            larger = np.full(links, UNLINKED, np.int32)
            larger[: len(link)] = link
            self.memory = self.memory._replace(link=larger)

    def grow(self) -> None:
        """Room for more cells."""
        old = self.memory
        count = len(self)
        self.memory = _empty(int(_GROWTH * len(old.values)), self.width, old.link)
        self.memory.rows[:count] = old.rows[:count]
        self.memory.values[:count] = old.values[:count]
        self.memory.visits[:count] = old.visits[:count]
        self.memory.used[0] = count
        rehash(self.memory.slots, self.memory.rows, count)


def _empty(cells: int, width: int, link: npt.NDArray[np.int32]) -> Memory:
    slots = 1 << int(4 * cells / 3).bit_length()
    return Memory(
        rows=np.zeros((cells, width), np.uint64),
        slots=np.zeros(slots, np.int32),
        values=np.zeros(cells),
        visits=np.zeros(cells, np.uint32),
        used=np.zeros(1, np.int64),
        link=link,
        key=np.zeros(width, np.uint64),
    )
