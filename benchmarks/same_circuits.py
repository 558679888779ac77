"""Whether games compile to the same circuits under any load: a digest of each.

    python benchmarks/same_circuits.py GAME ... [--busy 0 1 3]

Every game is compiled from nothing, in a process of its own with a hash seed of its
own, once for each number of processes that keep the machine busy meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

COMPILE = """
import json, sys, time
from gamelore.circuit import compile_game
from gamelore.games import load
game = load(sys.argv[1])
began = time.perf_counter()
compiled = compile_game(game, cached=False)
seconds = time.perf_counter() - began
cut_short = compiled.statistics.cut_short
print(json.dumps([compiled.digest(), compiled.statistics.gates, cut_short, seconds]))
"""


@contextmanager
def keep_busy(processes: int) -> Iterator[None]:
    """Keep the processors busy that this process may run on."""
    command = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(command) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def compile_once(game: str, busy: int) -> tuple[str, int, bool, float]:
    """Return the digest of a circuit, its gates, whether time cut it short, seconds."""
    with keep_busy(busy):
        done = subprocess.run(
            [sys.executable, "-c", COMPILE, game],
            env={**os.environ, "PYTHONHASHSEED": str(1 + busy)},
            check=True,
            capture_output=True,
            text=True,
        )
    digest, gates, cut_short, seconds = json.loads(done.stdout)
    return digest, gates, cut_short, seconds


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="+", metavar="GAME")
    parser.add_argument("--busy", type=int, nargs="+", default=[0, 1, 3])
    arguments = parser.parse_args()
    print("| game | gates | digest | seconds | the same |\n|---|---:|---|---:|---|")
    for game in arguments.games:
        results = [compile_once(game, busy) for busy in arguments.busy]
        digests = sorted({digest for digest, *_ in results})
        seconds = ", ".join(f"{took:.1f}" for *_, took in results)
        same = len(digests) == 1 and not any(cut for _, _, cut, _ in results)
        row = [Path(game).stem, f"{results[0][1]:,}", ", ".join(digests), seconds]
        print(f"| {' | '.join(row)} | {'yes' if same else 'no'} |", flush=True)


if __name__ == "__main__":
    main()
