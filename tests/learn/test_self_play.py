"""A learner in both roles: one value function, each role its own, or copies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import simulator
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig
from gamelore.learn.files import load_checkpoint, save_checkpoint
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.match.match import play_match
from gamelore.search.policies import PlayerSettings

EXPLORING = Fixed(0.1)
CONFIGS = {
    "shared": ("tictactoe", TrainConfig(opponent=SelfPlay(), schedule=EXPLORING)),
    "shared-second": ("nim", TrainConfig(opponent=SelfPlay(), role="second")),
    "shared-lookahead": (
        "connect-3",
        TrainConfig(
            TDSettings(initialise="candidates"), SelfPlay(), lookahead=Lookahead()
        ),
    ),
    "shared-dice": ("pig", TrainConfig(opponent=SelfPlay())),
    "shared-copy": (
        "tictactoe",
        TrainConfig(
            opponent=SelfPlay(opponent_refresh=7), role="alternate", schedule=EXPLORING
        ),
    ),
    "own": ("tictactoe", TrainConfig(opponent=SelfPlay("own"), schedule=EXPLORING)),
    "own-q": (
        "tictactoe",
        TrainConfig(QSettings(), SelfPlay("own"), "alternate", schedule=EXPLORING),
    ),
    "own-copy": (
        "hex-3x3",
        TrainConfig(
            QSettings(), SelfPlay("own", 5, 0.2), "alternate", schedule=EXPLORING
        ),
    ),
}


def assert_same(one: Trainer, other: Trainer) -> None:
    for mine, theirs in ((one.tables, other.tables), (one.copies, other.copies)):
        assert mine.keys() == theirs.keys()
        for role, table in mine.items():
            assert table.rows.tobytes() == theirs[role].rows.tobytes()
            assert table.values.tobytes() == theirs[role].values.tobytes()
    for stream, twin in zip(one.streams[:3], other.streams[:3], strict=True):
        assert (stream == twin).all()


def trained(name: str, config: TrainConfig, matches: int) -> Trainer:
    trainer = Trainer(StateGraph(simulator(load(name))), config)
    trainer.run(matches)
    return trainer


@pytest.mark.parametrize("case", CONFIGS)
def test_bulk_and_open_path_are_one(case: str) -> None:
    name, config = CONFIGS[case]
    matches = 3 if name == "pig" else 30
    bulk = Trainer(StateGraph(simulator(load(name))), config)
    opened = MatchTrainer(StateGraph(simulator(load(name))), config)
    record, other = bulk.run(matches), opened.run(matches)
    assert (record.rewards == other.rewards).all()
    assert (record.lengths == other.lengths).all()
    assert (record.cells == other.cells).all()
    assert_same(bulk, opened)
    assert opened.faults == []


@pytest.mark.parametrize("case", ["shared", "own-q", "shared-copy", "own-copy"])
def test_a_run_goes_on_from_a_checkpoint(case: str, tmp_path: Path) -> None:
    name, config = CONFIGS[case]
    whole, part = (Trainer(StateGraph(simulator(load(name))), config) for _ in range(2))
    rewards = whole.run(33).rewards
    checkpoint = Checkpoint.of(part, part.run(18).rewards)
    assert checkpoint.opponent == "self"
    save_checkpoint(checkpoint, tmp_path / "a.ckpt")
    for found in (load_checkpoint(tmp_path / "a.ckpt"), checkpoint):
        later = found.trainer(StateGraph(simulator(load(name))))
        assert (later.run(15).rewards == rewards[18:]).all()
        assert_same(whole, later)


def test_a_shared_table_is_of_the_first_players_goals() -> None:
    """One match worked by hand: all afterstates, of both roles, in one path."""
    config = TrainConfig(TDSettings(trace_decay=0.5), SelfPlay(), schedule=Fixed(1.0))
    trainer = Trainer(StateGraph(simulator(load("tictactoe"))), config)
    record = trainer.run(1)
    goal, length = record.rewards[0], int(record.lengths[0])
    assert len(trainer.table) == length
    shares = 0.3 * 0.5 ** np.arange(length - 1, -1, -1.0)
    assert trainer.table.values == pytest.approx(50 + shares * (goal - 50))


def test_the_second_player_wants_the_lowest() -> None:
    trainer = trained(
        "tictactoe", TrainConfig(opponent=SelfPlay(), schedule=EXPLORING), 30000
    )
    sim = trainer.graph.simulator
    wins = []
    for seed in range(40):
        player = GreedyPlayer(trainer.values(1))
        match = play_match(sim, {"x": RandomPlayer(seed), "o": player})
        wins.append(match.goals[1] or 0)
    assert np.mean(wins) > 85


@pytest.mark.parametrize("learner", [TDSettings(), QSettings(discount=1.0)])
def test_each_role_learns_to_draw(learner: TDSettings | QSettings) -> None:
    """Tic-tac-toe is drawn when both play well."""
    config = TrainConfig(learner, SelfPlay("own"), schedule=Fixed(0.2, until=100_000))
    trainer = Trainer(StateGraph(simulator(load("tictactoe"))), config)
    trainer.run(100_000)
    rewards = trainer.run(200).rewards
    assert (rewards == 50).mean() > 0.9
    assert trainer.tables.keys() == {0, 1}


def test_copies_stand_still_until_they_are_renewed() -> None:
    config = TrainConfig(opponent=SelfPlay(opponent_refresh=10), role="alternate")
    trainer = Trainer(StateGraph(simulator(load("tictactoe"))), config)
    trainer.run(10)
    assert len(trainer.copies[0]) == 0
    trainer.run(5)
    before = trainer.copies[0].values.tobytes()
    assert len(trainer.copies[0]) > 0
    trainer.run(5)
    assert trainer.copies[0].values.tobytes() == before
    trainer.run(1)
    assert trainer.copies[0].values.tobytes() != before


def test_what_has_no_meaning_is_refused() -> None:
    graph = StateGraph(simulator(load("tictactoe")))
    with pytest.raises(GameloreError, match=r"use SelfPlay\('own'\)"):
        Trainer(graph, TrainConfig(QSettings(), SelfPlay()))
    with pytest.raises(GameloreError, match="use role='alternate'"):
        Trainer(graph, TrainConfig(opponent=SelfPlay("own", opponent_refresh=3)))
    with pytest.raises(GameloreError, match="self-play needs two"):
        Trainer(
            StateGraph(simulator(load("peg-solitaire"))),
            TrainConfig(opponent=SelfPlay()),
        )
    for wrong in ({"values": "both"}, {"opponent_refresh": -1}, {"epsilon": 2}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            replace(SelfPlay(), **wrong)


def test_built_in_opponents_are_as_before() -> None:
    """What a run against a built-in player learns, by a digest of its values."""
    config = TrainConfig(
        opponent=PlayerSettings("novice", 0.1), role="alternate", seed=5
    )
    trainer = trained("tictactoe", config, 500)
    total = sum(table.values.sum() for table in trainer.tables.values())
    assert total == pytest.approx(51336.0054865827, rel=1e-13)
