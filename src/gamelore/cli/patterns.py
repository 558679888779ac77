"""`gamelore patterns`: the tree patterns of a game."""

from __future__ import annotations

import json
from functools import reduce
from operator import or_
from pathlib import Path

import click

from gamelore.cli.engine import prepare
from gamelore.cli.options import counted, engine_option, json_option
from gamelore.cli.progress import waiting
from gamelore.engine import Simulator
from gamelore.graph import StateGraph
from gamelore.transfer import TreePattern, count_patterns
from gamelore.transfer.discovery import LIMIT, Outcomes

TURNS = ("first", "second")
SHEET = 48  # patterns drawn together


def find_learners(simulator: Simulator, wanted: str | None) -> list[int]:
    """Return the roles given by name or by who moves first; all players by default."""
    players = [n for n, role in enumerate(simulator.roles) if role != "random"]
    if wanted is None:
        return players
    if wanted in simulator.roles:
        return [simulator.roles.index(wanted)]
    if wanted not in TURNS:
        names = ", ".join(simulator.roles[player] for player in players)
        raise click.UsageError(
            f"{simulator.game.name} has no role {wanted}; it has {names}, and --role"
            " also takes first and second"
        )
    graph = StateGraph(simulator)
    first = graph.mover(graph.root)
    start = players.index(first) if first in players else 0
    turn = TURNS.index(wanted)
    if turn >= len(players):
        raise click.UsageError(f"{simulator.game.name} is for one player")
    return [players[(start + turn) % len(players)]]


def draw(patterns: list[TreePattern], folder: Path) -> int:
    """Draw each pattern and sheets of them; return the number of files."""
    # matplotlib takes a second to import, so it is only where pictures are wanted
    from gamelore.transfer.plots import draw_pattern, draw_sheet, letters

    folder.mkdir(parents=True, exist_ok=True)
    for suffix in ("svg", "png"):
        for number, pattern in enumerate(patterns):
            draw_pattern(pattern, folder / f"pattern-{letters(number)}.{suffix}")
        for first in range(0, len(patterns), SHEET):
            name = f"patterns-{first // SHEET + 1}" if first else "patterns"
            page = patterns[first : first + SHEET]
            draw_sheet(page, folder / f"{name}.{suffix}", first=first)
    return 2 * (len(patterns) + -(-len(patterns) // SHEET))


@click.command(
    "patterns",
    epilog="""\b
Examples:
  gamelore patterns tictactoe --role x
  gamelore patterns connect-3 --role second --json
  gamelore patterns othello-4x4 --depth 3 --pictures drawings

\b
In the pattern L (N W) the opponent can end the match with the learner's loss (L) or let
the learner choose between a win (W) and a match that goes on (N); D is a draw.
""",
)
@click.argument("game")
@click.option(
    "--role",
    metavar="NAME|first|second",
    help="Who learns: a role, or who moves first or second.  [default: every player]",
)
@click.option(
    "--depth",
    type=click.IntRange(1, 8),
    default=2,
    show_default=True,
    help="Plies under the position after the learner's move.",
)
@click.option(
    "--rewards",
    is_flag=True,
    help="Tell outcomes apart by reward instead of as win, draw and loss.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=LIMIT,
    show_default=True,
    metavar="POSITIONS",
    help="How many positions to search before falling back to random matches.",
)
@click.option(
    "--pictures",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Draw the patterns there, each and together, as SVG and PNG.",
)
@engine_option
@json_option
def command(
    game: str,
    role: str | None,
    depth: int,
    rewards: bool,
    limit: int,
    pictures: Path | None,
    engine: str,
    as_json: bool,
) -> None:
    """Find the tree patterns of a game.

    A tree pattern is the shape of the game tree under an afterstate, the position after
    a learner's move. Prints each pattern with the number of afterstates that match it.
    """
    simulator = prepare(game, engine)
    outcomes: Outcomes = "rewards" if rewards else None
    with waiting(f"searching {simulator.game.name} for tree patterns"):
        counts = reduce(
            or_,
            (
                count_patterns(simulator, learner, depth, outcomes, limit)
                for learner in find_learners(simulator, role)
            ),
        )
    if as_json:
        click.echo(json.dumps([str(pattern) for pattern in counts.patterns], indent=2))
    else:
        width = max(
            (len(f"{count:,}") for count in counts.patterns.values()), default=0
        )
        for pattern, count in counts.patterns.items():
            click.echo(f"{count:>{width},}  {pattern}")
    if not (as_json and counts.complete):
        click.echo(str(counts), err=True)
    if pictures is not None:
        try:
            drawn = draw(list(counts.patterns), pictures)
        except OSError as error:
            raise click.ClickException(f"cannot draw: {error}") from error
        click.echo(f"{counted(drawn, 'picture')} in {pictures}", err=True)
