"""Matches side by side: who wins them, and that they are real matches."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.engine import CircuitSimulator, Rows
from gamelore.experiments.batch import (
    AnyMove,
    FeatureJudge,
    FunctionJudge,
    Outcomes,
    PlayoutJudge,
    play_both_seats,
    play_side_by_side,
)
from gamelore.experiments.statistics import Floats
from gamelore.games import load
from gamelore.gdl.features import FeatureRules
from gamelore.graph import StateGraph
from gamelore.values.functions import ValueFunction
from gamelore.values.settings import LinearSettings

CENTRE = "(<= (feature centre) (me ?p) (true (cell 2 2 ?p)))"


@pytest.fixture(scope="module")
def tictactoe() -> CircuitSimulator:
    game = load("tictactoe")
    return CircuitSimulator(game, features=FeatureRules.from_kif(CENTRE, game))


class _Prefers:
    """Likes one position and no other."""

    def __init__(self, row: Rows) -> None:
        self.row = row

    def values(self, rows: Rows, role: int) -> Floats:
        return np.asarray((rows == self.row).all(axis=1), np.float64)

    def rewards(self, rows: Rows, goals: np.ndarray, role: int) -> Floats:
        return np.zeros(len(goals))


def test_random_matches_end_like_playouts(tictactoe: CircuitSimulator) -> None:
    found = play_side_by_side(tictactoe, (AnyMove(), AnyMove()), 2000, seed=1)
    expected = tictactoe.playouts(count=2000, seed=2).mean_goals[0]
    assert found.goals.mean(axis=0) == pytest.approx(expected, abs=4)
    assert tictactoe.terminal(found.rows).all()
    assert found.lengths.min() >= 5
    assert found.lengths.max() == 9


def test_the_same_seed_gives_the_same_matches(tictactoe: CircuitSimulator) -> None:
    one, two, other = (
        play_side_by_side(tictactoe, (AnyMove(), AnyMove()), 50, seed=seed)
        for seed in (3, 3, 4)
    )
    assert (one.rows == two.rows).all()
    assert (one.rows != other.rows).any()


def test_every_parent_gets_its_own_best_move(tictactoe: CircuitSimulator) -> None:
    start = tictactoe.initial_row()
    first = tictactoe.expand(start[None]).successors
    for wanted in first:
        judges = (_Prefers(wanted), AnyMove())
        found = play_side_by_side(tictactoe, judges, 30)
        # The mark that one move leaves on the board stays there to the end.
        cells = wanted & ~start & ~np.bitwise_and.reduce(first)
        assert ((found.rows & cells) == cells).all()


def test_moves_of_the_opening_are_lots(tictactoe: CircuitSimulator) -> None:
    start = tictactoe.initial_row()
    first = tictactoe.expand(start[None]).successors
    wanted = first[0]
    judges = (_Prefers(wanted), AnyMove())
    found = play_side_by_side(tictactoe, judges, 300, opening=1)
    cells = wanted & ~start & ~np.bitwise_and.reduce(first)
    assert not ((found.rows & cells) == cells).all()


def test_features_and_playouts_beat_random_play(tictactoe: CircuitSimulator) -> None:
    for judge, least in (
        (FeatureJudge(tictactoe), 0.6),
        (PlayoutJudge(tictactoe, 20), 0.9),
    ):
        halves = play_both_seats(tictactoe, judge, AnyMove(), 200, seed=5)
        assert sum(h.score(role) for role, h in enumerate(halves)) / 2 > least


def test_both_seats_share_the_matches(tictactoe: CircuitSimulator) -> None:
    halves = play_both_seats(tictactoe, AnyMove(), AnyMove(), 7)
    assert [len(half.rows) for half in halves] == [4, 3]


@pytest.mark.parametrize("perspective", ["first", "current-player"])
def test_a_function_is_worth_to_each_role_what_it_says(
    tictactoe: CircuitSimulator, perspective: str
) -> None:
    settings = LinearSettings(perspective=perspective, lowest_reward=-1.0)  # type: ignore[arg-type]
    function = ValueFunction(StateGraph(tictactoe), settings)
    function.load({"direct": np.array([0.5, 0.25])})
    judge = FunctionJudge(function)
    rows = tictactoe.expand(tictactoe.initial_row()[None]).successors
    sign = 1 if perspective == "current-player" else -1
    assert (judge.values(rows, 0) == function.evaluate(rows)).all()
    expected = sign * function.evaluate(rows, 1 if sign > 0 else 0)
    assert (judge.values(rows, 1) == expected).all()
    goals = np.array([0, 50, 100], np.int16)
    for role in (0, 1):
        assert judge.rewards(rows, goals, role).tolist() == [-1, 0, 1]


def test_a_draw_counts_half() -> None:
    goals = np.array([[100, 0], [50, 50], [0, 100], [100, 0]], np.int16)
    outcomes = Outcomes(np.zeros((4, 1), np.uint64), goals, np.zeros(4, np.int32))
    assert outcomes.wins(0) == 0.5
    assert outcomes.score(0) == 0.625
    assert outcomes.score(1) == 0.375
