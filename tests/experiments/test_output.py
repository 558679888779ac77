"""Folders of results: complete or absent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gamelore.errors import GameloreError
from gamelore.experiments.claims import Claim
from gamelore.experiments.output import results_folder, write_claims, write_csv
from gamelore.experiments.statistics import Interval

RECORD = {"experiment": "one", "runs": 3}


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "results"
    with results_folder(folder, RECORD) as draft:
        (draft / "data.csv").write_text("a\n")
        assert not folder.exists()
    assert sorted(path.name for path in folder.iterdir()) == [
        "data.csv",
        "settings.json",
    ]
    assert json.loads((folder / "settings.json").read_text()) == RECORD


def test_an_interrupt_leaves_what_was_there(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    with results_folder(folder, RECORD) as draft:
        (draft / "old").touch()
    with (
        pytest.raises(KeyboardInterrupt),
        results_folder(folder, RECORD) as draft,
    ):
        (draft / "half").touch()
        raise KeyboardInterrupt
    assert (folder / "old").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_older_results_are_replaced_whole(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    for name in ("old", "new"):
        with results_folder(folder, RECORD) as draft:
            (draft / name).touch()
    assert not (folder / "old").exists()
    assert (folder / "new").exists()


def test_nothing_else_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with (
        pytest.raises(GameloreError, match="something other than results"),
        results_folder(tmp_path, RECORD),
    ):
        raise AssertionError("must not begin")
    assert (tmp_path / "thesis.tex").exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(GameloreError, match="is a file"),
        results_folder(tmp_path / "file", RECORD),
    ):
        raise AssertionError("must not begin")


def test_tables(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", ("a", "b"), [(1, 0.12345678), ("x, y", 2.0)])
    assert (tmp_path / "t.csv").read_text() == 'a,b\n1,0.123457\n"x, y",2.0\n'


def test_claims_have_a_row_for_each_measurement(tmp_path: Path) -> None:
    measured: dict[str, Interval | str] = {
        "4 runs": Interval(1.0, 0.5, 1.5),
        "also": "x",
    }
    write_claims(tmp_path / "c.csv", [Claim("Figure 1", "more", measured, "holds")])
    assert (tmp_path / "c.csv").read_text().splitlines()[1:] == [
        ",Figure 1,more,4 runs,1.0,0.5,1.5,holds",
        ",Figure 1,more,also,x,,,holds",
    ]
