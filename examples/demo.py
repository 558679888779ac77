"""The main job: learn a game, discover its features, carry them to another game.

Learns tic-tac-toe against a novice, finds what the shapes of its game tree are worth,
and plays Connect-3 with and without that knowledge. Writes demo.png with both curves.
"""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from gamelore.engine import simulator
from gamelore.games import load
from gamelore.graph import PatternIndex, StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.role_values import PatternValues
from gamelore.learn.trainer import Trainer
from gamelore.search.policies import PlayerSettings
from gamelore.transfer import Knowledge, extract_knowledge, initialise_values

SOURCE, TARGET = "tictactoe", "connect-3"
OPPONENT = PlayerSettings("novice")
MATCHES, RUNS = 3000, 100
PICTURE = "demo.png"

Curve = npt.NDArray[np.float64]


def main() -> None:
    started = time.perf_counter()
    print("reading and compiling (a machine's first run takes about a minute)")
    graph = StateGraph(simulator(load(SOURCE)))
    trainer = Trainer(graph, TrainConfig(opponent=OPPONENT))
    trainer.run(1)
    print(f"ready after {time.perf_counter() - started:.1f} s\n")

    print(f"learning {SOURCE} against a {OPPONENT.name}: {MATCHES} matches")
    source = Trainer(graph, TrainConfig(opponent=OPPONENT, seed=1))
    record = source.run(MATCHES)
    print(f"  {sparkline(cumulative(record.rewards))}")
    print(f"  mean reward {record.rewards.mean():.1f}")
    print(f"  {len(source.table)} afterstates met\n")

    table, pattern_index = source.table, PatternIndex(graph, role=0)
    knowledge = extract_knowledge(
        pattern_index,
        table.rows,
        table.values,
        table.visits,
        opponent=OPPONENT.name,
        matches=MATCHES,
    )
    values = knowledge.values()
    print(f"{len(values)} features discovered, and what they are worth")
    for feature, learned in sorted(values.items(), key=lambda item: -item[1].value):
        print(f"  {feature!s:16} {learned.value:6.1f}   met {learned.visits:5} times")

    print(f"\nplaying {TARGET}, {RUNS} runs of {MATCHES} matches each")
    target = StateGraph(simulator(load(TARGET)))
    started = time.perf_counter()
    without = mean_curve(target, None)
    carried = mean_curve(target, knowledge)
    rate = 2 * RUNS * MATCHES / (time.perf_counter() - started)
    print(f"  from scratch       {sparkline(without)}  {without[-1]:.1f}")
    print(f"  with the features  {sparkline(carried)}  {carried[-1]:.1f}")
    print(f"  {rate:,.0f} matches per second on one core")
    draw(without, carried)
    print(f"\nboth learning curves are in {PICTURE}")


def mean_curve(graph: StateGraph, knowledge: Knowledge | None) -> Curve:
    """The cumulative average reward, match by match, averaged over runs."""
    features = None
    if knowledge is not None:
        pattern_index = PatternIndex(graph, role=0)
        features = PatternValues(
            pattern_index, initialise_values(knowledge, pattern_index)
        )
    curves = [
        cumulative(
            Trainer(graph, TrainConfig(opponent=OPPONENT, seed=seed), features)
            .run(MATCHES)
            .rewards
        )
        for seed in range(RUNS)
    ]
    return np.mean(curves, axis=0)


def cumulative(rewards: Curve) -> Curve:
    return rewards.cumsum() / np.arange(1, len(rewards) + 1)


def sparkline(curve: Curve, width: int = 40) -> str:
    """A curve in a line of text, from 0 to 100; matches on a logarithmic scale."""
    points = curve[np.geomspace(20, len(curve) - 1, width).astype(int)]
    heights = np.clip(points / 100 * 8, 0, 7.99).astype(int)
    return "".join("▁▂▃▄▅▆▇█"[height] for height in heights)


def draw(without: Curve, carried: Curve) -> None:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4))
    axes.plot(without, label="from scratch")
    axes.plot(carried, label=f"with features of {SOURCE}")
    axes.set(
        title=f"{TARGET} against a {OPPONENT.name}",
        xlabel="matches",
        ylabel=f"cumulative average reward, {RUNS} runs",
        xlim=(20, MATCHES),
    )
    axes.set_xscale("log")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(PICTURE, dpi=120, bbox_inches="tight")


if __name__ == "__main__":
    main()
