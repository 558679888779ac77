"""Opponents that evaluate by features play the same in kernels and out of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gamelore.engine import CircuitSimulator, simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.games import load, load_features
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.opponents import FeaturePlayer
from gamelore.learn.schedules import Fixed
from gamelore.learn.settings import TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.player import Briefing, Clock
from gamelore.search.compiled_alpha_beta import CircuitSearch
from gamelore.search.evaluator import HeuristicEvaluator
from gamelore.settings import from_json, to_json
from gamelore.values.settings import NetworkSettings

LINES = """
(<= (weighted line 1 ?m ?n) (me ?p) (true (cell ?m ?n ?p)) (edge ?m))
(<= (weighted line 3 ?m ?n) (me ?p) (true (cell ?m ?n ?p)) (true (cell ?n ?m ?p)))
(edge 1) (edge 3)
"""


@pytest.mark.parametrize("perspective", ["first", "current-player"])
def test_bulk_and_open_path_are_one(perspective: str, tmp_path: Path) -> None:
    path = tmp_path / "lines.kif"
    path.write_text(LINES)
    function = NetworkSettings(hidden=6, initial_range=None, perspective=perspective)  # type: ignore[arg-type]
    config = TrainConfig(
        opponent=FeaturePlayer(str(path), epsilon=0.1),
        role="alternate",
        schedule=Fixed(0.2),
        function=function,
    )
    sim = simulator(load("tictactoe"))
    bulk, opened = (
        Trainer(StateGraph(sim), config),
        MatchTrainer(StateGraph(sim), config),
    )
    found = bulk.run(40)
    assert (found.rewards == opened.run(40).rewards).all()
    for name, array in bulk.state().weights.items():
        assert array.tobytes() == opened.state().weights[name].tobytes()
    without = Trainer(
        StateGraph(sim), replace(config, opponent=FeaturePlayer(str(path), 1.0))
    )
    assert (without.run(40).rewards != found.rewards).any()


def test_it_plays_like_alpha_beta_of_depth_one() -> None:
    rules = load("abalone-5-40")
    engine, judged = (
        CircuitSimulator(rules, features=load_features(name, rules))
        for name in ("abalearn2", "heuristic")
    )
    config = TrainConfig(
        TDSettings(),
        FeaturePlayer(),
        function=NetworkSettings(hidden=4, perspective="current-player"),
    )
    trainer = Trainer(StateGraph(engine), config)
    rng = np.random.default_rng(2)
    position = Position(engine)
    for step in range(40):
        role = step % 2
        player = GreedyPlayer(trainer.rival_values(role), epsilon=0.0, seed=step)
        player.start(Briefing(engine, engine.roles[role]), Clock())
        chosen = player.choose(position, Clock())
        search = CircuitSearch(judged, HeuristicEvaluator(), role)
        search.begin(position.row, 1)
        best = search.search(1 << 40)
        assert best is not None
        after = position.advance(chosen)
        if not after.is_terminal:
            lead = judged.feature_counts(after.row[None], role)[0, 0]
            assert lead == best.value
        legal = position.legal_moves(engine.roles[role])
        position = position.advance(legal[int(rng.integers(len(legal)))])
        if position.is_terminal:
            break
    assert step > 20


def test_it_needs_a_function_to_play_against() -> None:
    graph = StateGraph(simulator(load("tictactoe")))
    with pytest.raises(GameloreError, match="match by match"):
        Trainer(graph, TrainConfig(opponent=FeaturePlayer()))
    with pytest.raises(ValueError, match="epsilon must be in"):
        FeaturePlayer(epsilon=2.0)


def test_it_is_saved_with_a_plan() -> None:
    config = TrainConfig(opponent=FeaturePlayer("heuristic", 0.25))
    assert from_json(TrainConfig, to_json(config)) == config
