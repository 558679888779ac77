"""What the library offers, and what it says of names it does not know."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamelore.engine.choose import simulator
from gamelore.errors import UnknownGameError
from gamelore.games import (
    LibraryEntry,
    entry,
    feature_names,
    features_text,
    library,
    load,
    load_features,
    rules_text,
)
from gamelore.gdl import Game
from gamelore.gdl.checks.rule_sheet import check_text

PROMISED = [
    *("tictactoe", "tictactoe-4x4", "tictactoe-5x5"),
    *("connect-four", "connect-four-4x4", "connect-3", "gomoku"),
    *("othello", "othello-4x4", "othello-6x6", "capture-go"),
    *(f"hex-{size}x{size}" for size in range(3, 12)),
    *("breakthrough", "breakthrough-6x6", "english-draughts", "nim"),
]

ENTRIES = {known.name: known for known in library()}


def test_every_promised_game_is_listed() -> None:
    assert set(PROMISED) <= set(ENTRIES)
    assert len(ENTRIES) == len(library())


def test_there_is_a_game_of_each_kind() -> None:
    kinds = {known.moves for known in library()}
    assert kinds == {"alternating", "simultaneous", "single-player"}
    assert {known.players for known in library()} == {1, 2, 3}
    assert any("random" in known.roles for known in library())


@pytest.mark.parametrize("known", ENTRIES.values(), ids=ENTRIES)
def test_a_sheet_passes_every_check_and_says_what_its_entry_says(
    known: LibraryEntry,
) -> None:
    assert check_text(rules_text(known.name), source=known.name) == []
    game = load(known.name)
    assert (game.name, game.source, game.roles) == (known.name, known.name, known.roles)
    assert entry(known.name) == known


@pytest.mark.parametrize("known", ENTRIES.values(), ids=ENTRIES)
def test_a_sheet_is_written_to_be_read(known: LibraryEntry) -> None:
    lines = rules_text(known.name).splitlines()
    assert lines[0].startswith("; ")
    assert lines[1] == ";"
    assert max(map(len, lines)) <= 88
    assert ";@" not in rules_text(known.name)
    assert Game.from_kif(load(known.name).to_kif()).rules == load(known.name).rules


@pytest.mark.parametrize("known", ENTRIES.values(), ids=ENTRIES)
def test_random_matches_end_with_a_goal_for_every_role(known: LibraryEntry) -> None:
    playouts = simulator(load(known.name)).playouts(count=200, seed=3)
    assert playouts.cut_off == 0
    for counts in playouts.goal_counts:
        assert sum(counts.values()) == 200
        assert all(0 <= goal <= 100 for goal in counts)


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("othello-8x8", "othello"),
        ("othello-10x10", "othello-10x10"),
        ("breakthrough-5x5", "breakthrough-5x5"),
        ("connect-four-8x8", "connect-four-8x8"),
        ("connect-3-4x6", "connect-3-4x6"),
        ("gomoku-9x9", "gomoku-9x9"),
        ("tictactoe-6x6", "tictactoe-6x6"),
        ("hex", "hex-11x11"),
        ("nim-1-3-5-7", "nim"),
        ("nim-4-4", "nim-4-4"),
        ("pig-10", "pig-10"),
    ],
)
def test_sizes_by_name(name: str, canonical: str) -> None:
    assert load(name).name == entry(name).name == canonical


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("othello-7x7", "its size is even"),
        ("othello-6x8", "its board is square"),
        ("hex-2x2", "sizes go from 3 to 19"),
        ("hex-99999x99999", "sizes go from 3 to 19"),
        ("hex-5", "a size is written like 11x11"),
        ("nim-3x4", "a size is written like 1-3-5-7"),
        ("english-draughts-10x10", "one size only"),
        ("checkers", "did you mean english-draughts?"),
        ("Othello", "did you mean othello?"),
        ("tic-tac-toe", "did you mean tictactoe?"),
        ("othelo-6x6", "did you mean othello-6x6?"),
        ("tictactoe-٣x٣", "did you mean"),
        ("no such thing", "`gamelore games` lists them all"),
        ("", "`gamelore games` lists them all"),
    ],
)
def test_unknown_names(name: str, reason: str) -> None:
    with pytest.raises(UnknownGameError) as caught:
        load(name)
    assert reason in str(caught.value)
    assert "gamelore games" in str(caught.value)


def test_a_path_is_read_as_a_sheet(tmp_path: Path) -> None:
    sheet = tmp_path / "tictactoe.kif"
    sheet.write_text(rules_text("nim-2-2"), encoding="utf-8")
    for path in (sheet, str(sheet)):
        game = load(path)
        assert game.roles == ("first", "second")
        assert (game.source, game.renderer) == (str(sheet), None)


def test_a_missing_sheet_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownGameError, match=r"absent\.kif"):
        load(tmp_path / "absent.kif")


def test_numbers_at_the_end_of_a_size_may_be_left_out() -> None:
    assert entry("abalone-3").size == entry("abalone-3-300").size == (3, 300)
    assert entry("abalone-3-300").name == "abalone-3"
    assert entry("abalone-5-300").name == "abalone"
    assert entry("abalone-5-500").name == "abalone-5-500"
    for name in ("abalone-6", "abalone-3-0", "abalone-3-3-3"):
        with pytest.raises(UnknownGameError, match="abalone has no size"):
            entry(name)


def test_features_come_in_the_size_of_their_game() -> None:
    assert feature_names("abalone-3") == feature_names("abalone")
    assert feature_names("tictactoe") == ()
    assert "(distance 33 0)" in features_text("abalone-3", "abalearn2")
    assert load_features("abalearn2", load("abalone-3")).name == "abalearn2"
    with pytest.raises(UnknownGameError, match="no features 'x'; it comes with abale"):
        features_text("abalone", "x")


WITH_FEATURES = ("abalone", "connect-four", "othello")


def test_features_files_are_written_to_be_read() -> None:
    files = [(name, which) for name in WITH_FEATURES for which in feature_names(name)]
    assert len(files) == 7
    for name, which in files:
        lines = features_text(name, which).splitlines()
        assert lines[0].startswith("; ")
        assert max(map(len, lines)) <= 88
