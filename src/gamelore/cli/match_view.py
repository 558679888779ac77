"""Matches as people see them: a board, who plays what, and what went wrong."""

from __future__ import annotations

import math
import shutil
import textwrap
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text

from gamelore.board import Board, infer_board
from gamelore.engine.position import Position
from gamelore.gdl import Compound, Fact, Game, to_kif
from gamelore.ggp.manager.manager import ManagedMatch, Moment
from gamelore.match.record import Fault

FRAMES_PER_SECOND = 8
FAULTS_SHOWN = 3
CONTROL = "control"
"""The relation by which rules say whose turn it is, as a rule."""


@dataclass(frozen=True)
class RoleRow:
    """One line under a board."""

    role: str
    player: str
    move: str = ""
    faults: int = 0


def frame(
    title: str, board: str, rows: Iterable[RoleRow], notes: Iterable[str] = ()
) -> str:
    """A position with all that is to be said about it, as lines of text."""
    rows = list(rows)
    roles = max((len(row.role) for row in rows), default=0)
    players = max((len(row.player) for row in rows), default=0)
    lines = [
        f"{row.role:<{roles}}  {row.player:<{players}}  {row.move}"
        + (f"  ({_times(row.faults)})" if row.faults else "")
        for row in rows
    ]
    parts = [title, "", board, "", *(line.rstrip() for line in lines), *notes]
    return "\n".join(parts)


def draw(game: Game | None, facts: Sequence[Fact]) -> str:
    """Facts on the game's board, or, where it has none, as a paragraph."""
    if game is not None and game.renderer is not None:
        return game.renderer(facts)
    if game is not None and _infer_board(game).kind != "facts":
        return _infer_board(game).draw_text(facts)
    width = min(100, shutil.get_terminal_size().columns)
    text = "  ".join(to_kif(fact).replace(" ", "\N{NO-BREAK SPACE}") for fact in facts)
    lines = textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False)
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


@lru_cache(maxsize=8)
def _infer_board(game: Game) -> Board:
    """Return the board of a game without a renderer; a match is drawn many times."""
    return infer_board(game)


def draw_position(position: Position) -> str:
    """A position of a match that may be over."""
    drawing = draw_final if position.is_terminal else draw
    return drawing(position.game, position.facts)


def draw_final(game: Game | None, facts: Sequence[Fact]) -> str:
    """The last position of a match: nothing says whose turn it would be."""
    return draw(game, [fact for fact in facts if not _is_control(fact)])


def _is_control(fact: Fact) -> bool:
    return isinstance(fact, Compound) and fact.functor == CONTROL


def fault_text(fault: Fault, moves: int) -> str:
    """A fault in one line; so many moves have been made."""
    when = "at the start" if fault.step < 0 else f"at move {fault.step + 1}"
    if fault.step >= moves:
        when = "at the end"
    return f"{fault.role} {when}: {fault.kind}, {fault.message}"


def result_text(match: ManagedMatch) -> str:
    """What came of a match, in one line."""
    parts = [
        f"{role} {player} {'no goal' if goal is None else goal}"
        for role, (player, goal) in match.results.items()
    ]
    record = match.record
    ending = "" if record.complete else ", cut off at the move limit"
    faults = f", {_times(len(record.faults))}" if record.faults else ""
    return f"{', '.join(parts)} ({len(record.moves)} moves{ending}{faults})"


class LiveView:
    """Shows the match that is being played, in a terminal."""

    def __init__(self, repeat: int) -> None:
        self._repeat = repeat
        self._moment: Moment | None = None
        self._live = Live(
            get_renderable=self._render,
            console=Console(highlight=False),
            refresh_per_second=FRAMES_PER_SECOND,
            vertical_overflow="crop",
        )
        self._number = 0

    def showing(self) -> AbstractContextManager[object]:
        """While this is open, the view is on the screen."""
        return self._live

    def begin(self, number: int) -> None:
        """The next match begins."""
        self._number = number

    def observe(self, moment: Moment) -> None:
        """Take note; what is on the screen follows in its own time."""
        self._moment = moment

    def end(self, number: int, match: ManagedMatch) -> None:
        """Leave a line behind."""
        if self._repeat > 1:
            self._live.console.print(f"{number:>4}  {result_text(match)}")

    def _render(self) -> Text:
        moment = self._moment
        if moment is None:
            return Text("waiting")
        return Text(moment_text(moment, self._number, self._repeat))


class PlainView:
    """Prints lines, where there is no terminal: one match's moves, many's results."""

    def __init__(self, repeat: int) -> None:
        self._repeat = repeat
        self._moves = 0
        self._faults = 0

    def showing(self) -> AbstractContextManager[object]:
        return nullcontext()

    def begin(self, number: int) -> None:
        self._moves, self._faults = 0, 0

    def observe(self, moment: Moment) -> None:
        """Print what is new."""
        if self._repeat > 1:
            return
        for fault in moment.faults[self._faults :]:
            click.echo(fault_text(fault, len(moment.moves)))
        for step, joint in enumerate(moment.moves[self._moves :], self._moves + 1):
            click.echo(f"{step:>4}  {'  '.join(map(to_kif, joint))}")
        self._moves, self._faults = len(moment.moves), len(moment.faults)
        if moment.stage == "over":
            click.echo(f"\n{draw_position(moment.position)}\n")

    def end(self, number: int, match: ManagedMatch) -> None:
        click.echo(f"{number:>4}  {result_text(match)}")
        if self._repeat > 1:
            for fault in match.record.faults[:FAULTS_SHOWN]:
                click.echo(f"      {fault_text(fault, len(match.record.moves))}")


class NoView:
    """Shows nothing."""

    def showing(self) -> AbstractContextManager[object]:
        return nullcontext()

    def begin(self, number: int) -> None: ...

    def observe(self, moment: Moment) -> None: ...

    def end(self, number: int, match: ManagedMatch) -> None: ...


MatchView = LiveView | PlainView | NoView


def moment_text(moment: Moment, number: int, repeat: int) -> str:
    """A running match as a frame."""
    position = moment.position
    joint = moment.moves[-1] if moment.moves else None
    counts = dict.fromkeys(position.roles, 0)
    for fault in moment.faults:
        counts[fault.role] += 1
    goals = position.goals if moment.stage == "over" else {}
    rows = [
        RoleRow(
            role,
            player,
            _role_text(goals, role, to_kif(joint[place]) if joint else ""),
            counts[role],
        )
        for place, (role, player) in enumerate(
            zip(position.roles, moment.players, strict=True)
        )
    ]
    recent = moment.faults[-FAULTS_SHOWN:]
    notes = [fault_text(fault, len(moment.moves)) for fault in recent]
    which = f"match {number} of {repeat}" if repeat > 1 else moment.match
    title = f"{position.game.name} · {which} · {_stage_text(moment)}"
    board = draw_position(position)
    return frame(title, board, rows, ["", *notes] if notes else [])


def _role_text(goals: dict[str, int | None], role: str, move: str) -> str:
    """The last move, and at the end the goal."""
    return f"{move}  → {goals[role]}" if role in goals else move


def _stage_text(moment: Moment) -> str:
    if moment.stage == "over":
        return f"over after {len(moment.moves)} moves"
    left = moment.clock.left
    clock = "" if math.isinf(left) else f" · {max(0.0, left):.1f} s left"
    if moment.stage == "start":
        return f"getting ready{clock}"
    return f"move {len(moment.moves) + 1}{clock}"


def _times(faults: int) -> str:
    return f"{faults} fault{'' if faults == 1 else 's'}"
