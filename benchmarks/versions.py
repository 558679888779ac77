"""Random playouts per second of two or more versions of gamelore, in turns.

One core, processor time: a process for each version plays the same game in rounds that
alternate, and ratios are medians of the rounds' ratios to the first version. A version
is a name and the folder its package is in, such as `src` of another work tree.

    python benchmarks/versions.py before=../old/src after=src GAME ... [--rounds 5]
        [--seconds 0.5]

Games are names or rule sheets; each version keeps what it compiles in a cache as usual.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

WORKER = """
import json, sys, time
from gamelore.engine import simulator
from gamelore.games import load
known = {}
for line in sys.stdin:
    game, count, seed = json.loads(line)
    try:
        if game not in known:
            known[game] = simulator(load(game))
        began = time.process_time()
        known[game].playouts(count=count, seed=seed)
        answer = time.process_time() - began
    except Exception as error:
        answer = f"{type(error).__name__}: {error}"
    print(json.dumps(answer), flush=True)
"""


class Version:
    """A process that plays playouts on one version."""

    def __init__(self, name: str, folder: str) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORKER],
            env={**os.environ, "PYTHONPATH": str(Path(folder).resolve())},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Version:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def play(self, game: str, count: int, seed: int = 0) -> float:
        """Play so many playouts; return the seconds they took."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(json.dumps([game, count, seed]) + "\n")
        stdin.flush()
        answer: Any = json.loads(stdout.readline())
        if isinstance(answer, str):
            raise SystemExit(f"{self.name}: {game}: {answer}")
        return float(answer)

    def find_count(self, game: str, seconds: float) -> int:
        """Return how many playouts take about so many seconds."""
        self.play(game, 1)  # compile what must be compiled
        count = 512
        while (taken := self.play(game, count)) < seconds / 4:
            count *= 2
        return max(1, round(count * seconds / taken))


def measure(
    versions: list[Version], game: str, rounds: int, seconds: float
) -> Iterator[str]:
    """Return the rates of one game as columns of a table."""
    counts = [version.find_count(game, seconds) for version in versions]
    rates: list[list[float]] = [[] for _ in versions]
    for seed in range(rounds):
        for version, count, found in zip(versions, counts, rates, strict=True):
            found.append(count / version.play(game, count, seed))
    for found in rates:
        yield f"{statistics.median(found):,.0f}"
        if found is not rates[0]:
            ratios = [b / a for a, b in zip(rates[0], found, strict=True)]
            spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
            yield f"{statistics.median(ratios):.2f} × ({spread})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("versions", nargs="+", metavar="NAME=FOLDER | GAME")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="of a round")
    arguments = parser.parse_args()
    named = [text.split("=", 1) for text in arguments.versions if "=" in text]
    games = [text for text in arguments.versions if "=" not in text]
    if len(named) < 2 or not games:
        parser.error("name two versions at least, as NAME=FOLDER, and a game")
    head = ["game", named[0][0]]
    for name, _ in named[1:]:
        head += [name, "ratio"]
    print(f"| {' | '.join(head)} |\n|---{'|---:' * (len(head) - 1)}|", flush=True)
    with ExitStack() as stack:
        versions = [stack.enter_context(Version(n, f)) for n, f in named]
        for game in games:
            row = measure(versions, game, arguments.rounds, arguments.seconds)
            print(f"| {Path(game).stem} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
