"""Tables of a tournament."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from gamelore.ggp.tournament.config import make_tournament
from gamelore.ggp.tournament.report import PICTURES, Report, write_report
from gamelore.ggp.tournament.schedule import schedule
from gamelore.match.ratings import Result


@pytest.fixture
def report(tmp_path: Path) -> Report:
    """Of twelve matches eight are over: a beats b, draws with c in nim; the other
    game has not been played to its end by anybody but a and b."""
    values = {
        "players": {"a": "random", "b": "random", "c": "random"},
        "games": ["nim", "pig"],
    }
    tournament = make_tournament(values, tmp_path / "cup.toml")
    fixtures = schedule(tournament)
    goals = {"a": 100, "b": 0, "c": 100}
    results = {
        each: Result(each.players, (goals[first], goals[second]), (0, 1), each.game)
        for each in fixtures
        for first, second in [each.players]
        if each.game == "nim" or "c" not in each.players
    }
    return Report(tournament, results, len(fixtures))


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_text_has_both_tables(report: Report) -> None:
    lines = str(report).splitlines()
    assert lines[0] == "cup: 8 of 12 matches"
    assert [line.split()[0] for line in lines[3:6]] == ["a", "c", "b"]
    assert lines[7].split() == ["mean", "goal", "nim", "pig"]
    assert lines[9].split() == ["c", "100.0", "-"]
    assert "nan" not in str(report)


def test_files_say_the_same(report: Report, tmp_path: Path) -> None:
    write_report(report, tmp_path)
    assert (tmp_path / "standings.txt").read_text() == f"{report}\n"
    rows = read_csv(tmp_path / "standings.csv")
    assert [row["player"] for row in rows] == ["a", "c", "b"]
    assert rows[0]["wins"] == "4" and rows[0]["draws"] == "2"
    assert float(rows[0]["goal"]) == 100 > float(rows[0]["goal_low"])
    summary = json.loads((tmp_path / "standings.json").read_text())
    assert summary["matches"] == 8 and summary["planned"] == 12
    assert summary["standings"][0]["faults"] == 3
    assert all((tmp_path / name).stat().st_size > 1000 for name in PICTURES)
    assert not list(tmp_path.glob(".draft*"))


def test_rows_by_role_and_match(report: Report, tmp_path: Path) -> None:
    write_report(report, tmp_path)
    roles = read_csv(tmp_path / "games.csv")
    assert len(roles) == 2 * 2 * 3
    (b_second,) = (
        row
        for row in roles
        if (row["game"], row["role"], row["player"])
        == ("nim", report.tournament.disciplines[0].roles[1], "b")
    )
    assert (b_second["matches"], b_second["goal"], b_second["faults"]) == (
        "2",
        "0.0",
        "2",
    )
    matches = read_csv(tmp_path / "matches.csv")
    assert len(matches) == 2 * 8
    assert sum(int(row["goal"]) for row in matches if row["player"] == "a") == 600
    assert matches[0]["match"] == "nim.a.b.1"


def test_nothing_played_is_a_table_too(report: Report, tmp_path: Path) -> None:
    empty = Report(report.tournament, {}, 12)
    write_report(empty, tmp_path)
    assert "0 of 12" in str(empty)
    json.dumps(empty.to_json(), allow_nan=False)
    assert read_csv(tmp_path / "standings.csv")[0]["goal"] == ""
