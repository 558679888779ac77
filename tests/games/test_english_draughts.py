"""English draughts, beside a program that plays on rows and columns."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

OTHER = {"black": "white", "white": "black"}

Cell = tuple[int, int]


def square(cell: Cell) -> int:
    """The printed number of a dark square; rows and columns count from 0."""
    return 4 * cell[0] + cell[1] // 2 + 1


DARK = {square((r, c)): (r, c) for r, c in product(range(8), repeat=2) if (r + c) % 2}


class Draughts:
    """English draughts with a draw after forty moves without a capture."""

    def __init__(self) -> None:
        self.mover = "black"
        self.quiet = 0
        self.jumper: Cell | None = None
        self.pieces: dict[Cell, tuple[str, str]] = {}
        for number, cell in DARK.items():
            if number <= 12 or number >= 21:
                self.pieces[cell] = ("black" if number <= 12 else "white", "man")

    def reach(self, cell: Cell, distance: int) -> list[Cell]:
        role, kind = self.pieces[cell]
        forward = 1 if role == "black" else -1
        downs = (1, -1) if kind == "king" else (forward,)
        cells = [
            (cell[0] + distance * down, cell[1] + distance * side)
            for down in downs
            for side in (1, -1)
        ]
        return [c for c in cells if square(c) in DARK and DARK[square(c)] == c]

    def list_jumps(self, cell: Cell) -> list[Cell]:
        return [
            to
            for to in self.reach(cell, 2)
            if to not in self.pieces
            and self.pieces.get(between(cell, to), ("", ""))[0] == OTHER[self.mover]
        ]

    def moves(self) -> set[str]:
        mine = [cell for cell, (role, _) in self.pieces.items() if role == self.mover]
        jumpers = mine if self.jumper is None else [self.jumper]
        jumps = {
            f"(jump {square(cell)} {square(to)})"
            for cell in jumpers
            for to in self.list_jumps(cell)
        }
        return jumps or {
            f"(step {square(cell)} {square(to)})"
            for cell in mine
            for to in self.reach(cell, 1)
            if to not in self.pieces
        }

    def play(self, move: str) -> None:
        start, to = (DARK[int(word.strip("()"))] for word in move.split()[1:])
        role, kind = self.pieces.pop(start)
        crowned = kind == "man" and to[0] == (7 if role == "black" else 0)
        self.pieces[to] = (role, "king" if crowned else kind)
        self.jumper = None
        self.quiet += 1
        if move.startswith("(jump"):
            del self.pieces[between(start, to)]
            self.quiet = 0
            if not crowned and self.list_jumps(to):
                self.jumper = to
        if self.jumper is None:
            self.mover = OTHER[role]

    def facts(self) -> set[str]:
        found = {f"(cell {square(c)} {p} {k})" for c, (p, k) in self.pieces.items()}
        if self.jumper is not None:
            found.add(f"(jumping {square(self.jumper)})")
        return found | {f"(control {self.mover})", f"(quiet {self.quiet})"}

    def goals(self) -> dict[str, int] | None:
        if self.quiet == 40:
            return {"black": 50, "white": 50}
        if self.moves():
            return None
        return {self.mover: 0, OTHER[self.mover]: 100}


def between(one: Cell, other: Cell) -> Cell:
    return (one[0] + other[0]) // 2, (one[1] + other[1]) // 2


def test_draughts_agrees(
    play_beside: Callable[[str, Callable[[], Draughts], int], list[int]],
) -> None:
    lengths = play_beside("english-draughts", Draughts, 25)
    assert len(set(lengths)) > 10
