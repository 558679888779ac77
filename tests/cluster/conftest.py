"""Ray clusters for tests: on the loopback interface, without reports to anybody."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gamelore.cluster import ray_environment

LIMIT = 600.0
"""Seconds after which a command is taken to hang."""


os.environ.update(ray_environment(loopback=True))  # before any test imports Ray


@pytest.fixture
def two_nodes() -> Iterator[Any]:
    """A cluster of two nodes on this machine, each of one core: two raylets."""
    pytest.importorskip("ray", reason="Ray is not installed: make test-extras")
    from ray.cluster_utils import Cluster

    options = {"num_cpus": 1, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=options)
    try:
        cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        yield cluster
    finally:
        cluster.shutdown()


def start_gamelore(*arguments: object, folder: Path) -> subprocess.Popen[str]:
    """Start a command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "gamelore", *map(str, arguments)],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run_gamelore(*arguments: object, folder: Path) -> tuple[str, str]:
    """Run a command; return what it prints on stdout and on stderr."""
    process = start_gamelore(*arguments, folder=folder)
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == 0, f"{out}\n{err}"
    return out, err


# ── processes ───────────────────────────────────────────────────────────────────────


def find_children(*parents: int) -> set[int]:
    """Return all processes below some, by their ids."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found: set[int] = set()
    ahead = [*parents]
    while ahead:
        below = children.get(ahead.pop(), [])
        found.update(below)
        ahead += below
    return found


def find_workers(*parents: int, idle: bool = True) -> list[int]:
    """Return the processes below some that run tasks, or wait for them if `idle`."""
    titles = ("ray::call", "ray::IDLE") if idle else ("ray::call",)
    found = []
    for process in find_children(*parents):
        try:
            title = Path(f"/proc/{process}/cmdline").read_bytes().decode()
        except OSError:
            continue
        if title.startswith(titles):
            found.append(process)
    return found


def is_running(process: int) -> bool:
    """Return whether there is such a process, and not only its entry."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def raylets(cluster: Any) -> list[int]:
    """Return the raylets of a cluster: one for each node."""
    return [
        info.process.pid
        for node in cluster.list_all_nodes()
        for info in node.all_processes.get("raylet", [])
    ]


@contextmanager
def killer(
    cluster: Any, progress: Callable[[], int], at: list[int], seed: int
) -> Iterator[list[int]]:
    """Kill a busy worker at random whenever progress has come to one of some numbers.

    Yields a list of the processes that were killed.
    """
    killed: list[int] = []
    ended = threading.Event()
    chosen = random.Random(seed)

    def kill() -> None:
        for number in at:
            while progress() < number:
                if ended.wait(0.05):
                    return
            while not (busy := find_workers(*raylets(cluster), idle=False)):
                if ended.wait(0.01):
                    return
            victim = chosen.choice(sorted(busy))
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        ended.set()
        thread.join()


def wait_until(
    condition: Callable[[], bool],
    seconds: float = 60.0,
    process: subprocess.Popen[str] | None = None,
) -> None:
    """Wait for something to come true; fail if it does not, or a process ends."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come true"
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.05)
