"""The person at the keyboard, as a player.

Every move has a number, which stays the same for the whole match. A move can also be
typed: `mark 2 2`, or `2 2` where only one legal move has these words.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Protocol

from gamelore.engine.position import Position
from gamelore.gdl import Move, Role, to_kif
from gamelore.match.match import LeaveRequest, TakeBackRequest
from gamelore.player import Briefing, Clock

HELP = """\
type the number of a move, or the move itself: mark 2 2, or only its words 2 2
  m  list the moves again
  u  take back your last move
  h  show this help
  q  quit"""

MOST_NUMBERED = 999
"""Roles with more moves number them as they first become legal."""


class Command(Enum):
    """What a person may type instead of a move."""

    MOVES = "m"
    UNDO = "u"
    HELP = "h"
    QUIT = "q"


COMMANDS = {word: each for each in Command for word in (each.value, each.name.lower())}
"""Each command by its letter and by its name."""


class Screen(Protocol):
    """What a person sees, and types into."""

    def show_position(self, position: Position) -> None:
        """Draw a position, before a decision."""

    def show_moves(self, numbered: Sequence[tuple[int, Move]]) -> None:
        """List moves with their numbers."""

    def say(self, text: str) -> None:
        """Show a line of text."""

    def read_line(self, prompt: str) -> str:
        """Return the line typed; `EOFError` at the end of input."""


class HumanPlayer:
    """Asks a person for moves.

    `LeaveRequest` when the person quits, `TakeBackRequest` to take a move back.
    """

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._role: Role = ""
        self._numbers: dict[Move, int] = {}
        self._decisions = 0

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Number the moves of the role."""
        self._role = briefing.role
        self._numbers = {}
        self._decisions = 0
        simulator = briefing.simulator
        moves = simulator.moves[simulator.roles.index(briefing.role)]
        if simulator.engine == "circuit" and len(moves) <= MOST_NUMBERED:
            self._number(sorted(moves, key=_natural_key))

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the move that the person types; forced moves are made at once."""
        legal = position.legal_moves(self._role)
        if len(legal) == 1:
            return legal[0]
        self._number(legal)
        numbered = sorted((self._numbers[move], move) for move in legal)
        self._screen.show_position(position)
        self._screen.show_moves(numbered)
        while True:
            try:
                line = self._screen.read_line(f"{self._role}> ")
            except EOFError:
                raise LeaveRequest from None
            match understand(line, numbered):
                case Command.QUIT:
                    raise LeaveRequest
                case Command.UNDO:
                    if self._decisions:
                        self._decisions -= 1
                        raise TakeBackRequest
                    self._screen.say("there is no move to take back")
                case Command.HELP:
                    self._screen.say(HELP)
                case Command.MOVES:
                    self._screen.show_moves(numbered)
                case None:
                    self._screen.say(self._explain(line))
                case move:
                    self._decisions += 1
                    return move

    def _number(self, moves: Sequence[Move]) -> None:
        """Give numbers to moves that have none."""
        for move in moves:
            self._numbers.setdefault(move, len(self._numbers) + 1)

    def _explain(self, line: str) -> str:
        known = {str(number): move for move, number in self._numbers.items()}
        if line in known:
            return f"{to_kif(known[line])} is not legal now; m lists the moves"
        return f"no such move: {line}; h helps"


def understand(
    line: str, numbered: Sequence[tuple[int, Move]]
) -> Move | Command | None:
    """Return the move or command that a line stands for, if any."""
    for number, move in numbered:
        if line == str(number):
            return move
    if line.lower() in COMMANDS:
        return COMMANDS[line.lower()]
    words = _split(line)
    if not words:
        return None
    for exact in (True, False):
        found = [
            move
            for _, move in numbered
            if (_split(to_kif(move)) if exact else _split(to_kif(move))[1:]) == words
        ]
        if len(found) == 1:
            return found[0]
    return None


def _split(text: str) -> list[str]:
    """Return the words of a move, without brackets, in lower case."""
    return text.replace("(", " ").replace(")", " ").lower().split()


def _natural_key(move: Move) -> list[tuple[int, int, str]]:
    """Sort words of one letter case by name, numbers by value, short moves last."""
    words = _split(to_kif(move))
    if len(words) == 1:
        words = ["~", *words]
    return [(1, 0, w) if not w.isdecimal() else (0, int(w), "") for w in words]
