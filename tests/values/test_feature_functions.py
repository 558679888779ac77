"""Value functions over features: the lecture's example, and the sides of two roles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gamelore.engine import Simulator, simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import Game, read_term
from gamelore.gdl.features import FeatureRules
from gamelore.graph import StateGraph
from gamelore.learn._function_match_kernels import evaluate_moves
from gamelore.learn.config import TrainConfig
from gamelore.learn.learners import Episode, ValueLearner
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.search.policies import PlayerSettings
from gamelore.values.settings import LinearSettings, NetworkSettings

STATES = """
(role agent)
(init (at s0))
(<= (legal agent (go ?b)) (true (at ?a)) (path ?a ?b))
(<= (next (at ?b)) (does agent (go ?b)))
(path s0 s1) (path s1 s4) (path s4 s8) (path s8 s9)
(path s1 s2) (path s2 s6) (path s6 s10)
(<= terminal (true (at s9)))
(<= terminal (true (at s10)))
(<= (goal agent 100) (true (at s9)))
(<= (goal agent 0) (not (true (at s9))))
"""
FEATURES = """
(<= (feature one a) (true (at ?s)) (has ?s))
(<= (feature two a) (true (at s1)))
(<= (feature two a) (true (at s8)))
(<= (feature two b) (true (at s8)))
(has s4) (has s8) (has s9) (has s2) (has s10)
"""
"""φ of S1 is (0, 1), of S4, S2, S9 and S10 (1, 0), of S8 (1, 2), of S6 (0, 0)."""


def lecture() -> Simulator:
    game = Game.from_kif(STATES, name="lecture")
    return simulator(game, features=FeatureRules.from_kif(FEATURES, game))


def walk(sim: Simulator, *states: str) -> Episode:
    positions, moves = [Position(sim)], []
    for state in states:
        positions.append(positions[-1].advance(f"(go {state})"))
        move = next(m for m in sim.moves[0] if str(m) == f"(go {state})")
        moves.append([sim.move_number(0, move)])
    return Episode(np.stack([p.row for p in positions]), np.array(moves, np.int32))


def test_the_lectures_example_to_the_last_digit() -> None:
    """η = 0.5, γ = 1: (0, 0) → (0.5, 1) → (0.5, 0.75) → (0.25, 0.75)."""
    sim = lecture()
    config = TrainConfig(
        TDSettings(step_size=0.5, trace_decay=0.0),
        function=LinearSettings(bias=False, terminal_target="both"),
    )
    trainer = Trainer(StateGraph(sim), config)
    assert trainer.function is not None
    learner = ValueLearner(trainer.values(0))
    assert trainer.function.weights()["direct"].tolist() == [0, 0, 0]
    learner.learn(walk(sim, "s1", "s4", "s8", "s9"))
    assert trainer.function.weights()["direct"].tolist() == [0.5, 1, 0]
    learner.learn(walk(sim, "s1", "s2", "s6", "s10"))
    assert trainer.function.weights()["direct"].tolist() == [0.25, 0.75, 0]


def test_q_learning_learns_from_the_move_not_taken() -> None:
    """The lecture's states by Q, one weight each: S1 goes to S2, but learns from S4."""
    game = Game.from_kif(STATES, name="lecture")
    config = TrainConfig(QSettings(0.5, 1.0), function=LinearSettings(bias=False))
    trainer = Trainer(StateGraph(simulator(game)), config)
    sim = trainer.graph.simulator
    learner = ValueLearner(trainer.values(0))
    for _ in range(3):
        learner.learn(walk(sim, "s1", "s4", "s8", "s9"))
    learner.learn(walk(sim, "s1", "s2", "s6", "s10"))
    names = ("s8", "s4", "s1", "s2", "s6")
    rows = np.stack([sim.encode([read_term(f"(at {name})")]) for name in names])
    assert trainer.function is not None
    # S8 goes half way to 1 in each walk, S4 half way to what S8 was before; S1 is
    # 0.125 after three walks, and goes half way to S4 in the fourth.
    assert trainer.function.evaluate(rows).tolist() == [0.875, 0.5, 0.3125, 0, 0]


def test_rewards_along_the_way_are_changes_of_features() -> None:
    """S1 → S4 earns 10 for `one`; S4 → S8 two for `two`, and S8 → S9 loses them."""
    sim = lecture()
    config = TrainConfig(
        TDSettings(step_size=0.5, trace_decay=0.0),
        function=LinearSettings(bias=False),
        shaping=(("one", 10.0), ("two", 1.0)),
    )
    trainer = Trainer(StateGraph(sim), config)
    assert trainer.function is not None
    ValueLearner(trainer.values(0)).learn(walk(sim, "s1", "s4", "s8", "s9"))
    # S1: 10 - 1 = 9, half of it to `two`: 4.5
    # S4: 2 + V(S8) = 2 + 9 = 11, half to `one`: 5.5
    # S8: 1 - 2 - (5.5 + 9) = -15.5, half to `one` and twice that to `two`
    assert trainer.function.weights()["direct"].tolist() == [-2.25, -11, 0]
    with pytest.raises(GameloreError, match="no feature three: there are one, two"):
        Trainer(StateGraph(sim), replace(config, shaping=(("three", 1.0),)))


@pytest.mark.parametrize("updates", ["online", "offline"])
def test_an_error_updates_values_where_it_was_found(updates: str) -> None:
    """Of S1, S4, S8 and S9 all learn from what S9 is worth, as Equation 5 has it."""
    sim = lecture()
    settings = LinearSettings(bias=False, trace_includes="successor", updates=updates)  # type: ignore[arg-type]
    config = TrainConfig(TDSettings(step_size=0.5, trace_decay=0.5), function=settings)
    trainer = Trainer(StateGraph(sim), config)
    assert trainer.function is not None
    ValueLearner(trainer.values(0)).learn(walk(sim, "s1", "s4", "s8", "s9"))
    one, two = 1 + 0.5 * 1 + 0.25 * 1, 0.5 * 2 + 0.125 * 1
    assert trainer.function.weights()["direct"].tolist() == [one / 2, two / 2, 0]


def test_scaled_features_are_inputs_and_rewards_stay() -> None:
    """Twice the input with a quarter of the step leaves what is predicted the same."""
    shaping = (("one", 10.0), ("two", 1.0))
    learned = []
    for scale, step in ((1.0, 0.4), (2.0, 0.1)):
        scaling = (("one", scale), ("two", scale))
        settings = LinearSettings(bias=False, scaling=scaling)
        config = TrainConfig(
            TDSettings(step_size=step), function=settings, shaping=shaping
        )
        sim = lecture()
        trainer = Trainer(StateGraph(sim), config)
        assert trainer.function is not None
        ValueLearner(trainer.values(0)).learn(walk(sim, "s1", "s4", "s8", "s9"))
        rows = sim.expand(walk(sim, "s1").rows[-1:]).successors
        learned.append(trainer.function.evaluate(rows))
        inputs = trainer.function.encode(rows)
        assert (inputs[:, :2] == scale * sim.feature_counts(rows)).all()
    assert np.abs(learned[0]).min() > 0.1
    assert learned[0] == pytest.approx(learned[1])
    with pytest.raises(ValueError, match="scaling of one must be positive, got 0"):
        LinearSettings(scaling=(("one", 0.0),))


SIDES = """
(<= (feature mine ?m ?n) (me ?p) (true (cell ?m ?n ?p)))
(<= (feature theirs ?m ?n) (me ?p) (true (cell ?m ?n ?q)) (role ?q) (distinct ?p ?q))
(<= (feature (corner ?p) ?m ?n) (role ?p) (true (cell ?m ?n ?p)) (edge ?m) (edge ?n))
(edge 1) (edge 3)
"""


def sides() -> Simulator:
    game = load("tictactoe")
    return simulator(game, features=FeatureRules.from_kif(SIDES, game))


@pytest.mark.parametrize("perspective", ["first", "current-player"])
@pytest.mark.parametrize("fluents", [False, True])
@pytest.mark.parametrize("reads", [False, True])
def test_bulk_and_open_path_are_one(
    perspective: str, fluents: bool, reads: bool
) -> None:
    settings = NetworkSettings(
        hidden=6,
        initial_range=None,
        perspective=perspective,  # type: ignore[arg-type]
        fluents=fluents,
        scaling=(("mine", 0.5),) if reads else (),
        reward_in_selection=reads,
        trace_includes="successor" if reads else "current",
    )
    for against in (SelfPlay(), PlayerSettings("novice")):
        config = TrainConfig(
            opponent=against,
            schedule=Fixed(0.1),
            function=settings,
            shaping=(("mine", 0.1), ("theirs", -0.1)),
        )
        bulk, opened = (
            Trainer(StateGraph(sides()), config),
            MatchTrainer(StateGraph(sides()), config),
        )
        assert (bulk.run(25).rewards == opened.run(25).rewards).all()
        for name, array in bulk.state().weights.items():
            assert array.tobytes() == opened.state().weights[name].tobytes()


@pytest.mark.parametrize("role", [0, 1])
def test_each_role_sees_its_own_side(role: int) -> None:
    settings = NetworkSettings(
        hidden=6, initial_range=None, perspective="current-player", fluents=True
    )
    trainer = Trainer(
        StateGraph(sides()), TrainConfig(opponent=SelfPlay(), function=settings)
    )
    trainer.run(50)
    function, graph = trainer.function, trainer.graph
    assert function is not None
    values = trainer.values(role)
    values.begin_match()
    position = Position(graph.simulator)
    for move in ("(mark 1 1)", "(mark 2 2)"):
        position = position.advance(move)
    node = graph.number(position.row)
    rows = np.stack([graph.row(edge.child) for edge in graph.edges(node)])
    handle = values.function_handle
    evaluate_moves(graph.graph, handle, node, role)
    expected = function.evaluate(rows, role)
    found = handle.function.workspace.move_values[: len(rows)]
    assert found == pytest.approx(expected, abs=1e-5)
    other = function.evaluate(rows, 1 - role)
    assert np.abs(expected - other).max() > 1e-3
