"""`gamelore check`: output and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gamelore.cli import main
from gamelore.engine.verify import first_match, goal_conflicts

CLEAN = """
(role x) (init (cell b)) (<= (legal x mark) (true (cell b)))
(<= (next (cell m)) (does x mark)) (<= terminal (true (cell m)))
(<= (goal x 100) (true (cell m))) (<= (goal x 0) (true (cell b)))
"""
WARNED = CLEAN + "(unused a)\n"
BROKEN = CLEAN + "(<= (next (cell ?what)) (does x mark))\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in [("clean", CLEAN), ("warned", WARNED), ("broken", BROKEN)]:
        (tmp_path / f"{name}.kif").write_text(text)
    return tmp_path


def check(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)])


def test_clean_rules(folder: Path) -> None:
    result = check(folder / "clean.kif")
    assert result.exit_code == 0
    assert result.output == "1 file, 0 errors, 0 warnings\n"


def test_warnings_alone_pass(folder: Path) -> None:
    result = check(folder / "warned.kif")
    assert result.exit_code == 0
    assert "1 warning\n" in result.output


def test_strict_takes_warnings_for_errors(folder: Path) -> None:
    assert check("--strict", folder / "warned.kif").exit_code == 1
    assert check("--strict", folder / "clean.kif").exit_code == 0


def test_errors_show_place_and_caret(folder: Path) -> None:
    result = check(folder / "clean.kif", folder / "broken.kif")
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[0].startswith(f"{folder / 'broken.kif'}:5:")
    assert "error:" in lines[0]
    assert lines[1] == "  (<= (next (cell ?what)) (does x mark))"
    assert lines[2].strip("^ ") == ""
    assert lines[2].index("^") == lines[1].index("?what")
    assert lines[-1].startswith("2 files, 1 error,")


def test_json(folder: Path) -> None:
    result = check("--json", folder / "broken.kif")
    assert result.exit_code == 1
    (problem,) = json.loads(result.output)
    assert problem["severity"] == "error"
    assert problem["file"] == str(folder / "broken.kif")
    assert problem["line"] == 5
    assert problem["column"] == 17
    assert {"code", "message", "length"} < set(problem)


def test_json_of_clean_rules_is_an_empty_list(folder: Path) -> None:
    assert json.loads(check("--json", folder / "clean.kif").output) == []


@pytest.mark.parametrize("arguments", [[], ["nowhere.kif"], ["."]])
def test_usage_errors(arguments: list[str]) -> None:
    assert check(*arguments).exit_code == 2


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "noise.kif").write_bytes(bytes(range(256)) * 20)
    result = check(tmp_path / "noise.kif")
    assert result.exit_code == 1
    assert "error" in result.output


# ── features files ──────────────────────────────────────────────────────────────────

MARKS = "(<= (feature marks) (true (cell m)))\n"


def test_a_features_file_is_checked_beside_its_rules(folder: Path) -> None:
    (folder / "clean.features.kif").write_text(MARKS)
    (folder / "clean.more.features.kif").write_text(MARKS.replace("cell", "cel"))
    result = check(*sorted(folder.glob("clean*.kif")))
    assert result.exit_code == 0
    assert "clean.more.features.kif:1:27: warning: `cel` is never true" in result.output
    assert result.output.endswith("3 files, 0 errors, 1 warning\n")


def test_features_of_a_game(folder: Path) -> None:
    features = folder / "seen.kif"
    features.write_text(MARKS + "(<= (feature moves) (does x mark))\n")
    result = check(folder / "clean.kif", "--features", features)
    assert result.exit_code == 1
    assert f"{features}:2:21: error: `does` cannot be a condition" in result.output
    assert result.output.endswith("2 files, 1 error, 0 warnings\n")


def test_features_of_the_library() -> None:
    result = check("abalone-3", "--features", "abalearn3", "--features", "heuristic")
    assert (result.exit_code, result.output) == (0, "3 files, 0 errors, 0 warnings\n")
    result = check("abalone", "--features", "abalearn4")
    assert result.exit_code == 1
    assert "abalearn1, abalearn2, abalearn3, distances, heuristic" in result.output


def test_features_without_a_game(folder: Path) -> None:
    (folder / "lonely.features.kif").write_text(MARKS)
    result = check(folder / "lonely.features.kif")
    assert result.exit_code == 2
    assert "no rule sheet stands beside" in result.output
    result = check(folder / "clean.kif", folder / "warned.kif", "--features", "x.kif")
    assert result.exit_code == 2


STUCK = """
(role x) (role y) (init (step 1)) (legal x go) (<= (legal y go) (true (step 2)))
(<= (next (step 2)) (does x go)) (<= terminal (true (step 2))) (goal x 50) (goal y 50)
"""
ENDLESS = """
(role x) (init (on)) (legal x wait) (<= (next (on)) (true (on)) (does x wait))
(init (off 1)) (<= (next (off ?n)) (true (off ?n)))
(<= terminal (true (off 1)) (not (true (on)))) (goal x 50)
"""
# `x` has two goals where neither role misses, which is one match in 81.
BOTH_WIN = """
(role x) (role y) (init (step 0)) (succ 0 1) (succ 1 2) (m a) (m b) (m c)
(<= (legal ?r ?m) (role ?r) (m ?m))
(<= (next (step ?n)) (true (step ?o)) (succ ?o ?n))
(<= (next (missed ?r)) (does ?r ?m) (distinct ?m a))
(<= (next (missed ?r)) (true (missed ?r)))
(<= terminal (true (step 2)))
(<= (goal ?r 100) (role ?r) (not (true (missed ?r))))
(<= (goal x 50) (not (true (missed y))))
(<= (goal ?r 0) (role ?r) (true (missed ?r)) (or (distinct ?r x) (true (missed y))))
"""
NO_GOAL = BOTH_WIN.replace("(<= (goal x 50) (not (true (missed y))))", "")


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let matches take what time they need."""
    for check_play in (first_match.check_first_match, goal_conflicts.check_goals):
        monkeypatch.setattr(check_play, "__defaults__", (1e9, lambda: 0))


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (CLEAN.replace(" x", " Random"), "`Random` is a player like others: chance is"),
        (STUCK, "`y` has no legal move in the first position, which does not end"),
        (ENDLESS, "a random match had not ended after 1,000 moves: it may never"),
        (BOTH_WIN, "`x` has the goals 100 and 50 at the end of a random match of 2"),
        (NO_GOAL, "`x` has no goal at the end of a random match of 2 moves"),
    ],
)
def test_rules_that_do_not_play(tmp_path: Path, rules: str, message: str) -> None:
    sheet = tmp_path / "rules.kif"
    sheet.write_text(rules)
    result = check(sheet)
    assert result.exit_code == 0
    assert f"warning: {message}" in result.output
    assert "0 errors, 1 warning\n" in result.output


@pytest.mark.parametrize(
    "content",
    [
        b"# A readme\n\nThe next role (see below) is: goal, 'legal' (moves).\n" * 9,
        b"import os\n\n\ndef next(x):\n    return (x[0], {1: 2})\n" * 20,
        b'{"roles": ["x", "o"], "moves": [[1, 2], [3, 4]]}\n' * 20,
        b"<html><body><p>(c) 2007</p></body></html>\n" * 20,
        bytes(range(256)) * 40,
    ],
)
def test_a_file_that_is_no_rule_sheet_gets_one_error(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "file.kif"
    file.write_bytes(content)
    result = check(file)
    assert result.exit_code == 1
    assert "error: this is no rule sheet: it holds no rule of GDL" in result.output
    assert "1 file, 1 error, 0 warnings\n" in result.output
