"""`gamelore arena`: snapshots of training runs and other players meet."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from gamelore.agents.registry import AgentSpec
from gamelore.agents.shipped import ShippedSpec
from gamelore.cli.cluster import cluster_options, opened_cluster
from gamelore.cli.engine import prepare
from gamelore.cli.options import engine_option, json_option, seed_option
from gamelore.cli.progress import progress, waiting
from gamelore.cli.streams import INTERRUPTED
from gamelore.cluster import Executor
from gamelore.errors import GameloreError
from gamelore.files import write_text_atomic
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.ggp.tournament.report import as_csv
from gamelore.learn.arena import ArenaBlock, ArenaResult, name_files
from gamelore.learn.arena_setup import ArenaSetup, make_block_work
from gamelore.learn.files import load_checkpoint
from gamelore.learn.snapshots import Snapshot
from gamelore.match.standings import Standing, flat, standings, table


@dataclass
class ArenaRun:
    """The matches of an arena, as far as they were played."""

    setup: ArenaSetup
    matches: int
    interrupted: bool = False

    def __post_init__(self) -> None:
        self.arena = self.setup.arena()
        self._results: dict[int, list[ArenaResult]] = {}

    @property
    def played(self) -> list[ArenaResult]:
        """The matches that were played, in the order of the schedule."""
        return [
            each for place in sorted(self._results) for each in self._results[place]
        ]

    def run(self, executor: Executor | None = None) -> None:
        """Play all matches, or those before an interrupt."""
        blocks = list(self.arena.blocks(self.matches))
        total = sum(len(block.matches) for block in blocks)
        try:
            with progress("matches", total) as advance:
                if executor is None:
                    self._play(blocks, advance)
                else:
                    self._spread(executor, blocks, advance)
        except KeyboardInterrupt:
            self.interrupted = True
            click.echo(
                f"interrupted after {len(self.played):,} of {total:,} matches;"
                " these are their results",
                err=True,
            )

    def _play(self, blocks: list[ArenaBlock], advance: Callable[[int], None]) -> None:
        """Play in this process."""
        for place, block in enumerate(blocks):
            arena = self.setup.arena(block.number, {*block.matches[0].players})
            results = self._results[place] = []
            for match in block.matches:
                results.append(arena.play(match))
                advance(1)

    def _spread(
        self,
        executor: Executor,
        blocks: list[ArenaBlock],
        advance: Callable[[int], None],
    ) -> None:
        """Play on a cluster."""
        work = make_block_work(executor, self.setup)
        for place, results in executor.run(work, blocks):
            self._results[place] = results
            advance(len(results))

    @property
    def cut_off(self) -> int:
        """The number of matches that reached the move limit."""
        return sum(each.result is None for each in self.played)

    @property
    def rows(self) -> tuple[Standing, ...]:
        """Everybody's row, the best first."""
        results = [each.result for each in self.played if each.result is not None]
        return standings(results, self.arena.participants)

    def to_json(self) -> dict[str, Any]:
        """Return all results as plain values, for scripts."""
        return {
            "game": self.arena.simulator.game.name,
            "seed": self.arena.seed,
            "interrupted": self.interrupted,
            "cut_off": self.cut_off,
            "opened_pairs": [list(pair) for pair in self.arena.opened_pairs],
            "players": [row.to_json() for row in self.rows],
            "matches": [
                {
                    "players": list(each.result.players),
                    "goals": list(each.result.goals),
                    "opening": each.match.opening,
                }
                for each in self.played
                if each.result is not None
            ],
        }


# ── who plays ───────────────────────────────────────────────────────────────────────


def parse_against(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> tuple[AgentSpec, ...]:
    """Return the specs of the other players."""
    try:
        return tuple(map(AgentSpec.parse, values))
    except GameloreError as error:
        raise click.BadParameter(str(error)) from error


def load_snapshots(paths: Sequence[Path], game: str | None) -> list[Snapshot]:
    """Return the snapshots of files, all of the game asked for or of the first's."""
    asked = None if game is None else load(game)
    snapshots: list[Snapshot] = []
    for name, path in zip(name_files(paths), paths, strict=True):
        known = asked or (snapshots[0].game if snapshots else None)
        snapshots.append(Snapshot(load_checkpoint(path), name, known))
    return snapshots


def choose_game(game: str | None, snapshots: Sequence[Snapshot]) -> Game:
    """Return the game that is asked for, or that of the snapshots."""
    if game is not None:
        return load(game)
    if not snapshots:
        raise click.UsageError("name a snapshot, or a game: --game GAME")
    return snapshots[0].game


# ── what is shown and written ───────────────────────────────────────────────────────


def write(run: ArenaRun, table_file: Path | None, plot: Path | None) -> None:
    """Write the files that are asked for."""
    try:
        if table_file is not None:
            write_text_atomic(table_file, as_csv(list(map(flat, run.rows))))
        if plot is not None:
            # matplotlib takes a second to import, so only where pictures are wanted
            from gamelore.match.plots import draw_standings

            draw_standings(run.rows, plot, run.arena.simulator.game.name)
    except OSError as error:
        where = error.filename or plot
        raise GameloreError(f"cannot write {where}: {error.strerror}") from error


def show(run: ArenaRun) -> None:
    """Print the table for people."""
    click.echo(table(run.rows))
    click.echo(run.arena.describe_openings())
    if run.cut_off:
        click.echo(f"{run.cut_off} cut off at the move limit, and not counted")


@click.command(
    "arena",
    epilog="""\b
Examples:
  gamelore arena early.ckpt late.ckpt --against random --matches 200
  gamelore arena net.ckpt --against mcts-1000 --depth 3 --plot arena.png
  gamelore arena --game abalone --against heuristic-1 --against heuristic-2

\b
SNAPSHOTS are files that gamelore learn has written, by --save, --snapshots or
--snapshot-every. They bring along the rules and features that they were learned with.
""",
)
@click.argument(
    "snapshots",
    nargs=-1,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="SNAPSHOTS...",
)
@click.option(
    "--against",
    multiple=True,
    metavar="PLAYER",
    callback=parse_against,
    help="Another player, such as random or mcts-1000; may be repeated.",
)
@click.option("--game", help="The game.  [default: that of the snapshots]")
@click.option(
    "--matches",
    type=click.IntRange(1, 10**7),
    default=100,
    show_default=True,
    help="How many of each pair, in both roles in turn.",
)
@click.option(
    "--depth",
    type=click.IntRange(1, 100),
    help="How many moves value functions look ahead.  [default: what their presets say,"
    " or 1]",
)
@click.option(
    "--opening",
    type=click.IntRange(0, 1000),
    help="How many of each player's first moves are random, in all matches.  [default:"
    " 1 between two snapshots in games without dice, which would repeat one match for"
    " ever; else 0]",
)
@click.option(
    "--csv",
    "table_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the table to that file.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw ratings and mean goals; SVG or PNG.",
)
@cluster_options
@seed_option
@engine_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    snapshots: tuple[Path, ...],
    against: tuple[AgentSpec, ...],
    game: str | None,
    matches: int,
    depth: int | None,
    opening: int | None,
    table_file: Path | None,
    plot: Path | None,
    cluster: str | None,
    workers: int | None,
    seed: int,
    engine: str,
    as_json: bool,
) -> None:
    """Have snapshots play each other, and rate them.

    A snapshot is what a training run has saved. Other players may play too. All play in
    both roles, without exploring and without a clock. Ctrl-C ends it early, with the
    table of what was played.
    """
    if plot is not None and plot.suffix not in (".png", ".svg"):
        raise click.UsageError(f"--plot writes .png and .svg, not {plot.suffix!r}")
    if len(snapshots) + len(against) < 2:
        raise click.UsageError("an arena needs two players: add some with --against")
    known = load_snapshots(snapshots, game)
    played = prepare(choose_game(game, known), engine)
    others = tuple(map(ShippedSpec.pack, against))
    setup = ArenaSetup(played, tuple(known), others, seed, depth, opening)
    with waiting("preparing the players"):
        run = ArenaRun(setup, matches)
    for one, other in run.arena.impossible_pairs:
        click.echo(
            f"warning: {one} and {other} learned the same role only, and cannot meet",
            err=True,
        )
    with opened_cluster(cluster, workers) as executor:
        run.run(executor)
    write(run, table_file, plot)
    if as_json:
        click.echo(json.dumps(run.to_json(), indent=2))
    else:
        show(run)
    if run.interrupted:
        context.exit(INTERRUPTED)
