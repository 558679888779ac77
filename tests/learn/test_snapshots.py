"""Players by what was learned: under any names, and refused elsewhere."""

from __future__ import annotations

import logging
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gamelore.agents.fallback import FallbackPlayer
from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import Rows, Simulator, simulator
from gamelore.engine.position import Position
from gamelore.errors import CheckpointError, GameloreError
from gamelore.games import load
from gamelore.gdl import Game, Move, canonical_form
from gamelore.gdl.features import FeatureRules
from gamelore.graph import StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig
from gamelore.learn.files import load_checkpoint, save_checkpoint
from gamelore.learn.in_match import LIMITS
from gamelore.learn.learned_player import SnapshotPlayer
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.snapshots import Snapshot
from gamelore.learn.trainer import Trainer
from gamelore.match.batch import play_both_roles
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock
from gamelore.search.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.search.evaluator import Evaluator, Floats, ZeroEvaluator
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
Q = TrainConfig(QSettings(), SelfPlay(values="own"), schedule=Fixed(0.1))
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
    """Takes what comes first in the canonical order of moves, under any names."""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        self.role = briefing.role
        self.form = canonical_form(briefing.simulator.game)

    def choose(self, position: Position, clock: Clock) -> Move:
        legal = position.legal_moves(self.role)
        return min(legal, key=lambda move: str(self.form.to_canonical(move)))


def test_looking_further_ahead_wins(network: Snapshot) -> None:
    engine = simulator(load("tictactoe"))
    for depth, role in ((9, "x"), (9, "o")):
        other = "o" if role == "x" else "x"
        for seed in range(5):
            player = SnapshotPlayer(network, seed, network.limits(depth))
            record = play_match(engine, {role: player, other: RandomPlayer(seed)})
            goal = record.goals[record.roles.index(role)]
            assert goal is not None
            assert goal >= 50


def test_a_clock_lets_it_search_deeper(network: Snapshot) -> None:
    assert network.limits() == replace(LIMITS, depth=1)
    assert network.limits(3) == SearchLimits(3)
    deeper = Snapshot(replace(network.checkpoint, depth=4))
    assert deeper.limits() == replace(LIMITS, depth=4)
    assert (LIMITS.deepest, LIMITS.selective, LIMITS.extending) == (60, True, True)


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
    text = load("tictactoe").to_kif().replace(" 50)", " 40)")
    changed = Game.from_kif(text, "tictactoe")
    message = "the rules of tictactoe have changed since"
    with pytest.raises(CheckpointError, match=message):
        network.renaming(changed)
    with pytest.raises(CheckpointError, match=message):
        Snapshot(network.checkpoint, game=changed)


def test_a_table_plays_the_role_it_learned() -> None:
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


# ── values ──────────────────────────────────────────────────────────────────────────


def won(engine: Simulator) -> Position:
    """A position that x has won."""
    marks = "(cell 1 1 x) (cell 1 2 x) (cell 1 3 x) (cell 2 1 o) (cell 2 2 o)"
    return Position(engine, f"{marks} (control o)")


@pytest.mark.parametrize("config", [FUNCTION, SHARED, Q], ids=["net", "table", "q"])
def test_positions_are_evaluated_on_the_scale_of_goals(config: TrainConfig) -> None:
    known = snapshot(config, 2000)
    engine = simulator(load("tictactoe"))
    start = Position(engine)
    positions = [start, *(child for _, child in start.successors()), won(engine)]
    own, others = (known.evaluate(positions, role) for role in ("x", "o"))
    assert own.shape == (11,)
    assert own.dtype == np.float64
    assert own[-1] == 100
    assert others[-1] == 0
    found = ~np.isnan(own)
    assert found[1:].all() or config is Q
    assert ((own[found] > -20) & (own[found] < 120)).all()
    if config is not Q:  # whose tables are of each role's own actions
        assert own[found] == pytest.approx(100 - others[found], abs=1e-3)


def test_values_are_those_of_the_table() -> None:
    known = snapshot(SHARED, 2000)
    rows, values, _ = known.checkpoint.tables["x"]
    engine = known.engine()
    still_open = ~engine.terminal(rows)
    found = known.evaluate(rows, "x")
    assert (found[still_open] == values[still_open]).all()


def test_names_and_engines_make_no_difference_to_values(network: Snapshot) -> None:
    other = simulator(renamed(), "interpreter")
    start, same = Position(simulator(load("tictactoe"))), Position(other)
    mine = network.evaluate([child for _, child in start.successors()], "x")
    theirs = network.evaluate([child for _, child in same.successors()], "kreuz")
    assert sorted(mine) == pytest.approx(sorted(theirs))
    assert network.evaluate(start, "x").shape == (1,)
    assert network.evaluate([], "x").shape == (0,)
    with pytest.raises(GameloreError, match="knows the roles x, o, not z"):
        network.evaluate(start, "z")
    with pytest.raises(CheckpointError, match="it is about tictactoe, not nim"):
        network.evaluate(Position(simulator(load("nim"))), "x")


def test_a_role_that_was_not_learned_has_no_values() -> None:
    with pytest.raises(GameloreError, match="nothing was learned of the role o"):
        snapshot(FIRST).evaluate(Position("tictactoe"), "o")


@pytest.mark.parametrize("config", [FUNCTION, SHARED], ids=["network", "table"])
def test_searches_and_batches_take_a_snapshot(config: TrainConfig) -> None:
    evaluator = snapshot(config, 2000).evaluator()
    engine = evaluator.prepare(simulator(load("tictactoe")))
    halves = play_both_roles(engine, evaluator, ZeroEvaluator(), 100, seed=1)
    assert sum(half.score(role) for role, half in enumerate(halves)) / 2 > 0.6
    player = AlphaBetaPlayer(evaluator, depth=2)
    record = play_match(engine, {"x": player, "o": RandomPlayer(1)})
    assert not record.faults
    with pytest.raises(GameloreError, match="action values is no evaluator"):
        snapshot(Q).evaluator()


def test_other_processes_get_the_same(network: Snapshot) -> None:
    start = Position(simulator(load("tictactoe")))
    positions = [child for _, child in start.successors()]
    evaluator = network.evaluator()
    engine = evaluator.prepare(start.simulator)
    rows = np.array([engine.encode(position.facts) for position in positions])
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        there = pool.submit(network.evaluate, positions, "x").result()
        values = pool.submit(evaluate_there, evaluator, rows).result()
    assert (there == network.evaluate(positions, "x")).all()
    assert (values == evaluator.evaluate(engine, rows, 0, 0)).all()


def evaluate_there(evaluator: Evaluator, rows: Rows) -> Floats:
    """Evaluate in another process, on an engine of its own."""
    engine = evaluator.prepare(simulator(load("tictactoe")))
    return evaluator.evaluate(engine, rows, 0, 0)


def test_players_are_pickled_between_matches(network: Snapshot) -> None:
    engine = network.engine()
    player = AlphaBetaPlayer(network.evaluator(), depth=2, seed=3)
    player.start(Briefing(engine, "x"), Clock())
    copy = pickle.loads(pickle.dumps(player))
    moves = []
    for each in (player, copy):
        each.start(Briefing(engine, "x"), Clock())
        moves.append(each.choose(Position(engine), Clock()))
    assert moves[0] == moves[1]
