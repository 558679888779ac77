"""`gamelore analyse`: what the tree search thinks of a position, while it thinks."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text

from gamelore.ahead import compiled_ahead
from gamelore.cli.analysis_view import describe_analysis
from gamelore.cli.engine import prepare
from gamelore.cli.options import Finite, engine_option, seed_option
from gamelore.cli.progress import waiting
from gamelore.cli.streams import INTERRUPTED
from gamelore.engine import Simulator
from gamelore.engine.position import Position
from gamelore.errors import IllegalMoveError
from gamelore.gdl import Compound, Move
from gamelore.gdl.reader import read_term, read_text
from gamelore.processors import count_cores
from gamelore.search.mcts.ahead import TASK as SEARCH
from gamelore.search.mcts.analysis import (
    AnalysisLimits,
    find_role,
    report_search,
    start_search,
)
from gamelore.search.mcts.report import Analysis
from gamelore.search.mcts.settings import TreeSettings

USUAL_SECONDS = 5.0
"""Where nothing limits the search."""

_LONGEST = 86_400.0
_MOST_PLAYOUTS = 10**9
_EVERY = 0.25  # seconds from one report to the next, in a terminal
_EVERY_LINE = 1.0  # of JSON


def read_position(
    simulator: Simulator, file: Path | None, moves: Sequence[str]
) -> Position:
    """Return the position of a file, or the initial one, after some moves."""
    position = Position(simulator, None if file is None else read_text(file))
    left = [move for text in moves for move in split_moves(text)]
    while left:
        roles = position.roles
        choosing = [role for role in roles if len(position.legal_moves(role)) > 1]
        count = 1 if len(choosing) <= 1 else len(roles)
        if len(left) < count:
            raise IllegalMoveError(
                f"{' and '.join(choosing)} move at once: give a move for each of"
                f" {', '.join(roles)}"
            )
        position = position.advance(*left[:count])
        del left[:count]
    return position


def split_moves(text: str) -> tuple[Move, ...]:
    """Return the moves that a text lists."""
    listed = read_term(f"(moves {text})")
    return listed.arguments if isinstance(listed, Compound) else ()


class Reports:
    """The reports of a search; the latest stays when it is interrupted."""

    def __init__(self, reports: Iterator[Analysis]) -> None:
        self._reports = reports
        self.latest: Analysis | None = None
        self.interrupted = False

    def __iter__(self) -> Iterator[Analysis]:
        try:
            for report in self._reports:
                self.latest = report
                yield report
        except KeyboardInterrupt:
            if self.latest is None:
                raise
            self.interrupted = True


def show_live(reports: Reports, position: Position, lines: int) -> None:
    """Show each report in place of the one before; the last one stays."""
    console = Console(highlight=False)
    with Live(console=console, auto_refresh=False, vertical_overflow="crop") as live:
        for analysis in reports:
            text = describe_analysis(analysis, position, lines, console.width)
            live.update(Text(text), refresh=True)


def print_last(reports: Reports, position: Position, lines: int) -> None:
    """Print the last report, where there is no terminal."""
    for _ in reports:
        pass
    if reports.latest is not None:
        click.echo(describe_analysis(reports.latest, position, lines))


def print_json(reports: Reports, lines: int) -> None:
    """Print each report as a line of JSON; the last is the result."""
    for analysis in reports:
        record = analysis.to_json()
        record["candidates"] = record["candidates"][:lines]
        click.echo(json.dumps(record))


@click.command(
    "analyse",
    epilog="""\b
Examples:
  gamelore analyse connect-four
  gamelore analyse connect-four --moves "(drop 4) (drop 4)" --seconds 20 --lines 3
  gamelore analyse othello --playouts 100000 --json
  gamelore analyse hex --position facts.kif --role blue --threads 2

Values are goals, 0 to 100. Ctrl-C ends the analysis, and leaves what is known.
""",
)
@click.argument("game")
@click.option(
    "--moves",
    multiple=True,
    metavar="MOVES",
    help="Moves that lead to the position, in KIF, as in '(drop 4) (drop 3)'; may be"
    " repeated. Where roles move at once, one for each role.",
)
@click.option(
    "--position",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File with the facts of the position, in KIF.  [default: the initial one]",
)
@click.option("--role", help="Whose moves.  [default: the first that has a choice]")
@click.option(
    "--seconds",
    type=Finite(0.001, _LONGEST),
    help=f"Time to think.  [default: {USUAL_SECONDS:g}, or what the playouts take]",
)
@click.option(
    "--playouts",
    type=click.IntRange(1, _MOST_PLAYOUTS),
    help="Playouts at most; the same seed repeats the same analysis.",
)
@click.option(
    "--lines",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Candidate moves that are shown.",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 64),
    help="Trees that are searched at once.  [default: one for each processor; with"
    " --playouts 1]",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")
@seed_option
@engine_option
@click.pass_context
def command(
    context: click.Context,
    game: str,
    moves: tuple[str, ...],
    file: Path | None,
    role: str | None,
    seconds: float | None,
    playouts: int | None,
    lines: int,
    threads: int | None,
    as_json: bool,
    seed: int,
    engine: str,
) -> None:
    """Show what the tree search thinks of a position, while it thinks.

    Lists the candidate moves, the best first: how often each was visited, its value
    with an interval of 95%, or its exact value where that is proven, and the line of
    play that is expected. The analysis ends early when the position is solved.
    """
    position = read_position(prepare(game, engine), file, moves)
    chosen = find_role(position, role)
    if seconds is None:
        seconds = USUAL_SECONDS if playouts is None else math.inf
    if threads is None:
        threads = count_cores() if playouts is None else 1
    every = _EVERY_LINE if as_json else _EVERY
    limits = AnalysisLimits(seconds, playouts, every, lines)
    settings = TreeSettings(threads=threads, playouts=playouts)
    with compiled_ahead(SEARCH), waiting("preparing the search"):
        search_on = start_search(position, chosen, settings, seed, lines)
    reports = Reports(report_search(search_on, limits))
    if as_json:
        print_json(reports, lines)
    elif sys.stdout.isatty():
        show_live(reports, position, lines)
    else:
        print_last(reports, position, lines)
    if reports.interrupted:
        context.exit(INTERRUPTED)
