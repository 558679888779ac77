"""`gamelore perft`: how many matches there are of each length."""

from __future__ import annotations

import json
import time

import click

from gamelore.ahead import compiled_ahead
from gamelore.cli.engine import prepare
from gamelore.cli.options import engine_option, json_option
from gamelore.cli.progress import waiting
from gamelore.engine.compiled.ahead import TASK as STEP
from gamelore.engine.verify.perft import perft
from gamelore.games import entry
from gamelore.gdl import Game


def find_continues(game: Game) -> str | None:
    """The relation that joins the moves of one turn, for a library game."""
    return entry(game.name).continues if game.source == game.name else None


@click.command(
    "perft",
    epilog="""\b
Examples:
  gamelore perft connect-four 6
  gamelore perft english-draughts 5 --json
  gamelore perft my-draughts.kif 5 --continues jumping
""",
)
@click.argument("game")
@click.argument("depth", type=click.IntRange(1, 1000))
@click.option(
    "--continues",
    metavar="RELATION",
    help="Moves count as one while a fact of this relation is true; known for the"
    " library's games.",
)
@engine_option
@json_option
def command(
    game: str, depth: int, continues: str | None, engine: str, as_json: bool
) -> None:
    """Count the matches of a given number of moves.

    Prints, for 1, 2, … DEPTH turns from the initial position, how many different
    sequences of joint moves there are.
    """
    simulator = prepare(game, engine)
    started = time.perf_counter()
    text = f"counting {simulator.game.name} to depth {depth}"
    with compiled_ahead(STEP), waiting(text):
        counts = perft(simulator, depth, continues or find_continues(simulator.game))
    seconds = time.perf_counter() - started
    if as_json:
        record = {
            "game": simulator.game.name,
            "engine": simulator.engine,
            "counts": counts,
            "seconds": seconds,
        }
        click.echo(json.dumps(record, indent=2))
        return
    width = len(f"{max(counts):,}")
    for turns, count in enumerate(counts, start=1):
        click.echo(f"{turns:>4}  {count:>{width},}")
