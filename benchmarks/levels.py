"""How far apart the levels of strength are: matches between neighbours, and ratings.

    python benchmarks/levels.py [--games connect-four,breakthrough-6x6,othello-6x6]
        [--matches 12] [--top 0] [--seed 1]

Neighbouring levels play each other, half of the matches in each role. Decisions cost
playouts and never time, so the seed decides the result; the highest level, which thinks
for the whole clock, is left out, or takes part with `--top` playouts. Prints a table of
ratings for each game.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gamelore.agents.levels import LEVELS, Level, LevelPlayer
from gamelore.engine import Simulator, simulator
from gamelore.games import load
from gamelore.match.match import play_match
from gamelore.match.ratings import Result, rate


def play_neighbours(
    engine: Simulator, levels: tuple[Level, ...], matches: int, seed: int
) -> Iterator[Result]:
    """Yield the results of so many matches of each level and the next."""
    for lower in range(1, len(levels)):
        for number in range(matches):
            pair = (lower, lower + 1) if number % 2 else (lower + 1, lower)
            seeds = np.random.SeedSequence((seed, lower, number)).generate_state(2)
            players = {
                role: LevelPlayer(levels[one - 1], int(own))
                for role, one, own in zip(engine.roles, pair, seeds, strict=True)
            }
            record = play_match(engine, players)
            assert not record.faults, record.faults
            yield Result(tuple(f"level-{one}" for one in pair), record.goals)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", default="connect-four,breakthrough-6x6,othello-6x6")
    parser.add_argument("--matches", type=int, default=12)
    parser.add_argument("--top", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    levels = LEVELS[:-1]
    if options.top:
        levels = (*levels, replace(LEVELS[-1], playouts=options.top))
    names = [f"level-{number}" for number in range(1, len(levels) + 1)]
    for game in options.games.split(","):
        began = time.process_time()
        engine = simulator(load(game))
        results = list(play_neighbours(engine, levels, options.matches, options.seed))
        ratings = rate(results, names)
        lowest = ratings[names[0]].value
        seconds = time.process_time() - began
        print(f"\n{game}: {len(results)} matches, {seconds:.0f} s of the processor\n")
        print("| level | playouts | slips | lookahead | rating | 95% | step |")
        print("|---:|---:|---:|---|---:|---:|---:|")
        below = None
        for name, level in zip(names, levels, strict=True):
            value, low, high = (point - lowest for point in ratings[name])
            step = "" if below is None else f"{value - below:+.0f}"
            below = value
            print(
                f"| {name.removeprefix('level-')} | {level.playouts:,} |"
                f" {level.slips:.0%} | {'on' if level.lookahead else 'off'} |"
                f" {value:.0f} | {low:.0f}…{high:.0f} | {step} |"
            )


if __name__ == "__main__":
    main()
