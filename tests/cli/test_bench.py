"""`gamelore bench`: which benchmark runs, and what it prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gamelore.bench import Rate
from gamelore.bench.playouts import format_table
from gamelore.cli.bench import command
from gamelore.games import load

QUICK = ("--seconds", "0.02", "--rounds", "1", "--json")


def run(*arguments: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.output.splitlines()]


def test_games_are_played_out() -> None:
    (rate,) = run("tictactoe", *QUICK)
    assert rate["game"] == "tictactoe"
    assert rate["playouts_per_s"] > 0
    assert run(*QUICK, "tictactoe")[0].keys() == rate.keys(), "options may come first"


def test_rule_sheets_are_played_out_and_shown_in_a_table(tmp_path: Path) -> None:
    sheet = tmp_path / "tiny.kif"
    sheet.write_text(load("tictactoe").to_kif())
    (rate,) = run(str(sheet), *QUICK)
    assert rate["mean_moves"] == pytest.approx(7.6, abs=0.4)
    assert rate["gates"] >= rate["gates_per_turn"] > 0
    options = ("--seconds", "0.02", "--rounds", "1", "--table")
    table = CliRunner().invoke(command, [str(sheet), *options], catch_exceptions=False)
    head, _, row = table.output.splitlines()
    assert head.startswith("| game | gates | gates a turn |")
    assert row.startswith(f"| tiny | {rate['gates']} |")


def test_a_table_has_a_peer_where_it_was_measured() -> None:
    table = format_table(
        [Rate("hex-9x9", 123_456.0, gates=2835), Rate("x", 70.0, "them", 7.0, 10.0)]
    )
    assert table.splitlines()[2:] == [
        "| hex-9x9 | 2,835 |  |  |  | 123,500 |  |  |",
        "| x |  |  |  |  | 70 | 7 | 10.0 × |",
    ]


def test_a_table_is_no_json() -> None:
    result = CliRunner().invoke(command, ["tictactoe", "--table", "--json"])
    assert result.exit_code == 2
    assert "exclude each other" in result.output


def test_learners_learn() -> None:
    rates = run("learn", "--peers", "none", *QUICK)
    assert [rate["learner"] for rate in rates] == ["td", "q", "qm", "q-self"]
    assert [rate["against"] for rate in rates] == [*["random"] * 3, "self"]
    assert all(rate["ratio"] is None for rate in rates)
    assert all(rate["matches_per_s"] > 0 for rate in rates)


def test_learning_beside_openspiel() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is an extra")
    (rate,) = run("learn", "q", "--seconds", "0.1", "--rounds", "1", "--json")
    assert rate["peer"] == "openspiel"
    assert rate["ratio"] > 0


@pytest.mark.timing
@pytest.mark.parametrize("learner", ["q", "q-self"])
def test_learning_is_faster_than_in_openspiel(learner: str) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is an extra")
    (rate,) = run("learn", learner, "--seconds", "0.5", "--rounds", "1", "--json")
    assert rate["ratio"] >= 40


def test_growth_is_measured() -> None:
    measured = run("learn", "--growth", "--entries", "60000", "--json")
    assert [m["entries"] >= n for m, n in zip(measured, (10_000, 60_000), strict=True)]
    assert measured[-1]["matches"] > 1000
    assert all(m["bytes_per_entry"] <= 64 for m in measured)


def test_the_help_names_both_benchmarks() -> None:
    output = CliRunner().invoke(command, ["--help"]).output
    assert "playouts" in output
    assert "learn" in output


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "0", "1e300", "soon"])
def test_numbers_that_are_none(seconds: str) -> None:
    result = CliRunner().invoke(command, ["tictactoe", "--seconds", seconds])
    assert result.exit_code == 2
    assert "Invalid value for '--seconds'" in result.output
