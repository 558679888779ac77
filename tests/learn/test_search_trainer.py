"""Self-play by search: what is played, and what is learned from it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.values.slow_network import SlowNetwork, list_facts

from gamelore.engine import CircuitSimulator, simulator
from gamelore.errors import DivergenceError, GameloreError
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.match_trainer import make_trainer
from gamelore.learn.parts import PartTrainer
from gamelore.learn.run import RunConfig, TrainingRun
from gamelore.learn.schedules import Fixed
from gamelore.learn.search_trainer import Decision, SearchedMatch, SearchTrainer
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, SearchedPlay, TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.settings import SettingError, from_json, to_json
from gamelore.values.ntuple.model import NTupleModel
from gamelore.values.ntuple.settings import NTupleSettings

CONFIG = TrainConfig(
    TDSettings(step_size=0.5, trace_decay=0.6),
    SelfPlay(),
    schedule=Fixed(0.2),
    opening=2,
    function=NTupleSettings(tuples=6, tuple_length=4),
    search=SearchedPlay(nodes=40),
    seed=5,
)
THOROUGH = SearchedPlay(nodes=100_000)


def make(game: str, config: TrainConfig = CONFIG) -> SearchTrainer:
    trainer = make_trainer(StateGraph(simulator(load(game))), config)
    assert isinstance(trainer, SearchTrainer)
    return trainer


def get_tables(trainer: SearchTrainer) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    assert trainer.function is not None
    tables: np.ndarray[tuple[int], np.dtype[np.float32]]
    tables = trainer.function.weights()["tables"]
    return tables


@cache
def solve(game: str) -> dict[bytes, float]:
    """Return the value of each position to the first player, by brute force."""
    sim = simulator(load(game))
    found: dict[bytes, float] = {}

    def value(row: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> float:
        key = row.tobytes()
        if key not in found:
            if sim.terminal(row[None])[0]:
                found[key] = float(sim.goals(row[None])[0, 0] / 100)
            else:
                counts = [int(one[0].sum()) for one in sim.legal(row[None])]
                after = [value(one) for one in sim.expand(row[None]).successors]
                found[key] = min(after) if counts[1] > counts[0] else max(after)
        return found[key]

    value(sim.initial_row())
    return found


def test_targets_mix_searches_with_what_follows() -> None:
    row = np.zeros(1, np.uint64)
    values, explored = [0.2, 0.4, 0.6], [False, True, False]
    decisions = map(Decision, [row] * 3, values, explored)
    match = SearchedMatch(tuple(decisions), 100, 3)
    last = 0.6 + 0.5 * (1.0 - 0.6)
    assert match.targets(1.0, 0.5) == pytest.approx([0.3, 0.4, last])
    assert match.targets(1.0, 0.0) == pytest.approx(values)
    assert match.targets(0.0, 1.0) == pytest.approx([0.4, 0.4, 0.0])


@pytest.mark.parametrize("game", ["tictactoe", "hex-3x3", "capture-go"])
def test_a_thorough_search_finds_what_positions_are_worth(game: str) -> None:
    known = solve(game)
    trainer = make(game, replace(CONFIG, search=THOROUGH))
    decisions = 0
    for number in range(6):
        match = trainer.play_searched(number)
        decisions += len(match.decisions)
        for one in match.decisions:
            assert one.value == pytest.approx(known[one.row.tobytes()], abs=1e-6)
        ended = match.decisions[-1] if match.decisions else None
        if ended is not None and ended.value in (0.0, 1.0):
            assert match.goal == 100 * ended.value
            assert not ended.explored
    assert decisions >= 6


@pytest.mark.parametrize(
    ("game", "exchange"),
    [
        ("connect-3", False),
        ("tictactoe", True),
        ("english-draughts", True),
        ("pig", False),
    ],
)
def test_matches_are_learned_from_as_defined(game: str, exchange: bool) -> None:
    """The tables become those of a network by its definition."""
    function = NTupleSettings(tuples=6, tuple_length=4, exchange=exchange)
    trainer = make(game, replace(CONFIG, function=function))
    sim = trainer.graph.simulator
    assert isinstance(sim, CircuitSimulator)
    assert trainer.function is not None
    assert isinstance(trainer.function.model, NTupleModel)
    slow = SlowNetwork(trainer.function.model.structure)
    rule = CONFIG.learner
    assert isinstance(rule, TDSettings)
    met = []
    for number in range(4):
        match = trainer.play_searched(number)
        targets = match.targets(match.goal / 100, rule.trace_decay)
        rows = np.array([one.row for one in match.decisions], np.uint64)
        facts = list_facts(sim, rows.reshape(len(match.decisions), -1))
        for one, target in zip(facts[::-1], targets[::-1], strict=True):
            slow.learn([one], float(target), rule, coherent=False)
        trainer.run(1)
        met += facts
    rows = np.array([one.row for one in match.decisions], np.uint64)
    expected = [slow.value(one) for one in met[-len(rows) :]]
    assert trainer.function.evaluate(rows) == pytest.approx(expected, abs=1e-5)
    assert np.abs(np.array(expected) - 0.5).max() > 0.01


def test_runs_repeat_in_whatever_parts() -> None:
    config = replace(CONFIG, search=SearchedPlay(nodes=40, after=5))
    whole, parted = make("connect-3", config), make("connect-3", config)
    rewards = whole.run(12).rewards
    parts = [parted.run(3).rewards, parted.run(4).rewards]
    resumed = make("connect-3", config)
    resumed.restore(parted.state())
    parts.append(resumed.run(5).rewards)
    assert np.array_equal(np.concatenate(parts), rewards)
    assert np.array_equal(get_tables(resumed), get_tables(whole))
    assert not np.array_equal(get_tables(parted), get_tables(whole))


def test_matches_before_search_are_those_of_a_plain_run() -> None:
    config = replace(CONFIG, search=SearchedPlay(after=30))
    plain = make_trainer(
        StateGraph(simulator(load("connect-3"))), replace(CONFIG, search=None)
    )
    trainer = make("connect-3", config)
    assert np.array_equal(trainer.run(30).rewards, plain.run(30).rewards)
    assert plain.function is not None
    assert np.array_equal(get_tables(trainer), plain.function.weights()["tables"])


def test_a_part_ends_when_its_time_is_over() -> None:
    trainer = make("connect-3")
    seconds = iter(range(100))
    trainer.clock = lambda: float(next(seconds))
    assert len(trainer.run_for(50, 2.5).rewards) == 3
    assert trainer.matches == 3


def test_rewards_are_the_learners() -> None:
    first, second = (
        make("connect-3", replace(CONFIG, role=role, search=THOROUGH))
        for role in ("first", "second")
    )
    assert np.array_equal(first.run(3).rewards, 100 - second.run(3).rewards)


def test_a_training_run_comes_to_searched_matches() -> None:
    config = replace(CONFIG, search=SearchedPlay(nodes=20, after=20))
    trainer = make("tictactoe", config)
    run = TrainingRun(trainer, RunConfig(matches=26, evaluation_matches=4))
    run.run()
    assert trainer.matches == 26


def test_weights_that_diverge_are_an_error() -> None:
    trainer = make("connect-3")
    assert trainer.function is not None
    tables = np.full_like(get_tables(trainer), 1e4)
    trainer.function.load({**trainer.function.weights(), "tables": tables})
    with pytest.raises(DivergenceError, match="match 1"):
        trainer.run(1)
    assert trainer.matches == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"function": None}, "n-tuple"),
        ({"learner": QSettings()}, "TD"),
        ({"opponent": SelfPlay(opponent_refresh=5)}, "copies"),
        ({"learner": TDSettings(discount=0.9)}, "discount"),
        ({"function": NTupleSettings(coherence=True)}, "coherence"),
        ({"function": NTupleSettings(search_depth=2)}, "search depth"),
    ],
)
def test_what_cannot_be_searched(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        replace(CONFIG, **change)


@pytest.mark.parametrize(
    ("kind", "message"), [(Trainer, "make_trainer"), (PartTrainer, "--search-nodes")]
)
def test_other_trainers_refuse(kind: type[Trainer], message: str) -> None:
    graph = StateGraph(simulator(load("tictactoe")))
    with pytest.raises(GameloreError, match=message):
        kind(graph, CONFIG)


def test_settings_round_trip() -> None:
    assert from_json(TrainConfig, to_json(CONFIG)) == CONFIG
    plain = replace(CONFIG, search=None)
    assert from_json(TrainConfig, to_json(plain)) == plain
