"""Learning from match to match: the same as in a training run, under any names."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from pathlib import Path
from random import Random

import numpy as np
import pytest

from gamelore.agents.agent import MatchEntry
from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import Simulator, simulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.errors import CheckpointError
from gamelore.games import load
from gamelore.gdl import Game, Move, canonical_form
from gamelore.graph import StateGraph
from gamelore.learn.agent import LearningAgent
from gamelore.learn.config import TrainConfig
from gamelore.learn.match_buffers import make_streams
from gamelore.learn.match_log import LearnerKey, MatchLog, StoredValues
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.role_values import LearnerSettings
from gamelore.learn.schedules import Fixed
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.match.match import play_match
from gamelore.match.record import MatchRecord
from gamelore.player import Briefing, Clock, Player
from gamelore.search.policies import PlayerSettings
from gamelore.search.policy_player import PolicyPlayer
from gamelore.values.table import Cells

SEED = 11
NOVICE = PlayerSettings("novice")
LEARNERS = [TDSettings(), QSettings(), QSettings(playouts=10)]

SWAPPED = {
    "x": "nought",
    "o": "cross",
    "mark": "put",
    "cell": "field",
    "control": "turn",
}
"""Other names for some symbols of tic-tac-toe."""


@pytest.fixture(scope="module")
def engine() -> Simulator:
    return simulator(canonical_form(load("tictactoe")).game)


def novice(engine: Simulator) -> PolicyPlayer:
    """Return the opponent of a training run with this seed."""
    player = PolicyPlayer(NOVICE, graph=StateGraph(engine))
    player.stream = make_streams(SEED).opponent
    return player


def play(
    agent: LearningAgent,
    engine: Simulator,
    opponent: Player,
    matches: range,
    name: str = "novice",
) -> list[MatchRecord]:
    """Play matches as the first role."""
    records = []
    for number in matches:
        entry = MatchEntry(f"match {number}", engine, engine.roles[0], (name,))
        player = agent.enter(entry, Clock())
        others = dict.fromkeys(engine.roles[1:], opponent)
        record = play_match(engine, {entry.role: player, **others}, seed=number)
        assert not record.faults
        agent.finish(entry, record)
        records.append(record)
    return records


def saved(path: Path) -> dict[LearnerKey, StoredValues]:
    """All values in a store."""
    with MatchLog(path) as log:
        rows = log.connection.execute(
            "SELECT rules, role, opponent, method FROM learner ORDER BY key"
        ).fetchall()
        found = {LearnerKey(*row): log.load(LearnerKey(*row)) for row in rows}
    return {learner: values for learner, values in found.items() if values is not None}


def only(path: Path) -> StoredValues:
    (snapshot,) = saved(path).values()
    return snapshot


def assert_same(one: Cells, other: Cells) -> None:
    assert np.array_equal(one.rows, other.rows)
    assert np.array_equal(one.values, other.values)
    assert np.array_equal(one.visits, other.visits)


# ── the same as a run ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize("settings", LEARNERS, ids=["td", "q", "qm"])
def test_the_same_matches_and_table_as_in_a_run(
    engine: Simulator, settings: LearnerSettings, tmp_path: Path
) -> None:
    config = TrainConfig(settings, NOVICE, schedule=Fixed(0.1), seed=SEED)
    trainer = MatchTrainer(StateGraph(engine), config)
    rewards = trainer.run(60).rewards
    store = tmp_path / "lore.db"
    agent = LearningAgent(settings, store, SEED, schedule=Fixed(0.1))
    records = play(agent, engine, novice(engine), range(60))
    agent.close()
    assert [record.goals[0] for record in records] == rewards.tolist()
    snapshot = only(store)
    assert snapshot.matches == 60
    assert_same(snapshot.cells, trainer.table.cells())


def test_a_new_process_goes_on_as_if_nothing_had_happened(
    engine: Simulator, tmp_path: Path
) -> None:
    whole, parts = tmp_path / "whole.db", tmp_path / "parts.db"
    agent = LearningAgent(TDSettings(), whole, SEED, schedule=Fixed(0.2))
    wanted = play(agent, engine, novice(engine), range(30))
    agent.close()
    opponent = novice(engine)
    records = []
    for start in range(0, 30, 6):
        agent = LearningAgent(TDSettings(), parts, SEED, schedule=Fixed(0.2))
        records += play(agent, engine, opponent, range(start, start + 6))
        if start % 12 == 0:
            agent.close()
        else:
            agent._log.close()  # as when a process is killed
    assert records == wanted
    assert_same(only(parts).cells, only(whole).cells)


def test_what_a_match_updated_is_known_before_the_next(
    engine: Simulator, tmp_path: Path
) -> None:
    store = tmp_path / "lore.db"
    agent = LearningAgent(TDSettings(), store, SEED)
    play(agent, engine, novice(engine), range(1))
    assert not saved(store)  # it is stored, but not learned yet
    agent.enter(MatchEntry("next", engine, engine.roles[0], ("novice",)), Clock())
    assert only(store).matches == 1
    assert len(only(store).cells.values) > 0
    agent.close()


# ── names ───────────────────────────────────────────────────────────────────────────


def renamed() -> Game:
    """Tic-tac-toe in other words, and in another order."""
    game = load("tictactoe")
    roles, others = game.rules[:2], list(game.rules[2:])
    assert {rule.head.relation for rule in roles} == {"role"}
    Random(1).shuffle(others)
    text = "".join(f"{rule}\n" for rule in (*roles, *others))
    for word, new in SWAPPED.items():
        for before in "( ":
            for after in ") ":
                text = text.replace(f"{before}{word}{after}", f"{before}{new}{after}")
    return Game.from_kif(text)


def test_names_make_no_difference(engine: Simulator, tmp_path: Path) -> None:
    stores = []
    named = [engine, simulator(load("tictactoe")), simulator(renamed())]
    assert len({one.game.fingerprint for one in named}) == 3
    for number, other in enumerate(named):
        store = tmp_path / f"{number}.db"
        agent = LearningAgent(TDSettings(), store, SEED)
        play(agent, other, Translated(engine, other), range(25))
        agent.close()
        stores.append(only(store))
    assert_same(stores[0].cells, stores[1].cells)
    assert_same(stores[0].cells, stores[2].cells)
    assert (
        len({learner for n in range(3) for learner in saved(tmp_path / f"{n}.db")}) == 1
    )


class Translated:
    """A novice that decides by the canonical game, so that names make no difference."""

    def __init__(self, engine: Simulator, other: Simulator) -> None:
        self.canonical = engine
        self.form = canonical_form(other.game)
        self.novice = novice(engine)

    def start(self, briefing: Briefing, clock: Clock) -> None:
        entry = MatchEntry("", self.canonical, self.canonical.roles[1])
        self.novice.start(entry.briefing, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        facts = map(self.form.to_canonical, position.facts)
        move = self.novice.choose(Position(self.canonical, facts), clock)
        return self.form.to_original(move)


def test_opponents_and_learners_are_told_apart(
    engine: Simulator, tmp_path: Path
) -> None:
    store = tmp_path / "lore.db"
    for settings in (TDSettings(), QSettings()):
        agent = LearningAgent(settings, store, SEED)
        play(agent, engine, novice(engine), range(3), "one")
        play(agent, engine, novice(engine), range(3), "two")
        agent.close()
    assert len(saved(store)) == 4
    assert {snapshot.matches for snapshot in saved(store).values()} == {3}


# ── what can go wrong ───────────────────────────────────────────────────────────────


def test_games_without_turns_are_played_and_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    store = tmp_path / "lore.db"
    agent = LearningAgent(TDSettings(), store, SEED)
    play(agent, simulator(load("rock-paper-scissors")), RandomPlayer(1), range(2))
    agent.close()
    assert "two roles have a choice at once" in caplog.text
    assert ids(store) == ["match 0", "match 1"]


def test_the_interpreter_plays_until_there_is_an_engine(
    engine: Simulator, tmp_path: Path
) -> None:
    store = tmp_path / "lore.db"
    agent = LearningAgent(TDSettings(), store, SEED)
    slow = Interpreter(engine.game)
    role = slow.roles[0]
    first = agent.enter(MatchEntry("m", slow, role, ("novice",)), Clock())
    position = Position.initial(slow)
    assert first.choose(position, Clock(0.1)) in position.legal_moves(role)
    entry = MatchEntry("m", engine, role, ("novice",))
    player = agent.enter(entry, Clock())
    opponent = novice(engine)
    record = play_match(engine, {role: player, engine.roles[1]: opponent})
    agent.finish(entry, record)
    agent.close()
    assert ids(store) == ["m"]
    assert only(store).matches == 1


def test_nothing_is_learned_from_matches_given_up(
    engine: Simulator, tmp_path: Path
) -> None:
    store = tmp_path / "lore.db"
    agent = LearningAgent(TDSettings(), store, SEED)
    entry = MatchEntry("given up", engine, engine.roles[0], ("novice",))
    agent.enter(entry, Clock())
    nothing = MatchRecord(engine.game.name, engine.roles, (), (None, None), False)
    agent.finish(entry, nothing)
    play(agent, engine, novice(engine), range(2))
    agent.close()
    assert ids(store) == ["given up", "match 0", "match 1"]
    assert only(store).matches == 2


def test_entering_keeps_to_its_clock(
    engine: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "lore.db"
    agent = LearningAgent(TDSettings(), store, SEED)
    record = play(agent, engine, novice(engine), range(1))[0]
    entry = MatchEntry("match", engine, engine.roles[0], ("novice",))
    for number in range(40):
        agent.finish(MatchEntry(f"more {number}", *read_entry(entry)), record)

    def slowly(*_: object) -> None:
        time.sleep(0.05)

    monkeypatch.setattr("gamelore.learn.session.ValueLearner.learn", slowly)
    agent.enter(entry, Clock(1.0))
    session = next(iter(next(iter(agent._games.values())).sessions.values()))  # type: ignore[union-attr]
    assert 0 < session.matches < 41
    monkeypatch.undo()
    agent.enter(MatchEntry("later", *read_entry(entry)), Clock())
    assert session.matches == 41
    agent.close()


def read_entry(entry: MatchEntry) -> tuple[Simulator, str, tuple[str, ...]]:
    return entry.simulator, entry.role, entry.opponents


def test_matches_at_once(engine: Simulator, tmp_path: Path) -> None:
    store = tmp_path / "lore.db"
    agent = LearningAgent(TDSettings(), store, SEED)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            opponent = RandomPlayer(number)
            play(agent, engine, opponent, range(100 * number, 100 * number + 15))
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    agent.close()
    assert not failures
    assert len(ids(store)) == len(set(ids(store))) == 60
    assert only(store).matches == 60


def test_two_agents_with_one_store(engine: Simulator, tmp_path: Path) -> None:
    store = tmp_path / "lore.db"
    pair = [LearningAgent(TDSettings(), store, SEED) for _ in range(2)]
    for number in range(20):
        play(pair[number % 2], engine, novice(engine), range(number, number + 1))
    for agent in pair:
        agent.close()
    assert only(store).matches == 20
    assert_same(only(store).cells, relearned(store, engine))


def relearned(store: Path, engine: Simulator) -> Cells:
    """Return what is learned from the matches of a store from scratch."""
    copy = store.with_name("copy.db")
    source, target = sqlite3.connect(store), sqlite3.connect(copy)
    with target:
        source.backup(target)
        target.execute("UPDATE learner SET matches = 0, last_match = 0, header = ''")
        target.execute("DELETE FROM learner_values")
    source.close()
    target.close()
    agent = LearningAgent(TDSettings(), copy, SEED)
    agent.enter(MatchEntry("anew", engine, engine.roles[0], ("novice",)), Clock())
    agent.close()
    return only(copy).cells


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamelore.learn.agent._GAMES", 2)
    monkeypatch.setattr("gamelore.learn.agent._SESSIONS", 2)
    monkeypatch.setattr("gamelore.learn.agent._NODES", 100)
    store = tmp_path / "lore.db"
    agent = LearningAgent(TDSettings(), store, SEED)
    games = [simulator(load(name)) for name in ("tictactoe", "nim", "connect-four-4x4")]
    for turn in range(3):
        for number, game in enumerate(games):
            for name in ("a", "b", "c"):
                first = 10 * (3 * turn + number) + ord(name)
                play(agent, game, RandomPlayer(1), range(first, first + 2), name)
    assert len(agent._games) <= 2
    agent.close()
    snapshots = saved(store)
    assert len(snapshots) == 9
    assert {snapshot.matches for snapshot in snapshots.values()} == {6}


def test_damaged_values_do_not_keep_it_from_playing(
    engine: Simulator, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = tmp_path / "lore.db"
    agent = LearningAgent(TDSettings(), store, SEED)
    play(agent, engine, novice(engine), range(3))
    agent.close()
    connection = sqlite3.connect(store)
    with connection:
        connection.execute("UPDATE learner_values SET content = x'00'")
    connection.close()
    agent = LearningAgent(TDSettings(), store, SEED)
    play(agent, engine, novice(engine), range(3, 4))
    agent.close()
    assert "are damaged" in caplog.text
    assert len(ids(store)) == 4


def test_a_foreign_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE mine (x)")
    other.close()
    with pytest.raises(CheckpointError, match="another program's"):
        LearningAgent(TDSettings(), path)


def ids(path: Path) -> list[str]:
    with MatchLog(path) as log:
        return log.match_ids()
