"""Learners killed at random moments: no finished match is lost, none counts twice."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from tests.marks import mark_slow

from gamelore.agents.agent import MatchEntry
from gamelore.engine import simulator
from gamelore.games import load
from gamelore.gdl import canonical_form
from gamelore.learn.agent import LearningAgent
from gamelore.learn.match_log import LearnerKey, MatchLog
from gamelore.learn.settings import TDSettings
from gamelore.player import Clock
from gamelore.values.table import Cells

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

NURSERY = """
import os, sys
from pathlib import Path
from gamelore.games import load
from gamelore.gdl import canonical_form
from gamelore.learn import LearningAgent, TDSettings
from gamelore.player import Clock
from gamelore.agents.agent import MatchEntry
from gamelore.agents.random_player import RandomPlayer
from gamelore.match.match import play_match
from gamelore.engine import simulator

engines = [simulator(canonical_form(load(n)).game) for n in ("tictactoe", "nim")]

def say(*words):
    # One write for each line: who is killed in the middle of it has said nothing.
    os.write(1, (" ".join(map(str, words)) + chr(10)).encode())

def play(agent, number):
    engine = engines[number % 2]
    entry = MatchEntry(f"{os.getpid()}-{number}", engine, engine.roles[0], ("random",))
    players = {role: RandomPlayer(number) for role in engine.roles}
    players[entry.role] = agent.enter(entry, Clock())
    agent.finish(entry, play_match(engine, players))
    return entry.match

rehearsal = LearningAgent(TDSettings())
for number in range(4):
    play(rehearsal, number)
rehearsal.close()
say("ready")
for store in sys.stdin:
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        say("ended")
        continue
    agent = LearningAgent(TDSettings(), Path(store.strip()))
    say("pid", os.getpid())
    number = 0
    while True:
        say("finished", play(agent, number))
        number += 1
"""
"""Has everything loaded, and for each line of input a child that plays until killed."""


class Nursery:
    """The process that has children who learn."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", NURSERY],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._next() == ["ready"]

    def _next(self) -> list[str]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.endswith("\n"), f"the nursery broke off with {line!r}"
        return line.split()

    def kill_after(self, store: Path, seconds: float) -> list[str]:
        """Kill a child that has learned for some time; the matches it finished."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{store}\n")
        self.process.stdin.flush()
        word, pid = self._next()
        assert word == "pid"
        time.sleep(seconds)
        os.kill(int(pid), signal.SIGKILL)
        finished = []
        while (line := self._next()) != ["ended"]:
            word, match = line
            assert word == "finished"
            finished.append(match)
        return finished

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(10)


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    nursery = Nursery()
    yield nursery
    nursery.close()


def kill_again_and_again(nursery: Nursery, store: Path, times: int) -> None:
    random = Random(1)
    finished: list[str] = []
    for _ in range(times):
        finished += nursery.kill_after(store, random.uniform(0.0, 0.5))
        check(store, finished)
    assert len(finished) > times  # every restart has gone on
    assert_nothing_counts_twice(store)


def check(store: Path, finished: list[str]) -> None:
    """The store is sound, and holds every match that was finished."""
    connection = sqlite3.connect(store)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    with MatchLog(store) as log:
        kept = log.match_ids()
        assert len(kept) == len(set(kept))
        assert set(finished) <= set(kept)
        for learner in learners(log):
            log.load(learner)  # checksums hold


def assert_nothing_counts_twice(store: Path) -> None:
    """Going on gives the values that all matches give from the beginning."""
    before = learned(store)
    connection = sqlite3.connect(store)
    with connection:
        connection.execute(
            "UPDATE learner SET matches = 0, last_match = 0, header = ''"
        )
        connection.execute("DELETE FROM learner_values")
    connection.close()
    after = learned(store)
    assert before.keys() == after.keys()
    for key, cells in before.items():
        assert np.array_equal(cells.rows, after[key].rows)
        assert np.array_equal(cells.values, after[key].values)
        assert np.array_equal(cells.visits, after[key].visits)


def learned(store: Path) -> dict[str, Cells]:
    """Return all values, of all matches."""
    agent = LearningAgent(TDSettings(), store)
    for name in ("tictactoe", "nim"):
        engine = simulator(canonical_form(load(name)).game)
        entry = MatchEntry(f"{name} at last", engine, engine.roles[0], ("random",))
        agent.enter(entry, Clock())
    agent.close()
    with MatchLog(store) as log:
        found = {learner.key: log.load(learner) for learner in learners(log)}
    assert None not in found.values()
    return {key: one.cells for key, one in found.items() if one is not None}


def learners(log: MatchLog) -> list[LearnerKey]:
    rows = log.connection.execute("SELECT rules, role, opponent, method FROM learner")
    return [LearnerKey(*row) for row in rows.fetchall()]


@pytest.mark.parametrize("times", mark_slow([3, 5, 50], {5, 50}))
def test_killed_again_and_again(nursery: Nursery, tmp_path: Path, times: int) -> None:
    kill_again_and_again(nursery, tmp_path / "lore.db", times)
