"""`gamelore serve` against `gamelore match`: real processes over real sockets."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from gamelore.agents.registry import NAMES
from gamelore.engine import simulator
from gamelore.games import load
from gamelore.ggp.manager.manager import Manager, MatchSettings
from gamelore.ggp.manager.peers import RemotePeer

GAMES = ("tictactoe", "rock-paper-scissors", "trio", "pig", "breakthrough-6x6")
"""Turn-taking, simultaneous, three players, dice, and a larger one."""

GROWTH = 12_000
"""KB that a server may grow by in the later matches of many."""


@contextmanager
def serving(player: str, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A player on a port, and its address."""
    command = [sys.executable, "-m", "gamelore", "serve", "--player", player]
    process = subprocess.Popen(
        [*command, "--port", "0", "--quiet", *options],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            found = re.search(r"listens on (127\.0\.0\.1:\d+)", line)
            if found:
                yield process, found[1]
                return
        raise AssertionError("the server did not start")
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def count_players(game: str) -> int:
    return len([role for role in load(game).roles if role != "random"])


@pytest.mark.slow
@pytest.mark.parametrize("player", NAMES)
def test_every_player_plays_every_kind_of_game(player: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        ports = [
            stack.enter_context(serving(player, "--seed", str(seed)))[1]
            for seed in range(3)  # two with one seed would tie for ever
        ]
        for game in GAMES:
            command = [sys.executable, "-m", "gamelore", "match", game]
            command += ports[: count_players(game)]
            command += ["--play-clock", "0.3", "--start-clock", "20", "--repeat", "2"]
            command += ["--json", "--scramble", "--output", str(tmp_path / game)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stderr
            report = json.loads(done.stdout)
            assert len(report["matches"]) == 2
            for match in report["matches"]:
                assert match["complete"]
                assert not match["faults"], (game, match["faults"])


def resident(process: subprocess.Popen[str]) -> int:
    """KB of memory in use."""
    status = Path(f"/proc/{process.pid}/status")
    if not status.exists():
        pytest.skip("the system does not tell what memory a process has")
    found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text())
    assert found is not None
    return int(found[1])


@pytest.mark.slow
def test_a_thousand_matches_without_a_fault_and_memory_stays_flat(
    tmp_path: Path,
) -> None:
    manager = Manager(simulator(load("tictactoe")), MatchSettings(20, 5))
    with (
        serving("random") as (plain, first),
        serving("td", "--store", str(tmp_path / "learner.db")) as (learner, second),
    ):
        ports = [int(address.rpartition(":")[2]) for address in (first, second)]
        peers = [RemotePeer("127.0.0.1", port) for port in ports]
        before = (0, 0)
        for number in range(1000):
            match = manager.run(peers, seed=number)
            assert match.record.complete
            assert not match.record.faults
            if number == 400:
                before = resident(plain), resident(learner)
        after = resident(plain), resident(learner)
        for peer in peers:
            peer.close()
    assert after[0] - before[0] < GROWTH
    assert after[1] - before[1] < GROWTH
