"""Othello, beside a program that walks from each cell in eight directions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

DIRECTIONS = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]

OTHER = {"black": "white", "white": "black"}


class Othello:
    """Othello on a board of any even size."""

    def __init__(self, size: int) -> None:
        low, high = size // 2, size // 2 + 1
        self.size = size
        self.mover = "black"
        self.cells = {
            (low, low): "white",
            (high, high): "white",
            (low, high): "black",
            (high, low): "black",
        }

    def flips(self, role: str, row: int, column: int) -> list[tuple[int, int]]:
        found = []
        for dr, dc in DIRECTIONS:
            line = []
            r, c = row + dr, column + dc
            while self.cells.get((r, c)) == OTHER[role]:
                line.append((r, c))
                r, c = r + dr, c + dc
            if self.cells.get((r, c)) == role:
                found += line
        return found

    def placements(self, role: str) -> set[str]:
        return {
            f"(place {r} {c})"
            for r in range(1, self.size + 1)
            for c in range(1, self.size + 1)
            if (r, c) not in self.cells and self.flips(role, r, c)
        }

    def moves(self) -> set[str]:
        return self.placements(self.mover) or {"pass"}

    def play(self, move: str) -> None:
        if move != "pass":
            r, c = (int(word.strip("()")) for word in move.split()[1:])
            for cell in [(r, c), *self.flips(self.mover, r, c)]:
                self.cells[cell] = self.mover
        self.mover = OTHER[self.mover]

    def facts(self) -> set[str]:
        cells = {f"(cell {r} {c} {p})" for (r, c), p in self.cells.items()}
        return cells | {f"(control {self.mover})"}

    def goals(self) -> dict[str, int] | None:
        if self.placements("black") or self.placements("white"):
            return None
        stones = list(self.cells.values())
        lead = stones.count("black") - stones.count("white")
        black = 50 if lead == 0 else 100 * (lead > 0)
        return {"black": black, "white": 100 - black}


@pytest.mark.parametrize(("size", "count"), [(4, 30), (6, 10), (8, 6), (10, 3)])
def test_othello_agrees(
    size: int,
    count: int,
    play_beside: Callable[[str, Callable[[], Othello], int], list[int]],
) -> None:
    name = "othello" if size == 8 else f"othello-{size}x{size}"
    lengths = play_beside(name, lambda: Othello(size), count)
    assert max(lengths) >= size * size // 2
