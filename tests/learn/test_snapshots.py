"""Players by what was learned: under any names, and refused elsewhere."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from gamelore.agents.fallback import FallbackPlayer
from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import simulator
from gamelore.engine.position import Position
from gamelore.errors import CheckpointError, GameloreError
from gamelore.games import load
from gamelore.gdl import Game, Move, canonical_form
from gamelore.gdl.features import FeatureRules
from gamelore.graph import StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig
from gamelore.learn.files import load_checkpoint, save_checkpoint
from gamelore.learn.learned_player import SnapshotPlayer
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import TDSettings
from gamelore.learn.snapshots import Snapshot
from gamelore.learn.trainer import Trainer
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock
from gamelore.search.alpha_beta import SearchLimits
from gamelore.search.playouts import MonteCarloPlayer
from gamelore.search.policies import PlayerSettings
from gamelore.values.settings import NetworkSettings

MARKS = "(<= (feature (marks ?r) ?x ?y) (true (cell ?x ?y ?r)) (role ?r))"
FUNCTION = TrainConfig(
    TDSettings(0.1),
    SelfPlay(),
    schedule=Fixed(0.1),
    function=NetworkSettings(hidden=8, initial_range=None, fluents=True),
)
SHARED = TrainConfig(opponent=SelfPlay(), schedule=Fixed(0.1))
FIRST = TrainConfig(opponent=PlayerSettings("novice"))


def snapshot(config: TrainConfig, matches: int = 300) -> Snapshot:
    game = load("tictactoe")
    rules = FeatureRules.from_kif(MARKS, game, "marks") if config.function else None
    trainer = Trainer(StateGraph(simulator(game, features=rules)), config)
    return Snapshot(Checkpoint.of(trainer, trainer.run(matches).rewards))


@pytest.fixture(scope="module")
def network() -> Snapshot:
    return snapshot(FUNCTION)


def renamed() -> Game:
    text = load("tictactoe").to_kif()
    for old, new in (("cell", "feld"), ("mark", "setze"), ("control", "dran")):
        text = text.replace(old, new)
    return Game.from_kif(text.replace("role x", "role kreuz").replace(" x", " kreuz"))


@pytest.mark.parametrize("config", [FUNCTION, SHARED], ids=["network", "table"])
@pytest.mark.parametrize("engine", ["circuit", "interpreter"])
def test_names_make_no_difference(config: TrainConfig, engine: str) -> None:
    """The same moves, whatever they are called, on whatever engine the match is."""
    known = snapshot(config)
    matches = []
    for game in (load("tictactoe"), renamed(), canonical_form(renamed()).game):
        played = simulator(game, engine)  # type: ignore[arg-type]
        own, other = played.roles
        player = SnapshotPlayer(known, 1, SearchLimits(2))
        record = play_match(played, {own: player, other: First()})
        assert record.complete
        assert not record.faults
        form = canonical_form(game)
        matches.append([list(map(form.to_canonical, joint)) for joint in record.moves])
    assert matches[0] == matches[1] == matches[2]


class First:
    """Takes what comes first in the canonical order of moves, in every spelling."""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        self.role = briefing.role
        self.form = canonical_form(briefing.simulator.game)

    def choose(self, position: Position, clock: Clock) -> Move:
        legal = position.legal_moves(self.role)
        return min(legal, key=lambda move: str(self.form.to_canonical(move)))


def test_looking_further_ahead_wins(network: Snapshot) -> None:
    engine = simulator(load("tictactoe"))
    for depth, seat in ((9, "x"), (9, "o")):
        other = "o" if seat == "x" else "x"
        for seed in range(5):
            player = SnapshotPlayer(network, seed, network.limits(depth))
            record = play_match(engine, {seat: player, other: RandomPlayer(seed)})
            goal = record.goals[record.roles.index(seat)]
            assert goal is not None
            assert goal >= 50


def test_a_clock_lets_it_search_deeper(network: Snapshot) -> None:
    assert network.limits() == SearchLimits(1, 60)
    assert network.limits(3) == SearchLimits(3)
    deeper = Snapshot(replace(network.checkpoint, depth=4))
    assert deeper.limits() == SearchLimits(4, 60)


def test_another_game_is_refused_or_left_to_another(
    network: Snapshot, caplog: pytest.LogCaptureFixture
) -> None:
    engine = simulator(load("nim"))
    briefing = Briefing(engine, engine.roles[0])
    with pytest.raises(CheckpointError, match="it is about tictactoe, not nim"):
        SnapshotPlayer(network).start(briefing, Clock())
    with caplog.at_level(logging.WARNING):
        player = FallbackPlayer(SnapshotPlayer(network), MonteCarloPlayer(0))
        player.start(briefing, Clock())
        move = player.choose(Position(engine), Clock(0.2))
    assert move in Position(engine).legal_moves(engine.roles[0])
    assert "another player takes over" in caplog.text


def test_other_rules_under_the_name_are_refused(network: Snapshot) -> None:
    changed = Game.from_kif(load("tictactoe").to_kif() + "(lonely 1)", "tictactoe")
    message = "the rules of tictactoe have changed since"
    with pytest.raises(CheckpointError, match=message):
        network.renaming(changed)
    with pytest.raises(CheckpointError, match=message):
        Snapshot(network.checkpoint, game=changed)


def test_a_table_plays_the_seat_it_learned() -> None:
    known = snapshot(FIRST)
    engine = simulator(load("tictactoe"))
    player = SnapshotPlayer(known)
    player.start(Briefing(engine, "x"), Clock())
    assert player.choose(Position(engine), Clock()) in Position(engine).legal_moves("x")
    with pytest.raises(CheckpointError, match="has learned x only, not o"):
        player.start(Briefing(engine, "o"), Clock())
    with pytest.raises(GameloreError, match="holds a table"):
        known.limits(3)


def test_rules_and_features_are_kept(network: Snapshot, tmp_path: Path) -> None:
    path = tmp_path / "net"
    mine = replace(network.checkpoint, game="mine")  # which no library has
    save_checkpoint(mine, path)
    again = Snapshot.load(path)
    assert again.game.fingerprint == load("tictactoe").fingerprint
    assert again.game.name == "mine"
    assert again.features is not None
    assert (again.features.name, again.features.to_kif()) == ("marks", MARKS + "\n")
    assert again.checkpoint.key == mine.key
    assert mine.key != replace(mine, inputs=None).key
    with pytest.raises(CheckpointError, match="does not bring its rules along"):
        Snapshot(replace(mine, sheet=""))
    with pytest.raises(CheckpointError, match="learned with the features marks"):
        load_checkpoint(path).trainer(StateGraph(simulator(again.game)))
