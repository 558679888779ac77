"""Initial values that are found when a template is first met."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.engine import simulator
from gamelore.errors import CheckpointError
from gamelore.games import load
from gamelore.graph import Atlas, Templates
from gamelore.learn.config import Plan
from gamelore.learn.records import features_record
from gamelore.learn.role_values import FeatureValues
from gamelore.learn.settings import TDSettings
from gamelore.learn.trainer import Training
from gamelore.search.policies import PlayerSettings
from gamelore.transfer import Hierarchy, Knowledge, initial_values, learn_values

AGAINST = PlayerSettings("novice")


def tictactoe_knowledge() -> Knowledge:
    atlas = Atlas(simulator(load("tictactoe")))
    training = Training(atlas, Plan(against=AGAINST, seed=4))
    training.run(500)
    table = training.table
    return learn_values(
        Templates(atlas, 0),
        table.rows,
        table.values,
        table.visits,
        opponent="novice",
        matches=500,
    )


@pytest.mark.parametrize("on_sight", [False, True])
def test_asking_gives_the_same_course_as_knowing_beforehand(on_sight: bool) -> None:
    knowledge = tictactoe_knowledge()
    plan = Plan(learner=TDSettings(on_sight=on_sight), against=AGAINST, seed=2)

    atlas = Atlas(simulator(load("connect-3")))
    templates = Templates(atlas, 0)
    known = initial_values(knowledge, templates)
    beforehand = Training(atlas, plan, FeatureValues(templates, known))
    rewards = beforehand.run(300).rewards

    again = Atlas(simulator(load("connect-3")))
    fresh = Templates(again, 0)
    numbered = initial_values(knowledge, fresh)

    def value_of(number: int) -> float:
        found = numbered[number] if number < len(numbered) else np.nan
        return 50.0 if np.isnan(found) else float(found)

    asked = Training(again, plan, FeatureValues.composed(fresh, value_of))
    assert (asked.run(300).rewards == rewards).all()
    assert (asked.table.rows == beforehand.table.rows).all()
    assert (asked.table.values == beforehand.table.values).all()


def test_a_hierarchy_gives_values_to_afterstates_that_no_feature_covers() -> None:
    knowledge = tictactoe_knowledge()
    atlas = Atlas(simulator(load("connect-3")))
    hierarchy = Hierarchy(atlas, 0, knowledge)
    features = FeatureValues.composed(hierarchy.templates, hierarchy.value_of)
    Training(atlas, Plan(against=AGAINST), features).run(100)
    found = features.values[np.isfinite(features.values)]
    assert len(found) > len(knowledge.values())
    assert ((found >= 0) & (found <= 100)).all()


def test_values_that_are_composed_are_not_saved_by_mistake() -> None:
    atlas = Atlas(simulator(load("tictactoe")))
    features = FeatureValues.composed(Templates(atlas, 0), lambda number: 50.0)
    with pytest.raises(CheckpointError, match="composed"):
        features_record(features)
