"""Ray clusters for tests: on the loopback interface, without reports to anybody."""

from __future__ import annotations

import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from gamelore.cluster import ray_environment

TRIES = 5
"""To start a node, on a machine that is busy."""
LIMIT = 600.0
"""Seconds after which a command is taken to hang."""
LOOPBACK = "127.0.0.1"
LOOPBACKS = {LOOPBACK, "[::1]", f"[::ffff:{LOOPBACK}]"}
"""The ways in which addresses of the loopback interface are shown."""


os.environ.update(ray_environment(loopback=True))  # before any test imports Ray


class StartedCluster:
    """Two nodes on this machine, each of one core: two `ray start` on loopback.

    They ask for a token, which commands find in `environment`.
    """

    def __init__(self, folder: Path) -> None:
        with socket.create_server((LOOPBACK, 0)) as free:
            port = free.getsockname()[1]
        self.address = f"{LOOPBACK}:{port}"
        self.folder = folder
        self.environment = {
            **os.environ,
            **ray_environment(loopback=True),
            "RAY_TMPDIR": str(folder),
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
        }
        self.nodes: list[subprocess.Popen[str]] = []

    def start_nodes(self) -> None:
        """Start the head, and have the other join it."""
        port = self.address.rpartition(":")[2]
        head = "--head", f"--port={port}", "--include-dashboard=false"
        self._add_node(self.environment, *head)
        # Nodes may join only without the switch that keeps Ray on the loopback
        # interface. Then Ray takes 127.0.0.1 to be another address of the machine, at
        # which the head does not listen; a name in capitals it leaves as it is.
        joining = {**self.environment, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1"}
        self._add_node(joining, f"--address=LOCALHOST:{port}")

    def _add_node(self, environment: Mapping[str, str], *options: str) -> None:
        """Start a node; again if it was not up in the seconds that Ray allows it."""
        script = Path(sys.executable).with_name("ray")
        ports = "--min-worker-port=0", "--max-worker-port=0"  # any that are free
        command = [str(script), "start", *options, "--num-cpus=1", "--block", *ports]
        for attempt in range(TRIES):
            output = self.folder / f"node-{len(self.nodes)}-{attempt}.txt"
            with output.open("w") as file:
                node = subprocess.Popen(
                    command,
                    env=environment,
                    text=True,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                )
            self.nodes.append(node)
            while node.poll() is None:
                if "Ray runtime started" in output.read_text():
                    return
                time.sleep(0.1)
            self.nodes.remove(node)
            said = output.read_text()
            if "timed out during startup" not in said or attempt == TRIES - 1:
                raise AssertionError(said)

    def start(self, *arguments: object, folder: Path) -> subprocess.Popen[str]:
        """Start a command that has the token."""
        return start_gamelore(*arguments, folder=folder, environment=self.environment)

    def run(self, *arguments: object, folder: Path) -> tuple[str, str]:
        """Run a command that has the token; return what it prints."""
        return run_gamelore(*arguments, folder=folder, environment=self.environment)

    @property
    def processes(self) -> set[int]:
        """All processes of the nodes."""
        nodes = {node.pid for node in self.nodes}
        return nodes | find_children(*nodes)

    def find_workers(self, *, idle: bool = True) -> list[int]:
        """Return the processes that run tasks, or wait for them if `idle`."""
        return find_workers(*(node.pid for node in self.nodes), idle=idle)

    def kill_node(self) -> None:
        """End the node that is not the head at once, as if its plug were pulled."""
        victim = self.nodes.pop()
        family = find_children(victim.pid)
        for process in (victim.pid, *family):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        victim.wait()

    def stop(self) -> None:
        """End all nodes."""
        family = self.processes
        for node in reversed(self.nodes):
            node.terminate()
        for node in self.nodes:
            with suppress(subprocess.TimeoutExpired):
                node.wait(60)
        for process in filter(is_running, family):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.nodes.clear()


@contextmanager
def started_nodes() -> Iterator[StartedCluster]:
    """A cluster of two nodes on this machine."""
    pytest.importorskip("ray", reason="Ray is not installed: make test-extras")
    # Not below the folder of the test: the names of sockets may not be long.
    with TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder:
        cluster = StartedCluster(Path(folder))
        try:
            cluster.start_nodes()
            yield cluster
        finally:
            cluster.stop()


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[StartedCluster]:
    """A cluster whose workers may die, but not its nodes."""
    with started_nodes() as cluster:
        yield cluster


@pytest.fixture
def own_nodes() -> Iterator[StartedCluster]:
    """A cluster whose nodes may die."""
    with started_nodes() as cluster:
        yield cluster


def start_gamelore(
    *arguments: object, folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """Start a command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "gamelore", *map(str, arguments)],
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run_gamelore(
    *arguments: object,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    status: int = 0,
) -> tuple[str, str]:
    """Run a command; return what it prints on stdout and on stderr."""
    process = start_gamelore(*arguments, folder=folder, environment=environment)
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == status, f"{out}\n{err}"
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


def find_listening_addresses(processes: set[int]) -> set[str]:
    """Return the addresses that processes listen on."""
    shown = subprocess.run(
        ["ss", "-Hltnp"], capture_output=True, text=True, check=True
    ).stdout
    return {
        line.split()[3].rpartition(":")[0]
        for line in shown.splitlines()
        if any(f"pid={process}," in line for process in processes)
    }


@contextmanager
def killer(
    cluster: StartedCluster, progress: Callable[[], int], at: list[int], seed: int
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
            while not (busy := cluster.find_workers(idle=False)):
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
