"""Values of tree patterns in one game are initial values in the next."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from shutil import copy

import pytest

from gamelore.agents.agent import MatchEntry
from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import Simulator, simulator
from gamelore.games import load
from gamelore.learn.agent import LearningAgent
from gamelore.learn.match_log import LearnerKey, MatchLog, StoredValues
from gamelore.match.match import play_match
from gamelore.player import Clock
from gamelore.search.policies import PlayerSettings
from gamelore.search.policy_player import PolicyPlayer
from gamelore.transfer import KnowledgeStore, TransferAgent


def play(
    agent: LearningAgent,
    engine: Simulator,
    matches: int,
    name: str = "novice",
) -> float:
    """Play against a novice; the mean goal."""
    opponent = PolicyPlayer(PlayerSettings("novice"), seed=5)
    total = 0
    for number in range(matches):
        match = f"{engine.game.name} {name} {number}"
        entry = MatchEntry(match, engine, engine.roles[0], (name,))
        player = agent.enter(entry, Clock())
        record = play_match(engine, {entry.role: player, engine.roles[1]: opponent})
        assert not record.faults
        agent.finish(entry, record)
        total += record.goals[0] or 0
    return total / matches


def snapshots(path: Path) -> dict[LearnerKey, StoredValues | None]:
    with MatchLog(path) as log:
        rows = log.connection.execute(
            "SELECT rules, role, opponent, method FROM learner"
        )
        return {LearnerKey(*row): log.load(LearnerKey(*row)) for row in rows.fetchall()}


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which tic-tac-toe was learned."""
    path = tmp_path_factory.mktemp("learned") / "lore.db"
    agent = TransferAgent(store=path, seed=3)
    play(agent, simulator(load("tictactoe")), 200)
    agent.close()
    return path


@pytest.fixture
def store(learned: Path, tmp_path: Path) -> Path:
    """A copy of it, to go on with."""
    return Path(copy(learned, tmp_path / "lore.db"))


def test_knowledge_is_kept_with_the_values(store: Path) -> None:
    with KnowledgeStore(store) as knowledge:
        (result,) = knowledge.select().results
    assert result.opponent == "novice"
    assert result.matches == 200
    assert len(result.patterns) >= 8
    (snapshot,) = snapshots(store).values()
    assert snapshot is not None
    assert snapshot.features is None  # there was nothing to begin with


def test_a_new_game_begins_with_knowledge_of_others(store: Path) -> None:
    agent = TransferAgent(store=store, seed=3)
    engine = simulator(load("connect-3"))
    play(agent, engine, 3)
    agent.close()
    carried = [one for one in snapshots(store).values() if one and one.features]
    assert len(carried) == 1
    assert carried[0].matches == 3
    with KnowledgeStore(store) as knowledge:
        assert len(knowledge) == 2


def test_initial_values_stay_those_it_began_with(store: Path) -> None:
    engine = simulator(load("connect-3"))
    found = []
    for _ in range(2):
        agent = TransferAgent(store=store, seed=3)
        play(agent, engine, 2)
        agent.close()
        found += [
            one.features for one in snapshots(store).values() if one and one.features
        ]
    assert found[0] == found[1]


def test_what_was_learned_against_others_serves_too(store: Path) -> None:
    agent = TransferAgent(store=store, seed=3)
    play(agent, simulator(load("connect-3")), 2, "another")
    agent.close()
    assert any(
        one and one.features and learner.opponent == "another"
        for learner, one in snapshots(store).items()
    )


def test_transfer_learns_faster(store: Path) -> None:
    engine = simulator(load("connect-3"))
    carrying = TransferAgent(store=store, seed=3)
    ahead = play(carrying, engine, 60)
    carrying.close()
    alone = TransferAgent(seed=3)
    behind = play(alone, engine, 60)
    alone.close()
    assert ahead > behind + 10


def test_games_without_turns_do_no_harm(store: Path) -> None:
    agent = TransferAgent(store=store, seed=3)
    engine = simulator(load("rock-paper-scissors"))
    entry = MatchEntry("rps", engine, engine.roles[0])
    player = agent.enter(entry, Clock())
    record = play_match(engine, {entry.role: player, engine.roles[1]: RandomPlayer(1)})
    agent.finish(entry, record)
    agent.close()
    connection = sqlite3.connect(store)
    assert connection.execute("SELECT count(*) FROM match").fetchone() == (201,)
    connection.close()
