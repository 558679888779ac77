"""`gamelore patterns`: what it prints and draws."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gamelore.cli import main


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["patterns", *map(str, arguments)])


def listed(*arguments: str) -> list[str]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (["--role", "x"], 12),
        (["--role", "first"], 12),
        (["--role", "o"], 10),
        (["--role", "second"], 10),
        ([], 14),
        (["--rewards"], 14),
    ],
)
def test_how_many_patterns_tictactoe_has(arguments: list[str], count: int) -> None:
    found = listed("tictactoe", *arguments)
    assert len(set(found)) == len(found) == count


def test_json_is_a_list_of_texts_and_nothing_else() -> None:
    result = run("tictactoe", "--role", "x", "--json")
    assert "L (N W)" in json.loads(result.output)  # nothing on stderr either


def test_one_pattern_to_a_line_with_its_positions() -> None:
    result = run("tictactoe", "--role", "x")
    lines = [line.split(maxsplit=1) for line in result.stdout.splitlines()]
    assert [text for _, text in lines] == listed("tictactoe", "--role", "x")
    assert ["168", "(D) (W)"] in lines
    assert "12 tree patterns in 2,097 afterstates, which are all" in result.stderr


def test_depth_and_rewards() -> None:
    assert listed("tictactoe", "--role", "x", "--depth", "1") == ["L", "L N"]
    assert "0 (50)" in listed("tictactoe", "--rewards")


def test_names_of_roles_come_before_turns() -> None:
    assert listed("nim-1-2", "--role", "second") == listed(
        "nim-1-2", "--role", "second", "--engine", "interpreter"
    )


def test_a_limit_is_told() -> None:
    result = run("connect-3", "--role", "red", "--limit", "500", "--json")
    assert json.loads(result.stdout)
    assert "there may be more" in result.stderr


def test_pictures(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    result = run("tictactoe", "--role", "x", "--pictures", folder)
    assert result.exit_code == 0, result.output
    names = {path.name for path in folder.iterdir()}
    assert names == {
        f"{name}.{suffix}"
        for suffix in ("svg", "png")
        for name in ["patterns", *(f"pattern-{letter}" for letter in "abcdefghijkl")]
    }
    assert "26 pictures in" in result.stderr


def test_pictures_where_they_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("tictactoe", "--pictures", tmp_path / "file" / "folder")
    assert result.exit_code == 1
    assert "cannot draw" in result.output


@pytest.mark.slow
def test_matplotlib_is_only_imported_for_pictures() -> None:
    code = """
import sys
from gamelore.cli import main
main(["patterns", "tictactoe", "--json"], standalone_mode=False)
print("slow:", "matplotlib" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "slow: False" in done.stdout


def test_errors() -> None:
    unknown = run("tictactoe", "--role", "z")
    assert unknown.exit_code == 2
    assert "tictactoe has no role z; it has x, o" in unknown.output
    assert "two roles have a choice at once" in run("tron").output
    assert "is for one player" in run("peg-solitaire", "--role", "second").output
