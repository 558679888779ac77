"""How strong a preset gets: matches against a built-in player as it learns.

Trains a preset with a seed of your choice, one core, and stops now and then to play
against the opponent, half of the matches in each role; a draw is no win. Prints a
line for each stop and writes a table and a picture of the curve.

    python benchmarks/strength.py connect-four [--seed 1] [--games 200]
        [--stops 20000,100000,500000] [--depths 1,6] [--against monte-carlo-100]
        [--out docs/figures/strength]
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from gamelore.bench.players import parse_player
from gamelore.engine import Simulator, simulator
from gamelore.games import load, load_features
from gamelore.graph import StateGraph
from gamelore.learn.presets import NETWORKS, preset_for
from gamelore.learn.trainer import Trainer
from gamelore.match.match import play_match
from gamelore.search.alpha_beta import AlphaBetaPlayer
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import ValueFunction

_SHARE = 25  # the first stop, where none are given, is this part of the matches


@dataclass(frozen=True)
class Stop:
    """Where a training run stood, and how it did there."""

    matches: int
    seconds: float
    """Of the processor, for learning alone."""
    depth: int
    games: int
    won_first: int
    won_second: int
    low: float
    """Of the share of wins, by Wilson's interval at 95 %."""
    high: float

    @property
    def share(self) -> float:
        return (self.won_first + self.won_second) / self.games


def wilson(won: int, games: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a share."""
    share = won / games
    spread = z * math.sqrt(share * (1 - share) / games + (z / games) ** 2 / 4)
    middle, scale = share + z * z / games / 2, 1 + z * z / games
    return (middle - spread) / scale, (middle + spread) / scale


def wins(
    sim: Simulator, function: ValueFunction, depth: int, against: str, games: int
) -> tuple[int, int]:
    """How many of so many matches are won as the first role, and as the second."""
    ours = AlphaBetaPlayer(ValueFunctionEvaluator(function), depth=depth, seed=depth)
    make = parse_player(against)
    seeds = np.random.SeedSequence(depth).generate_state(games)
    won = [0, 0]
    for game, seed in enumerate(seeds):
        side, theirs = game % 2, make(int(seed))
        players = {sim.roles[side]: ours, sim.roles[1 - side]: theirs}
        goals = [goal or 0 for goal in play_match(sim, players).goals]
        won[side] += goals[side] > goals[1 - side]
    return won[0], won[1]


def measure(game: str, args: argparse.Namespace) -> list[Stop]:
    """Train, and play at every stop."""
    preset = NETWORKS.get(game) or preset_for(game)
    rules = load(game)
    features = load_features(preset.features, rules) if preset.features else None
    sim = simulator(rules, features=features)
    trainer = Trainer(StateGraph(sim), replace(preset.config, seed=args.seed))
    trainer.run(1)  # has kernels compiled
    assert trainer.function is not None
    most = preset.matches or 0
    stops = args.stops or sorted({most // _SHARE, most // 5, most})
    depths = args.depths or sorted({1, preset.depth})
    found: list[Stop] = []
    seconds = 0.0
    for stop in stops:
        started = time.process_time()
        trainer.run(stop - trainer.matches)
        seconds += time.process_time() - started
        for depth in depths:
            won = wins(sim, trainer.function, depth, args.against, args.games)
            bounds = wilson(sum(won), args.games)
            found.append(
                Stop(stop, round(seconds, 1), depth, args.games, *won, *bounds)
            )
            show(found[-1])
    return found


def show(stop: Stop) -> None:
    print(
        f"{stop.matches:>9,} matches {stop.seconds:6.0f} s  depth {stop.depth}:"
        f" {stop.share:6.1%} [{stop.low:.1%}, {stop.high:.1%}]"
        f"  {stop.won_first} first, {stop.won_second} second",
        flush=True,
    )


def write(stops: Sequence[Stop], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(asdict(stops[0])))
        writer.writeheader()
        writer.writerows(map(asdict, stops))


def draw(stops: Sequence[Stop], path: Path, title: str) -> None:
    """The share of wins by matches, a line for each depth."""
    figure = Figure(figsize=(6, 3.6), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    for depth in sorted({stop.depth for stop in stops}):
        line = [stop for stop in stops if stop.depth == depth]
        x, y = [s.matches for s in line], [s.share for s in line]
        axes.plot(x, y, marker="o", label=f"depth {depth}")
        axes.fill_between(x, [s.low for s in line], [s.high for s in line], alpha=0.2)
    axes.axhline(0.9, color="#999999", linewidth=1, linestyle=":")
    axes.set(xscale="log", ylim=(0, 1.02), xlabel="matches of self-play", title=title)
    axes.set_ylabel("share of wins")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--stops", type=numbers, default=())
    parser.add_argument("--depths", type=numbers, default=())
    parser.add_argument("--against", default="monte-carlo-100")
    parser.add_argument("--out", type=Path, default=Path())
    args = parser.parse_args()
    stops = measure(args.game, args)
    args.out.mkdir(parents=True, exist_ok=True)
    write(stops, args.out / f"{args.game}.csv")
    draw(stops, args.out / f"{args.game}.png", f"{args.game} against {args.against}")


def numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


if __name__ == "__main__":
    main()
