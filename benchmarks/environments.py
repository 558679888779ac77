"""Steps per second of environments, beside PettingZoo, OpenSpiel and pgx.

One core, processor time, all in one run; kinds of environments take turns for a slice
of time. Those whose libraries are not installed are left out:
`pip install 'pettingzoo[classic]' open_spiel pgx` brings them.

    python benchmarks/environments.py [GAME ...] [--batch 1024]
        [--seconds 0.5] [--rounds 7] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path

# One thread, before anybody makes more.
os.environ["XLA_FLAGS"] = (
    "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)
os.environ["JAX_PLATFORMS"] = "cpu"
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

from gamelore.bench.environments import (
    EnvironmentRate,
    Stepper,
    compare,
    measure_environments,
    steppers,
)
from gamelore.errors import GameloreError

GAMES = ("tictactoe", "connect-four", "othello", "hex-11x11")


def available(
    makers: dict[str, Callable[[], Stepper]],
) -> dict[str, Callable[[], Stepper]]:
    """Return those whose libraries are there, already made; say which are not."""
    found: dict[str, Callable[[], Stepper]] = {}
    for kind, make in makers.items():
        try:
            step = make()
        except GameloreError as error:
            print(f"without {kind}: {error}")
            continue
        found[kind] = lambda step=step: step  # type: ignore[misc]
    return found


def show(rates: list[EnvironmentRate]) -> None:
    """Print the table of one game."""
    ratios = compare(rates)
    print(f"\n{rates[0].game}, load {os.getloadavg()[0]:.1f}\n")
    print("| environment | matches at once | steps/s | range | ratio |")
    print("|---|---:|---:|---:|---:|")
    for rate in rates:
        ratio = f"{ratios[rate.kind]:.1f} ×" if rate.kind in ratios else ""
        print(
            f"| {rate.kind} | {rate.batch:,} | {rate.steps_per_s:,.0f}"
            f" | {rate.lowest:,.0f} to {rate.highest:,.0f} | {ratio} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--batch", type=int, default=1024, help="matches at once")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a slice")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path, help="append a line for each rate")
    args = parser.parse_args()
    for game in args.games:
        rates = measure_environments(
            game,
            available(steppers(game, args.batch)),
            args.batch,
            seconds=args.seconds,
            rounds=args.rounds,
        )
        show(rates)
        if args.json is not None:
            with args.json.open("a", encoding="utf-8") as file:
                for rate in rates:
                    file.write(json.dumps(rate.to_json()) + "\n")


if __name__ == "__main__":
    main()
