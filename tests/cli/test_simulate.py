"""`gamelore simulate`, `perft`, `show` and `compile` print what they should, again."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gamelore.cli import main
from gamelore.cli.simulate import compute_margin, compute_mean

ENDLESS = """
(role x) (init (at 0)) (<= (legal x wait) (true (at ?n)))
(<= (next (at 0)) (does x wait)) (<= terminal (true (at 1)))
(<= (goal x 100) (true (at 1))) (<= (goal x 0) (true (at 0)))
"""

MOVES_IN_PAIRS = """
(role x) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(option a) (option b) (<= (legal x ?m) (option ?m))
(<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
(<= (next going) (or (true (at 0)) (true (at 2))))
(<= terminal (true (at 4))) (<= (goal x 50) (true (at ?n)))
"""


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def data(*arguments: str | Path) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert isinstance(record, dict)
    return record


def without_times(record: dict[str, Any]) -> dict[str, Any]:
    return {key: record[key] for key in record.keys() - {"seconds", "matches_per_s"}}


def test_means_and_margins() -> None:
    assert compute_mean({0: 1, 100: 3}) == 75
    assert compute_margin({0: 50, 100: 50}) == pytest.approx(1.96 * 50 / math.sqrt(99))
    assert compute_margin({50: 10}) == 0
    assert compute_mean({}) is None
    assert compute_margin({50: 1}) is None


def test_random_play_agrees_with_what_is_known() -> None:
    record = data("simulate", "tictactoe", "--count", "40000")
    assert record["matches"] == 40000
    assert record["engine"] == "circuit"
    assert (record["length"]["min"], record["length"]["max"]) == (5, 9)
    goal = record["goals"]["x"]
    assert abs(goal["mean"] - 64.8) < 2 * goal["margin_95"]
    assert sum(goal["counts"].values()) == 40000
    assert record["matches_per_s"] == pytest.approx(40000 / record["seconds"])


def test_the_seed_decides_and_threads_do_not() -> None:
    def play(*more: str) -> dict[str, Any]:
        return without_times(data("simulate", "tictactoe", "--count", "20000", *more))

    first = play("--seed", "1")
    assert play("--seed", "1", "--threads", "2") == first
    assert play("--seed", "2") != first


def test_engines_agree() -> None:
    circuit = data("simulate", "nim", "--count", "20000")
    plain = data("simulate", "nim", "--count", "400", "--engine", "interpreter")
    assert plain["engine"] == "interpreter"
    mine, theirs = plain["goals"]["first"], circuit["goals"]["first"]
    assert abs(mine["mean"] - theirs["mean"]) < 2 * mine["margin_95"]


def test_people_get_a_summary() -> None:
    lines = run("simulate", "tictactoe", "--count", "100").output.splitlines()
    assert lines[0] == "tictactoe, 100 random matches on the circuit"
    assert lines[1].startswith("length  mean   7.")
    assert lines[2].startswith("x       mean  ")
    assert lines[-1].endswith(" matches per second")


def test_matches_that_do_not_end_are_cut_off(tmp_path: Path) -> None:
    (tmp_path / "endless.kif").write_text(ENDLESS)
    path = tmp_path / "endless.kif"
    record = data("simulate", path, "--count", "2", "--engine", "interpreter")
    assert record["cut_off"] == 2
    assert record["goals"]["x"]["mean"] is None
    output = run("simulate", path, "--count", "2", "--engine", "interpreter").output
    assert "2 matches were cut off at the move limit" in output


@pytest.mark.parametrize("command", ["simulate", "show", "play"])
def test_unknown_games(command: str) -> None:
    result = run(command, "conect-four")
    assert result.exit_code == 1
    assert "did you mean connect-four?" in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("count", ["0", "-5", "many"])
def test_wrong_counts(count: str) -> None:
    assert run("simulate", "nim", "--count", count).exit_code == 2


def test_rules_that_do_not_read(tmp_path: Path) -> None:
    (tmp_path / "bad.kif").write_text("(role x\n(goal x 100)")
    result = run("simulate", tmp_path / "bad.kif")
    assert result.exit_code == 1
    assert "bad.kif:1:1: error: " in result.output


def test_perft_prints_one_count_for_each_depth() -> None:
    result = run("perft", "connect-four", "4")
    assert result.exit_code == 0
    assert result.output == "   1      7\n   2     49\n   3    343\n   4  2,401\n"


def test_perft_counts_a_turn_of_several_moves_once() -> None:
    record = data("perft", "english-draughts", "4")
    assert record["counts"] == [7, 49, 302, 1469]


def test_perft_can_be_told_what_joins_moves(tmp_path: Path) -> None:
    (tmp_path / "pairs.kif").write_text(MOVES_IN_PAIRS)
    path = tmp_path / "pairs.kif"
    assert data("perft", path, "2")["counts"] == [2, 4]
    assert data("perft", path, "2", "--continues", "going")["counts"] == [4, 16]


@pytest.mark.parametrize("depth", ["0", "-1", "x"])
def test_wrong_depths(depth: str) -> None:
    assert run("perft", "nim", depth).exit_code == 2


def test_show_says_what_a_game_is_made_of() -> None:
    record = data("show", "tictactoe")
    assert record["roles"] == ["x", "o"]
    assert record["moves"] == {"x": 10, "o": 10}
    assert record["fluents"] > 18
    assert 0 < record["gates"] <= record["gates_built"]
    lines = run("show", "tictactoe").output.splitlines()
    assert lines[0].startswith("tictactoe: ")
    assert f"  fluents       {record['fluents']}" in lines


def test_show_prints_rules_that_read_back(tmp_path: Path) -> None:
    (tmp_path / "copy.kif").write_text(run("show", "nim", "--rules").output)
    assert data("show", tmp_path / "copy.kif")["rules"] == data("show", "nim")["rules"]
    assert run("check", tmp_path / "copy.kif").exit_code == 0


def test_compile_says_what_was_reached(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("GAMELORE_CACHE", str(tmp_path))
    assert data("compile", "tictactoe", "--effort", "quick")["effort"] == "quick"
    assert data("compile", "tictactoe", "--effort", "high")["effort"] == "high"
    assert "effort high" in run("compile", "tictactoe").output
    assert data("show", "tictactoe")["effort"] == "high"
