"""Matches that another process plays, followed from the lab step by step."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.lab.running import PATIENCE, Client, RunningLab, run_lab

from gamelore.ggp.match_record import MatchFile, read_match
from gamelore.lab.records import SLACK, is_live

PLAYER = '''
"""Makes the first legal move, when a file with the number of the move is there."""
import os, time
from pathlib import Path
from gamelore.gdl import to_kif

class Gated:
    def __init__(self, seed):
        pass

    def start(self, briefing, clock):
        self.role = briefing.role

    def choose(self, position, clock):
        legal = position.legal_moves(self.role)
        if len(legal) > 1:
            marks = sum(to_kif(fact).startswith("(cell") for fact in position.facts)
            while not Path(os.environ["GATES"], str(marks)).exists():
                time.sleep(0.02)
        return legal[0]
'''


@contextmanager
def play_elsewhere(
    folder: Path, output: Path
) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """Have another process play tic-tac-toe; yield it with its folder of gates."""
    gates = folder / "gates"
    gates.mkdir()
    (folder / "gated.py").write_text(PLAYER)
    command = [sys.executable, "-m", "gamelore", "match", "tictactoe"]
    command += ["gated:Gated", "gated:Gated", "--quiet", "--engine", "interpreter"]
    command += ["--play-clock", str(PATIENCE), "--output", str(output)]
    path = os.pathsep.join([str(folder), *sys.path])
    program = subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": path, "GATES": str(gates)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=folder,
    )
    try:
        yield program, gates
        _, errors = program.communicate(timeout=PATIENCE)
        assert program.returncode == 0, errors.decode()
    finally:
        program.kill()
        program.communicate()


def find_live(client: Client, has_failed: Callable[[], bool]) -> dict[str, Any]:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not has_failed():
        found = client.ask("ListMatches").get("live", [])
        if found:
            return dict(found[0])
        time.sleep(0.1)
    raise AssertionError("no match of another program was found")


def grown(client: Client, count: int) -> dict[str, Any]:
    """Return the record once it has so many moves."""
    return client.wait_for(
        lambda event: (
            event["type"] == "RecordView" and len(event["place"]["moves"]) >= count
        )
    )


def test_a_match_of_another_process_is_followed_to_its_end(tmp_path: Path) -> None:
    own = tmp_path / "lab"
    with run_lab(own) as lab, lab.client() as client:
        with play_elsewhere(tmp_path, own / "cup") as (program, gates):
            entry = find_live(client, lambda: program.poll() is not None)
            assert entry["live"] and entry["game"] == "tictactoe"
            path = entry["path"]
            first = client.ask("FollowRecord", path=path)
            assert first["live"] and first["place"]["game"] == "tictactoe"
            assert first["place"].get("moves", []) == []
            for number in range(3):
                (gates / str(number)).touch()
                view = grown(client, number + 1)
                assert view["live"] and view["path"] == path
                assert len(view["place"]["moves"]) == number + 1
            for number in range(3, 9):
                (gates / str(number)).touch()
            last = client.wait_for(
                lambda event: event["type"] == "RecordView" and not event.get("live")
            )
        assert last["completed"]
        assert last["path"] == path.removesuffix(".live") + ".json"
        assert not (own / path).exists()
        kept = read_match(own / last["path"])
        assert len(last["place"]["moves"]) == len(kept.moves) >= 5
        assert client.ask("ListMatches").get("live", []) == []
        again = client.ask("FollowRecord", path=path)
        assert again["completed"] and again["path"] == last["path"]


def test_who_leaves_is_told_no_more(lab: RunningLab) -> None:
    with lab.client() as client:
        assert client.ask("LeaveRecord", path="x.live")["type"] == "Done"
        missing = client.ask("FollowRecord", path="x.live")
        assert missing["type"] == "Failure"
        assert "there is no record" in missing["message"]


@pytest.mark.parametrize("path", ["../x.live", "/etc/x.live", "a/.b.live", "x.kif"])
def test_only_records_inside_the_folder_are_followed(
    lab: RunningLab, path: str
) -> None:
    with lab.client() as client:
        assert client.ask("FollowRecord", path=path)["type"] == "Failure"


def test_a_match_whose_clock_ran_out_long_ago_is_not_live() -> None:
    record = MatchFile(
        match="m",
        token="",
        states=((),),
        moves=(),
        times=(1_000_000,),
        errors=((),),
        goals=(),
        completed=False,
        aborted=False,
        start_clock=5.0,
        play_clock=10.0,
        players=(),
    )
    last = 1000.0 + 5.0 + 10.0 + SLACK
    assert is_live(record, last - 1)
    assert not is_live(record, last + 1)
