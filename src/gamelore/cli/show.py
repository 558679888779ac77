"""`gamelore show`: what a game is made of, and how it compiles."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import click

from gamelore.board import Theme
from gamelore.circuit import CompiledGame, compile_game
from gamelore.cli.options import json_option
from gamelore.cli.progress import waiting
from gamelore.engine.position import Position
from gamelore.errors import GroundingError
from gamelore.files import write_text_atomic
from gamelore.games import entry, load, rules_text
from gamelore.gdl import Game
from gamelore.gdl.reader import read_text


def is_in_library(game: Game) -> bool:
    return game.source == game.name


def read_sheet(game: Game) -> str:
    """The rules as they were written, comments included."""
    return (
        rules_text(game.name) if is_in_library(game) else read_text(Path(game.source))
    )


def write_picture(picture: str, target: str) -> None:
    """Write a picture to a file, or print it."""
    if target == "-":
        click.echo(picture)
    else:
        write_text_atomic(Path(target), picture + "\n")
        click.echo(f"wrote {target}", err=True)


def as_record(game: Game, compiled: CompiledGame | GroundingError) -> dict[str, Any]:
    """Return the description of a game as JSON."""
    record: dict[str, Any] = {
        "game": game.name,
        "description": entry(game.name).description if is_in_library(game) else None,
        "roles": game.roles,
        "rules": len(game.rules),
    }
    if isinstance(compiled, GroundingError):
        return {**record, "engine": "interpreter", "reason": str(compiled)}
    moves = map(len, compiled.moves)
    return {
        **record,
        "engine": "circuit",
        "fluents": len(compiled.fluents),
        "moves": dict(zip(game.roles, moves, strict=True)),
        **asdict(compiled.statistics),
        "seconds": compiled.statistics.seconds,
    }


def describe(record: dict[str, Any]) -> dict[str, str]:
    """The record for people: what is said, by what it is about."""
    said = {"roles": ", ".join(record["roles"]), "rules": f"{record['rules']:,}"}
    if record["engine"] == "interpreter":
        return {**said, "engine": f"interpreter: {record['reason']}"}
    steps = ("ground", "minimise", "schedule")
    times = ", ".join(f"{step} {record[f'{step}_seconds']:.2f}" for step in steps)
    return {
        **said,
        "moves": ", ".join(f"{role} {n:,}" for role, n in record["moves"].items()),
        "fluents": f"{record['fluents']:,}",
        "ground rules": f"{record['ground_rules']:,}",
        "gates": f"{record['gates_built']:,} built, {record['gates']:,} minimised",
        "depth": f"{record['depth']:,}",
        "schedule": f"{record['gates_scheduled']:,} gates in {record['slots']:,} slots",
        "turns": f"{record['turns']}, of {record['gates_per_turn']:,.0f} gates each",
        "loops": f"{record['loop_variables']:,}",
        "effort": record["effort"] + (" (cut short)" if record["cut_short"] else ""),
        "compiled in": f"{record['seconds']:.2f} s ({times})",
    }


@click.command(
    "show",
    epilog="""\b
Examples:
  gamelore show othello
  gamelore show tictactoe --rules
  gamelore show my-game.kif --svg board.svg
  gamelore show my-game.kif --json
""",
)
@click.argument("game")
@click.option("--rules", is_flag=True, help="Print the rule sheet instead.")
@click.option("--board", is_flag=True, help="Draw the initial position instead.")
@click.option(
    "--svg",
    metavar="FILE",
    help="Write a picture of the initial position to a file instead; - prints it.",
)
@click.option(
    "--theme",
    type=click.Choice(get_args(Theme)),
    default="auto",
    show_default=True,
    help="Colours of the picture; auto follows the reader's screen.",
)
@json_option
def command(
    game: str, rules: bool, board: bool, svg: str | None, theme: Theme, as_json: bool
) -> None:
    """Show what a game is made of, and how it compiles.

    Times are those of the compilation that is in the cache.
    """
    loaded = load(game)
    if rules:
        click.echo(read_sheet(loaded).rstrip())
        return
    if board or svg is not None:
        with waiting(f"compiling {loaded.name}"):
            position = Position(loaded)
        if board:
            click.echo(str(position))
        if svg is not None:
            write_picture(position.board.draw_svg(position.facts, theme=theme), svg)
        return
    compiled: CompiledGame | GroundingError
    try:
        with waiting(f"compiling {loaded.name}"):
            compiled = compile_game(loaded)
    except GroundingError as error:
        compiled = error
    record = as_record(loaded, compiled)
    if as_json:
        click.echo(json.dumps(record, indent=2))
        return
    description = record["description"]
    click.echo(f"{loaded.name}: {description}" if description else loaded.name)
    for topic, text in describe(record).items():
        click.echo(f"  {topic:<12}  {text}")
