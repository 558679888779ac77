"""Matches played in parts and learned elsewhere: the same as in one place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gamelore.cluster import SerialExecutor
from gamelore.engine import simulator
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.cluster_trainer import ActorSetup, ClusterTrainer, SpreadSettings
from gamelore.learn.config import TrainConfig
from gamelore.learn.files import load_checkpoint, save_checkpoint
from gamelore.learn.opponents import AgentOpponent
from gamelore.learn.parts import MatchPartTrainer, PartTrainer
from gamelore.learn.played import PlayedMatches
from gamelore.learn.schedules import Geometric, StepDecay
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.trainer import State, Trainer
from gamelore.search.policies import PlayerSettings
from gamelore.values.ntuple.settings import NTupleSettings
from gamelore.values.settings import LinearSettings, NetworkSettings

NETWORK = TrainConfig(
    learner=TDSettings(step_size=0.05),
    opponent=SelfPlay(),
    function=NetworkSettings(hidden=8, initial_range=None),
    schedule=Geometric(),
    seed=3,
)
CONFIGS = {
    "table against a player": TrainConfig(opponent=PlayerSettings("novice"), seed=1),
    "shared table": TrainConfig(opponent=SelfPlay(), role="alternate", seed=2),
    "own tables": TrainConfig(
        learner=QSettings(), opponent=SelfPlay("own"), role="alternate"
    ),
    "copies": TrainConfig(
        opponent=SelfPlay("shared", opponent_refresh=7), step_decay=StepDecay(10, 0.5)
    ),
    "network": NETWORK,
    "copied network": replace(NETWORK, opponent=SelfPlay(opponent_refresh=5)),
    "n-tuples": TrainConfig(
        learner=TDSettings(step_size=0.5, trace_decay=0.5),
        opponent=SelfPlay(),
        function=NTupleSettings(),
        schedule=Geometric(),
        opening=4,
    ),
    "linear": TrainConfig(
        learner=TDSettings(step_size=0.01),
        opponent=PlayerSettings("random"),
        function=LinearSettings(perspective="current-player"),
        role="alternate",
    ),
}


WITH_DICE = ("table against a player", "network", "copied network", "linear")
CASES = [
    *((name, "tictactoe") for name in CONFIGS),
    *((name, "pig") for name in WITH_DICE),
]


def make_graph(game: str = "tictactoe") -> StateGraph:
    return StateGraph(simulator(load(game)))


def assert_same(one: State, other: State) -> None:
    """Check that two states hold the same values, bit for bit."""
    assert one.matches == other.matches
    for name in ("tables", "copies"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert mine.keys() == theirs.keys()
        for role in mine:
            for a, b in zip(mine[role], theirs[role], strict=True):
                assert np.array_equal(a, b)
    for name in ("weights", "copied_weights"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert mine.keys() == theirs.keys()
        assert all(mine[key].tobytes() == theirs[key].tobytes() for key in mine)


class MatchwiseTrainer(PartTrainer):
    """The twin: plays and learns in one kernel, with the randomness of parts of one."""

    def run_matchwise(self, matches: int) -> np.ndarray:
        rewards = []
        for number in range(self.matches, self.matches + matches):
            self._begin_part(number)
            rewards.append(Trainer.run(self, 1).rewards)
        return np.concatenate(rewards)


@pytest.mark.parametrize(("name", "game"), CASES)
def test_parts_of_one_match_are_training_in_one_place(name: str, game: str) -> None:
    config = CONFIGS[name]
    twin = MatchwiseTrainer(make_graph(game), config)
    trainer = ClusterTrainer(
        Trainer(make_graph(game), config), SerialExecutor(), SpreadSettings(1, 0)
    )
    expected = twin.run_matchwise(26)
    rewards = [trainer.run(count).rewards for count in (1, 10, 15)]
    assert np.array_equal(np.concatenate(rewards), expected)
    assert_same(trainer.state(), twin.state())


@pytest.mark.parametrize("name", ["shared table", "copied network"])
def test_how_a_run_is_cut_changes_nothing(name: str) -> None:
    config, settings = CONFIGS[name], SpreadSettings(5, 12)
    states = []
    for counts in ([40], [1, 2, 3, 30, 4]):
        source = Trainer(make_graph(), config)
        trainer = ClusterTrainer(source, SerialExecutor(), settings)
        for count in counts:
            trainer.run(count)
        states.append(trainer.state())
    assert_same(*states)


def test_staleness_is_what_workers_lag_behind() -> None:
    """The values of a part are those of all matches up to the staleness before it."""
    settings = SpreadSettings(5, 10)
    seen: dict[int, int] = {}

    class Watched(ClusterTrainer):
        def _start_parts(self) -> None:
            before = self._next
            super()._start_parts()
            for first in range(before, self._next, 5):
                seen[first] = self.matches

    source = Trainer(make_graph(), CONFIGS["shared table"])
    Watched(source, SerialExecutor(), settings).run(50)
    assert seen == {first: max(0, first - 10) for first in seen}
    assert {*seen} >= {*range(0, 60, 5)}


@pytest.mark.parametrize("name", ["table against a player", "copied network"])
def test_a_saved_run_goes_on_as_if_nothing_had_happened(
    name: str, tmp_path: Path
) -> None:
    config, settings = CONFIGS[name], SpreadSettings(4, 9)
    whole = ClusterTrainer(Trainer(make_graph(), config), SerialExecutor(), settings)
    whole.run(60)
    first = ClusterTrainer(Trainer(make_graph(), config), SerialExecutor(), settings)
    rewards = first.run(23).rewards
    save_checkpoint(Checkpoint.of(first, rewards), tmp_path / "run.ckpt")
    saved = load_checkpoint(tmp_path / "run.ckpt")
    assert saved.pending is not None and len(saved.pending) >= 9
    second = ClusterTrainer(
        saved.trainer(make_graph()), SerialExecutor(), settings, saved.pending
    )
    second.run(37)
    assert_same(second.state(), whole.state())


def test_going_back_to_a_state_learns_the_same_again() -> None:
    """As a run does where weights diverge."""
    trainer = ClusterTrainer(
        Trainer(make_graph(), NETWORK), SerialExecutor(), SpreadSettings(4, 8)
    )
    trainer.run(10)
    before = trainer.state()
    rewards = trainer.run(17).rewards
    weights = {key: one.copy() for key, one in trainer.played_values().weights.items()}
    trainer.restore(before)
    assert np.array_equal(trainer.run(17).rewards, rewards)
    assert_same(
        State(27, before.streams, {}, {}, weights),
        State(27, before.streams, {}, {}, trainer.played_values().weights),
    )


def test_players_of_any_kind_play_the_same_parts() -> None:
    """Match by match in Python, and in kernels."""
    config = CONFIGS["table against a player"]
    fast = PartTrainer(make_graph(), config)
    slow = MatchPartTrainer(make_graph(), config)
    one, other = fast.play_part(7, 30), slow.play_part(7, 30)
    assert np.array_equal(one.choices, other.choices)
    assert np.array_equal(one.starts, other.starts)


def test_a_part_depends_on_nothing_that_was_played_before() -> None:
    trainer = PartTrainer(make_graph(), NETWORK)
    first = trainer.play_part(100, 10)
    trainer.play_part(0, 25)
    again = trainer.play_part(100, 10)
    assert np.array_equal(first.choices, again.choices)


def test_other_agents_may_be_the_opponent() -> None:
    config = TrainConfig(opponent=AgentOpponent("mcts-5"), seed=1)
    actor = ActorSetup.of(PartTrainer(make_graph(), config)).make_actor()
    assert isinstance(actor, MatchPartTrainer)
    trainer = ClusterTrainer(
        PartTrainer(make_graph(), config), SerialExecutor(), SpreadSettings(2, 2)
    )
    assert len(trainer.run(3).rewards) == 3
    assert trainer.table.cells().rows.size


def test_matches_that_no_rules_allow_are_refused() -> None:
    trainer = PartTrainer(make_graph(), NETWORK)
    for choices in ([9], [0, 0, 0], [0] * 30):
        played = PlayedMatches(
            0, np.array(choices, np.uint16), np.array([0, len(choices)], np.int64)
        )
        with pytest.raises(GameloreError, match="match 0 cannot be followed"):
            trainer.learn_part(played, 1)


def test_parts_are_cut_and_joined() -> None:
    trainer = PartTrainer(make_graph(), NETWORK)
    whole = trainer.play_part(0, 6)
    first = PlayedMatches(0, whole.choices[: whole.starts[2]], whole.starts[:3])
    joined = PlayedMatches.join([first, whole.after(2)])
    assert np.array_equal(joined.choices, whole.choices)
    assert np.array_equal(joined.starts, whole.starts)
    assert (joined.first, joined.end, len(joined)) == (0, 6, 6)
