"""Playout records: files, recording, verifying, and every kind of difference."""

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
    PlayoutRecord,
    VerifyReport,
    VerifyTotals,
    _replay_in_processes,
    read_playout_record,
    record_playouts,
    verify,
    verify_files,
    write_playout_record,
)
from gamelore.errors import PlayoutRecordError
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
def record(simulator: Simulator) -> PlayoutRecord:
    return record_playouts(simulator, 3, seed=5)


# ── files ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["own.jsonl", "own.jsonl.gz"])
def test_records_survive_writing_and_reading(
    record: PlayoutRecord, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    write_playout_record(record, path)
    assert read_playout_record(path) == record
    before = path.read_bytes()
    write_playout_record(read_playout_record(path), path)
    assert path.read_bytes() == before


def test_written_traces_have_the_format(record: PlayoutRecord, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    write_playout_record(record, path)
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
    assert record_playouts(simulator, 2, seed=1) == record_playouts(
        simulator, 2, seed=1
    )
    assert record_playouts(simulator, 2, seed=1) != record_playouts(
        simulator, 2, seed=2
    )
    short = record_playouts(simulator, 1, move_limit=3).playouts[0]
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
    with pytest.raises(PlayoutRecordError, match=f"bad.jsonl.*{message}"):
        read_playout_record(path)


@pytest.mark.parametrize(
    "content",
    [b"no gzip", gzip.compress(HEADER)[:-9], gzip.compress(HEADER)[:12] + b"x"],
    ids=["foreign", "truncated", "damaged"],
)
def test_damaged_compression_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.jsonl.gz"
    path.write_bytes(content)
    with pytest.raises(PlayoutRecordError, match=r"bad.jsonl.gz:\d: cannot be read"):
        read_playout_record(path)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(PlayoutRecordError, match=r"none.jsonl:1: cannot be read"):
        read_playout_record(tmp_path / "none.jsonl")


# ── verify ──────────────────────────────────────────────────────────────────────────


def test_a_true_trace_has_no_difference(
    record: PlayoutRecord, simulator: Simulator
) -> None:
    report = verify(record, simulator)
    assert report.differences == ()
    assert report.engine == "interpreter"
    assert report.playouts == 3
    assert report.positions == sum(len(p.states) for p in record.playouts)


Item = dict[str, Any]


def doctor(record: PlayoutRecord, change: Callable[[Item], object]) -> PlayoutRecord:
    """The record with its second playout changed."""
    values = json.loads(json.dumps(vars(record.playouts[1])))
    change(values)
    frozen = {key: freeze(value) for key, value in values.items()}
    playouts = list(record.playouts)
    playouts[1] = replace(playouts[1], **frozen)
    return replace(record, playouts=tuple(playouts))


def freeze(value: object) -> Any:
    return tuple(map(freeze, value)) if isinstance(value, list) else value


def set_item(key: str, *path: int, value: object) -> Callable[[Item], None]:
    def change(line: Item) -> None:
        place = line[key]
        for index in path[:-1]:
            place = place[index]
        place[path[-1]] = value

    return change


def summary(report: VerifyReport) -> list[tuple[object, ...]]:
    return [(d.kind, d.playout, d.step, d.role) for d in report.differences]


def test_a_wrong_terminal_flag(record: PlayoutRecord, simulator: Simulator) -> None:
    report = verify(doctor(record, set_item("terminal", 2, value=True)), simulator)
    (difference,) = report.differences
    assert difference == Difference(
        "tictactoe", "terminal", "True", "False", playout=1, step=2
    )
    assert str(difference) == (
        "tictactoe, playout 1, step 2: terminal: expected True, found False"
    )


@pytest.mark.parametrize("value", [None, 77])
def test_a_wrong_goal(
    record: PlayoutRecord, simulator: Simulator, value: int | None
) -> None:
    report = verify(doctor(record, set_item("goals", -1, 1, value=value)), simulator)
    last = len(record.playouts[1].moves)
    assert summary(report) == [("goal", 1, last, "o")]
    assert report.differences[0].expected == str(value)


def test_wrong_legal_moves(record: PlayoutRecord, simulator: Simulator) -> None:
    report = verify(
        doctor(record, set_item("legal", 0, 0, 0, value="(fly)")), simulator
    )
    assert summary(report) == [("legal", 1, 0, "x")]
    assert report.differences[0].expected == "(fly)"
    assert report.differences[0].found == "(mark 1 1)"
    missing = verify(
        doctor(record, lambda line: line["legal"][0][1].clear()), simulator
    )
    assert [d.found for d in missing.differences] == ["noop"]
    assert "expected nothing more, found noop" in str(missing.differences[0])


def test_a_move_that_there_is_not(record: PlayoutRecord, simulator: Simulator) -> None:
    for move in "(fly away)", "(fly":
        report = verify(doctor(record, set_item("moves", 1, 1, value=move)), simulator)
        assert summary(report) == [("move", 1, 1, "o")]
        assert report.differences[0].expected == move


def test_a_move_that_leads_elsewhere(
    record: PlayoutRecord, simulator: Simulator
) -> None:
    made = record.playouts[1].moves[0][0]
    other = "(mark 1 1)" if made != "(mark 1 1)" else "(mark 2 2)"
    report = verify(doctor(record, set_item("moves", 0, 0, value=other)), simulator)
    assert summary(report) == [("state", 1, 1, None)]
    cell, elsewhere = (f"(cell {text[6:9]} x)" for text in (made, other))
    assert report.differences[0].expected == cell
    assert report.differences[0].found == elsewhere


def test_a_wrong_initial_state(record: PlayoutRecord, simulator: Simulator) -> None:
    report = verify(
        doctor(record, set_item("states", 0, 0, value="(control o)")), simulator
    )
    assert ("state", 1, 0, None) in summary(report)
    assert ("legal", 1, 0, "x") in summary(report)
    assert report.differences[0].found == "(control x)"


def test_a_wrong_last_state(record: PlayoutRecord, simulator: Simulator) -> None:
    last = len(record.playouts[1].moves)
    report = verify(
        doctor(record, set_item("states", -1, -1, value="(odd)")), simulator
    )
    assert ("state", 1, last, None) in summary(report)


def test_a_state_that_cannot_be_read(
    record: PlayoutRecord, simulator: Simulator
) -> None:
    report = verify(doctor(record, set_item("states", 2, 0, value="(cell")), simulator)
    assert summary(report) == [("state", 1, 2, None)] * 2
    assert {d.expected for d in report.differences} == {"a position", "(cell"}


def test_a_wrong_completion(record: PlayoutRecord, simulator: Simulator) -> None:
    report = verify(doctor(record, lambda line: line.update(complete=False)), simulator)
    last = len(record.playouts[1].moves)
    assert summary(report) == [("complete", 1, last, None)]


def test_other_roles(record: PlayoutRecord, simulator: Simulator) -> None:
    report = verify(replace(record, roles=("o", "x")), simulator)
    assert summary(report) == [("roles", None, None, None)]
    assert (report.differences[0].expected, report.differences[0].found) == (
        "o x",
        "x o",
    )


def test_every_difference_is_reported(
    record: PlayoutRecord, simulator: Simulator
) -> None:
    def spoil(line: Item) -> None:
        line["terminal"] = [not flag for flag in line["terminal"]]
        line["goals"] = [[1, 2] for _ in line["goals"]]

    states = len(record.playouts[1].states)
    kinds = [d.kind for d in verify(doctor(record, spoil), simulator).differences]
    assert kinds.count("terminal") == states
    assert kinds.count("goal") == 2 * states


# ── files of many games ─────────────────────────────────────────────────────────────


@pytest.fixture
def folder(tmp_path: Path, record: PlayoutRecord) -> Path:
    """A folder of records: a good one, a false one, and three that fail."""
    records = tmp_path / "records"
    records.mkdir()
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "own.kif").write_text(rules_text("tictactoe"))
    (tmp_path / "games" / "broken.kif").write_text("(role x")
    own = replace(record, kif="games/own.kif")
    write_playout_record(replace(own, game="good"), records / "1.jsonl.gz")
    false = doctor(own, lambda line: line.update(complete=False))
    write_playout_record(replace(false, game="false"), records / "2.jsonl")
    write_playout_record(
        replace(own, game="broken", kif="games/broken.kif"), records / "3.jsonl"
    )
    write_playout_record(
        replace(own, game="lost", kif="games/lost.kif"), records / "4.jsonl"
    )
    (records / "torn.jsonl.gz").write_bytes(b"torn")
    return records


def replay_folder(folder: Path, **options: Any) -> dict[str, VerifyReport]:
    reports = verify_files(sorted(folder.iterdir()), engine="interpreter", **options)
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
    assert str(VerifyTotals.of(reports.values())) == totals


def test_rule_sheets_are_found_in_the_folder_named(
    folder: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere" / "games"
    elsewhere.mkdir(parents=True)
    (elsewhere / "own.kif").write_text(rules_text("connect-four-4x4"))
    reports = replay_folder(folder, games=elsewhere.parent)
    assert [d.kind for d in reports["good"].differences] == ["roles"]


def test_library_games_are_found_by_name(record: PlayoutRecord, tmp_path: Path) -> None:
    write_playout_record(record, tmp_path / "a.jsonl")
    (report,) = verify_files([tmp_path / "a.jsonl"], engine="interpreter")
    assert report.differences == ()


def end_process(path: Path) -> VerifyReport:
    """Stands in for a verification that takes its process down."""
    if path.name.startswith("fatal"):
        os._exit(1)
    return VerifyReport(path.name, "", 1, 1, ())


def test_a_process_that_dies_takes_only_its_own_game(tmp_path: Path) -> None:
    names = ["a", "fatal.jsonl", "b"]
    files = deque(tmp_path / name for name in names)
    reports = list(_replay_in_processes(end_process, files, 2))
    assert sorted(report.game for report in reports) == ["a", "b", "fatal"]
    failed = [report for report in reports if report.differences]
    assert [report.game for report in failed] == ["fatal"]
    assert "was ended" in failed[0].differences[0].found


# ── the corpus ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", SMALL)
def test_the_interpreter_agrees_with_the_corpus(corpus: Path, name: str) -> None:
    record = read_playout_record(corpus / "traces" / f"{name}.jsonl.gz")
    game = Game.from_file(corpus / record.kif)
    assert verify(record, Interpreter(game)).differences == ()


@pytest.mark.slow
def test_the_interpreter_agrees_with_all_of_the_corpus(corpus: Path) -> None:
    paths = sorted((corpus / "traces").glob("*.jsonl.gz"))
    assert paths
    reports = list(verify_files(paths, engine="interpreter", jobs=None))
    assert [str(d) for report in reports for d in report.differences] == []
    assert len(reports) == len(paths)
    assert {report.engine for report in reports} == {"interpreter"}
