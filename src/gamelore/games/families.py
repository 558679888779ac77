"""The families of library games: sheet, sizes, and what is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from gamelore.games.boards import BoardPlan, Glyphs, grid
from gamelore.games.template import Parameters
from gamelore.gdl import Role

Size: TypeAlias = tuple[int, ...]
"""Rows and columns, heaps, or a number of points; empty if a family has one size."""

MoveKind: TypeAlias = Literal["alternating", "simultaneous", "single-player"]

TO_MOVE = {"control": "{} to move"}


@dataclass(frozen=True)
class Family:
    """Games that share a rule sheet and differ in size."""

    name: str
    description: str
    """A line, without its size."""
    roles: tuple[Role, ...]
    board: Callable[[Size], BoardPlan]
    sheet: str = ""
    """The file with the rules; by default the family's name."""
    size_text: str = "{}×{}"
    """How a size is written in a description."""
    usual: Size = ()
    """The size that needs no mention in the name."""
    listed: tuple[Size, ...] = ()
    """The sizes that the library lists; by default the usual one."""
    smallest: int = 0
    largest: int = 0
    """Bounds of each number of a size."""
    bounds: tuple[tuple[int, int], ...] = ()
    """Bounds of its numbers one by one, where they differ."""
    optional: int = 0
    """How many numbers at the end of a size may be left out: they are as usual then."""
    square: bool = False
    even: bool = False
    counts: tuple[int, int] = (2, 2)
    """How many numbers a size may have."""
    separator: str = "x"
    """What stands between the numbers of a size in a name."""
    size_always_named: bool = False
    parameters: Callable[[Size], Parameters] = lambda size: {}
    """What the sheet's directives may name."""
    moves: MoveKind = "alternating"
    continues: str | None = None
    """The relation that holds while a turn of several moves goes on."""
    other_names: tuple[str, ...] = ()
    """What people may call it; the library suggests its own name."""

    @property
    def sheet_name(self) -> str:
        return f"{self.sheet or self.name}.kif"

    def game_name(self, size: Size) -> str:
        """The library's name of one size."""
        if size == self.usual and not self.size_always_named:
            return self.name
        named = len(size)
        while (
            named > len(size) - self.optional
            and size[named - 1 :] == (self.usual[named - 1 :])
        ):
            named -= 1
        return f"{self.name}-{self.separator.join(map(str, size[:named]))}"

    def completed(self, size: Size) -> Size:
        """A size with the numbers that were left out."""
        missing = len(self.usual) - len(size)
        return size + self.usual[len(size) :] if missing <= self.optional else size

    def size_fault(self, size: Size) -> str | None:
        """Why there is no such size, if there is none."""
        if not self.usual:
            return "it comes in one size only"
        fewest, most = self.counts
        if not fewest <= len(size) <= most:
            return f"a size is written like {self.separator.join(map(str, self.usual))}"
        bounds = self.bounds or ((self.smallest, self.largest),) * len(size)
        if not all(
            smallest <= number <= largest
            for number, (smallest, largest) in zip(size, bounds, strict=True)
        ):
            ranges = (f"{smallest} to {largest}" for smallest, largest in bounds)
            return f"sizes go from {' and from '.join(dict.fromkeys(ranges))}"
        if self.square and len(set(size)) > 1:
            return "its board is square"
        if self.even and any(number % 2 for number in size):
            return "its size is even"
        return None


def _rows_and_columns(size: Size) -> Parameters:
    return {"rows": size[0], "columns": size[1]}


def _side(size: Size) -> Parameters:
    return {"size": size[0]}


def _othello_parameters(size: Size) -> Parameters:
    cells = size[0] * size[0]
    digits = (2 * cells).bit_length()
    level = tuple(cells >> j & 1 for j in range(digits))
    return {"size": size[0], "cells": cells, "digits": digits, "level": level}


def _nim_parameters(size: Size) -> Parameters:
    return {"heap": size, "heaps": len(size), "largest": max(size)}


_ABALONE_ROWS = {3: (3, 2), 4: (4, 5), 5: (5, 6, 3)}
"""How many stones a player has in each row at the start, by the side of the board."""

_ABALONE_LOSSES = {3: 2, 4: 4, 5: 6}


def _abalone_parameters(size: Size) -> Parameters:
    side, limit = size
    rows = enumerate(_ABALONE_ROWS[side])
    black = [
        10 * (row + 1) + 1 + (side + row - stones) // 2 + i
        for row, stones in rows
        for i in range(stones)
    ]
    digits = limit.bit_length()
    start = 2**digits - limit
    clock = tuple(j for j in range(digits) if start >> j & 1)
    return {
        "side": side,
        "first": tuple(black),
        "last": tuple(22 * side - cell for cell in black),
        "stones": len(black),
        "losses": _ABALONE_LOSSES[side],
        "digits": digits,
        "clock": clock,
        "ones": len(clock),
    }


def _cells(**glyphs: str) -> Glyphs:
    """What is drawn for `(cell ROW COLUMN CONTENT)`, by content."""
    return {("cell", content): glyph for content, glyph in glyphs.items()}


STONES = _cells(black="x", white="o")


def _mark_board(size: Size) -> BoardPlan:
    return grid(size, _cells(x="x", o="o", z="z"), TO_MOVE)


def _connect_board(size: Size) -> BoardPlan:
    return grid(size, _cells(red="r", yellow="y"), TO_MOVE, upward=True)


def _stone_board(size: Size) -> BoardPlan:
    return grid(size, STONES, TO_MOVE, style="stones")


def _othello_board(size: Size) -> BoardPlan:
    return grid(size, STONES, TO_MOVE)


def _capture_go_board(size: Size) -> BoardPlan:
    captions = {"captor": "{} has captured", **TO_MOVE}
    return grid(size, STONES, captions, style="stones")


def _hex_board(size: Size) -> BoardPlan:
    return grid(size, _cells(red="r", blue="b"), TO_MOVE, slant=1)


def _breakthrough_board(size: Size) -> BoardPlan:
    glyphs = _cells(white="w", black="b")
    return grid(size, glyphs, TO_MOVE, upward=True, style="checker")


def _draughts_board(_: Size) -> BoardPlan:
    return BoardPlan(
        places={
            (str(4 * row + i + 1),): (row, 2 * i + (row + 1) % 2)
            for row in range(8)
            for i in range(4)
        },
        glyphs={
            ("cell", "black", "man"): "b",
            ("cell", "white", "man"): "w",
            ("cell", "black", "king"): "B",
            ("cell", "white", "king"): "W",
        },
        captions={
            **TO_MOVE,
            "jumping": "the turn goes on from {}",
            "quiet": "{} moves without a capture",
        },
        numbered=True,
        style="checker",
    )


def _abalone_board(size: Size) -> BoardPlan:
    """Rows of cells with their numbers; a column is half a cell wide."""
    side = size[0]
    rows = range(1, 2 * side)
    return BoardPlan(
        places={
            (f"{row}{diagonal}",): (2 * side - 1 - row, side - 2 + 2 * diagonal - row)
            for row in rows
            for diagonal in rows
            if abs(row - diagonal) < side
        },
        glyphs={("stone", "black"): "x", ("stone", "white"): "o"},
        captions={"lost": "{} has lost {}", **TO_MOVE},
        numbered=True,
        pitch=2,
        shape="hex",
    )


def _nim_board(_: Size) -> BoardPlan:
    return BoardPlan(captions={"heap": "heap {}: {}", **TO_MOVE})


def _tron_board(size: Size) -> BoardPlan:
    glyphs: Glyphs = {("wall",): "#", ("rider", "red"): "r", ("rider", "blue"): "b"}
    return grid(size, glyphs, {"crashed": "{} has crashed"})


def _hand_board(_: Size) -> BoardPlan:
    return BoardPlan(captions={"won": "{} has won {}"})


def _peg_board(_: Size) -> BoardPlan:
    cross = grid((7, 7), {("peg",): "o"}, {"pegs": "{} pegs"})
    holes = {
        place: spot
        for place, spot in cross.places.items()
        if any(3 <= int(number) <= 5 for number in place)
    }
    return replace(cross, places=holes)


def _pig_board(_: Size) -> BoardPlan:
    return BoardPlan(
        captions={
            "score": "{}: {}",
            "turn": "this turn: {}",
            **TO_MOVE,
            "rolling": "the die is rolling",
        }
    )


FAMILIES: tuple[Family, ...] = (
    Family(
        "tictactoe",
        "three in a row",
        ("x", "o"),
        _mark_board,
        other_names=("tic-tac-toe", "noughts-and-crosses"),
        usual=(3, 3),
        listed=((3, 3), (4, 4), (5, 5)),
        smallest=3,
        largest=10,
        parameters=_rows_and_columns,
    ),
    Family(
        "connect-four",
        "four in a row, with discs that fall",
        ("red", "yellow"),
        _connect_board,
        other_names=("connect-4", "connect4"),
        sheet="connect",
        usual=(6, 7),
        listed=((6, 7), (4, 4)),
        smallest=4,
        largest=12,
        parameters=lambda size: {**_rows_and_columns(size), "length": 4},
    ),
    Family(
        "connect-3",
        "three in a row, with discs that fall",
        ("red", "yellow"),
        _connect_board,
        other_names=("connect-three", "connect3"),
        sheet="connect",
        usual=(5, 5),
        smallest=3,
        largest=12,
        parameters=lambda size: {**_rows_and_columns(size), "length": 3},
    ),
    Family(
        "gomoku",
        "five or more in a row",
        ("black", "white"),
        _stone_board,
        other_names=("five-in-a-row",),
        usual=(15, 15),
        smallest=5,
        largest=19,
        parameters=_rows_and_columns,
    ),
    Family(
        "othello",
        "flank stones to turn them over; the most stones win",
        ("black", "white"),
        _othello_board,
        other_names=("reversi",),
        usual=(8, 8),
        listed=((8, 8), (4, 4), (6, 6)),
        smallest=4,
        largest=12,
        square=True,
        even=True,
        parameters=_othello_parameters,
    ),
    Family(
        "capture-go",
        "the first capture wins, else stones and the empty points they surround",
        ("black", "white"),
        _capture_go_board,
        usual=(3, 3),
        smallest=2,
        largest=5,
        square=True,
        parameters=_side,
    ),
    Family(
        "hex",
        "join two sides with a chain of stones",
        ("red", "blue"),
        _hex_board,
        usual=(11, 11),
        listed=tuple((side, side) for side in range(3, 12)),
        smallest=3,
        largest=19,
        square=True,
        size_always_named=True,
        parameters=_side,
    ),
    Family(
        "breakthrough",
        "be the first to reach the far row",
        ("white", "black"),
        _breakthrough_board,
        usual=(8, 8),
        listed=((8, 8), (6, 6)),
        smallest=4,
        largest=12,
        parameters=_rows_and_columns,
    ),
    Family(
        "english-draughts",
        "checkers: captures are compulsory, who cannot move loses",
        ("black", "white"),
        _draughts_board,
        continues="jumping",
        other_names=("checkers", "draughts"),
    ),
    Family(
        "abalone",
        "push stones off a hexagon",
        ("black", "white"),
        _abalone_board,
        size_text="side {}, {} moves",
        usual=(5, 300),
        listed=((5, 300), (4, 300), (3, 300)),
        bounds=((3, 5), (1, 9999)),
        optional=1,
        separator="-",
        parameters=_abalone_parameters,
    ),
    Family(
        "nim",
        "take from one heap; the last object wins",
        ("first", "second"),
        _nim_board,
        size_text="heaps {}",
        usual=(1, 3, 5, 7),
        smallest=1,
        largest=20,
        counts=(1, 8),
        separator="-",
        parameters=_nim_parameters,
    ),
    Family(
        "tron",
        "ride at the same time and do not hit a wall",
        ("red", "blue"),
        _tron_board,
        usual=(8, 8),
        smallest=2,
        largest=20,
        parameters=_rows_and_columns,
        moves="simultaneous",
    ),
    Family(
        "rock-paper-scissors",
        "show hands at the same time; win enough rounds",
        ("left", "right"),
        _hand_board,
        size_text="{} rounds",
        usual=(3,),
        smallest=1,
        largest=100,
        counts=(1, 1),
        parameters=lambda size: {"rounds": size[0]},
        moves="simultaneous",
    ),
    Family(
        "trio",
        "three in a row for three players",
        ("x", "o", "z"),
        _mark_board,
        usual=(5, 5),
        smallest=3,
        largest=10,
        parameters=_rows_and_columns,
    ),
    Family(
        "peg-solitaire",
        "a puzzle: jump until one peg is left",
        ("solver",),
        _peg_board,
        moves="single-player",
    ),
    Family(
        "pig",
        "race to enough points: roll the die again, or hold",
        ("first", "second", "random"),
        _pig_board,
        size_text="{} points",
        usual=(30,),
        smallest=2,
        largest=100,
        counts=(1, 1),
        parameters=lambda size: {"target": size[0]},
    ),
)
