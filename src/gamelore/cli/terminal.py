"""The screen of `gamelore play`: boards in colour, numbered moves, and the result."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator, Sequence

import click

from gamelore.cli.match_view import draw, draw_final
from gamelore.engine.position import Position
from gamelore.gdl import Game, Move, Role, to_kif
from gamelore.match.ratings import BEST_GOAL
from gamelore.match.record import CHANCE, MatchRecord
from gamelore.match.referee import Referee

_COLOURS = ("cyan", "yellow", "magenta", "green", "red", "blue")
_CAPTION = re.compile(r"[A-Za-z]{3,}")


class Terminal:
    """What a person sees of a match, and types into."""

    def __init__(self, game: Game, role: Role) -> None:
        self.game = game
        self.role = role
        self._previous: Position | None = None
        self._moves = 0

    # ── during the match ────────────────────────────────────────────────────────────

    def show_position(self, position: Position) -> None:
        """Draw a position; what the last joint move changed is marked."""
        click.echo(f"\n{self._draw(position)}\n")

    def show_moves(self, numbered: Sequence[tuple[int, Move]]) -> None:
        """List moves with their numbers, in columns."""
        click.echo(list_moves(numbered))

    def say(self, text: str) -> None:
        """Show a line of text."""
        click.echo(text)

    def read_line(self, prompt: str) -> str:
        """Return the line typed; `EOFError` at the end of input."""
        try:
            line = input(prompt).strip()
        except EOFError:
            click.echo()
            raise
        if not sys.stdin.isatty():
            click.echo(line)  # a terminal echoes what is typed; a pipe does not
        return line

    def observe(self, referee: Referee) -> None:
        """Show what the other roles played, and their faults."""
        taken_back = len(referee.moves) < self._moves
        self._moves = len(referee.moves)
        before = self._previous = referee.previous
        if taken_back or before is None:
            return
        for fault in referee.faults:
            if fault.step == self._moves - 1:
                click.echo(f"{fault.role} gave no move ({fault.message}): a random one")
        for role, move in zip(before.roles, referee.moves[-1], strict=True):
            if role != self.role and len(before.legal_moves(role)) > 1:
                click.echo(f"{role} plays {to_kif(move)}")

    # ── at the end ──────────────────────────────────────────────────────────────────

    def show_result(self, position: Position, record: MatchRecord) -> None:
        """Draw the last position, and say who won."""
        if not record.complete:
            click.echo("you left the match")
            return
        click.echo(f"\n{self._draw(position)}\n")
        click.echo(click.style(describe_result(record, self.role), bold=True))
        for role, goal in zip(record.roles, record.goals, strict=True):
            if role != CHANCE:
                who = f"you ({role}) get" if role == self.role else f"{role} gets"
                click.echo(f"{who} {'no goal' if goal is None else goal}")

    def _draw(self, position: Position) -> str:
        drawing = draw_final if position.is_terminal else draw
        text = drawing(self.game, list(position.facts))
        before = ""
        if self._previous is not None:
            before = drawing(self.game, list(self._previous.facts))
        return colour(text, before, position.roles)


def describe_result(record: MatchRecord, role: Role) -> str:
    """Return who won, said to the person who played `role`."""
    goals = {
        each: goal or 0
        for each, goal in zip(record.roles, record.goals, strict=True)
        if each != CHANCE
    }
    own = goals[role]
    if len(goals) == 1:
        return "you win" if own == BEST_GOAL else f"you get {own} of {BEST_GOAL}"
    winners = [each for each, goal in goals.items() if goal == max(goals.values())]
    if winners == [role]:
        return "you win"
    if role in winners:
        others = [each for each in winners if each != role]
        return (
            "a draw" if len(goals) == 2 else f"you share the win with {_join(others)}"
        )
    verb = "wins" if len(winners) == 1 else "win"
    return f"you lose: {_join(winners)} {verb}"


def list_moves(numbered: Sequence[tuple[int, Move]]) -> str:
    """Return moves with their numbers, in columns."""
    cells = [f"{number:>3}  {to_kif(move)}" for number, move in numbered]
    width = max(map(len, cells)) + 2
    columns = max(1, shutil.get_terminal_size().columns // width)
    rows = -(-len(cells) // columns)
    lines = (cells[row::rows] for row in range(rows))
    return "\n".join("".join(f"{c:<{width}}" for c in line).rstrip() for line in lines)


def colour(text: str, before: str, roles: Sequence[Role]) -> str:
    """Return a drawing with each role's pieces in its colour, and changes marked.

    A piece is a role's if it is the first letter of its name. Where the drawing has
    other letters too, nothing is coloured. What differs from the drawing `before` is
    marked, if both have the same lines; captions are left alone.
    """
    lines, old = text.split("\n"), before.split("\n")
    palette = _palette(lines, roles)
    comparable = before != "" and len(lines) == len(old)
    styled = []
    for number, line in enumerate(lines):
        if _CAPTION.search(line):
            styled.append(line)
            continue
        known = old[number].ljust(len(line)) if comparable else line
        styled.append("".join(_style(line, known, palette)))
    return "\n".join(styled)


def _palette(lines: Sequence[str], roles: Sequence[Role]) -> dict[str, str]:
    """Return the colours of letters, if all letters of the board are roles'."""
    letters = {
        letter.lower()
        for line in lines
        if not _CAPTION.search(line)
        for letter in line
        if letter.isalpha()
    }
    initials = [role[0].lower() for role in roles if role != CHANCE]
    if len({*initials}) < len(initials) or not letters <= {*initials}:
        return {}
    return dict(zip(initials, _COLOURS, strict=False))


def _style(line: str, known: str, palette: dict[str, str]) -> Iterator[str]:
    for letter, former in zip(line, known, strict=False):
        changed = letter != former and not letter.isspace()
        foreground = palette.get(letter.lower())
        if changed or foreground:
            yield click.style(letter, fg=foreground, reverse=changed or None, bold=True)
        else:
            yield letter


def _join(names: Sequence[str]) -> str:
    return " and ".join(names)
