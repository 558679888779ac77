"""Every evaluator: values in batches, kernels that agree, and searches over it."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.engine import NO_GOAL, Interpreter, Simulator, simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.gdl import to_kif
from gamelore.player import Briefing, Clock
from gamelore.search.alpha_beta import AlphaBetaPlayer
from gamelore.search.evaluator import (
    ConstantEvaluator,
    Evaluator,
    GoalScale,
    HeuristicEvaluator,
    ZeroEvaluator,
)
from gamelore.search.playouts import PlayoutEvaluator
from gamelore.values.evaluator import TableEvaluator
from gamelore.values.table import Table

THREE_IN_A_ROW = "(cell 1 1 x) (cell 1 2 x) (cell 2 1 o) (cell 2 2 o) (control x)"


@pytest.fixture(params=["circuit", "interpreter"])
def tictactoe(request: pytest.FixtureRequest) -> Simulator:
    return simulator(load("tictactoe"), request.param)


def afterstates(engine: Simulator) -> np.ndarray:
    return engine.expand(engine.initial_row()[None]).successors


def make_table(engine: Simulator) -> TableEvaluator:
    rows = afterstates(engine)[:4]
    values = np.array([10.0, 20.0, 30.0, 40.0])
    table = Table.from_arrays(rows, values, np.ones(4, np.uint32))
    return TableEvaluator(engine, table, side=0)


def test_values_are_float64_one_for_each_row(tictactoe: Simulator) -> None:
    evaluators: list[Evaluator] = [
        ConstantEvaluator(),
        ZeroEvaluator(),
        HeuristicEvaluator(),
        PlayoutEvaluator(4),
        make_table(tictactoe),
    ]
    for evaluator in evaluators:
        engine = evaluator.prepare(tictactoe)
        rows = afterstates(engine)
        values = evaluator.evaluate(engine, rows, 0, 1)
        assert values.dtype == np.float64, evaluator
        assert values.shape == (9,), evaluator


def test_playouts_repeat_from_a_seed(tictactoe: Simulator) -> None:
    rows = afterstates(tictactoe)
    one, two, other = (PlayoutEvaluator(8, seed) for seed in (1, 1, 2))
    first = one.evaluate(tictactoe, rows, 0, 0)
    assert (first == two.evaluate(tictactoe, rows, 0, 0)).all()
    assert (first != other.evaluate(tictactoe, rows, 0, 0)).any()
    assert (first != one.evaluate(tictactoe, rows, 0, 0)).any(), "it goes on"


def test_values_of_both_roles_add_up_where_goals_do(tictactoe: Simulator) -> None:
    rows = afterstates(tictactoe)
    evaluator = make_table(tictactoe)
    own, others = (evaluator.evaluate(tictactoe, rows, 0, role) for role in (0, 1))
    assert own.tolist() == [10, 20, 30, 40, 50, 50, 50, 50, 50]
    assert (own + others == 100).all()
    assert np.isnan(evaluator.look_up(rows)).tolist() == [False] * 4 + [True] * 5


def test_goals_have_values_on_the_same_scale() -> None:
    scale = GoalScale(0.02, -1.0)
    assert (scale.value(100), scale.value(None)) == (1.0, -1.0)
    goals = np.array([0, 50, 100, NO_GOAL], np.int16)
    assert scale.values(goals).tolist() == [-1, 0, 1, -1]


@pytest.mark.parametrize("kind", ["playouts", "table"])
def test_alpha_beta_takes_evaluators_without_a_kernel(
    tictactoe: Simulator, kind: str
) -> None:
    evaluator = PlayoutEvaluator(4) if kind == "playouts" else make_table(tictactoe)
    position = Position(tictactoe, THREE_IN_A_ROW)
    player = AlphaBetaPlayer(evaluator, depth=2)
    player.start(Briefing(tictactoe, "x"), Clock())
    assert to_kif(player.choose(position, Clock())) == "(mark 1 3)"


def test_alpha_beta_goes_by_the_table(tictactoe: Simulator) -> None:
    evaluator = make_table(tictactoe)
    rows = afterstates(tictactoe)
    best = Table.from_arrays(rows[3:4], np.array([90.0]), np.ones(1, np.uint32))
    evaluator.table = best
    player = AlphaBetaPlayer(evaluator, depth=1)
    player.start(Briefing(tictactoe, "x"), Clock())
    position = Position.initial(tictactoe)
    chosen = position.advance(player.choose(position, Clock()))
    assert (chosen.row == rows[3]).all()


def test_a_table_of_another_game_is_refused(tictactoe: Simulator) -> None:
    with pytest.raises(GameloreError, match="is about 'tictactoe', not 'nim'"):
        make_table(tictactoe).prepare(Interpreter(load("nim")))
