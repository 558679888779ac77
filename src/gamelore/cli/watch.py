"""`gamelore watch`: a recorded match, move by move, in the terminal."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import click

from gamelore.cli.match_view import RoleRow, draw, draw_final, fault_text, frame
from gamelore.cli.options import Finite
from gamelore.errors import UnknownGameError
from gamelore.games import load
from gamelore.gdl import Game, to_kif
from gamelore.ggp.match_record import MatchFile, read_match

KEYS_FORWARD = frozenset((" ", "\r", "\n", "n", "l", "\x1b[C", "\x1b[B"))
KEYS_BACK = frozenset(("b", "p", "h", "\x1b[D", "\x1b[A", "\x7f"))
KEYS_QUIT = frozenset(("q", "\x1b", "\x03", "\x04"))


@dataclass(frozen=True)
class Showing:
    """A record together with what is known of its game."""

    record: MatchFile
    game: Game | None

    @property
    def length(self) -> int:
        """How many positions there are."""
        return len(self.record.states)

    def frame(self, place: int) -> str:
        """One position, what led to it, and who is who."""
        record = self.record
        name = self.game.name if self.game else record.game_url or "unknown game"
        title = f"{name} · {record.match} · {self._when(place)}"
        joint = record.moves[place - 1] if place else ()
        last = place == len(record.moves)
        goals = record.goals if last else ()
        rows = [
            RoleRow(
                role,
                player,
                (to_kif(joint[i]) if joint else "")
                + (f"  → {goals[i]}" if i < len(goals) else ""),
            )
            for i, (role, player) in enumerate(self._players_by_role())
        ]
        notes = self._notes(place)
        drawing = draw_final if last and record.completed else draw
        board = drawing(self.game, record.states[place])
        return frame(title, board, rows, ["", *notes] if notes else [])

    def _when(self, place: int) -> str:
        count = len(self.record.moves)
        if place < count:
            return f"after {place} of {count} moves"
        if self.record.aborted:
            return f"aborted after {count} moves"
        ending = "over" if self.record.completed else "ended unfinished"
        return f"{ending} after {count} moves"

    def _players_by_role(self) -> list[tuple[str, str]]:
        """Each role with its player, as far as they are known."""
        record = self.record
        width = len(record.moves[0]) if record.moves else len(record.players)
        details = record.details
        roles = details.roles if details else self.game.roles if self.game else ()
        if len(roles) != width:
            roles = tuple(f"role {i}" for i in range(1, width + 1))
        players = record.players if len(record.players) == width else ("",) * width
        return list(zip(roles, players, strict=True))

    def _notes(self, place: int) -> list[str]:
        """What went wrong on the way to a position."""
        if self.record.details is not None:
            moves = len(self.record.moves)
            last = place == moves
            return [
                fault_text(fault, moves)
                for fault in self.record.details.faults
                if fault.step == place - 1 or (last and fault.step >= place)
            ]
        roles = [role for role, _ in self._players_by_role()]
        errors = zip(roles, self.record.errors[place], strict=False)
        return [f"{role}: {error}" for role, error in errors if error]


def find_game(record: MatchFile, named: str | None) -> Game | None:
    """The game of a record: the one named, its own rules, or a guess by its name."""
    if named is not None:
        return load(named)
    if record.details is not None:
        return _with_board(record.details.source, record.details.fingerprint) or (
            record.game
        )
    for name in _guesses(record.game_url):
        try:
            guess = load(name)
        except UnknownGameError:
            continue
        if not record.moves or len(guess.roles) == len(record.moves[0]):
            return guess
    return None


def _with_board(source: str, fingerprint: str) -> Game | None:
    """The library's game, if it has the rules that were played."""
    try:
        game = load(source) if source and not source.endswith(".kif") else None
    except UnknownGameError:
        return None
    return game if game is not None and game.fingerprint == fingerprint else None


def _guesses(url: str) -> list[str]:
    """`http://…/games/connectFour/v0/` may be connect-four, or connectfour."""
    words = [
        word for word in url.split("/") if word and not re.fullmatch(r"v\d+", word)
    ]
    if not words:
        return []
    name = words[-1].removesuffix(".kif")
    dashed = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
    return list(dict.fromkeys((name, dashed, dashed.replace("-", ""))))


def run_film(showing: Showing, speed: float) -> None:
    """Show position after position, so many to the second."""
    for place in range(showing.length):
        if place:
            time.sleep(1 / speed)
        click.clear()
        click.echo(showing.frame(place))


def run_by_hand(showing: Showing) -> None:
    """Show positions as keys are pressed."""
    place = 0
    while True:
        click.clear()
        click.echo(showing.frame(place))
        click.echo("\nspace: next, b: back, q: quit")
        key = click.getchar()
        if key in KEYS_QUIT:
            return
        if key in KEYS_FORWARD:
            place = min(place + 1, showing.length - 1)
        elif key in KEYS_BACK:
            place = max(place - 1, 0)


@click.command(
    "watch",
    epilog="""\b
Examples:
  gamelore watch records/tictactoe.1763251200000.12ab34cd.json
  gamelore watch record.json --speed 4
  gamelore watch record.json --step
  gamelore watch from-ggp-base.json --game connect-four
""",
)
@click.argument("record", type=click.Path(path_type=Path))
@click.option(
    "--speed",
    type=Finite(0.01, 1000),
    default=1.0,
    show_default=True,
    help="Moves per second.",
)
@click.option("--step", is_flag=True, help="Wait for a key after each move.")
@click.option("--game", help="The game, if the record does not have it.")
def command(record: Path, speed: float, step: bool, game: str | None) -> None:
    """Show a recorded match, move by move, in the terminal.

    RECORD is a file of gamelore match, of gamelore tournament or of ggp-base. If the
    output is not a terminal, all positions are printed one after the other.
    """
    found = read_match(record)
    showing = Showing(found, find_game(found, game))
    if not sys.stdout.isatty():
        frames = map(showing.frame, range(showing.length))
        click.echo("\n\n".join(frames))
    elif step:
        run_by_hand(showing)
    else:
        run_film(showing, speed)
