"""Boards of games of your own, from a file beside the rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamelore.engine import simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.games.library import rules_text

BOARD = """
rows = 3
columns = 3
[glyphs]
x = "X"
o = "O"
[captions]
control = "{} is to move"
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "mine.kif"
    path.write_text(rules_text("tictactoe"))
    return path


def test_the_file_beside_the_rules_draws_positions(rules: Path) -> None:
    rules.with_name("mine.board.toml").write_text(BOARD)
    position = Position(simulator(load(rules)), "(cell 1 2 x) (cell 3 3 o) (control x)")
    expected = "   1 2 3\n1  . X .\n2  . . .\n3  . . O\nx is to move"
    assert str(position) == expected


def test_rows_have_names_and_go_upward(rules: Path) -> None:
    text = BOARD.replace("rows = 3", "rows = ['1', '2', '3']\nupward = true")
    rules.with_name("mine.board.toml").write_text(text)
    position = Position(simulator(load(rules)), "(cell 1 2 x) (control x)")
    assert str(position).splitlines()[1:4] == ["3  . . .", "2  . . .", "1  . X ."]


def test_without_a_file_the_board_is_inferred(rules: Path) -> None:
    position = Position(simulator(load(rules)), "(cell 1 2 x) (control x)")
    assert str(position).splitlines() == [
        "   1 2 3",
        "1  . x .",
        "2  . . .",
        "3  . . .",
        "x to move",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOARD.replace("rows", "lines"), "mine.board.toml: Object contains unknown"),
        (
            BOARD.replace("rows = 3", "rows = 0"),
            "rows and columns must be in 1 to 1000",
        ),
        ("rows = ", "mine.board.toml: "),
        ("rows = 3", "missing required field `columns`"),
    ],
)
def test_what_no_board_is(rules: Path, text: str, message: str) -> None:
    rules.with_name("mine.board.toml").write_text(text)
    with pytest.raises(GameloreError, match=message):
        load(rules)
