"""Breakthrough, beside a plain program."""

from __future__ import annotations

from collections.abc import Callable

import pytest

OTHER = {"black": "white", "white": "black"}


class Breakthrough:
    """Breakthrough on a board of any size."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.mover = "white"
        homes = {"white": (1, 2), "black": (rows - 1, rows)}
        self.cells = {
            (r, c): role
            for role, home in homes.items()
            for r in home
            for c in range(1, columns + 1)
        }

    def moves(self) -> set[str]:
        step = 1 if self.mover == "white" else -1
        found = set()
        for (r, c), role in self.cells.items():
            for side in (-1, 0, 1):
                r2, c2 = r + step, c + side
                target = self.cells.get((r2, c2))
                blocked = target == self.mover or (side == 0 and target is not None)
                if role == self.mover and 1 <= c2 <= self.columns and not blocked:
                    found.add(f"(move {r} {c} {r2} {c2})")
        return found

    def play(self, move: str) -> None:
        r, c, r2, c2 = (int(word.strip("()")) for word in move.split()[1:])
        self.cells[r2, c2] = self.cells.pop((r, c))
        self.mover = OTHER[self.mover]

    def facts(self) -> set[str]:
        cells = {f"(cell {r} {c} {p})" for (r, c), p in self.cells.items()}
        return cells | {f"(control {self.mover})"}

    def goals(self) -> dict[str, int] | None:
        for role, far in (("white", self.rows), ("black", 1)):
            arrived = role in [p for (r, _), p in self.cells.items() if r == far]
            if arrived or OTHER[role] not in self.cells.values():
                return {role: 100, OTHER[role]: 0}
        return None


@pytest.mark.parametrize(("rows", "columns"), [(8, 8), (6, 6), (5, 4), (7, 5)])
def test_breakthrough_agrees(
    rows: int,
    columns: int,
    play_beside: Callable[[str, Callable[[], Breakthrough], int], list[int]],
) -> None:
    size = "" if rows == columns == 8 else f"-{rows}x{columns}"
    lengths = play_beside(
        f"breakthrough{size}", lambda: Breakthrough(rows, columns), 15
    )
    assert len(set(lengths)) > 1
