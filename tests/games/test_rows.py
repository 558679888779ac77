"""The games of so many in a row, beside a program that looks at every line."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.marks import mark_slow


class Rows:
    """Any number in a row, on any board, for any number of players."""

    def __init__(
        self,
        roles: tuple[str, ...],
        rows: int,
        columns: int,
        length: int,
        word: str,
        draw: int = 50,
    ) -> None:
        self.roles, self.rows, self.columns = roles, rows, columns
        self.length, self.word, self.draw = length, word, draw
        self.cells: dict[tuple[int, int], str] = {}
        self.mover = roles[0]
        self.last = ""

    def empty(self) -> list[tuple[int, int]]:
        return [
            (r, c)
            for r in range(1, self.rows + 1)
            for c in range(1, self.columns + 1)
            if (r, c) not in self.cells
        ]

    def moves(self) -> set[str]:
        if self.word == "drop":
            return {f"(drop {c})" for _, c in self.empty()}
        return {f"({self.word} {r} {c})" for r, c in self.empty()}

    def play(self, move: str) -> None:
        numbers = [int(word.strip("()")) for word in move.split()[1:]]
        if self.word == "drop":
            numbers = [min(r for r, c in self.empty() if c == numbers[0]), *numbers]
        self.cells[numbers[0], numbers[1]] = self.mover
        self.last = self.mover
        after = self.roles.index(self.mover) + 1
        self.mover = self.roles[after % len(self.roles)]

    def facts(self) -> set[str]:
        cells = {f"(cell {r} {c} {p})" for (r, c), p in self.cells.items()}
        return cells | {f"(control {self.mover})"}

    def has_row(self, role: str) -> bool:
        return any(
            all(
                self.cells.get((r + i * dr, c + i * dc)) == role
                for i in range(self.length)
            )
            for r, c in self.cells
            for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1))
        )

    def goals(self) -> dict[str, int] | None:
        if self.last and self.has_row(self.last):
            return {role: 100 * (role == self.last) for role in self.roles}
        return None if self.empty() else dict.fromkeys(self.roles, self.draw)


XO = ("x", "o")
DISCS = ("red", "yellow")
STONES = ("black", "white")

GAMES: dict[str, Callable[[], Rows]] = {
    "tictactoe": lambda: Rows(XO, 3, 3, 3, "mark"),
    "tictactoe-4x4": lambda: Rows(XO, 4, 4, 3, "mark"),
    "tictactoe-5x5": lambda: Rows(XO, 5, 5, 3, "mark"),
    "tictactoe-3x6": lambda: Rows(XO, 3, 6, 3, "mark"),
    "connect-four": lambda: Rows(DISCS, 6, 7, 4, "drop"),
    "connect-four-4x4": lambda: Rows(DISCS, 4, 4, 4, "drop"),
    "connect-3": lambda: Rows(DISCS, 5, 5, 3, "drop"),
    "gomoku-6x7": lambda: Rows(STONES, 6, 7, 5, "place"),
    "gomoku": lambda: Rows(STONES, 15, 15, 5, "place"),
    "trio": lambda: Rows(("x", "o", "z"), 5, 5, 3, "mark", draw=33),
    "trio-3x3": lambda: Rows(("x", "o", "z"), 3, 3, 3, "mark", draw=33),
}


@pytest.mark.parametrize("name", mark_slow(GAMES, [*GAMES][1::2]))
def test_rows_agree(
    name: str, play_beside: Callable[[str, Callable[[], Rows], int], list[int]]
) -> None:
    lengths = play_beside(name, GAMES[name], 3 if name == "gomoku" else 15)
    assert len(set(lengths)) > 1
