"""`gamelore bench`: random playouts per second, beside a peer's."""

from __future__ import annotations

import json

import click

from gamelore.bench import PEERS, Rate, measure
from gamelore.bench.playouts import BENCHMARK_GAMES
from gamelore.cli.options import json_option, seed_option


def line_of(rate: Rate) -> str:
    """A measurement for people."""
    line = f"{rate.game:<20} {rate.playouts_per_s:>12,.0f} playouts/s"
    if rate.ratio is None:
        return line
    return f"{line}  {rate.ratio:>6.2f} × {rate.peer} ({rate.peer_playouts_per_s:,.0f})"


@click.command(
    "bench",
    epilog="""\b
Examples:
  gamelore bench
  gamelore bench othello connect-four --seconds 5
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
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.01),
    default=2.0,
    show_default=True,
    help="How long each round takes.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="How many rounds; the median counts.",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Threads of ours; peers use one.",
)
@seed_option
@json_option
def command(
    games: tuple[str, ...],
    peer: str | None,
    seconds: float,
    rounds: int,
    threads: int,
    seed: int,
    as_json: bool,
) -> None:
    """Measure random playouts per second.

    Without GAMEs, measures those that the documentation has figures of. With --json,
    prints one object per line.
    """
    rates = measure(
        games or BENCHMARK_GAMES,
        peer,
        seconds=seconds,
        rounds=rounds,
        threads=threads,
        seed=seed,
    )
    for rate in rates:
        click.echo(json.dumps(rate.to_json()) if as_json else line_of(rate))
