"""`gamelore learn` without options, and by n-tuple networks."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from gamelore.cli import main

FEW = ("--tuples", "5", "--tuple-length", "4")


def learn(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["learn", *arguments])


def test_a_small_game_is_learned_in_a_table_by_self_play() -> None:
    result = learn("tictactoe", "--minutes", "0.003", "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["settings"]["values"] == "table"
    assert record["settings"]["against"] == "self"
    assert record["stopped_by"] == "minutes"
    assert "learning by table, against self" in result.stderr
    assert all(one["processor_seconds"] >= 0 for one in record["evaluations"])


def test_it_ends_by_itself_and_keeps_the_best(tmp_path: Path) -> None:
    path = tmp_path / "nim.ckpt"
    more = ("--patience", "2", "--evaluate-every", "50", "--evaluation-matches", "20")
    result = learn("nim", *more, "--save", str(path))
    assert result.exit_code == 0, result.output
    assert "settled  no better since" in result.stdout
    assert "until it stops getting better or Ctrl-C" in result.stderr
    assert (tmp_path / "nim-best.ckpt").exists()
    assert str(tmp_path / "nim-best.ckpt") in result.stdout


def test_options_that_say_how_are_kept_to() -> None:
    result = learn("tictactoe", "--matches", "9", "--json")
    record = json.loads(result.stdout)
    assert record["settings"]["against"] == "novice"
    assert record["matches"] == 9


def test_n_tuples_are_learned_saved_and_played(tmp_path: Path) -> None:
    path = tmp_path / "net.ckpt"
    ntuple = ("--values", "ntuple", "--against", "self", *FEW)
    result = learn("connect-3", *ntuple, "--matches", "40", "--save", str(path))
    assert result.exit_code == 0, result.output
    assert "ntuple   52 inputs" in result.stdout
    resumed = learn("connect-3", "--save", str(path), "--resume", "--matches", "50")
    assert "resumed  after 40 matches" in resumed.stdout
    match = ["match", "connect-3", f"learned:{path}:2", f"mcts:{path}:30", "--quiet"]
    assert CliRunner().invoke(main, match).exit_code == 0


def test_what_n_tuples_cannot_do_is_refused() -> None:
    ntuple = ("connect-3", "--values", "ntuple", "--against", "self", *FEW)
    assert "n-tuple networks learn by TD" in learn(*ntuple, "--learner", "q").stderr
    output = learn(*ntuple, "--hidden", "3").output
    assert "--hidden has no meaning for --values ntuple" in output
    output = learn("tictactoe", "--opening", "3").output
    assert "--opening has no meaning for --values table" in output
    output = learn(*ntuple[:5], "--tuples", "0").output
    assert "--tuples must be in [1, 10,000], got 0" in output
