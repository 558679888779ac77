"""Positions and simulators go to other processes."""

from __future__ import annotations

import copyreg
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from tests.marks import mark_slow

from gamelore.engine import Simulator, simulator
from gamelore.engine.choose import Engine
from gamelore.engine.position import Position
from gamelore.errors import PositionError
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.gdl.features import FeatureRules

GAME = load("tictactoe")
FEATURES = FeatureRules.from_kif("(<= (feature row ?y) (true (cell 1 ?y x)))", GAME)


def play(position: Position, move: str) -> Position:
    return position.advance(move)


def successors(engine: Simulator, rows: Any) -> Any:
    assert engine.features == FEATURES
    return engine.expand(rows).successors


@pytest.mark.parametrize(
    "engine", mark_slow(["circuit", "interpreter"], {"interpreter"})
)
def test_a_position_goes_to_another_process_and_back(engine: Engine) -> None:
    start = Position(simulator(GAME, engine, features=FEATURES))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        position = pool.submit(play, start, "(mark 2 2)").result()
        assert position == start.advance("(mark 2 2)")
        assert position.simulator is start.simulator
        assert str(position) == str(start.advance("(mark 2 2)"))
        rows = start.row[None]
        if start.simulator.portable:
            theirs = pool.submit(successors, start.simulator, rows).result()
            assert (theirs == start.simulator.expand(rows).successors).all()


@pytest.mark.parametrize("engine", ["circuit", "interpreter"])
def test_pickled_games_that_are_in_no_library(engine: Engine) -> None:
    game = Game.from_kif(GAME.to_kif(), "mine")
    position = Position(simulator(game, engine)).advance("(mark 1 3)")
    again = pickle.loads(pickle.dumps(position))
    assert again == position
    assert again.game == game


def test_a_simulator_is_made_once() -> None:
    engine = simulator(GAME, "circuit", features=FEATURES)
    assert pickle.loads(pickle.dumps(engine)) is engine
    positions = [Position(engine).advance(f"(mark {i} 1)") for i in (1, 2, 3)]
    assert pickle.loads(pickle.dumps(positions)) == positions


def test_rows_of_another_version_are_refused() -> None:
    engine = simulator(GAME, "circuit")
    reduced: Any = copyreg.dispatch_table[type(engine)](engine)
    make, (*parts, layout) = reduced
    assert make(*parts, layout) is engine
    with pytest.raises(PositionError, match="another version of gamelore"):
        make(*parts, layout[::-1])


@pytest.mark.parametrize("engine", ["circuit", "interpreter"])
def test_the_matrix_of_facts_and_its_names(engine: Engine) -> None:
    sim = simulator(GAME, engine)
    rows = sim.initial_row()[None]
    for _ in range(3):
        rows = np.concatenate([rows, sim.expand(rows[-3:]).successors[:5]])
        matrix = sim.fact_matrix(rows)
        assert matrix.shape == (len(rows), len(sim.fluents))
        for row, flags in zip(rows, matrix, strict=True):
            facts = {
                fact for fact, flag in zip(sim.fluents, flags, strict=True) if flag
            }
            assert facts == sim.facts(row)
