"""Hex, beside a program that follows chains of stones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

OTHER = {"red": "blue", "blue": "red"}

NEIGHBOURS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))


class Hex:
    """Hex on a board of any size."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.mover = "red"
        self.cells: dict[tuple[int, int], str] = {}

    def moves(self) -> set[str]:
        side = range(1, self.size + 1)
        return {
            f"(place {r} {c})" for r in side for c in side if (r, c) not in self.cells
        }

    def play(self, move: str) -> None:
        r, c = (int(word.strip("()")) for word in move.split()[1:])
        self.cells[r, c] = self.mover
        self.mover = OTHER[self.mover]

    def facts(self) -> set[str]:
        cells = {f"(cell {r} {c} {p})" for (r, c), p in self.cells.items()}
        return cells | {f"(control {self.mover})"}

    def joins(self, role: str) -> bool:
        """Whether a chain leads from the first to the last row (red) or column."""
        axis = 0 if role == "red" else 1
        mine = {cell for cell, owner in self.cells.items() if owner == role}
        chain = [cell for cell in mine if cell[axis] == 1]
        mine.difference_update(chain)
        while chain:
            cell = chain.pop()
            if cell[axis] == self.size:
                return True
            beside = {(cell[0] + dr, cell[1] + dc) for dr, dc in NEIGHBOURS} & mine
            mine -= beside
            chain += beside
        return False

    def goals(self) -> dict[str, int] | None:
        for role in OTHER:
            if self.joins(role):
                return {role: 100, OTHER[role]: 0}
        return None


@pytest.mark.parametrize(
    ("size", "count"), [(3, 30), (4, 20), (5, 10), (7, 5), (11, 3)]
)
def test_hex_agrees(
    size: int,
    count: int,
    play_beside: Callable[[str, Callable[[], Hex], int], list[int]],
) -> None:
    lengths = play_beside(f"hex-{size}x{size}", lambda: Hex(size), count)
    assert len(set(lengths)) > 1
