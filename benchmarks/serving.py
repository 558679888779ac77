"""Players on ports, as processes of their own, for the benchmarks of the protocol."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread


@contextmanager
def served(count: int, player: str, at_once: int) -> Iterator[list[tuple[int, int]]]:
    """So many players of a kind: the number of each process, and its port."""
    command = [sys.executable, "-m", "gamelore", "serve", "--player", player]
    command += ["--port", "0", "--quiet", "--at-once", str(at_once)]
    processes = [
        subprocess.Popen(
            [*command, "--seed", str(seed)], stderr=subprocess.PIPE, text=True
        )
        for seed in range(1, count + 1)
    ]
    try:
        yield [(process.pid, listening_port(process)) for process in processes]
    finally:
        for process in processes:
            process.terminate()
            process.wait(10)


def listening_port(process: subprocess.Popen[str]) -> int:
    """The port in the line that says where a player listens."""
    assert process.stderr is not None
    for line in process.stderr:
        if "listens on" in line:
            Thread(target=show, args=(process,), daemon=True).start()
            return int(line.rpartition(":")[2])
    raise RuntimeError("the player did not start")


def show(process: subprocess.Popen[str]) -> None:
    """Show what a player says: with `--quiet` only what goes wrong."""
    assert process.stderr is not None
    for line in process.stderr:
        if "has ended" not in line:
            print(f"player: {line.rstrip()}", file=sys.stderr)
