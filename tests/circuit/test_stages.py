"""A circuit to play with at once, and the better one that takes its place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gamelore.circuit import compile_game, compile_in_stages, compiler, find_compiled
from gamelore.circuit.minimise import Effort
from gamelore.circuit.store import load as load_stored
from gamelore.engine import CircuitSimulator
from gamelore.games import load, load_features
from gamelore.gdl import Game

EFFORTS: tuple[Effort, ...] = ("least", "normal")


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.setenv("GAMELORE_CACHE", str(tmp_path))
    monkeypatch.setattr(compiler, "_FEWEST_IN_STAGES", 0)
    return load("breakthrough-5x5")


def test_the_last_stage_is_the_compiled_game(game: Game) -> None:
    stages = []
    for compiled in compile_in_stages(game):
        stages.append(compiled)
        stored = load_stored(game)
        assert stored is not None
        assert stored.statistics == compiled.statistics
    assert [one.statistics.effort for one in stages] == ["least", "normal"]
    first, last = stages
    assert first.fluents == last.fluents and first.moves == last.moves
    assert first.statistics.turns == 1 < last.statistics.turns
    assert last.digest() == compile_game(game, cached=False).digest()


def test_a_stage_that_is_in_the_cache_is_not_made_again(game: Game) -> None:
    stages = compile_in_stages(game)
    first = next(stages)
    stages.close()  # type: ignore[attr-defined]
    assert find_compiled(game) is None
    again = list(compile_in_stages(game))
    assert [one.statistics.effort for one in again] == ["least", "normal"]
    assert again[0].statistics == first.statistics
    assert find_compiled(game) is not None
    (last,) = compile_in_stages(game)
    assert last.statistics == again[1].statistics


def test_a_small_game_has_one_stage(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "_FEWEST_IN_STAGES", 1_000_000)
    (compiled,) = compile_in_stages(game)
    assert compiled.statistics.effort == "normal"


def test_what_the_least_effort_leaves_is_not_taken_for_more(game: Game) -> None:
    compile_game(game, effort="least")
    assert compile_game(game).statistics.effort == "normal"
    assert compile_game(game, effort="least").statistics.effort == "normal"


@pytest.mark.usefixtures("game")
def test_features_are_part_of_every_stage() -> None:
    connect_four = load("connect-four")
    features = load_features("threats", connect_four)
    stages = list(compile_in_stages(connect_four, features=features))
    assert len(stages) == 2
    assert len({one.features for one in stages}) == 1


@pytest.mark.parametrize("name", ["tictactoe", "breakthrough-5x5", "tron", "pig"])
def test_the_least_effort_plays_as_more_does(name: str) -> None:
    game = load(name)
    first, better = (
        CircuitSimulator(game, compile_game(game, effort=effort, cached=False))
        for effort in EFFORTS
    )
    generator = np.random.default_rng(5)
    row = first.initial_row()
    for _ in range(60):
        rows = row[None]
        assert first.terminal(rows) == better.terminal(rows)
        assert first.goals(rows).tolist() == better.goals(rows).tolist()
        legal = first.legal(rows)
        for one, other in zip(legal, better.legal(rows), strict=True):
            assert (one == other).all()
        if first.terminal(rows)[0]:
            row = first.initial_row()
            continue
        joint = [generator.choice(np.flatnonzero(of_role[0])) for of_role in legal]
        moves = np.array([joint], np.int32)
        following = first.advance(rows, moves)
        assert (following == better.advance(rows, moves)).all()
        row = following[0]


def test_playouts_of_the_least_effort_have_the_same_mean_goals() -> None:
    game = load("tictactoe")
    compiled = compile_game(game, effort="least", cached=False)
    goals = CircuitSimulator(game, compiled).playouts(count=20_000, seed=1).mean_goals
    expected = CircuitSimulator(game).playouts(count=20_000, seed=1).mean_goals
    assert np.abs(goals - expected).max() < 2.0  # six standard errors
