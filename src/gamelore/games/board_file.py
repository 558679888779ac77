"""BoardPlan files: how the positions of a game of your own are drawn.

Beside `my-game.kif`, the file `my-game.board.toml` says what its board looks like:

    rows = 3
    columns = 3
    [glyphs]             # of (cell ROW COLUMN CONTENT), by content
    x = "x"
    o = "o"
    [captions]           # lines below the board, by relation
    control = "{} to move"
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from gamelore.errors import GameloreError
from gamelore.games.boards import BoardPlan, Glyphs, Place

SUFFIX = ".board.toml"


class BoardFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The content of a board file."""

    rows: int | list[str]
    """How many rows, numbered from 1, or their names as the rules have them."""
    columns: int | list[str]
    glyphs: dict[str, str]
    """By the content of a cell, what is drawn."""
    cell: str = "cell"
    """The relation of cells: its arguments are row, column and content."""
    captions: dict[str, str] = {}
    """Lines below the board, by relation; {} takes an argument."""
    columns_first: bool = False
    """Whether cells have the column before the row."""
    upward: bool = False
    """Whether the first row is at the bottom."""

    def to_board(self) -> BoardPlan:
        """Return the board."""
        rows, columns = _name(self.rows), _name(self.columns)
        lines = rows[::-1] if self.upward else rows
        places: dict[Place, tuple[int, int]] = {
            (column, row) if self.columns_first else (row, column): (line, place)
            for line, row in enumerate(lines)
            for place, column in enumerate(columns)
        }
        glyphs: Glyphs = {
            (self.cell, content): drawn for content, drawn in self.glyphs.items()
        }
        return BoardPlan(
            places=places,
            glyphs=glyphs,
            captions=self.captions,
            row_labels=tuple(lines),
            column_labels=tuple(columns),
        )


def read_board(rules: Path) -> BoardPlan | None:
    """Return the board of the file beside a rule sheet, if there is one."""
    path = rules.with_name(rules.stem + SUFFIX)
    if not path.is_file():
        return None
    try:
        return msgspec.toml.decode(path.read_bytes(), type=BoardFile).to_board()
    except (msgspec.MsgspecError, OSError, UnicodeDecodeError, ValueError) as error:
        raise GameloreError(f"{path}: {error}") from error


def _name(given: int | list[str]) -> list[str]:
    if isinstance(given, list):
        return given
    if not 1 <= given <= 1000:
        raise ValueError(f"rows and columns must be in 1 to 1000, got {given}")
    return [str(number) for number in range(1, given + 1)]
