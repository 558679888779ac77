"""`gamelore simulate`: random matches of one game, summed up."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import click
import numpy as np

from gamelore.cli.cluster import cluster_options, opened_cluster
from gamelore.cli.engine import prepare
from gamelore.cli.options import engine_option, json_option, seed_option
from gamelore.cli.progress import progress, waiting
from gamelore.cluster import Executor, Shared
from gamelore.engine.simulator import NO_GOAL, Playouts, Simulator

BATCH = {"circuit": 8192, "interpreter": 1}
"""Matches between two steps of the progress bar: at least this many on each engine."""
MOST_BATCHES = 10_000
SHARES = 8
"""Tasks for each worker of a cluster, so that none waits long for the last one."""
MOST_OF_SHARE = 64
"""Batches in a task."""
CONFIDENCE_95 = 1.96
"""Standard errors on each side of the mean."""


@dataclass
class Summary:
    """Totals of many playouts."""

    matches: int = 0
    cut_off: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    goals: list[Counter[int]] = field(default_factory=list)

    def add(self, playouts: Playouts) -> None:
        """Add the playouts of one batch, all from the initial position."""
        self.matches += playouts.count
        self.cut_off += playouts.cut_off
        self.lengths.update(playouts.length_counts)
        self.goals = self.goals or [Counter() for _ in playouts.goal_counts]
        for total, counts in zip(self.goals, playouts.goal_counts, strict=True):
            reached = {goal: n for goal, n in counts.items() if goal != NO_GOAL}
            total.update(reached)

    def merge(self, other: Summary) -> None:
        """Add the totals of other batches."""
        self.matches += other.matches
        self.cut_off += other.cut_off
        self.lengths.update(other.lengths)
        self.goals = self.goals or [Counter() for _ in other.goals]
        for total, counts in zip(self.goals, other.goals, strict=True):
            total.update(counts)


def compute_mean(counts: Mapping[int, int]) -> float | None:
    """Return the mean of counted values; `None` where there are none."""
    number = sum(counts.values())
    total = sum(value * times for value, times in counts.items())
    return total / number if number else None


def compute_margin(counts: Mapping[int, int]) -> float | None:
    """Return half the width of the 95% confidence interval of the mean."""
    number, mean = sum(counts.values()), compute_mean(counts)
    if mean is None or number < 2:
        return None
    squares = sum(times * (value - mean) ** 2 for value, times in counts.items())
    return CONFIDENCE_95 * math.sqrt(squares / (number - 1) / number)


Batch: TypeAlias = tuple[int, int]
"""How many matches, and their seed."""


def split(simulator: Simulator, count: int, seed: int) -> list[Batch]:
    """Return the batches in which so many matches are played."""
    batch = max(BATCH[simulator.engine], count // MOST_BATCHES)
    sizes = [min(batch, count - start) for start in range(0, count, batch)]
    seeds = np.random.SeedSequence(seed).generate_state(len(sizes)).tolist()
    return [*zip(sizes, seeds, strict=True)]


def play_share(shared: Shared[Simulator], batches: Sequence[Batch]) -> Summary:
    """Return the totals of some batches; the work of one task on a cluster."""
    simulator = shared.get()
    summary = Summary()
    for size, seed in batches:
        summary.add(simulator.playouts(count=size, seed=seed))
    return summary


ShareWork: TypeAlias = Callable[[Sequence[Batch]], Summary]
"""Plays some batches."""


def prepare_cluster(executor: Executor, simulator: Simulator) -> ShareWork:
    """Return the work of tasks; kernels and the game are ready on every node."""
    work = partial(play_share, executor.share(simulator))
    with waiting("warming up every node"):
        executor.warm_up(work, [(1, 0)])
    return work


def run_on_cluster(
    executor: Executor, work: ShareWork, simulator: Simulator, count: int, seed: int
) -> Summary:
    """Play on a cluster what `run` plays here."""
    batches = split(simulator, count, seed)
    size = max(1, min(MOST_OF_SHARE, len(batches) // (SHARES * executor.workers)))
    shares = [batches[at : at + size] for at in range(0, len(batches), size)]
    total = Summary()
    with progress(simulator.game.name, count) as advance:
        for done in executor.run(work, shares):
            total.merge(done.result)
            advance(done.result.matches)
    return total


def run(simulator: Simulator, count: int, seed: int, threads: int) -> Summary:
    """Play `count` matches in batches, with a bar on the terminal."""
    batches = split(simulator, count, seed)

    def play(batch: Batch) -> Playouts:
        return simulator.playouts(count=batch[0], seed=batch[1])

    summary = Summary()
    pool = ThreadPoolExecutor(threads)
    try:
        with progress(simulator.game.name, count) as advance:
            # One alone plays in this thread, where an interrupt finds it.
            run_all = pool.map if threads > 1 else map
            for playouts in run_all(play, batches):
                summary.add(playouts)
                advance(playouts.count)
    finally:
        pool.shutdown(cancel_futures=True)
    return summary


def as_record(simulator: Simulator, summary: Summary, seconds: float) -> dict[str, Any]:
    """Return the summary as JSON."""
    return {
        "game": simulator.game.name,
        "engine": simulator.engine,
        "matches": summary.matches,
        "cut_off": summary.cut_off,
        "length": {
            "mean": compute_mean(summary.lengths),
            "min": min(summary.lengths),
            "max": max(summary.lengths),
        },
        "goals": {
            role: {
                "mean": compute_mean(counts),
                "margin_95": compute_margin(counts),
                "counts": {str(goal): counts[goal] for goal in sorted(counts)},
            }
            for role, counts in zip(simulator.roles, summary.goals, strict=True)
        },
        "seconds": seconds,
        "matches_per_s": summary.matches / seconds,
    }


def format_number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def show(record: dict[str, Any]) -> None:
    """Print the summary for people."""
    length, goals = record["length"], record["goals"]
    engine, matches = record["engine"], record["matches"]
    click.echo(f"{record['game']}, {matches:,} random matches on the {engine}")
    width = max(len("length"), *map(len, goals))
    span = f"{length['min']} to {length['max']}"
    click.echo(f"{'length':<{width}}  mean {format_number(length['mean']):>6}, {span}")
    for role, goal in goals.items():
        mean, margin = format_number(goal["mean"]), format_number(goal["margin_95"])
        click.echo(f"{role:<{width}}  mean {mean:>6} ± {margin}")
    if record["cut_off"]:
        click.echo(f"{record['cut_off']:,} matches were cut off at the move limit")
    click.echo(f"{record['matches_per_s']:,.0f} matches per second")


@click.command(
    "simulate",
    epilog="""\b
Examples:
  gamelore simulate connect-four
  gamelore simulate othello --count 100000 --threads 2 --seed 7
  gamelore simulate othello --count 10000000 --cluster 10.0.0.1:6379
  gamelore simulate my-game.kif --engine interpreter --count 20 --json
""",
)
@click.argument("game")
@click.option(
    "--count",
    type=click.IntRange(1, 10**9),
    default=10_000,
    show_default=True,
    help="How many matches to play.",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="How many threads to play them on; the result is the same.",
)
@cluster_options
@seed_option
@engine_option
@json_option
def command(
    game: str,
    count: int,
    threads: int,
    cluster: str | None,
    workers: int | None,
    seed: int,
    engine: str,
    as_json: bool,
) -> None:
    """Play random matches, and sum them up.

    Prints the length of the matches in joint moves, and each role's mean goal with its
    95% confidence interval.
    """
    if cluster is not None and threads > 1:
        raise click.UsageError("--threads is for this machine: use --workers")
    simulator = prepare(game, engine)
    with waiting("loading kernels; on a machine's first run this takes a while"):
        simulator.playouts(count=1)
    with opened_cluster(cluster, workers) as executor:
        work = None if executor is None else prepare_cluster(executor, simulator)
        started = time.perf_counter()
        if executor is None or work is None:
            summary = run(simulator, count, seed, threads)
        else:
            summary = run_on_cluster(executor, work, simulator, count, seed)
    record = as_record(simulator, summary, time.perf_counter() - started)
    if as_json:
        click.echo(json.dumps(record, indent=2))
    else:
        show(record)
