"""Traces: files, recording, replay, and every kind of difference."""

from __future__ import annotations

import gzip
import json
import os
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.simulator import Simulator
from gamelore.engine.verify.runner import (
    Difference,
    ReplayReport,
    ReplayTotals,
    Trace,
    _replay_in_processes,
    read_trace,
    record,
    replay,
    replay_files,
    write_trace,
)
from gamelore.errors import TraceError
from gamelore.games import load, rules_text
from gamelore.gdl import Game

SMALL = [
    "ticTacToe", "connect4", "buttons", "gt_prisoner", "nim1", "ruleDepthLinear",
    "ad_game_2x2", "test.test_case_3f", "test.test_distinct_beginning_rule", "god",
]  # fmt: skip


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    return Interpreter(load("tictactoe"))


@pytest.fixture(scope="module")
def trace(simulator: Simulator) -> Trace:
    return record(simulator, 3, seed=5)


# ── files ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["own.jsonl", "own.jsonl.gz"])
def test_traces_survive_writing_and_reading(
    trace: Trace, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    write_trace(trace, path)
    assert read_trace(path) == trace
    before = path.read_bytes()
    write_trace(read_trace(path), path)
    assert path.read_bytes() == before


def test_written_traces_have_the_format(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    write_trace(trace, path)
    first, *rest = map(json.loads, path.read_text().splitlines())
    assert first == {"game": "tictactoe", "kif": "tictactoe", "roles": ["x", "o"]}
    assert len(rest) == 3
    for line in rest:
        steps = len(line["moves"])
        assert len(line["states"]) == len(line["terminal"]) == steps + 1
        assert line["states"][0] == sorted(line["states"][0])
        assert line["legal"][0] == [
            [f"(mark {r} {c})" for r in (1, 2, 3) for c in (1, 2, 3)],
            ["noop"],
        ]
        assert line["complete"]


def test_recording_repeats_and_stops_at_the_limit(simulator: Simulator) -> None:
    assert record(simulator, 2, seed=1) == record(simulator, 2, seed=1)
    assert record(simulator, 2, seed=1) != record(simulator, 2, seed=2)
    short = record(simulator, 1, move_limit=3).playouts[0]
    assert len(short.moves) == 3
    assert not short.complete


HEADER = b'{"game":"g","kif":"g.kif","roles":["a"]}\n'
LINE: dict[str, Any] = {
    "states": [["f"], ["g"]], "legal": [[["m"]]], "moves": [["m"]],
    "terminal": [False, True], "goals": [[None], [100]], "complete": True,
}  # fmt: skip


def changed(**values: object) -> bytes:
    return HEADER + json.dumps(LINE | values).encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"{\n", ":1: not JSON"),
        (b"[" * 100_000, ":1: not JSON"),
        (b"[1]\n", ":1: not a JSON object"),
        (b'{"game":"g","kif":"g.kif"}\n', ":1: 'roles' is missing"),
        (b'{"game":"g","kif":3,"roles":["a"]}\n', ":1: 'kif': text expected, found 3"),
        (b'{"game":"g","kif":"k","roles":"a"}\n', ":1: 'roles': a list expected"),
        (HEADER + b"\n\xff\n", ":3: cannot be read"),
        (HEADER + b'{"states":[["f"]]}', ":2: 'legal' is missing"),
        (changed(states=[]), ":2: 'states' is empty"),
        (changed(states=[["f"], [3]]), ":2: 'states': text expected, found 3"),
        (changed(states=[["f"]]), ":2: 'legal': 0 items expected, found 1"),
        (changed(moves=[["m", "m"]]), ":2: 'moves': 1 items expected, found 2"),
        (changed(terminal=[False, 1]), ":2: 'terminal': true or false expected"),
        (changed(goals=[[None], [True]]), ":2: 'goals': a whole number expected"),
        (changed(complete=None), ":2: 'complete': true or false expected"),
    ],
)
def test_bad_traces_are_told_by_file_and_line(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    with pytest.raises(TraceError, match=f"bad.jsonl.*{message}"):
        read_trace(path)


@pytest.mark.parametrize(
    "content",
    [b"no gzip", gzip.compress(HEADER)[:-9], gzip.compress(HEADER)[:12] + b"x"],
    ids=["foreign", "truncated", "damaged"],
)
def test_damaged_compression_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.jsonl.gz"
    path.write_bytes(content)
    with pytest.raises(TraceError, match=r"bad.jsonl.gz:\d: cannot be read"):
        read_trace(path)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"none.jsonl:1: cannot be read"):
        read_trace(tmp_path / "none.jsonl")


# ── replay ──────────────────────────────────────────────────────────────────────────


def test_a_true_trace_has_no_difference(trace: Trace, simulator: Simulator) -> None:
    report = replay(trace, simulator)
    assert report.differences == ()
    assert report.engine == "interpreter"
    assert report.playouts == 3
    assert report.positions == sum(len(p.states) for p in trace.playouts)


Item = dict[str, Any]


def doctor(trace: Trace, change: Callable[[Item], object]) -> Trace:
    """The trace with its second playout changed."""
    values = json.loads(json.dumps(vars(trace.playouts[1])))
    change(values)
    frozen = {key: freeze(value) for key, value in values.items()}
    playouts = list(trace.playouts)
    playouts[1] = replace(playouts[1], **frozen)
    return replace(trace, playouts=tuple(playouts))


def freeze(value: object) -> Any:
    return tuple(map(freeze, value)) if isinstance(value, list) else value


def set_item(key: str, *path: int, value: object) -> Callable[[Item], None]:
    def change(line: Item) -> None:
        place = line[key]
        for index in path[:-1]:
            place = place[index]
        place[path[-1]] = value

    return change


def summary(report: ReplayReport) -> list[tuple[object, ...]]:
    return [(d.kind, d.playout, d.step, d.role) for d in report.differences]


def test_a_wrong_terminal_flag(trace: Trace, simulator: Simulator) -> None:
    report = replay(doctor(trace, set_item("terminal", 2, value=True)), simulator)
    (difference,) = report.differences
    assert difference == Difference(
        "tictactoe", "terminal", "True", "False", playout=1, step=2
    )
    assert str(difference) == (
        "tictactoe, playout 1, step 2: terminal: expected True, found False"
    )


@pytest.mark.parametrize("value", [None, 77])
def test_a_wrong_goal(trace: Trace, simulator: Simulator, value: int | None) -> None:
    report = replay(doctor(trace, set_item("goals", -1, 1, value=value)), simulator)
    last = len(trace.playouts[1].moves)
    assert summary(report) == [("goal", 1, last, "o")]
    assert report.differences[0].expected == str(value)


def test_wrong_legal_moves(trace: Trace, simulator: Simulator) -> None:
    report = replay(doctor(trace, set_item("legal", 0, 0, 0, value="(fly)")), simulator)
    assert summary(report) == [("legal", 1, 0, "x")]
    assert report.differences[0].expected == "(fly)"
    assert report.differences[0].found == "(mark 1 1)"
    missing = replay(doctor(trace, lambda line: line["legal"][0][1].clear()), simulator)
    assert [d.found for d in missing.differences] == ["noop"]
    assert "expected nothing more, found noop" in str(missing.differences[0])


def test_a_move_that_there_is_not(trace: Trace, simulator: Simulator) -> None:
    for move in "(fly away)", "(fly":
        report = replay(doctor(trace, set_item("moves", 1, 1, value=move)), simulator)
        assert summary(report) == [("move", 1, 1, "o")]
        assert report.differences[0].expected == move


def test_a_move_that_leads_elsewhere(trace: Trace, simulator: Simulator) -> None:
    made = trace.playouts[1].moves[0][0]
    other = "(mark 1 1)" if made != "(mark 1 1)" else "(mark 2 2)"
    report = replay(doctor(trace, set_item("moves", 0, 0, value=other)), simulator)
    assert summary(report) == [("state", 1, 1, None)]
    cell, elsewhere = (f"(cell {text[6:9]} x)" for text in (made, other))
    assert report.differences[0].expected == cell
    assert report.differences[0].found == elsewhere


def test_a_wrong_initial_state(trace: Trace, simulator: Simulator) -> None:
    report = replay(
        doctor(trace, set_item("states", 0, 0, value="(control o)")), simulator
    )
    assert ("state", 1, 0, None) in summary(report)
    assert ("legal", 1, 0, "x") in summary(report)
    assert report.differences[0].found == "(control x)"


def test_a_wrong_last_state(trace: Trace, simulator: Simulator) -> None:
    last = len(trace.playouts[1].moves)
    report = replay(doctor(trace, set_item("states", -1, -1, value="(odd)")), simulator)
    assert ("state", 1, last, None) in summary(report)


def test_a_state_that_cannot_be_read(trace: Trace, simulator: Simulator) -> None:
    report = replay(doctor(trace, set_item("states", 2, 0, value="(cell")), simulator)
    assert summary(report) == [("state", 1, 2, None)] * 2
    assert {d.expected for d in report.differences} == {"a position", "(cell"}


def test_a_wrong_completion(trace: Trace, simulator: Simulator) -> None:
    report = replay(doctor(trace, lambda line: line.update(complete=False)), simulator)
    last = len(trace.playouts[1].moves)
    assert summary(report) == [("complete", 1, last, None)]


def test_other_roles(trace: Trace, simulator: Simulator) -> None:
    report = replay(replace(trace, roles=("o", "x")), simulator)
    assert summary(report) == [("roles", None, None, None)]
    assert (report.differences[0].expected, report.differences[0].found) == (
        "o x",
        "x o",
    )


def test_every_difference_is_reported(trace: Trace, simulator: Simulator) -> None:
    def spoil(line: Item) -> None:
        line["terminal"] = [not flag for flag in line["terminal"]]
        line["goals"] = [[1, 2] for _ in line["goals"]]

    states = len(trace.playouts[1].states)
    kinds = [d.kind for d in replay(doctor(trace, spoil), simulator).differences]
    assert kinds.count("terminal") == states
    assert kinds.count("goal") == 2 * states


# ── files of many games ─────────────────────────────────────────────────────────────


@pytest.fixture
def folder(tmp_path: Path, trace: Trace) -> Path:
    """A folder of traces: a good one, a false one, and three that fail."""
    traces = tmp_path / "traces"
    traces.mkdir()
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "own.kif").write_text(rules_text("tictactoe"))
    (tmp_path / "games" / "broken.kif").write_text("(role x")
    own = replace(trace, kif="games/own.kif")
    write_trace(replace(own, game="good"), traces / "1.jsonl.gz")
    false = doctor(own, lambda line: line.update(complete=False))
    write_trace(replace(false, game="false"), traces / "2.jsonl")
    write_trace(replace(own, game="broken", kif="games/broken.kif"), traces / "3.jsonl")
    write_trace(replace(own, game="lost", kif="games/lost.kif"), traces / "4.jsonl")
    (traces / "torn.jsonl.gz").write_bytes(b"torn")
    return traces


def replay_folder(folder: Path, **options: Any) -> dict[str, ReplayReport]:
    reports = replay_files(sorted(folder.iterdir()), engine="interpreter", **options)
    return {report.game: report for report in reports}


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_failure_does_not_end_the_others(folder: Path, jobs: int) -> None:
    reports = replay_folder(folder, jobs=jobs)
    assert sorted(reports) == ["broken", "false", "good", "lost", "torn"]
    assert reports["good"].differences == ()
    assert [d.kind for d in reports["false"].differences] == ["complete"]
    for name, message in (
        ("broken", "broken.kif:1"),
        ("lost", "lost.kif"),
        ("torn", "torn"),
    ):
        (difference,) = reports[name].differences
        assert difference.kind == "failure"
        assert message in difference.found
    positions = reports["good"].positions
    totals = f"5 games, 6 playouts, {2 * positions} positions, 4 differences"
    assert str(ReplayTotals.of(reports.values())) == totals


def test_rule_sheets_are_found_in_the_folder_named(
    folder: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere" / "games"
    elsewhere.mkdir(parents=True)
    (elsewhere / "own.kif").write_text(rules_text("connect-four-4x4"))
    reports = replay_folder(folder, games=elsewhere.parent)
    assert [d.kind for d in reports["good"].differences] == ["roles"]


def test_library_games_are_found_by_name(trace: Trace, tmp_path: Path) -> None:
    write_trace(trace, tmp_path / "a.jsonl")
    (report,) = replay_files([tmp_path / "a.jsonl"], engine="interpreter")
    assert report.differences == ()


def end_process(path: Path) -> ReplayReport:
    """Stands in for a replay that takes its process down."""
    if path.name.startswith("fatal"):
        os._exit(1)
    return ReplayReport(path.name, "", 1, 1, ())


def test_a_process_that_dies_takes_only_its_own_game(tmp_path: Path) -> None:
    names = ["a", "b", "fatal.jsonl", "c", "d", "e"]
    files = deque(tmp_path / name for name in names)
    reports = list(_replay_in_processes(end_process, files, 2))
    assert sorted(report.game for report in reports) == [
        "a",
        "b",
        "c",
        "d",
        "e",
        "fatal",
    ]
    failed = [report for report in reports if report.differences]
    assert [report.game for report in failed] == ["fatal"]
    assert "was ended" in failed[0].differences[0].found


# ── the corpus ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", SMALL)
def test_the_interpreter_agrees_with_the_corpus(corpus: Path, name: str) -> None:
    trace = read_trace(corpus / "traces" / f"{name}.jsonl.gz")
    game = Game.from_file(corpus / trace.kif)
    assert replay(trace, Interpreter(game)).differences == ()


@pytest.mark.slow
def test_the_interpreter_agrees_with_all_of_the_corpus(corpus: Path) -> None:
    paths = sorted((corpus / "traces").glob("*.jsonl.gz"))
    assert paths
    reports = list(replay_files(paths, engine="interpreter", jobs=None))
    assert [str(d) for report in reports for d in report.differences] == []
    assert len(reports) == len(paths)
    assert {report.engine for report in reports} == {"interpreter"}
