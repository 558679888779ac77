"""Abalone beside a plain Python program on cube coordinates."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from random import Random
from typing import TypeAlias

import numpy as np
import pytest
from tests.marks import mark_slow

from gamelore.engine import CircuitSimulator, Simulator
from gamelore.engine.choose import simulator
from gamelore.games import load
from gamelore.gdl import Fact, read_term, to_kif

Cube: TypeAlias = tuple[int, int, int]
"""Coordinates that add up to 0: a step changes two of them."""

STEPS: dict[str, Cube] = {
    "east": (1, -1, 0),
    "west": (-1, 1, 0),
    "north-east": (1, 0, -1),
    "south-west": (-1, 0, 1),
    "north-west": (0, 1, -1),
    "south-east": (0, -1, 1),
}
AXES = ("east", "north-east", "north-west")
LOSSES = {3: 2, 4: 4, 5: 6}
ROWS = {
    3: ("53 54 55 43 44", "11 12 13 22 23"),
    5: (
        "95 96 97 98 99 84 85 86 87 88 89 75 76 77",
        "11 12 13 14 15 21 22 23 24 25 26 33 34 35",
    ),
}


def add(cell: Cube, step: Cube, times: int = 1) -> Cube:
    x, y, z = (a + times * b for a, b in zip(cell, step, strict=True))
    return x, y, z


class Abalone:
    """Stones on cubes; every move is tried out, stone by stone."""

    def __init__(self, side: int, limit: int) -> None:
        self.side, self.limit = side, limit
        reach = range(-side + 1, side)
        self.cells = {(x, y, -x - y) for x, y in product(reach, repeat=2)}
        self.cells = {cell for cell in self.cells if abs(cell[2]) < side}
        white, black = ROWS[side]
        self.stones = {self.cell(n): "black" for n in black.split()}
        self.stones |= {self.cell(n): "white" for n in white.split()}
        self.lost = {"black": 0, "white": 0}
        self.mover = "black"
        self.made = 0

    def cell(self, name: str) -> Cube:
        row, diagonal = (int(digit) - self.side for digit in name)
        return diagonal, row - diagonal, -row

    def name(self, cell: Cube) -> str:
        return f"{self.side - cell[2]}{self.side + cell[0]}"

    def moves(self) -> set[str]:
        mine = {c for c, owner in self.stones.items() if owner == self.mover}
        found = set()
        for cell, (name, step) in product(mine, STEPS.items()):
            if self.pushed_line(cell, step) is not None:
                found.add(f"(push {self.name(cell)} {name})")
        for cell, axis, count in product(mine, AXES, (2, 3)):
            line = [add(cell, STEPS[axis], i) for i in range(count)]
            if not set(line) <= mine:
                continue
            for name, step in STEPS.items():
                targets = {add(stone, step) for stone in line}
                if targets <= self.cells - self.stones.keys():
                    ends = f"{self.name(line[0])} {self.name(line[-1])}"
                    found.add(f"(slide {ends} {name})")
        # Along its own axis a line of two or three is pushed, never slid.
        return {move for move in found if not self.is_along(move)}

    def is_along(self, move: str) -> bool:
        kind, *rest = move.strip("()").split()
        if kind == "push":
            return False
        first, last, name = rest
        line = {add(self.cell(first), STEPS[name], i) for i in range(-3, 4)}
        return self.cell(last) in line

    def pushed_line(self, rear: Cube, step: Cube) -> list[Cube] | None:
        """The stones that a push moves, or None if it is not allowed."""
        line = [rear]
        while add(line[-1], step) in self.stones:
            line.append(add(line[-1], step))
        owners = [self.stones[cell] for cell in line]
        strength = 0
        while strength < len(owners) and owners[strength] == self.mover:
            strength += 1
        against = owners[strength:]
        if strength > 3 or len(against) >= strength or self.mover in against:
            return None
        if not against and add(line[-1], step) not in self.cells:
            return None
        return line

    def play(self, move: str) -> None:
        kind, *rest = move.strip("()").split()
        step = STEPS[rest[-1]]
        if kind == "push":
            line = self.pushed_line(self.cell(rest[0]), step)
            assert line is not None
        else:
            first, last = map(self.cell, rest[:2])
            line = [first, last]
            if all((a - b) % 2 == 0 for a, b in zip(first, last, strict=True)):
                x, y, z = ((a + b) // 2 for a, b in zip(first, last, strict=True))
                line.append((x, y, z))
        moved = [(add(cell, step), self.stones.pop(cell)) for cell in line]
        for cell, owner in moved:
            if cell in self.cells:
                self.stones[cell] = owner
            else:
                self.lost[owner] += 1
        self.mover = "white" if self.mover == "black" else "black"
        self.made += 1

    def facts(self) -> set[str]:
        digits = self.limit.bit_length()
        clock = 2**digits - self.limit + self.made
        return {
            *(f"(stone {self.name(c)} {owner})" for c, owner in self.stones.items()),
            *(f"(lost {owner} {count})" for owner, count in self.lost.items()),
            *(f"(clock {j})" for j in range(digits + 1) if clock >> j & 1),
            f"(control {self.mover})",
        }

    def goals(self) -> dict[str, int] | None:
        for loser, winner in (("black", "white"), ("white", "black")):
            if self.lost[loser] == LOSSES[self.side]:
                return {loser: 0, winner: 100}
        return {"black": 50, "white": 50} if self.made == self.limit else None


Beside: TypeAlias = Callable[[str, Callable[[], Abalone], int], list[int]]


@pytest.mark.parametrize("matches", mark_slow([1, 2], {2}))
def test_random_play_on_the_full_board(play_beside: Beside, matches: int) -> None:
    lengths = play_beside("abalone-5-120", lambda: Abalone(5, 120), matches)
    assert lengths == [120] * matches


def test_random_play_on_a_small_board(play_beside: Beside) -> None:
    lengths = play_beside("abalone-3-256", lambda: Abalone(3, 256), 12)
    assert min(lengths) < 256


@pytest.mark.slow
def test_random_play_to_the_sixth_stone(play_beside: Beside) -> None:
    lengths = play_beside("abalone-5-999", lambda: Abalone(5, 999), 4)
    assert min(lengths) < 999


# ── crowded boards, which random play seldom reaches ────────────────────────────────


def crowded(random: Random) -> Abalone:
    """A board with stones thrown anywhere."""
    board = Abalone(5, 300)
    cells = random.sample(sorted(board.cells), 28)
    owners = ["black", "white"] * 14
    board.stones = dict(zip(cells, owners, strict=True))
    board.mover = random.choice(["black", "white"])
    return board


def legal_moves(sim: Simulator, row: np.ndarray, role: int) -> dict[str, int]:
    numbers = np.flatnonzero(sim.legal(row[None])[role][0]).tolist()
    return {to_kif(sim.moves[role][i]): i for i in numbers}


def test_every_move_on_crowded_boards() -> None:
    sim = simulator(load("abalone"))
    assert isinstance(sim, CircuitSimulator)
    random = Random("stones thrown anywhere")
    pushed_off = 0
    for _ in range(25):
        board = crowded(random)
        facts: list[Fact] = [read_term(fact) for fact in board.facts()]
        row = sim.encode(facts)
        role = sim.roles.index(board.mover)
        moves = legal_moves(sim, row, role)
        assert set(moves) == board.moves()
        joint = np.full((len(moves), 2), sim.move_number(1 - role, "noop"), np.int32)
        joint[:, role] = list(moves.values())
        following = sim.advance(np.repeat(row[None], len(moves), 0), joint)
        for move, after in zip(moves, following, strict=True):
            beside = Abalone(5, 300)
            beside.stones, beside.mover = dict(board.stones), board.mover
            beside.play(move)
            assert {to_kif(fact) for fact in sim.facts(after)} == beside.facts()
            pushed_off += sum(beside.lost.values())
    assert pushed_off > 10


def test_the_number_of_moves_at_the_start() -> None:
    sim = simulator(load("abalone"))
    assert len(legal_moves(sim, sim.initial_row(), 0)) == 44
