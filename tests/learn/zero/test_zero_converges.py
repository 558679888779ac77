"""Zero reaches the solved value of small games, whatever the seed."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from tests.learn.zero.solved import Choose, SolvedGame

from gamelore.engine import CircuitSimulator, Rows, simulator
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn import SelfPlay, TrainConfig
from gamelore.learn.zero.lane_search import search_moves
from gamelore.learn.zero.settings import ZeroSettings
from gamelore.learn.zero.trainer import ZeroTrainer
from gamelore.values.policy_value_settings import PolicyValueSettings

NEAR = 0.1  # to the solved value of the first position, in 0 to 1
MEAN_ERROR = 0.15  # of the values of all open positions of tic-tac-toe


@cache
def solve(game: str) -> SolvedGame:
    engine = simulator(load(game), "circuit")
    assert isinstance(engine, CircuitSimulator)
    return SolvedGame(engine)


def train(
    game: str, matches: int, seed: int, settings: ZeroSettings | None = None
) -> ZeroTrainer:
    config = TrainConfig(
        settings or ZeroSettings(simulations=16, lanes=128),
        SelfPlay(),
        function=PolicyValueSettings(),
        seed=seed,
    )
    trainer = ZeroTrainer(StateGraph(solve(game).engine), config)
    trainer.run(matches)
    return trainer


def make_choice(trainer: ZeroTrainer, role: int) -> Choose:
    """Return what chooses the moves of a role: a search of 200 simulations."""
    rule = trainer.search_rule(200)

    def choose(rows: Rows) -> npt.NDArray[np.int32]:
        return np.asarray(search_moves(trainer.network, rule, rows)[:, role])

    return choose


def check_tictactoe(trainer: ZeroTrainer) -> None:
    """The network knows the value of the game, and those of other positions roughly.

    A network that has learned nothing is off by 0.38 on average.
    """
    solved, network = solve("tictactoe"), trainer.network
    start = solved.engine.initial_row()[None]
    assert network.evaluate(start)[0, 0] == pytest.approx(solved.value, abs=NEAR)
    rows, values = solved.open_positions()
    assert np.abs(network.evaluate(rows)[:, 0] - values).mean() < MEAN_ERROR


def test_solved_games_are_right() -> None:
    solved = solve("tictactoe")
    assert sum(map(len, solved.layers)) == 5478
    assert solved.value == 0.5


def test_zero_converges_on_tictactoe() -> None:
    check_tictactoe(train("tictactoe", 15_000, seed=11))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_zero_converges_on_tictactoe_with_every_seed(seed: int) -> None:
    """Nobody can beat its search, in either role."""
    trainer = train("tictactoe", 30_000, seed)
    check_tictactoe(trainer)
    for role in (0, 1):
        assert solve("tictactoe").worst(role, make_choice(trainer, role)) == 0.5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_zero_converges_on_connect_four_4x4_with_every_seed(seed: int) -> None:
    """Against perfect play it gets what it should, or all but all of it."""
    solved = solve("connect-four-4x4")
    settings = ZeroSettings(simulations=32, lanes=128)
    trainer = train("connect-four-4x4", 40_000, seed, settings)
    start = solved.engine.initial_row()[None]
    assert trainer.network.evaluate(start)[0, 0] == pytest.approx(0.5, abs=NEAR)
    for role in (0, 1):
        found = solved.mean(role, make_choice(trainer, role))
        assert found == pytest.approx(solved.value, abs=0.05)
