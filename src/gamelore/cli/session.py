"""The conversation of `gamelore play`: boards, numbered moves, undo."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from enum import Enum
from random import Random

import click

from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.errors import StuckError
from gamelore.gdl import Move, Role, to_kif
from gamelore.player import Clock, Player

HELP = """\
give the number of a move or the move itself, or
  m  list the moves again
  u  take back your last move
  h  show this help
  q  quit"""


class Wish(Enum):
    """What a person may want instead of a move."""

    MOVES = "m"
    UNDO = "u"
    HELP = "h"
    QUIT = "q"


WISHES = {word: wish for wish in Wish for word in (wish.value, wish.name.lower())}
"""Each wish by its letter and by its name."""


class Session:
    """One match of a person, from the first board to the goals."""

    def __init__(
        self,
        simulator: Simulator,
        role: Role,
        players: Mapping[Role, Player],
        play_clock: float,
        seed: int,
    ) -> None:
        self.simulator = simulator
        self.role = role
        self.players = players
        self.play_clock = play_clock
        self.position = Position.initial(simulator)
        self.decisions: list[Position] = []
        """Where the person has chosen, for undo."""
        self._lots = Random(seed)

    def run(self) -> None:
        """Play until the match ends or the person leaves it."""
        click.echo(f"you are {self.role} in {self.simulator.game.name}; h helps")
        while not self.position.is_terminal:
            legal = self.legal_moves(self.role)
            if len(legal) == 1:
                self.advance(legal[0])
            elif not self.decide(legal):
                click.echo("you left the match")
                return
        click.echo(f"\n{self.position}\n")
        for role, goal in self.position.goals.items():
            click.echo(f"{role} gets {'no goal' if goal is None else goal}")

    def decide(self, legal: Sequence[Move]) -> bool:
        """Have the person move or take a move back; false if they leave."""
        click.echo(f"\n{self.position}\n\n{listed(legal)}")
        while True:
            line = read_line(f"{self.role}> ")
            match understand(line, legal):
                case Wish.QUIT:
                    return False
                case Wish.UNDO:
                    if self.take_back():
                        return True
                case Wish.HELP:
                    click.echo(HELP)
                case Wish.MOVES:
                    click.echo(listed(legal))
                case None:
                    click.echo(f"no such move: {line}; h helps")
                case move:
                    self.decisions.append(self.position)
                    self.advance(move)
                    return True

    def take_back(self) -> bool:
        """Return to the person's last decision, if there is one."""
        if not self.decisions:
            click.echo("there is no move to take back")
            return False
        self.position = self.decisions.pop()
        return True

    def advance(self, own: Move) -> None:
        """Make the person's move together with the moves of the others."""
        joint = []
        for role in self.simulator.roles:
            move = own if role == self.role else self.move_of(role)
            joint.append(move)
            if role != self.role and len(self.legal_moves(role)) > 1:
                click.echo(f"{role} plays {to_kif(move)}")
        self.position = self.position.advance(joint)

    def move_of(self, role: Role) -> Move:
        """What another role does: its player's choice, or a lot."""
        if role in self.players:
            return self.players[role].choose(self.position, Clock(self.play_clock))
        return self._lots.choice(self.legal_moves(role))

    def legal_moves(self, role: Role) -> Sequence[Move]:
        """What a role may do: never nothing."""
        legal = self.position.legal_moves(role)
        if not legal:
            raise StuckError(f"{role} has no legal move in {self.simulator.game.name}")
        return legal


def read_line(prompt: str) -> str:
    """A line of the person's; the end of the input quits."""
    try:
        line = input(prompt).strip()
    except EOFError:
        click.echo()
        return Wish.QUIT.value
    if not sys.stdin.isatty():
        click.echo(line)  # a terminal echoes what is typed; a pipe does not
    return line


def understand(line: str, legal: Sequence[Move]) -> Move | Wish | None:
    """The move or wish a line stands for, if any."""
    numbered = {str(i): move for i, move in enumerate(legal, start=1)}
    if line in numbered:
        return numbered[line]
    if line.lower() in WISHES:
        return WISHES[line.lower()]
    words = words_of(line)
    return next((move for move in legal if words_of(to_kif(move)) == words), None)


def words_of(text: str) -> list[str]:
    """The words of a move, without brackets, in lower case."""
    return text.replace("(", " ").replace(")", " ").lower().split()


def listed(legal: Sequence[Move]) -> str:
    """The moves with their numbers, in columns."""
    cells = [f"{i:>3}  {to_kif(move)}" for i, move in enumerate(legal, start=1)]
    width = max(map(len, cells)) + 2
    columns = max(1, shutil.get_terminal_size().columns // width)
    rows = -(-len(cells) // columns)
    lines = (cells[row::rows] for row in range(rows))
    return "\n".join("".join(f"{c:<{width}}" for c in line).rstrip() for line in lines)
