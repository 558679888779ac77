"""Initial values that are found when a pattern is first met."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.engine import simulator
from gamelore.errors import CheckpointError
from gamelore.games import load
from gamelore.graph import PatternIndex, StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.records import features_record
from gamelore.learn.role_values import PatternValues
from gamelore.learn.settings import TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.search.policies import PlayerSettings
from gamelore.transfer import (
    ComposedValues,
    Knowledge,
    extract_knowledge,
    initialise_values,
)

AGAINST = PlayerSettings("novice")


def tictactoe_knowledge() -> Knowledge:
    graph = StateGraph(simulator(load("tictactoe")))
    trainer = Trainer(graph, TrainConfig(opponent=AGAINST, seed=4))
    trainer.run(500)
    table = trainer.table
    return extract_knowledge(
        PatternIndex(graph, 0),
        table.rows,
        table.values,
        table.visits,
        opponent="novice",
        matches=500,
    )


@pytest.mark.parametrize("initialise", ["visited", "candidates"])
def test_asking_gives_the_same_run_as_knowing_beforehand(initialise: str) -> None:
    knowledge = tictactoe_knowledge()
    learner = TDSettings(initialise=initialise)  # type: ignore[arg-type]
    config = TrainConfig(learner, AGAINST, seed=2)

    graph = StateGraph(simulator(load("connect-3")))
    pattern_index = PatternIndex(graph, 0)
    known = initialise_values(knowledge, pattern_index)
    beforehand = Trainer(graph, config, PatternValues(pattern_index, known))
    rewards = beforehand.run(300).rewards

    again = StateGraph(simulator(load("connect-3")))
    index = PatternIndex(again, 0)
    numbered = initialise_values(knowledge, index)

    def look_up(number: int) -> float:
        found = numbered[number] if number < len(numbered) else np.nan
        return 50.0 if np.isnan(found) else float(found)

    asked = Trainer(again, config, PatternValues.composed(index, look_up))
    assert (asked.run(300).rewards == rewards).all()
    assert (asked.table.rows == beforehand.table.rows).all()
    assert (asked.table.values == beforehand.table.values).all()


def test_a_hierarchy_gives_values_to_afterstates_that_no_pattern_covers() -> None:
    knowledge = tictactoe_knowledge()
    graph = StateGraph(simulator(load("connect-3")))
    composed = ComposedValues(graph, 0, knowledge)
    patterns = PatternValues.composed(composed.pattern_index, composed.compose)
    Trainer(graph, TrainConfig(opponent=AGAINST), patterns).run(100)
    found = patterns.values[np.isfinite(patterns.values)]
    assert len(found) > len(knowledge.values())
    assert ((found >= 0) & (found <= 100)).all()


def test_values_that_are_composed_are_not_saved_by_mistake() -> None:
    graph = StateGraph(simulator(load("tictactoe")))
    patterns = PatternValues.composed(PatternIndex(graph, 0), lambda number: 50.0)
    with pytest.raises(CheckpointError, match="composed"):
        features_record(patterns)
