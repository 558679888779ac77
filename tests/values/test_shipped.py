"""Weights that come with gamelore."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.agents.registry import AgentSpec, make_agent
from gamelore.engine import CircuitSimulator, simulator
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import TDSettings
from gamelore.learn.trained import describe_strength
from gamelore.learn.trainer import Trainer
from gamelore.values.functions import ValueFunction
from gamelore.values.ntuple.settings import NTupleSettings
from gamelore.values.settings import LinearSettings
from gamelore.values.shipped import (
    FOLDER,
    LARGEST,
    find_shipped,
    read_weights,
    shipped_evaluator,
    write_weights,
)

SHIPPED = sorted(path.stem for path in FOLDER.glob("*.npz"))


def load_engine(name: str) -> CircuitSimulator:
    found = simulator(load(name))
    assert isinstance(found, CircuitSimulator)
    return found


def test_weights_survive_a_file() -> None:
    sim = load_engine("tictactoe")
    settings = NTupleSettings(tuples=4, tuple_length=5)
    config = TrainConfig(
        TDSettings(step_size=0.3), SelfPlay(), function=settings, seed=7
    )
    trainer = Trainer(StateGraph(sim), config)
    trainer.run(300)
    function = trainer.function
    assert function is not None
    found = read_weights(write_weights(function, 7, "300 matches"))
    assert (found.settings, found.seed, found.about) == (settings, 7, "300 matches")
    assert found.rules == sim.game.fingerprint
    rows = sim.expand(sim.initial_row()[None]).successors
    values = found.function(sim).evaluate(rows)
    assert values == pytest.approx(function.evaluate(rows), abs=0.02)
    assert np.ptp(values) > 0


def test_other_functions_are_not_shipped() -> None:
    function = ValueFunction(StateGraph(load_engine("tictactoe")), LinearSettings())
    with pytest.raises(GameloreError, match="n-tuple"):
        write_weights(function, 0, "")


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_weights_fit_their_games(name: str) -> None:
    """They are small, know the rules as they are, and say how they were learned."""
    assert (FOLDER / f"{name}.npz").stat().st_size < LARGEST
    sim = load_engine(name)
    evaluator = shipped_evaluator(sim)
    assert evaluator is not None
    rows = sim.expand(sim.initial_row()[None]).successors
    values = evaluator.evaluate(sim, rows, 0, 0)
    assert ((values > 0) & (values < 1)).all()
    strength = describe_strength(sim.game)
    assert strength is not None
    assert "self-play" in strength


def test_games_without_weights_have_none() -> None:
    sim = load_engine("nim")
    assert find_shipped(sim.game) is None
    assert shipped_evaluator(sim) is None
    assert describe_strength(sim.game) is None


def test_trained_is_a_player() -> None:
    assert str(AgentSpec.parse("trained")) == "trained"
    make_agent("trained", seed=1).close()
