"""`gamelore verify`: totals, differences, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gamelore.cli import main
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.verify.runner import record_playouts, write_playout_record
from gamelore.games import load, rules_text

GAMES = ["tictactoe", "nim"]


def verify(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["verify", *map(str, arguments)])


@pytest.fixture
def records(tmp_path: Path) -> list[Path]:
    """Playout records of two games, laid out with their rule sheets as a corpus is."""
    (tmp_path / "games").mkdir()
    (tmp_path / "records").mkdir()
    paths = []
    for name in GAMES:
        (tmp_path / "games" / f"my-{name}.kif").write_text(rules_text(name))
        path = tmp_path / "records" / f"{name}.jsonl"
        write_playout_record(record_playouts(Interpreter(load(name)), 3, seed=1), path)
        edit(path, lambda lines, name=name: lines[0].update(kif=f"games/my-{name}.kif"))
        paths.append(path)
    return paths


def edit(path: Path, change: Any) -> None:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


@pytest.mark.parametrize("engine", ["auto", "circuit", "interpreter"])
def test_true_traces_have_no_difference(records: list[Path], engine: str) -> None:
    result = verify(*records, "--engine", engine, "--jobs", "1")
    assert result.exit_code == 0, result.output
    played = "interpreter" if engine == "interpreter" else "circuit"
    lines = result.output.splitlines()
    assert lines[0] == f"2 on {played}"
    assert lines[1].startswith("2 games, 6 playouts, ")
    assert lines[1].endswith(" positions, 0 differences")
    assert len(lines) == 2


def test_processes_change_nothing(records: list[Path]) -> None:
    alone, together = (verify(*records, "--jobs", jobs) for jobs in "12")
    assert together.output == alone.output
    assert together.exit_code == 0


def test_a_difference_is_told_with_its_place(records: list[Path]) -> None:
    def claim(lines: list[Any]) -> None:
        lines[2]["goals"][0] = [100, 0]

    edit(records[0], claim)
    result = verify(*records, "--jobs", "1")
    assert result.exit_code == 1
    first, *_, last = result.output.splitlines()
    assert first.startswith("tictactoe, playout 1, step 0: goal of x: expected 100")
    assert not last.endswith(" 0 differences")


def test_a_game_that_fails_does_not_stop_the_others(records: list[Path]) -> None:
    edit(records[0], lambda lines: lines[0].update(kif="games/gone.kif"))
    result = verify(*records, "--jobs", "1")
    assert result.exit_code == 1
    assert "tictactoe: failure" in result.output
    assert result.output.splitlines()[-1].startswith("2 games, 3 playouts, ")


def test_damaged_files_are_differences(records: list[Path]) -> None:
    records[0].write_bytes(b"\x1f\x8bnoise")
    result = verify(*records, "--jobs", "1")
    assert result.exit_code == 1
    assert "Traceback" not in result.output


def test_games_are_found_in_the_folder_named(records: list[Path]) -> None:
    moved = records[0].parent.parent / "elsewhere" / "deep"
    moved.mkdir(parents=True)
    path = records[0].rename(moved / records[0].name)
    assert verify(path).exit_code == 1
    assert verify(path, "--games", moved.parent.parent).exit_code == 0


def test_json(records: list[Path]) -> None:
    result = verify(*records, "--jobs", "1", "--json")
    totals = json.loads(result.output)
    assert (totals["games"], totals["playouts"], totals["differences"]) == (2, 6, 0)
    assert [report["game"] for report in totals["reports"]] == GAMES
    assert totals["positions"] == sum(r["positions"] for r in totals["reports"])


@pytest.mark.parametrize("arguments", [[], ["nowhere.jsonl"], ["."]])
def test_usage_errors(arguments: list[str]) -> None:
    assert verify(*arguments).exit_code == 2


def test_public_traces(corpus: Path) -> None:
    paths = sorted((corpus / "traces").glob("t*.jsonl.gz"))[:3]
    assert paths
    result = verify(*paths, "--engine", "interpreter", "--jobs", "1")
    assert result.exit_code == 0, result.output
