"""Learning over the network: the same as in one process, and proof against kills."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from tests.marks import mark_slow

from gamelore.agents.agent import PlayerAgent
from gamelore.agents.builtin import PLAYERS
from gamelore.agents.registry import AgentSpec, make_agent
from gamelore.agents.warm_up import warm_up
from gamelore.engine import simulator
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.ggp.manager.manager import Manager, MatchSettings
from gamelore.ggp.manager.peers import LocalPeer, Peer, RemotePeer
from gamelore.ggp.player.server import PlayerServer
from gamelore.learn.match_log import LearnerKey, MatchLog, StoredValues

SEED = 5
SETTINGS = MatchSettings(start_clock=60.0, play_clock=10.0)


def novice() -> LocalPeer:
    return LocalPeer(PlayerAgent(PLAYERS["novice"], 3), "novice")


def play(peer: Peer, matches: int, scramble: bool = False) -> list[str]:
    """Matches of a learner against a novice; their ids."""
    engine = simulator(load("tictactoe"))
    manager = Manager(engine, replace(SETTINGS, scramble=scramble))
    opponent = novice()
    ids = []
    for number in range(matches):
        match = manager.run([peer, opponent], seed=number)
        assert match.record.complete
        assert not match.record.faults
        ids.append(match.match)
    opponent.close()
    return ids


def learned(store: Path) -> tuple[LearnerKey, StoredValues]:
    """The only learner of a store, and its values."""
    with MatchLog(store) as log:
        (row,) = log.connection.execute(
            "SELECT rules, role, opponent, method FROM learner"
        ).fetchall()
        snapshot = log.load(LearnerKey(*row))
    assert snapshot is not None
    return LearnerKey(*row), snapshot


@pytest.mark.parametrize("name", mark_slow(["td", "q", "transfer"], {"q", "td"}))
def test_the_network_makes_no_difference(name: str, tmp_path: Path) -> None:
    warm_up(AgentSpec.parse(name))  # compiling kernels may take longer than a clock
    here, there, scrambled = (tmp_path / f"{n}.db" for n in range(3))
    local = LocalPeer(make_agent(name, store=here, seed=SEED), "learner")
    play(local, 25)
    local.close()
    for store in (there, scrambled):
        agent = make_agent(name, store=store, seed=SEED)
        with PlayerServer(agent, port=0, opponents=("novice",)) as server:
            peer = RemotePeer(*server.address, name="learner")
            play(peer, 25, scramble=store is scrambled)
    learner, wanted = learned(here)
    assert wanted.matches == 25
    for store in (there, scrambled):
        other, snapshot = learned(store)
        assert other == learner
        assert np.array_equal(snapshot.cells.rows, wanted.cells.rows)
        assert np.array_equal(snapshot.cells.values, wanted.cells.values)
        assert np.array_equal(snapshot.cells.visits, wanted.cells.visits)


# ── kills ───────────────────────────────────────────────────────────────────────────


@contextmanager
def serving(store: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A learner's server as a process, killed at the end."""
    command = [sys.executable, "-m", "gamelore", "serve", "--port", "0"]
    command += ["--player", "td", "--store", str(store)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        said = []
        for line in process.stderr:
            said.append(line)
            found = re.search(r"listens on 127\.0\.0\.1:(\d+)", line)
            if found:
                break
        else:
            raise AssertionError(f"the server did not start: {''.join(said)}")
        drain = threading.Thread(target=process.stderr.read, daemon=True)
        drain.start()
        yield process, int(found[1])
    finally:
        process.kill()
        process.wait()


def play_until_killed(port: int, process: subprocess.Popen[str]) -> list[str]:
    """The ids of matches whose end the server has confirmed."""
    engine = simulator(load("tictactoe"))
    manager = Manager(engine, SETTINGS)
    opponent = novice()
    peer = RemotePeer("127.0.0.1", port, name="learner")
    finished: list[str] = []
    while process.poll() is None:
        try:
            match = manager.run([peer, opponent], seed=len(finished))
        except GameloreError:
            break
        if match.record.faults:
            break
        finished.append(match.match)
    opponent.close()
    return finished


def kill_servers(store: Path, times: int) -> None:
    rng = Random(2)
    finished: list[str] = []
    for _ in range(times):
        with serving(store) as (process, port):
            timer = threading.Timer(rng.uniform(0.1, 1.5), process.kill)
            timer.start()
            finished += play_until_killed(port, process)
            timer.join()
        connection = sqlite3.connect(store)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
        with MatchLog(store) as log:
            kept = log.match_ids()
        assert set(finished) <= set(kept)
        assert len(kept) == len(set(kept))
    assert len(finished) > times


@pytest.mark.slow
def test_servers_killed_a_few_times(tmp_path: Path) -> None:
    kill_servers(tmp_path / "lore.db", 3)


@pytest.mark.slow
def test_servers_killed_many_times(tmp_path: Path) -> None:
    kill_servers(tmp_path / "lore.db", 50)
