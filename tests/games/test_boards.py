"""Positions as text."""

from __future__ import annotations

from textwrap import dedent

import pytest

from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.games import library, load
from gamelore.gdl import Fact, read_term

INITIAL = {
    "tictactoe": """\
           1 2 3
        1  . . .
        2  . . .
        3  . . .
        x to move""",
    "connect-four-4x4": """\
           1 2 3 4
        4  . . . .
        3  . . . .
        2  . . . .
        1  . . . .
        red to move""",
    "othello-4x4": """\
           1 2 3 4
        1  . . . .
        2  . o x .
        3  . x o .
        4  . . . .
        black to move""",
    "capture-go": """\
           1 2 3
        1  . . .
        2  . . .
        3  . . .
        black to move""",
    "hex-4x4": """\
           1 2 3 4
        1  . . . .
         2  . . . .
          3  . . . .
           4  . . . .
        red to move""",
    "breakthrough-6x5": """\
           1 2 3 4 5
        6  b b b b b
        5  b b b b b
        4  . . . . .
        3  . . . . .
        2  w w w w w
        1  w w w w w
        white to move""",
    "english-draughts": """\
            b1      b2      b3      b4
        b5      b6      b7      b8
            b9      b10     b11     b12
        .13     .14     .15     .16
            .17     .18     .19     .20
        w21     w22     w23     w24
            w25     w26     w27     w28
        w29     w30     w31     w32
        black to move
        0 moves without a capture""",
    "abalone-3": """\
            o53 o54 o55
          .42 o43 o44 .45
        .31 .32 .33 .34 .35
          .21 x22 x23 .24
            x11 x12 x13
        black has lost 0
        white has lost 0
        black to move""",
    "nim": """\
        heap 1: 1
        heap 2: 3
        heap 3: 5
        heap 4: 7
        first to move""",
    "tron-3x4": """\
           1 2 3 4
        1  . . . .
        2  r . . b
        3  . . . .""",
    "rock-paper-scissors": """\
        left has won 0
        right has won 0""",
    "trio-3x3": """\
           1 2 3
        1  . . .
        2  . . .
        3  . . .
        x to move""",
    "peg-solitaire": """\
           1 2 3 4 5 6 7
        1      o o o
        2      o o o
        3  o o o o o o o
        4  o o o . o o o
        5  o o o o o o o
        6      o o o
        7      o o o
        32 pegs""",
    "pig": """\
        first: 0
        second: 0
        this turn: 0
        first to move""",
}

LATER = {
    "tictactoe": (
        ("(cell 1 3 x)", "(cell 2 1 o)", "(control x)"),
        """\
           1 2 3
        1  . . x
        2  o . .
        3  . . .
        x to move""",
    ),
    "connect-four-4x4": (
        ("(cell 1 2 red)", "(cell 2 2 yellow)", "(control red)"),
        """\
           1 2 3 4
        4  . . . .
        3  . . . .
        2  . y . .
        1  . r . .
        red to move""",
    ),
    "english-draughts": (
        (
            "(cell 3 white king)",
            "(cell 18 black man)",
            "(cell 30 black king)",
            "(control black)",
            "(jumping 18)",
            "(quiet 0)",
        ),
        """\
            .1      .2      W3      .4
        .5      .6      .7      .8
            .9      .10     .11     .12
        .13     .14     .15     .16
            .17     b18     .19     .20
        .21     .22     .23     .24
            .25     .26     .27     .28
        .29     B30     .31     .32
        black to move
        the turn goes on from 18
        0 moves without a capture""",
    ),
    "tron-3x4": (
        (
            "(wall 2 1)",
            "(wall 1 1)",
            "(rider 1 1 red)",
            "(wall 2 4)",
            "(crashed blue)",
        ),
        """\
           1 2 3 4
        1  r . . .
        2  # . . #
        3  . . . .
        blue has crashed""",
    ),
}


def draw(name: str, facts: list[Fact]) -> str:
    renderer = load(name).renderer
    assert renderer is not None
    return renderer(facts)


@pytest.mark.parametrize("name", INITIAL)
def test_the_initial_position(name: str) -> None:
    interpreter = Interpreter(load(name))
    facts = interpreter.facts(interpreter.initial_row())
    assert draw(name, list(facts)) == dedent(INITIAL[name])
    assert draw(name, sorted(facts, key=str)) == draw(name, list(facts))


@pytest.mark.parametrize("name", LATER)
def test_a_later_position(name: str) -> None:
    facts, text = LATER[name]
    assert draw(name, [read_term(fact) for fact in facts]) == dedent(text)


def test_columns_stay_in_line_when_their_numbers_grow() -> None:
    lines = draw("hex-11x11", [read_term("(cell 11 10 red)")]).splitlines()
    header, last = lines[0], lines[11]
    assert last.index("r") == header.index("10") + 10  # ten lines of slant


def test_every_family_is_drawn_somewhere_above() -> None:
    drawn = {name.split("-")[0] for name in INITIAL}
    assert {known.family.split("-")[0] for known in library()} - drawn == {"gomoku"}
