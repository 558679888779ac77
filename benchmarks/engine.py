"""How long the engine takes to be ready, and how it scales over threads.

    python benchmarks/engine.py            everything, about two minutes
    python benchmarks/engine.py ready      kernels and games on a cold and a warm cache
    python benchmarks/engine.py threads    two threads against one

Playouts per second beside other engines are measured by `gamelore bench`.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

GAMES = ("tictactoe", "connect-four", "othello", "english-draughts", "hex-11x11")

_READY = """
import sys, time
from gamelore.games import load
from gamelore.circuit import compile_game
game = load(sys.argv[1])
started = time.perf_counter()
compile_game(game)
print(time.perf_counter() - started)
"""

_KERNELS = """
import time
from gamelore.games import load
from gamelore.engine import simulator
engine = simulator(load("tictactoe"))
started = time.perf_counter()
engine.playouts(count=1)
engine.expand(engine.initial_row()[None])
print(time.perf_counter() - started)
"""


def main() -> None:
    wanted = sys.argv[1:] or ["ready", "threads"]
    if "ready" in wanted:
        ready()
    if "threads" in wanted:
        threads()


def ready() -> None:
    """Seconds to compile kernels and games, each in a process of its own."""
    with tempfile.TemporaryDirectory() as cache:
        print(f"kernels, first ever   {_seconds(_KERNELS, cache):6.2f} s")
        print(f"kernels, after that   {_seconds(_KERNELS, cache):6.2f} s")
    with tempfile.TemporaryDirectory() as cache:
        for name in GAMES:
            cold = _seconds(_READY, cache, name)
            warm = statistics.median(_seconds(_READY, cache, name) for _ in range(3))
            print(f"{name:18} cold {cold:6.2f} s   warm {warm:6.3f} s")


def threads(rounds: int = 5) -> None:
    """Playouts of two threads as a multiple of one, alternating."""
    from gamelore.engine import simulator
    from gamelore.games import load

    for name, count in (("connect-four", 1 << 22), ("othello", 1 << 20)):
        engine = simulator(load(name))
        engine.playouts(count=1)

        def seconds(number: int, engine=engine, count=count) -> float:  # type: ignore[no-untyped-def]
            started = time.perf_counter()
            engine.playouts(count=count, seed=1, threads=number)
            return time.perf_counter() - started

        ratios = [seconds(1) / seconds(2) for _ in range(rounds)]
        print(f"{name:18} two threads give {statistics.median(ratios):.2f} times one")


def _seconds(code: str, cache: str, *arguments: str) -> float:
    environment = {**os.environ, "GAMELORE_CACHE": cache}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)


if __name__ == "__main__":
    main()
