"""Compiled games on disk: found again, and ignored when they are not sound."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from gamelore.circuit import CompiledGame, compile_game, store
from gamelore.games import load
from gamelore.gdl import Game


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.setenv("GAMELORE_CACHE", str(tmp_path))
    return load("nim")


def same(one: CompiledGame, other: CompiledGame) -> bool:
    bundles = ((g.program, g.turn_program, g.turns) for g in (one, other))
    programs = zip(*(chain(*of_game) for of_game in bundles), strict=True)
    return (
        (one.fluents, one.initial, one.moves)
        == (other.fluents, other.initial, other.moves)
        and one.statistics == other.statistics
        and all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in programs)
    )


def test_a_stored_game_comes_back_the_same(game: Game) -> None:
    compiled = compile_game(game)
    found = store.load(game)
    assert found is not None
    assert same(compiled, found)
    assert [type(x) for x in found.program] == [type(x) for x in compiled.program]


def test_without_a_file_there_is_nothing(game: Game) -> None:
    assert store.load(game) is None


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda content: content[:-10], marks=pytest.mark.slow),
        lambda content: content[:100] + b"\x00" + content[101:],
        lambda content: b"",
        pytest.param(lambda content: b"something else" * 100, marks=pytest.mark.slow),
    ],
    ids=["truncated", "changed", "empty", "foreign"],
)
def test_a_damaged_file_is_ignored_and_rebuilt(game: Game, damage) -> None:  # type: ignore[no-untyped-def]
    compiled = compile_game(game)
    path = store.path_for(game)
    path.write_bytes(damage(path.read_bytes()))
    assert store.load(game) is None
    again = compile_game(game)
    assert np.array_equal(again.program.left, compiled.program.left)
    assert store.load(game) is not None


def test_a_cache_that_cannot_be_written_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("GAMELORE_CACHE", str(blocked))
    assert compile_game(load("nim")).program.slots > 0


def test_nothing_half_written_is_left_behind(game: Game) -> None:
    compile_game(game)
    files = list(store.path_for(game).parent.iterdir())
    assert files == [store.path_for(game)]
