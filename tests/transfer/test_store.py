"""The store: what is added stays, whatever happens to the process."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gamelore.errors import KnowledgeError
from gamelore.transfer import Knowledge, KnowledgeStore, SourceResult


def test_results_come_back(tmp_path: Path, result: SourceResult) -> None:
    path = tmp_path / "lore.db"
    second = replace(result, role="o")
    with KnowledgeStore(path) as store:
        store.add(result)
        store.add(Knowledge((result, second)))
        assert len(store) == 2
    with KnowledgeStore(path) as store:
        assert store.select() == Knowledge((result, second))


def test_select_by_opponent_game_role_and_depth(
    tmp_path: Path, result: SourceResult
) -> None:
    knowledge = Knowledge(
        tuple(
            replace(result, opponent=opponent, game=game, role=role, depth=depth)
            for opponent in ("novice", "weak")
            for game in ("nim", "tictactoe")
            for role in ("x", "o")
            for depth in (2, 3)
        )
    )
    with KnowledgeStore(tmp_path / "lore.db") as store:
        store.add(knowledge)
        assert store.opponents() == ["novice", "weak"]
        assert store.select(opponent="weak") == knowledge.select(opponent="weak")
        nim = knowledge.select(game="nim", depth=3)
        assert store.select(game="nim", depth=3) == nim
        assert store.select(role="x") == knowledge.select(role="x")
        assert store.select(opponent="nobody") == Knowledge()


def test_a_run_that_goes_on_replaces_its_result(
    tmp_path: Path, result: SourceResult
) -> None:
    with KnowledgeStore(tmp_path / "lore.db") as store:
        for matches in (10, 30, 20):
            store.add(replace(result, run="r", matches=matches))
        assert [one.matches for one in store.select().results] == [30]


def test_two_stores_on_one_file(tmp_path: Path, result: SourceResult) -> None:
    path = tmp_path / "lore.db"
    with KnowledgeStore(path) as one, KnowledgeStore(path) as other:
        one.add(result)
        other.add(replace(result, role="o"))
        assert one.select() == other.select()
        assert len(one) == 2


WRITER = """
import sys
from dataclasses import replace
from gamelore.transfer import KnowledgeStore
sys.path.insert(0, sys.argv[2])
from conftest import RESULT
store = KnowledgeStore(sys.argv[1])
for matches in range(1_000_000):
    store.add(replace(RESULT, matches=matches))
    print(matches, flush=True)
"""


def test_a_killed_process_loses_nothing_it_had_added(tmp_path: Path) -> None:
    path = tmp_path / "lore.db"
    here = str(Path(__file__).parent)
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), here],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) == 20:
                break
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split("\n")
    told = max([20, *map(int, rest[:-1])])
    with KnowledgeStore(path) as store:
        matches = sorted(one.matches for one in store.select().results)
        assert matches == list(range(len(matches)))
        assert len(matches) >= told + 1
        store.add(replace(store.select().results[0], role="o"))


@pytest.mark.parametrize("content", [b"no database at all", b"SQLite format 3\0" * 9])
def test_other_files_are_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "lore.db"
    path.write_bytes(content)
    with pytest.raises(KnowledgeError, match=r"cannot use .*lore\.db as a store"):
        KnowledgeStore(path)
    assert path.read_bytes() == content


def test_other_databases_are_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(KnowledgeError, match="another program's database"):
        KnowledgeStore(path)
    assert path.read_bytes() == before


def test_stores_of_another_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "lore.db"
    with KnowledgeStore(path) as store:
        store.connection.execute("UPDATE knowledge_version SET version = 99")
    with pytest.raises(KnowledgeError, match="a store of version 99"):
        KnowledgeStore(path)


def test_a_damaged_result_is_named(tmp_path: Path, result: SourceResult) -> None:
    with KnowledgeStore(tmp_path / "lore.db") as store:
        store.add(result)
        store.connection.execute("UPDATE source_result SET text = substr(text, 1, 50)")
        with pytest.raises(KnowledgeError, match=r"a source result in .* is damaged"):
            store.select()


def test_a_truncated_store_is_refused(tmp_path: Path, result: SourceResult) -> None:
    path = tmp_path / "lore.db"
    with KnowledgeStore(path) as store:
        store.add(result)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(KnowledgeError), KnowledgeStore(path) as store:
        store.select()
