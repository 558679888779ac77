"""Games that OpenSpiel has in C++: its names, and our moves as its actions.

Roles in order are OpenSpiel's players in order; where it has the board the other way
round, moves are turned.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gamelore.errors import GameloreError
from gamelore.gdl import Move, to_kif

GAMES = {
    "tictactoe": "tic_tac_toe",
    "connect-four": "connect_four",
    "othello": "othello",
    "breakthrough": "breakthrough",
    "english-draughts": "checkers",
    "hex-7x7": "hex(board_size=7)",
    "hex-11x11": "hex(board_size=11)",
    "gomoku": "gomoku",
}
"""Our names, and OpenSpiel's for the same game."""

MISSING = "OpenSpiel is not installed; `pip install 'gamelore[openspiel]'` brings it"


def import_pyspiel() -> Any:
    """Return the module; `GameloreError` where it is not installed."""
    try:
        import pyspiel  # an extra: only who uses it needs it
    except ImportError:
        raise GameloreError(MISSING) from None
    return pyspiel


def load_native(name: str) -> Any:
    """Return OpenSpiel's game for one of our names; `GameloreError` without one."""
    pyspiel = import_pyspiel()
    if name not in GAMES:
        known = ", ".join(GAMES)
        raise GameloreError(
            f"OpenSpiel has no {name!r} to compare with; it has: {known}"
        )
    return pyspiel.load_game(GAMES[name])


_OTHELLO_PASS = 64


def _drop(move: Move, state: Any) -> int:
    (column,) = _numbers(move)
    return column - 1


def _place(width: int, move: Move, state: Any) -> int:
    row, column = _numbers(move)
    return width * (row - 1) + column - 1


def _place_or_pass(move: Move, state: Any) -> int:
    return _OTHELLO_PASS if move == "pass" else _place(8, move, state)


def _advance_piece(move: Move, state: Any) -> int:
    """In OpenSpiel's breakthrough who moves first starts at the top."""
    row, column, row2, column2 = _numbers(move)
    return _find_action(_square(column, 9 - row) + _square(column2, 9 - row2), state)


def _move_draught(move: Move, state: Any) -> int:
    """In OpenSpiel's checkers who moves first starts at the bottom."""
    return _find_action("".join(map(_dark_square, _numbers(move))), state)


def _dark_square(number: int) -> str:
    """Return OpenSpiel's name of a square, 1 to 32 from the first player's side."""
    row, place = divmod(number - 1, 4)
    column = 2 * place + 1 - row % 2  # from 0, on a board that starts with black
    return _square(8 - column, row + 1)


def _square(column: int, row: int) -> str:
    return f"{chr(ord('a') + column - 1)}{row}"


def _find_action(text: str, state: Any) -> int:
    """Return the legal action of this text; captures have a mark after it."""
    for action in state.legal_actions():
        if state.action_to_string(action).removesuffix("*") == text:
            return int(action)
    raise GameloreError(f"{text} is no legal action of OpenSpiel's in\n{state}")


def _numbers(move: Move) -> list[int]:
    """Return the arguments of a move."""
    return [int(word) for word in to_kif(move).strip("()").split()[1:]]


ACTIONS: dict[str, Callable[[Move, Any], int]] = {
    "tictactoe": partial(_place, 3),
    "connect-four": _drop,
    "othello": _place_or_pass,
    "breakthrough": _advance_piece,
    "english-draughts": _move_draught,
    "hex-7x7": partial(_place, 7),
    "hex-11x11": partial(_place, 11),
    "gomoku": partial(_place, 15),
}
"""By our names of games: OpenSpiel's action for a move of ours in one of its states."""
