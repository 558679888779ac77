"""Matches in batches: who wins them, and that they are real matches."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.engine import CircuitSimulator, Row, Rows, Simulator
from gamelore.games import load
from gamelore.gdl.features import FeatureRules
from gamelore.graph import StateGraph
from gamelore.match.batch import BatchResult, play_batch, play_both_roles
from gamelore.search.evaluator import Evaluator, FeatureEvaluator, Floats, ZeroEvaluator
from gamelore.search.playouts import PlayoutEvaluator
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import ValueFunction
from gamelore.values.settings import LinearSettings

CENTRE = "(<= (feature centre) (me ?p) (true (cell 2 2 ?p)))"
RULES = FeatureRules.from_kif(CENTRE, load("tictactoe"))
RANDOM = (ZeroEvaluator(), ZeroEvaluator())


@pytest.fixture(scope="module")
def tictactoe() -> CircuitSimulator:
    return CircuitSimulator(load("tictactoe"), features=RULES)


class _Prefers(Evaluator):
    """Values one position above all others."""

    def __init__(self, row: Row) -> None:
        self.row = row

    def evaluate(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        return np.asarray((rows == self.row).all(axis=1), np.float64)


def test_random_matches_end_like_playouts(tictactoe: CircuitSimulator) -> None:
    found = play_batch(tictactoe, RANDOM, 2000, seed=1)
    expected = tictactoe.playouts(count=2000, seed=2).mean_goals[0]
    assert found.goals.mean(axis=0) == pytest.approx(expected, abs=4)
    assert tictactoe.terminal(found.rows).all()
    assert found.lengths.min() >= 5
    assert found.lengths.max() == 9


def test_the_same_seed_gives_the_same_matches(tictactoe: CircuitSimulator) -> None:
    one, two, other = (
        play_batch(tictactoe, RANDOM, 50, seed=seed) for seed in (3, 3, 4)
    )
    assert (one.rows == two.rows).all()
    assert (one.rows != other.rows).any()


def test_every_parent_gets_its_own_best_move(tictactoe: CircuitSimulator) -> None:
    start = tictactoe.initial_row()
    first = tictactoe.expand(start[None]).successors
    for wanted in first:
        found = play_batch(tictactoe, (_Prefers(wanted), ZeroEvaluator()), 30)
        # The mark that one move leaves on the board stays there to the end.
        cells = wanted & ~start & ~np.bitwise_and.reduce(first)
        assert ((found.rows & cells) == cells).all()


def test_moves_of_the_opening_are_random(tictactoe: CircuitSimulator) -> None:
    start = tictactoe.initial_row()
    first = tictactoe.expand(start[None]).successors
    evaluators = (_Prefers(first[0]), ZeroEvaluator())
    found = play_batch(tictactoe, evaluators, 300, opening=1)
    cells = first[0] & ~start & ~np.bitwise_and.reduce(first)
    assert not ((found.rows & cells) == cells).all()


@pytest.mark.parametrize(
    ("evaluator", "least"),
    [(FeatureEvaluator(RULES), 0.6), (PlayoutEvaluator(20), 0.9)],
)
@pytest.mark.parametrize("with_features", [True, False])
def test_features_and_playouts_beat_random_play(
    tictactoe: CircuitSimulator,
    evaluator: Evaluator,
    least: float,
    with_features: bool,
) -> None:
    played = tictactoe if with_features else CircuitSimulator(load("tictactoe"))
    halves = play_both_roles(played, evaluator, ZeroEvaluator(), 200, seed=5)
    assert sum(h.score(role) for role, h in enumerate(halves)) / 2 > least


def test_both_roles_share_the_matches(tictactoe: CircuitSimulator) -> None:
    halves = play_both_roles(tictactoe, *RANDOM, 7)
    assert [len(half.rows) for half in halves] == [4, 3]


@pytest.mark.parametrize("perspective", ["first", "current-player"])
def test_a_function_has_values_for_each_role(
    tictactoe: CircuitSimulator, perspective: str
) -> None:
    settings = LinearSettings(perspective=perspective, lowest_reward=-1.0)  # type: ignore[arg-type]
    function = ValueFunction(StateGraph(tictactoe), settings)
    function.load({"direct": np.array([0.5, 0.25])})
    evaluator = ValueFunctionEvaluator(function)
    rows = tictactoe.expand(tictactoe.initial_row()[None]).successors
    sign = 1 if perspective == "current-player" else -1
    values = evaluator.evaluate(tictactoe, rows, 0, 0)
    assert (values == function.evaluate(rows)).all()
    expected = sign * function.evaluate(rows, 1 if sign > 0 else 0)
    assert (evaluator.evaluate(tictactoe, rows, 1, 1) == expected).all()
    goals = np.array([0, 50, 100], np.int16)
    for role in (0, 1):
        rewards = evaluator.evaluate_terminal(tictactoe, rows[:3], goals, role)
        assert rewards.tolist() == [-1, 0, 1]


def test_a_draw_counts_half() -> None:
    goals = np.array([[100, 0], [50, 50], [0, 100], [100, 0]], np.int16)
    result = BatchResult(np.zeros((4, 1), np.uint64), goals, np.zeros(4, np.int32))
    assert result.wins(0) == 0.5
    assert result.score(0) == 0.625
    assert result.score(1) == 0.375
