"""Folders of results: complete or absent."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from gamelore.errors import GameloreError
from gamelore.experiments.output import markdown_table, results_folder, write_csv


@dataclass(frozen=True)
class Sizes:
    runs: int = 3


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "results"
    with results_folder(folder, "one", Sizes()) as draft:
        (draft / "data.csv").write_text("a\n")
        assert not folder.exists()
    assert sorted(path.name for path in folder.iterdir()) == [
        "data.csv",
        "settings.json",
    ]
    assert json.loads((folder / "settings.json").read_text()) == {
        "experiment": "one",
        "runs": 3,
    }


def test_an_interrupt_leaves_what_was_there(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    with results_folder(folder, "one", Sizes()) as draft:
        (draft / "old").touch()
    with (
        pytest.raises(KeyboardInterrupt),
        results_folder(folder, "one", Sizes()) as draft,
    ):
        (draft / "half").touch()
        raise KeyboardInterrupt
    assert (folder / "old").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_older_results_are_replaced_whole(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    for name in ("old", "new"):
        with results_folder(folder, "one", Sizes()) as draft:
            (draft / name).touch()
    assert not (folder / "old").exists()
    assert (folder / "new").exists()


def test_nothing_else_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with (
        pytest.raises(GameloreError, match="something other than results"),
        results_folder(tmp_path, "one", Sizes()),
    ):
        raise AssertionError("must not begin")
    assert (tmp_path / "thesis.tex").exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(GameloreError, match="is a file"),
        results_folder(tmp_path / "file", "one", Sizes()),
    ):
        raise AssertionError("must not begin")


def test_tables(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", ("a", "b"), [(1, 0.12345678), ("x, y", 2.0)])
    assert (tmp_path / "t.csv").read_text() == 'a,b\n1,0.123457\n"x, y",2.0\n'
    assert markdown_table(("a",), [(1,), (2,)]) == "| a |\n| --- |\n| 1 |\n| 2 |"
