"""Training runs: they pause, resume, survive a restart, and fail alone."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.lab.running import Client, run_lab

from gamelore.lab.events import RunView
from gamelore.lab.run_files import RunFolder, RunSpec

MANY = 50_000_000


def view(client: Client, run: str, *statuses: str) -> dict[str, Any]:
    """Return the next state of a run that has one of these statuses."""
    event = client.wait_for(
        lambda event: (
            event["type"] == "RunState"
            and event["view"]["run"] == run
            and event["view"]["status"] in statuses
        )
    )
    found: dict[str, Any] = event["view"]
    return found


def start(client: Client, **options: Any) -> str:
    answer = client.ask("StartRun", game="tictactoe", options=options)
    assert answer["type"] == "RunStarted", answer
    return str(answer["run"])


def test_a_run_goes_on_after_a_restart_in_its_middle(tmp_path: Path) -> None:
    with run_lab(tmp_path) as lab, lab.client() as client:
        client.ask("FollowRuns")
        run = start(client, matches=MANY, evaluate_every=0)
        before = view(client, run, "running")
        assert before["matches"] > 0
    with run_lab(tmp_path) as lab, lab.client() as client:
        listed = client.ask("FollowRuns")["runs"]
        assert listed[0]["matches"] >= before["matches"]
        assert listed[0]["status"] in ("starting", "running")
        again = view(client, run, "running")
        assert again["matches"] > before["matches"]
        assert client.ask("PauseRun", run=run)["type"] == "Done"
        paused = view(client, run, "paused")
        kept = RunFolder(tmp_path / "runs" / run).read()
        assert kept.status == "paused"
        players = {"x": f"run:{run}", "o": "person"}
        opened = client.ask("OpenMatch", game="tictactoe", players=players)
        assert opened["type"] == "MatchOpened"
        assert client.ask("RemoveRun", run=run)["type"] == "Done"
        assert paused["matches"] > 0 and not (tmp_path / "runs" / run).exists()


def test_a_snapshot_is_played_against_while_its_run_trains(tmp_path: Path) -> None:
    with run_lab(tmp_path) as lab, lab.client() as client:
        client.ask("FollowRuns")
        run = start(client, matches=MANY, snapshots="200", evaluate_every=0)
        state = client.wait_for(
            lambda event: event["type"] == "RunState" and event["view"]["snapshots"]
        )
        assert state["view"]["snapshots"] == [200] and state["view"]["role"] == "first"
        samples = [event for event in client.seen if event["type"] == "RunSample"]
        sample = (samples or [client.wait_for(lambda e: e["type"] == "RunSample")])[0]
        assert sample["run"] == run and "<svg" in sample["view"]["svg"]
        values = sample["sample"]["values"]
        assert any(value is not None and 0 <= value <= 100 for value in values)
        players = {"x": f"run:{run}:200", "o": "person"}
        opened = client.ask("OpenMatch", game="tictactoe", players=players)
        client.send("FollowMatch", match=opened["match"])
        client.state(lambda state: len(state["moves"]) == 1 and not state["faults"])
        assert lab.lab.runs.find(run).status == "running"


@pytest.mark.slow
def test_a_run_that_is_killed_harms_no_other(tmp_path: Path) -> None:
    with run_lab(tmp_path) as lab, lab.client() as client:
        client.ask("FollowRuns")
        one = start(client, matches=MANY, evaluate_every=0)
        two = start(client, matches=MANY, evaluate_every=0, seed=2)
        view(client, one, "running")
        view(client, two, "running")
        process = lab.lab.runs.find(one).process
        assert process is not None
        process.send_signal(signal.SIGKILL)
        failed = view(client, one, "failed")
        assert "ended" in failed["message"]
        assert view(client, two, "running")["matches"] > 0
        assert client.ask("ResumeRun", run=one)["type"] == "Done"
        assert view(client, one, "running")["matches"] > 0


@pytest.mark.slow
def test_a_race_with_and_without_tree_patterns(tmp_path: Path) -> None:
    with run_lab(tmp_path) as lab, lab.client() as client:
        client.ask("FollowRuns")
        source = start(client, matches=500, evaluation_matches=20)
        view(client, source, "done")
        found = client.ask("ShowPatterns", run=source)
        assert found["type"] == "PatternList" and found["patterns"]
        race = client.ask("StartRace", source=source, game="connect-3", matches=200)
        ended: dict[str, Any] = {}
        while len(ended) < 2:  # whichever ends first
            event = client.wait_for(lambda event: event["type"] == "RunState")["view"]
            if event["run"] in race["runs"] and event["status"] == "done":
                ended[event["run"]] = event
        scratch, transfer = (ended[run] for run in race["runs"])
        assert not scratch["knowledge"] and transfer["knowledge"] == source
        assert scratch["curve"] and transfer["curve"]


def test_what_cannot_be_started_is_refused(tmp_path: Path) -> None:
    with run_lab(tmp_path) as lab, lab.client() as client:
        wrong = client.ask("StartRun", game="tictactoe", options={"alpha": 9})
        assert wrong["type"] == "Failure" and wrong["setting"] == "alpha"
        assert client.ask("StartRun", game="nothing")["type"] == "Failure"
        for source in ("../../elsewhere", "none"):
            wrong = client.ask("StartRun", game="tictactoe", knowledge=source)
            assert wrong["type"] == "Failure"
        for kind in ("PauseRun", "ResumeRun", "RemoveRun", "ShowPatterns"):
            assert client.ask(kind, run="../x")["type"] == "Failure"
        assert client.ask("FollowRuns")["runs"] == []


def test_damaged_runs_are_left_out(tmp_path: Path) -> None:
    for name, content in (("a", b"{"), ("b", b"{}"), ("c", b"[]")):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "run.json").write_bytes(content)
    with run_lab(tmp_path) as lab, lab.client() as client:
        assert client.ask("FollowRuns")["runs"] == []


def test_specs_read_back(tmp_path: Path) -> None:
    spec = RunSpec(run="a", name="<b>", game="g", label="g", rules="(role x)")
    folder = RunFolder(tmp_path / "a")
    folder.write(spec)
    assert folder.read() == spec
    assert "snapshots" in {field.name for field in msgspec.structs.fields(RunView)}
    (folder.path / "run-200.ckpt").touch()
    (folder.path / "run-30.ckpt").touch()
    assert folder.snapshots() == [30, 200]
    assert spec.settings()[1].snapshot_every == 300
