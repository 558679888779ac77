"""Boards of any game, inferred from its rules: axes, cells, pieces, and pictures."""

from gamelore.board.board import Board, Theme, infer_board
from gamelore.board.scene import BoardScene, Cell, Counter, Hand, Line, Mark, Piece
from gamelore.board.style import stylesheet

__all__ = [
    "Board",
    "BoardScene",
    "Cell",
    "Counter",
    "Hand",
    "Line",
    "Mark",
    "Piece",
    "Theme",
    "infer_board",
    "stylesheet",
]
