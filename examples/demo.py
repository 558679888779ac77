"""Learn tic-tac-toe, find its tree patterns, and transfer their values to Connect-3.

A learner plays tic-tac-toe against a novice. The values that it learns are averaged
over tree patterns, the shapes of the game tree under its moves. Another learner then
plays Connect-3 with these as its initial values, beside one that starts without them.
Both learning curves are written to demo.png.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

import gamelore
from gamelore.ahead import compiled_ahead
from gamelore.learn.ahead import TASK as LEARNING
from gamelore.learn.curves import cumulative_average, sparkline

SOURCE, TARGET = "tictactoe", "connect-3"
OPPONENT = gamelore.PlayerSettings("novice")
MATCHES, RUNS = 3000, 100
PICTURE = Path("demo.png")

Curve = npt.NDArray[np.float64]


def main() -> None:
    print(f"1. Learn {SOURCE} against a {OPPONENT.name}: {MATCHES:,} matches")
    with compiled_ahead(LEARNING):
        with step(f"compiling the rules of {SOURCE}"):
            graph = gamelore.StateGraph(gamelore.simulator(gamelore.load(SOURCE)))
        with step("compiling kernels (once per machine, up to half a minute)"):
            gamelore.Trainer(graph, gamelore.TrainConfig(opponent=OPPONENT)).run(1)
    source = gamelore.Trainer(graph, gamelore.TrainConfig(opponent=OPPONENT, seed=1))
    with step("learning"):
        rewards = source.run(MATCHES).rewards
    print(
        f"   average reward  {draw(cumulative_average(rewards))}  {rewards.mean():.1f}"
    )

    with step("searching for tree patterns"):
        knowledge = gamelore.extract_from_trainer(source)
    values = knowledge.values()
    print(f"\n2. Its {len(values)} tree patterns with their values, from 0 to 100")
    print("   W, D, L: win, draw, loss; N: play goes on; (…): the learner is to move")
    for pattern, found in sorted(values.items(), key=lambda item: -item[1].value):
        print(f"   {pattern!s:13} {found.value:5.1f}   in {found.visits:5,} visits")

    print(f"\n3. Learn {TARGET}: {RUNS} runs of {MATCHES:,} matches each")
    with step(f"compiling the rules of {TARGET}"):
        target = gamelore.StateGraph(gamelore.simulator(gamelore.load(TARGET)))
    started = time.perf_counter()
    with step("from scratch"):
        scratch = average_curve(target, gamelore.Knowledge())
    with step(f"with the tree patterns of {SOURCE}"):
        transfer = average_curve(target, knowledge)
    rate = 2 * RUNS * MATCHES / (time.perf_counter() - started)
    print(f"   from scratch    {draw(scratch)}  {scratch[-1]:.1f}")
    print(f"   with patterns   {draw(transfer)}  {transfer[-1]:.1f}")
    print(f"   {rate:,.0f} matches per second on one core")
    with step("drawing"):
        # matplotlib takes a second or two to import
        from gamelore.learn.plots import draw_curves

        draw_curves(
            {"from scratch": scratch, f"with tree patterns of {SOURCE}": transfer},
            PICTURE,
            title=f"{TARGET} against a {OPPONENT.name}, {RUNS} runs",
        )
    print(f"\nBoth learning curves are in {PICTURE}")
    print("To play, analyse, learn and write games in the browser:")
    print(f"  {Path(sys.executable).parent / 'gamelore'} lab")


def average_curve(graph: gamelore.StateGraph, knowledge: gamelore.Knowledge) -> Curve:
    """Return the cumulative average reward, averaged over runs: float64 [MATCHES]."""
    total = np.zeros(MATCHES)
    initial = gamelore.initialise_roles(knowledge, graph, [0]) if knowledge else []
    for seed in range(RUNS):
        config = gamelore.TrainConfig(opponent=OPPONENT, seed=seed)
        rewards = gamelore.Trainer(graph, config, initial).run(MATCHES).rewards
        total += cumulative_average(rewards)
    return total / RUNS


def draw(curve: Curve) -> str:
    """Return a curve as bars of text, with the matches on a logarithmic scale."""
    points = np.geomspace(20, len(curve) - 1, 40).astype(int)
    return sparkline(curve[points], scale=(0, 100))


@contextmanager
def step(message: str) -> Iterator[None]:
    """Say what is going on, with a dot every second, and then how long it took."""
    started = time.perf_counter()
    print(f"   {message} ", end="", flush=True)
    done = threading.Event()

    def tick() -> None:
        while not done.wait(1):
            print(".", end="", flush=True)

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        ticker.join()
    print(f" {time.perf_counter() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main()
