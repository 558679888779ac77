"""`gamelore arena`: snapshots of what was learned play each other and built-in ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import click
import numpy as np

from gamelore.agents.builtin import PLAYERS, make_player
from gamelore.agents.registry import AgentSpec
from gamelore.cli.engine import prepare
from gamelore.cli.group import INTERRUPTED
from gamelore.cli.options import engine_option, json_option, seed_option
from gamelore.cli.progress import progress, waiting
from gamelore.engine import Engine, Simulator
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.ggp.tournament.report import as_csv, replace_text
from gamelore.graph import StateGraph
from gamelore.learn.arena import Arena, Entrant, built_in, entrant_of, names_of
from gamelore.learn.files import load_checkpoint
from gamelore.learn.snapshots import Snapshot
from gamelore.match.ratings import Result
from gamelore.match.standings import Standing, flat, standings, table


@dataclass
class Season:
    """The matches of an arena, as far as they were played."""

    arena: Arena
    matches: int
    results: list[Result] = field(default_factory=list)
    cut_off: int = 0
    interrupted: bool = False

    def run(self) -> None:
        """Play all matches, or those before an interrupt."""
        fixtures = list(self.arena.fixtures(self.matches))
        try:
            with progress("matches", len(fixtures)) as advance:
                for fixture in fixtures:
                    result = self.arena.play(fixture)
                    if result is None:
                        self.cut_off += 1
                    else:
                        self.results.append(result)
                    advance(1)
        except KeyboardInterrupt:
            self.interrupted = True
            click.echo(
                f"interrupted after {len(self.results) + self.cut_off:,} of"
                f" {len(fixtures):,} matches; this is what they come to",
                err=True,
            )

    @property
    def rows(self) -> tuple[Standing, ...]:
        """Everybody's row, the best first."""
        return standings(self.results, self.arena.entrants)

    def to_json(self) -> dict[str, Any]:
        """All that is known, for scripts."""
        return {
            "game": self.arena.simulator.game.name,
            "seed": self.arena.seed,
            "interrupted": self.interrupted,
            "cut_off": self.cut_off,
            "players": [row.to_json() for row in self.rows],
            "matches": [
                {"players": list(result.players), "goals": list(result.goals)}
                for result in self.results
            ],
        }


# ── who plays ───────────────────────────────────────────────────────────────────────


def snapshots_of(paths: Sequence[Path], game: str | None) -> list[Snapshot]:
    """What files hold, all of it about one game: that asked for, or the first's."""
    asked = None if game is None else load(game)
    snapshots: list[Snapshot] = []
    for name, path in zip(names_of(paths), paths, strict=True):
        known = asked or (snapshots[0].game if snapshots else None)
        snapshots.append(Snapshot(load_checkpoint(path), name, known))
    return snapshots


def game_of(game: str | None, snapshots: Sequence[Snapshot]) -> Game:
    """The game that is asked for, or that of the snapshots."""
    if game is not None:
        return load(game)
    if not snapshots:
        raise click.UsageError("name a snapshot, or a game: --game GAME")
    return snapshots[0].game


def graph_of(snapshot: Snapshot, graph: StateGraph) -> StateGraph:
    """A state graph with the features that a value function sees; the one given if
    none."""
    if snapshot.features is None:
        return graph
    with waiting(f"adding {snapshot.features.name}"):
        return StateGraph(snapshot.engine(cast(Engine, graph.simulator.engine)))


def opponent(name: str, engine: Simulator, seed: int) -> Entrant:
    """A built-in player by name."""
    spec = AgentSpec.parse(name)
    if spec.name not in PLAYERS:
        hint = "; a learner plays as a snapshot" if spec.learns else ""
        known = ", ".join(PLAYERS)
        raise GameloreError(f"{name!r} is not built in{hint} (there are {known})")
    return built_in(
        name, lambda own: make_player(spec.name, own, spec.number), engine, seed
    )


def entrants_of(
    engine: Simulator,
    snapshots: Sequence[Snapshot],
    against: Sequence[str],
    seed: int,
    depth: int | None,
) -> list[Entrant]:
    """Everybody who takes part, each with randomness of its own."""
    count = len(snapshots) + len(against)
    seeds = iter(np.random.SeedSequence(seed).generate_state(count).tolist())
    graph = StateGraph(engine)
    entrants = [
        entrant_of(snapshot, graph_of(snapshot, graph), next(seeds), depth)
        for snapshot in snapshots
    ]
    return entrants + [opponent(name, engine, next(seeds)) for name in against]


# ── what is shown and written ───────────────────────────────────────────────────────


def write(season: Season, table_file: Path | None, plot: Path | None) -> None:
    """Write what is asked for."""
    try:
        if table_file is not None:
            replace_text(table_file, as_csv(list(map(flat, season.rows))))
        if plot is not None:
            # matplotlib takes a second to import, so only where pictures are wanted
            from gamelore.match.plots import draw_standings

            draw_standings(season.rows, plot, season.arena.simulator.game.name)
    except OSError as error:
        where = error.filename or plot
        raise GameloreError(f"cannot write {where}: {error.strerror}") from error


def show(season: Season) -> None:
    """Print the table for people."""
    click.echo(table(season.rows))
    if season.cut_off:
        click.echo(f"{season.cut_off} cut off at the move limit, and not counted")


@click.command(
    "arena",
    epilog="""\b
Examples:
  gamelore arena early.course late.course --against random --matches 200
  gamelore arena net.course --against monte-carlo-100 --depth 3 --plot arena.png
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
    help="A built-in player to play too, such as random or minimax-4; may be repeated.",
)
@click.option("--game", help="The game.  [default: that of the snapshots]")
@click.option(
    "--matches",
    type=click.IntRange(1, 10**7),
    default=100,
    show_default=True,
    help="How many of each pair, in both seats in turn.",
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
    default=1,
    show_default=True,
    help="How many of each player's first moves lots choose, so that matches differ.",
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
@seed_option
@engine_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    snapshots: tuple[Path, ...],
    against: tuple[str, ...],
    game: str | None,
    matches: int,
    depth: int | None,
    opening: int,
    table_file: Path | None,
    plot: Path | None,
    seed: int,
    engine: str,
    as_json: bool,
) -> None:
    """Have snapshots play each other, and rate them.

    A snapshot is what a course of learning has saved. Built-in players may play too.
    All play in both seats, without exploring and without a clock. Ctrl-C ends it early,
    with the table of what was played.
    """
    if plot is not None and plot.suffix not in (".png", ".svg"):
        raise click.UsageError(f"--plot writes .png and .svg, not {plot.suffix!r}")
    if len(snapshots) + len(against) < 2:
        raise click.UsageError("an arena needs two players: add some with --against")
    known = snapshots_of(snapshots, game)
    played = prepare(game_of(game, known), engine)
    entrants = entrants_of(played, known, against, seed, depth)
    arena = Arena(played, entrants, seed=seed, opening=opening)
    for one, other in arena.strangers:
        click.echo(
            f"warning: {one} and {other} learned the same seat only, and cannot meet",
            err=True,
        )
    season = Season(arena, matches)
    season.run()
    write(season, table_file, plot)
    if as_json:
        click.echo(json.dumps(season.to_json(), indent=2))
    else:
        show(season)
    if season.interrupted:
        context.exit(INTERRUPTED)
