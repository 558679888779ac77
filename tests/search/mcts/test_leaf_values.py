"""Trees over evaluators: estimates of leaves, alone and beside playouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gamelore.engine import CircuitSimulator, Interpreter, Rows, Simulator, simulator
from gamelore.engine.position import Position
from gamelore.engine.simulator import Row
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.match.match import play_match
from gamelore.player import Briefing, Clock
from gamelore.search.evaluator import (
    ConstantEvaluator,
    Evaluator,
    FeatureEvaluator,
    Floats,
)
from gamelore.search.mcts import CircuitTree, PlainTree, TreePlayer, TreeSettings
from gamelore.search.mcts.leaf_values import LeafValues, sample_positions
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import ValueFunction
from gamelore.values.settings import LinearSettings, NetworkSettings


class OwnMarks(Evaluator):
    """An evaluator without a kernel: the facts that name a role, minus the others'."""

    def evaluate(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        names = engine.roles
        return np.array(
            [
                50.0
                + sum(names[role] in str(fact) for fact in engine.facts(row))
                - sum(names[1 - role] in str(fact) for fact in engine.facts(row))
                for row in rows
            ]
        )


def circuit(name: str) -> CircuitSimulator:
    engine = simulator(load(name))
    assert isinstance(engine, CircuitSimulator)
    return engine


def learned(engine: Simulator, **settings: Any) -> ValueFunctionEvaluator:
    """A value function with random weights."""
    graph = StateGraph(engine)
    chosen = NetworkSettings(hidden=8, **settings)
    return ValueFunctionEvaluator(ValueFunction(graph, chosen, seed=3))


@pytest.mark.parametrize("perspective", ["first", "current-player"])
def test_the_kernel_estimates_what_the_evaluator_does(perspective: str) -> None:
    engine = circuit("connect-four-4x4")
    evaluator = learned(engine, perspective=perspective)
    rows = sample_positions(engine, 1)
    moved = (np.arange(len(rows)) // 3 % 2).astype(np.int16)
    leaves = LeafValues(evaluator, engine)
    fast = leaves.estimate(rows, moved)
    leaves._kernels = [None, None]
    assert fast == pytest.approx(leaves.estimate(rows, moved), abs=1e-2)
    assert fast.min() >= 0
    assert fast.max() <= 100
    assert fast.sum(axis=1) == pytest.approx(100)


def test_values_on_a_scale_of_their_own_are_spread() -> None:
    engine = FeatureEvaluator("threats").prepare(circuit("connect-four"))
    leaves = LeafValues(FeatureEvaluator("threats"), engine)
    rows = sample_positions(engine, 2)
    estimates = leaves.estimate(rows, np.zeros(len(rows), np.int16))
    assert 5 < estimates[:, 0].std() < 45
    values = FeatureEvaluator("threats").evaluate(engine, rows, 0, 0)
    order = np.argsort(values, kind="stable")
    assert (np.diff(estimates[order, 0]) >= -1e-3).all()


@pytest.mark.parametrize("mix", [1.0, 0.5])
@pytest.mark.parametrize("name", ["tictactoe", "connect-four-4x4"])
def test_proven_values_are_exact_over_any_evaluator(
    name: str,
    mix: float,
    solve: Callable[[Simulator, Row], dict[bytes, set[tuple[float, ...]]]],
    walk: Callable[[Simulator, int, int], Row],
    proven_goals: Callable[[CircuitTree], Any],
    check_tree: Callable[[CircuitTree], None],
) -> None:
    engine = circuit(name)
    row = walk(engine, 3 if name == "tictactoe" else 7, 1)
    known = solve(engine, row)
    settings = TreeSettings(mix=mix, nodes=20_000)
    tree = CircuitTree(engine, settings, evaluator=learned(engine))
    tree.set_root(row)
    assert tree.search(100_000)
    for key, goals in proven_goals(tree):
        if key in known:
            assert tuple(goals) in known[key]
    tree._abandon()
    check_tree(tree)
    plain = PlainTree(engine, settings, evaluator=learned(engine))
    plain.set_root(row)
    assert plain.search(20_000)
    assert plain._root.goals == tree._tree.nodes.goals[tree._root].tolist()


def test_both_trees_find_the_same_over_the_same_evaluator() -> None:
    engine = circuit("connect-four-4x4")
    for evaluator in (OwnMarks(), learned(engine)):
        settings = TreeSettings(mix=1, nodes=20_000, playouts=1500)
        found = []
        for make in (CircuitTree, PlainTree):
            tree = make(engine, settings, 1, evaluator=evaluator)
            tree.set_root(engine.initial_row())
            tree.search(1500)
            found.append(tree.analyse(0))
        fast, slow = found
        assert fast.value == pytest.approx(slow.value, abs=2.0)
        values = {one.move: one.value for one in slow.candidates}
        for one in fast.candidates:
            assert one.value == pytest.approx(values[one.move], abs=5.0)


class Expecting(Evaluator):
    """Knows nothing of positions, but expects moves: the first most, the last least."""

    def evaluate(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        return np.full(len(rows), 50.0)

    def priors(self, engine: Simulator, rows: Rows) -> list[Floats]:
        found = []
        for legal in engine.legal(rows):
            weights = legal * 0.5 ** np.cumsum(legal, axis=1)
            found.append(weights / weights.sum(axis=1, keepdims=True))
        return found


def test_visits_go_by_priors_in_both_trees() -> None:
    engine = circuit("connect-four-4x4")
    settings = TreeSettings(mix=1, nodes=20_000, playouts=160)  # so few meet no end
    for make in (CircuitTree, PlainTree):
        tree = make(engine, settings, 1, evaluator=Expecting())
        tree.set_root(engine.initial_row())
        tree.search(160)
        visits = {one.move: one.visits for one in tree.analyse(0).candidates}
        shares = [visits[move] / sum(visits.values()) for move in engine.moves[0][:4]]
        expected = np.array([8, 4, 2, 1]) / 15
        np.testing.assert_allclose(shares, expected, atol=0.04)


def test_a_search_in_parts_is_the_same_as_in_one() -> None:
    engine = circuit("connect-four")
    found = []
    for parts in ([3000], [1, 999, 2000], [64] * 46 + [56]):
        tree = CircuitTree(engine, TreeSettings(mix=0.5), 2, evaluator=learned(engine))
        tree.set_root(engine.initial_row())
        for part in parts:
            tree.search(part)
        found.append(tree.analyse(0))
    assert found[0] == found[1] == found[2]


def test_a_tree_with_estimates_is_cut_down_to_what_matters() -> None:
    engine = circuit("connect-four")
    evaluator = learned(engine)
    tree = CircuitTree(engine, TreeSettings(mix=1, nodes=5000), evaluator=evaluator)
    position = Position.initial(engine)
    for _ in range(14):
        tree.set_root(position.row)
        tree.search(600)
        count = tree.nodes
        rows = tree._tree.nodes.rows[:count]
        moved = tree._tree.nodes.moved[:count]
        untried = tree._tree.nodes.visits[:count] == 0
        untried &= tree._tree.nodes.status[:count] == 0
        expected = tree._leaves.estimate(rows, moved)  # type: ignore[union-attr]
        kept = tree._tree.estimates[:count]
        assert kept[untried] == pytest.approx(expected[untried], abs=0.05)
        mover = position.mover
        assert mover is not None
        position = position.advance(tree.analyse(position.roles.index(mover)).best.move)


def test_simultaneous_moves_and_the_interpreter_take_evaluators() -> None:
    engine = simulator(load("rock-paper-scissors"))
    for tree in (
        CircuitTree(engine, evaluator=ConstantEvaluator()),  # type: ignore[arg-type]
        PlainTree(Interpreter(load("rock-paper-scissors")), evaluator=OwnMarks()),
    ):
        tree.set_root(tree.engine.initial_row())
        tree.search(200)
        assert tree.analyse(0).mixed


def test_a_player_searches_over_an_evaluator_with_features() -> None:
    engine = simulator(load("connect-four"))
    settings = TreeSettings(playouts=200, nodes=20_000)
    evaluator = FeatureEvaluator("threats")
    ours = TreePlayer(1, settings, evaluator=evaluator)
    theirs = TreePlayer(2, TreeSettings(playouts=16, nodes=20_000))
    record = play_match(engine, {"red": ours, "yellow": theirs})
    assert record.faults == ()
    ours.start(Briefing(engine, "red", ponders=True), Clock())
    ours.choose(Position.initial(engine), Clock())
    ours.rest()


def test_a_linear_function_is_an_evaluator_too() -> None:
    engine = circuit("tictactoe")
    function = ValueFunction(StateGraph(engine), LinearSettings())
    settings = TreeSettings(mix=1)
    evaluator = ValueFunctionEvaluator(function)
    tree = CircuitTree(engine, settings, evaluator=evaluator)
    tree.set_root(engine.initial_row())
    assert tree.search(50_000)
    assert tree.analyse(0).value == 50
