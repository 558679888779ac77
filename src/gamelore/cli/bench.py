"""`gamelore bench`: how fast it plays and learns, beside a peer."""

from __future__ import annotations

import json
from typing import Any

import click

from gamelore.bench import (
    PEERS,
    Growth,
    LearningRate,
    Rate,
    measure,
    measure_growth,
    measure_learning,
)
from gamelore.bench.learning import CONFIGS
from gamelore.bench.playouts import BENCHMARK_GAMES, format_table
from gamelore.cli.options import Finite, json_option, seed_option
from gamelore.cli.progress import waiting


def format_rate(rate: Rate) -> str:
    """A measurement for people."""
    line = f"{rate.game:<20} {rate.playouts_per_s:>12,.0f} playouts/s"
    if rate.ratio is None:
        return line
    return f"{line}  {rate.ratio:>6.2f} × {rate.peer} ({rate.peer_playouts_per_s:,.0f})"


class Benchmarks(click.Group):
    """What is no other benchmark's name goes to the playouts."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in {*self.commands, "-h", "--help"}:
            args = ["playouts", *args]
        return super().parse_args(ctx, args)


@click.command(
    "bench",
    cls=Benchmarks,
    epilog="""\b
Examples:
  gamelore bench --peers openspiel
  gamelore bench othello --seconds 5
  gamelore bench learn --json
""",
)
def command() -> None:
    """Measure speed: random playouts, and learning.

    Without a command, or with the names of games, measures playouts.
    """


seconds_option = click.option(
    "--seconds",
    type=Finite(0.01, 3600),
    default=2.0,
    show_default=True,
    help="How long each round takes.",
)
rounds_option = click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="How many rounds; the median counts.",
)


@command.command(
    "playouts",
    epilog="""\b
Examples:
  gamelore bench
  gamelore bench othello connect-four --seconds 5
  gamelore bench my-game.kif rules/*.kif --table
  gamelore bench --peers openspiel --json
""",
)
@click.argument("games", metavar="[GAME]...", nargs=-1)
@click.option(
    "--peers",
    "peer",
    type=click.Choice(list(PEERS)),
    help="Measure this engine in the same run, and compare.",
)
@seconds_option
@rounds_option
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Threads of ours; peers use one.",
)
@click.option("--table", is_flag=True, help="Print a table in Markdown at the end.")
@seed_option
@json_option
def bench_playouts(
    games: tuple[str, ...],
    peer: str | None,
    seconds: float,
    rounds: int,
    threads: int,
    table: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Measure random playouts per second.

    GAMEs are names or rule sheets; without them, measures those that the documentation
    has figures of. Games that the peer does not have are measured alone. With --json,
    prints one object per line; with --table, a table of all in place of lines.
    """
    if table and as_json:
        raise click.UsageError("--table and --json exclude each other")
    rates = measure(
        games or BENCHMARK_GAMES,
        peer,
        seconds=seconds,
        rounds=rounds,
        threads=threads,
        seed=seed,
    )
    if table:
        with waiting("measuring"):
            text = format_table(rates)
        click.echo(text)
        return
    for rate in rates:
        echo(rate.to_json(), format_rate(rate), as_json)


def format_learning(rate: LearningRate) -> str:
    """A measurement of learning for people."""
    line = f"{rate.learner:<6} {rate.game} {rate.matches_per_s:>12,.0f} matches/s"
    if rate.ratio is None:
        return line
    return f"{line}  {rate.ratio:>7.0f} × {rate.peer} ({rate.peer_matches_per_s:,.0f})"


def format_growth(growth: Growth) -> str:
    """A measurement of growth for people."""
    return (
        f"{growth.entries:>12,} entries {growth.matches:>10,} matches"
        f" {growth.seconds:>7.1f} s {growth.matches_per_s:>9,.0f} matches/s"
        f" {growth.entries_per_s:>9,.0f} entries/s {growth.bytes_per_entry:>5.1f} bytes"
        f" {growth.resident_mb:>7,.0f} MB"
    )


@command.command(
    "learn",
    epilog="""\b
Examples:
  gamelore bench learn
  gamelore bench learn td q --json
  gamelore bench learn --growth --entries 1000000
""",
)
@click.argument(
    "learners", metavar="[LEARNER]...", nargs=-1, type=click.Choice([*CONFIGS])
)
@click.option(
    "--peers",
    "peer",
    type=click.Choice([*PEERS, "none"]),
    default="openspiel",
    show_default=True,
    help="Measure its tabular Q-learner in the same run, and compare.",
)
@seconds_option
@rounds_option
@click.option(
    "--growth",
    is_flag=True,
    help="Measure instead how the cost grows with the table.",
)
@click.option(
    "--entries",
    type=click.IntRange(10_000, 10**9),
    default=10_000_000,
    show_default=True,
    help="How large the table gets with --growth.",
)
@json_option
def bench_learn(
    learners: tuple[str, ...],
    peer: str,
    seconds: float,
    rounds: int,
    growth: bool,
    entries: int,
    as_json: bool,
) -> None:
    """Measure matches of tabular learning per second.

    LEARNERs are td, q, qm and q-self, by default all: on tic-tac-toe, as the first
    player against random play, or as both players. The tables of qm, which searches by
    100 playouts per move where it knows nothing, are new every 10 matches. With --json,
    prints one object per line.
    """
    if growth:
        sizes = [10**n for n in range(4, len(str(entries))) if 10**n < entries]
        for measured in measure_growth([*sizes, entries]):
            echo(measured.to_json(), format_growth(measured), as_json)
        return
    beside = None if peer == "none" else peer
    for rate in measure_learning(
        learners or tuple(CONFIGS), beside, seconds=seconds, rounds=rounds
    ):
        echo(rate.to_json(), format_learning(rate), as_json)


def echo(data: dict[str, Any], line: str, as_json: bool) -> None:
    """Print a measurement for programs or for people."""
    click.echo(json.dumps(data) if as_json else line)
