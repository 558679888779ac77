"""Knowledge by path: files and stores, loaded and added to alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gamelore.errors import KnowledgeError
from gamelore.transfer import (
    Knowledge,
    SourceResult,
    add_knowledge,
    check_destination,
    load_knowledge,
    load_sources,
)


@pytest.mark.parametrize("name", ["lore.json", "lore.db"])
def test_results_are_added(tmp_path: Path, result: SourceResult, name: str) -> None:
    path = tmp_path / name
    weak = replace(result, opponent="weak")
    check_destination(path)
    add_knowledge(Knowledge((result,)), path)
    add_knowledge(Knowledge((weak,)), path)
    check_destination(path)
    assert load_knowledge(path) == Knowledge((result, weak))
    assert load_sources([path], "weak") == Knowledge((weak,))


def test_sources_join(tmp_path: Path, result: SourceResult) -> None:
    nim = replace(result, game="nim")
    add_knowledge(Knowledge((result,)), tmp_path / "a.json")
    add_knowledge(Knowledge((nim,)), tmp_path / "b.db")
    paths = [tmp_path / "a.json", tmp_path / "b.db"]
    assert load_sources(paths) == Knowledge((result, nim))
    with pytest.raises(KnowledgeError, match="nothing was learned against weak"):
        load_sources(paths, "weak")


def test_overwriting_replaces_a_file(tmp_path: Path, result: SourceResult) -> None:
    path = tmp_path / "lore.json"
    path.write_text("something else")
    with pytest.raises(KnowledgeError, match="is no knowledge file"):
        check_destination(path)
    with pytest.raises(KnowledgeError, match="is no knowledge file"):
        add_knowledge(Knowledge((result,)), path)
    check_destination(path, overwrite=True)
    add_knowledge(Knowledge((result,)), path, overwrite=True)
    assert load_knowledge(path) == Knowledge((result,))


def test_paths_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match="there is no folder"):
        check_destination(tmp_path / "none" / "lore.json")
    with pytest.raises(KnowledgeError, match="there is no file"):
        load_knowledge(tmp_path / "lore.db")
