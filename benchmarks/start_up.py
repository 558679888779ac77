"""How long commands take that only read: `python benchmarks/start_up.py`.

Prints the least and the median of the seconds that each command takes in a process of
its own, elapsed and of the processor, beside an interpreter that does nothing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "gamelore --help": ["-m", "gamelore", "--help"],
    "gamelore games": ["-m", "gamelore", "games"],
    "gamelore check --no-play trio": ["-m", "gamelore", "check", "--no-play", "trio"],
    "gamelore check trio": ["-m", "gamelore", "check", "trio"],
}


def measure(arguments: list[str]) -> tuple[float, float]:
    """Return the seconds of one run, elapsed and of the processor."""
    before, started = os.times(), time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    elapsed, after = time.perf_counter() - started, os.times()
    used = after.children_user + after.children_system
    return elapsed, used - before.children_user - before.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    for _ in range(rounds):  # in turn, so that all see the same load
        for name, arguments in COMMANDS.items():
            times[name].append(measure(arguments))
    print(f"{'':30}  elapsed: least  median  processor: least  median")
    for name, pairs in times.items():
        elapsed, used = zip(*pairs, strict=True)
        least, median = min(elapsed), statistics.median(elapsed)
        print(
            f"{name:30}  {least:14.2f}  {median:6.2f}"
            f"  {min(used):16.2f}  {statistics.median(used):6.2f}"
        )
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
