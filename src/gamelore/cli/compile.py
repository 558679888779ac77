"""`gamelore compile`: circuits before they are needed, or better ones."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import click

from gamelore.circuit import CompiledGame, Effort, improve_game
from gamelore.circuit.minimise import VISITS
from gamelore.cli.options import json_option
from gamelore.cli.progress import waiting
from gamelore.games import load
from gamelore.gdl import Game


def as_record(game: Game, compiled: CompiledGame) -> dict[str, Any]:
    """Return what was compiled as JSON."""
    statistics = compiled.statistics
    return {
        "game": game.name,
        **asdict(statistics),
        "seconds": statistics.seconds,
        "digest": compiled.digest(),
    }


def describe(record: dict[str, Any]) -> str:
    """The record for people."""
    size = f"{record['gates']:>9,} gates in {record['slots']:,} slots"
    effort = record["effort"] + (", cut short" if record["cut_short"] else "")
    took = f"effort {effort}, {record['seconds']:.1f} s"
    return f"{record['game']:<20} {size}, {took}, digest {record['digest']}"


@click.command(
    "compile",
    epilog="""\b
Examples:
  gamelore compile othello hex-11x11
  gamelore compile my-game.kif --effort high
  gamelore compile rules/*.kif --effort quick --json
""",
)
@click.argument("games", metavar="GAME...", nargs=-1, required=True)
@click.option(
    "--effort",
    type=click.Choice(list(VISITS)),
    default="normal",
    show_default=True,
    help="How far circuits are minimised.",
)
@json_option
def command(games: tuple[str, ...], effort: Effort, as_json: bool) -> None:
    """Compile games, with more effort for fewer gates.

    What is in the cache is kept if as much effort went into it, and is replaced if it
    was cut short for lack of time. The same rules and the same effort give the same
    circuit, with the same digest. With --json, prints one object per line.
    """
    for name in games:
        game = load(name)
        with waiting(f"compiling {game.name}"):
            record = as_record(game, improve_game(game, effort=effort))
        click.echo(json.dumps(record) if as_json else describe(record))
