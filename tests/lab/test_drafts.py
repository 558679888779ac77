"""Rules as one types: problems with their places, figures, templates."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path
from threading import Event

import pytest
from tests.lab.running import RunningLab

from gamelore.engine import simulator
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl.checks import check_text
from gamelore.lab.drafts import DraftWorker, check_rules, prepare_rules
from gamelore.lab.figures import estimate_mean, measure
from gamelore.lab.shared import Lab
from gamelore.lab.templates import OWN, list_templates, read_template
from gamelore.lab.workspace import Workspace

BROKEN = "(role x)\n(init (cell 1 b)\n"


def test_problems_have_their_places() -> None:
    problems, relations = check_rules("(role x)\n(<= (legal x ?m) (true ?n))\n", "a")
    assert problems[0].severity == "error"
    assert any(one.line == 2 and one.column > 1 for one in problems)
    assert relations == ["role", "legal"]
    assert check_rules(BROKEN, "a")[0]


@pytest.mark.parametrize("name", list(OWN))
def test_templates_play_without_a_problem(name: str) -> None:
    assert check_text(OWN[name], name) == []
    prepared = prepare_rules(OWN[name], "template")
    assert prepared.problems == () and prepared.engine == "circuit"


def test_templates_of_the_library() -> None:
    assert {"tictactoe", *OWN} <= set(list_templates())
    assert "(role x)" in read_template("tictactoe")
    with pytest.raises(GameloreError):
        read_template("../secret")


def test_figures_are_those_of_the_playouts() -> None:
    engine = simulator(load("tictactoe"))
    ticks = count()
    *_, last = measure(engine, 10.0, Event(), lambda: float(next(ticks)))
    assert last.over and last.matches > 0
    assert 5 <= last.shortest <= last.length <= last.longest == 9
    assert last.goals["x"] + last.goals["o"] == pytest.approx(100)
    assert last.goals["x"] > last.goals["o"]


def test_means_and_margins() -> None:
    assert estimate_mean({}) == (0.0, 0.0)
    assert estimate_mean({100: 1}) == (100.0, 0.0)
    mean, margin = estimate_mean({0: 50, 100: 50})
    assert mean == 50 and 9 < margin < 11


def test_a_draft_is_checked_and_measured(lab: RunningLab) -> None:
    with lab.client() as client:
        number = client.send("CheckDraft", text=BROKEN)
        answer = client.wait_for(lambda event: event.get("re") == number)
        assert answer["type"] == "DraftProblems" and answer["problems"]
        text = OWN["new: two players on a board"]
        number = client.send("CheckDraft", text=text, name="claim")
        client.wait_for(lambda event: event["type"] == "DraftProblems")
        report = client.wait_for(lambda event: event.get("re") == number)
        assert report["type"] == "DraftReport" and report["engine"] == "circuit"
        assert len(report["view"]["legal"]["red"]) == 16
        figures = client.ask("MeasureDraft", game=report["game"], seconds=0.2)
        assert figures["type"] == "DraftFigures"


def test_what_does_not_end_keeps_nothing_else_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = Lab(Workspace(tmp_path))

    def fail() -> None:
        raise OSError("no")

    monkeypatch.setattr(lab.matches, "close", fail)
    with pytest.raises(OSError, match="no"):
        asyncio.run(lab.close())
    with pytest.raises(GameloreError, match="the lab is closing"):
        lab.drafts.prepare("", "a")
    for threads in (lab.threads, lab.searches):
        with pytest.raises(RuntimeError, match="after shutdown"):
            threads.submit(print)


@pytest.mark.slow
def test_rules_that_take_too_long_end_their_process_only() -> None:
    worker = DraftWorker(seconds=0.01)
    try:
        with pytest.raises(GameloreError, match="to prepare"):
            worker.prepare(OWN["new: a puzzle for one"], "a")
        worker._seconds = 60.0
        prepared = worker.prepare(OWN["new: a puzzle for one"], "a")
        assert prepared.engine == "circuit"
    finally:
        worker.close()


def test_files_are_saved_and_listed(lab: RunningLab) -> None:
    with lab.client() as client:
        text = OWN["new: a puzzle for one"]
        saved = client.ask("SaveFile", path="jump.kif", text=text, version=None)
        assert saved["type"] == "FileSaved" and saved["game"] == "file:jump.kif"
        names = [one["game"] for one in client.receive()["games"]]
        assert "file:jump.kif" in names
        assert client.ask("ReadFile", path="jump.kif")["text"] == text
        listed = client.ask("ListFiles")["files"]
        assert "jump.kif" in [one["path"] for one in listed]
        again = client.ask("SaveFile", path="jump.kif", text="x", version=None)
        assert again["type"] == "Failure"
