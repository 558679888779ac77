"""Planes of the board as observations: all that facts say, where it is."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from gymnasium.utils.env_checker import check_env

from gamelore.adapters.gymnasium import GameEnv, GameVectorEnv
from gamelore.adapters.lanes import find_simulator
from gamelore.adapters.observations import Observer
from gamelore.board.planes import WHOLE
from gamelore.errors import ArgumentError

GAMES = ("tictactoe", "connect-four", "hex-5x5", "breakthrough-6x6", "trio", "nim")


@pytest.mark.parametrize("game", GAMES)
def test_planes_hold_all_that_facts_do(game: str) -> None:
    simulator = find_simulator(game)
    observer = Observer(simulator, "planes")
    layout = simulator.board.lay_out_planes(simulator.fluents)
    places = [*zip(layout.planes, layout.places, strict=True)]
    assert len({*places}) == len(simulator.fluents)
    random = np.random.default_rng(1)
    facts = random.integers(0, 2, (5, len(simulator.fluents)), np.int8)
    shown = observer.show(facts)
    assert shown.shape == (5, *observer.shape)
    flat = shown.reshape(5, len(layout.names), -1)
    used = np.zeros(flat.shape[1:], bool)
    for fact, (plane, place) in enumerate(places):
        where = slice(None) if place == WHOLE else slice(place, place + 1)
        assert (flat[:, plane, where] == facts[:, fact, None]).all()
        used[plane, where] = True
    assert not flat[:, ~used].any()


def test_a_piece_is_where_it_is_drawn() -> None:
    """Left to right and top to bottom, as in the picture of the position."""
    envs = GameVectorEnv("connect-four", 3, opponent=None, observation="planes")
    shown, _ = envs.reset(seed=1)
    assert shown.shape == (3, 4, 6, 7) == envs.observation_space.shape
    drop = [str(move) for move in envs.moves].index("(drop 3)")
    shown, *_ = envs.step(np.full(3, drop))
    planes = dict(zip(envs.observer.planes, shown[0], strict=True))
    expected = np.zeros((6, 7), np.int8)
    expected[5, 2] = 1
    assert np.array_equal(planes["cell red"], expected)
    assert planes["(control yellow)"].all()
    assert not planes["(control red)"].any()


def test_single_environments_show_the_same() -> None:
    env = GameEnv("tictactoe", observation="planes")
    check_env(env, skip_render_check=True)
    envs = GameVectorEnv("tictactoe", 2, observation="planes")
    one, _ = env.reset(seed=5)
    many, _ = envs.reset(seed=[5, 6])
    for action in (4, 0):
        assert np.array_equal(one, many[0])
        one, *_ = env.step(action)
        many, *_ = envs.step(np.array([action, action]))


def test_games_for_several_agents_show_planes() -> None:
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")
    from pettingzoo.test import api_test, parallel_api_test

    from gamelore.adapters import pettingzoo

    env = pettingzoo.env("tictactoe", observation="planes")
    api_test(env, num_cycles=50)
    env.reset(seed=1)
    assert env.observe("player_0")["observation"].shape == (4, 3, 3)
    assert env.state().shape == (4, 3, 3)
    parallel_api_test(
        pettingzoo.parallel_env("tron", observation="planes"), num_cycles=50
    )


def test_games_without_a_board_have_none() -> None:
    with pytest.raises(ArgumentError, match="no board with rows and columns"):
        GameEnv("rock-paper-scissors", observation="planes")
    with pytest.raises(ArgumentError, match="observation must be 'facts' or 'planes'"):
        GameEnv("tictactoe", observation="pixels")  # type: ignore[arg-type]
