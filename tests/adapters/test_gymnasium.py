"""Gymnasium's checker, and the vector environment against Gymnasium's own."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from gamelore import library
from gamelore.adapters import lanes
from gamelore.engine import Interpreter
from gamelore.errors import ArgumentError, GameloreError, GroundingError
from gamelore.gdl import Game, to_kif

pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

import gymnasium as gym
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from gamelore.adapters.gymnasium import GameEnv, GameVectorEnv, environment_id

FORMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tictactoe", {}),
    ("tictactoe", {"opponent": None}),
    ("tictactoe", {"role": "o", "illegal": "random"}),
    ("connect-four-4x4", {"role": "yellow", "reward_range": (0, 1)}),
    ("rock-paper-scissors", {}),
    ("rock-paper-scissors", {"opponent": None, "move_limit": 3}),
    ("trio", {"opponent": None}),
    ("trio", {"role": "z"}),
    ("pig", {"move_limit": 12}),
    ("pig", {"opponent": None}),
    ("peg-solitaire", {}),
    ("tictactoe", {"opponent": "minimax-1", "role": "o"}),
)
"""Games of every kind, against an opponent and in self-play."""

IDS = [f"{name} {settings}" for name, settings in FORMS]


@pytest.mark.parametrize(("name", "settings"), FORMS, ids=IDS)
def test_checker(name: str, settings: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        check_env(GameEnv(name, **settings), skip_render_check=True)


@pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.name)
@pytest.mark.parametrize(("name", "settings"), FORMS[:-1], ids=IDS[:-1])
def test_many_are_as_gymnasium_would_have_them(
    name: str, settings: dict[str, Any], mode: AutoresetMode
) -> None:
    """All results of lanes are those of single environments side by side."""
    count = 5
    fast = GameVectorEnv(name, count, autoreset_mode=mode, **settings)
    slow = SyncVectorEnv(
        [lambda: GameEnv(name, **settings)] * count, autoreset_mode=mode
    )
    assert fast.observation_space == slow.observation_space
    assert fast.action_space == slow.action_space
    assert same(fast.reset(seed=11), slow.reset(seed=11))
    random = np.random.default_rng(0)
    for _ in range(40):
        masks = fast.action_masks()
        actions = np.array([random.choice(np.flatnonzero(mask)) for mask in masks])
        actions[random.random(count) < 0.05] = len(fast.moves) - 1  # maybe illegal
        ours, theirs = fast.step(actions), slow.step(actions)
        assert same(ours, theirs)
        over = ours[2] | ours[3]
        if mode is AutoresetMode.DISABLED and over.any():
            again = {"reset_mask": over}
            assert same(
                strip(fast.reset(options={**again}), over),
                strip(slow.reset(options={**again}), over),
            )
    slow.close()


def same(ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> bool:
    return data_equivalence([*ours], [*theirs], exact=True)


def strip(result: tuple[Any, Any], which: Any) -> tuple[Any, Any]:
    """What is said of some environments only."""
    observations, infos = result
    return observations, {
        key: values if key.startswith("_") else values[which]
        for key, values in infos.items()
    }


def test_the_mode_is_in_the_metadata_and_may_be_text() -> None:
    for text in ("same_step", "SameStep", "same-step"):
        envs = GameVectorEnv("tictactoe", 2, autoreset_mode=text)
        assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    with pytest.raises(ArgumentError, match="must be one of next_step"):
        GameVectorEnv("tictactoe", 2, autoreset_mode="sometimes")


def test_seeds_repeat_and_streams_go_on() -> None:
    def play(seed: int | list[int | None] | None) -> list[bytes]:
        facts, _ = envs.reset(seed=seed)
        seen = [facts.tobytes()]
        for _ in range(12):
            facts, *_ = envs.step(envs.sample_actions())
            seen.append(facts.tobytes())
        return seen

    envs = GameVectorEnv("connect-four", 40, role="yellow")
    first, second, again = play(5), play(None), play(5)
    assert first == again
    assert first != second
    assert play([5 + i for i in range(40)]) == first


def test_every_game_of_the_library_is_registered() -> None:
    for entry in library():
        assert environment_id(entry.name) in gym.registry
    env = gym.make("gamelore/ConnectFour-v0", render_mode="ansi")
    env.reset(seed=1)
    assert "to move" in str(env.render())
    envs = gym.make_vec("gamelore/Hex3x3-v0", num_envs=7, opponent=None)
    facts, infos = envs.reset(seed=1)
    assert facts.shape == (7, 20)
    assert facts.dtype == np.int8
    assert infos["action_mask"].shape == (7, 10)
    assert infos["_action_mask"].all()
    assert infos["player"].tolist() == [0] * 7


def test_self_play_has_rewards_of_both() -> None:
    envs = GameVectorEnv("tictactoe", 300, opponent=None)
    envs.reset(seed=2)
    results = set()
    for _ in range(30):
        actors = envs.lanes.player.copy()
        _, rewards, terminated, _, infos = envs.step(envs.sample_actions())
        if terminated.any():
            both = infos["rewards"][terminated]
            assert np.array_equal(infos["_rewards"], terminated)
            assert (both.sum(axis=1) == 0).all()
            own = both[np.arange(len(both)), actors[terminated]]
            assert np.array_equal(own, rewards[terminated])
            results |= {*rewards[terminated].tolist()}
        assert not rewards[~terminated].any()
    assert results == {0.0, 1.0}  # who has just acted cannot have lost


def test_a_player_is_the_opponent() -> None:
    """The perfect player does not lose to a random one, in either role."""
    for role in ("x", "o"):
        envs = GameVectorEnv("tictactoe", 8, opponent="minimax-9", role=role)
        envs.reset(seed=3)
        won = 0.0
        for _ in range(12):
            _, rewards, *_ = envs.step(envs.sample_actions())
            assert (rewards <= 0).all()
            won -= rewards.sum()
        assert won > 3
        envs.close()


def test_drawings() -> None:
    envs = GameVectorEnv("tictactoe", 2, render_mode="rgb_array")
    envs.reset(seed=0)
    frames = envs.render()
    assert frames is not None
    for frame in frames:
        assert isinstance(frame, np.ndarray)
        assert frame.dtype == np.uint8
        assert frame.shape[2] == 3
        assert 0 < (frame < 128).mean() < 0.5  # some ink on the paper
    svg = GameEnv("tictactoe", render_mode="svg")
    svg.reset(seed=0)
    assert str(svg.render()).startswith("<svg")


def test_refusals() -> None:
    envs = GameVectorEnv("tictactoe", 2, autoreset_mode="disabled", move_limit=1)
    envs.reset(seed=0)
    with pytest.raises(ArgumentError, match=r"shape \(2,\), got \(3,\)"):
        envs.step(np.zeros(3, int))
    envs.step(envs.sample_actions())
    with pytest.raises(ArgumentError, match="match 0 is over: reset it"):
        envs.step(envs.sample_actions())
    with pytest.raises(ArgumentError, match="reset_mask"):
        envs.reset(options={"reset_mask": np.zeros(2, bool)})
    with pytest.raises(ArgumentError, match="a seed for each of 2"):
        envs.reset(seed=[1])
    with pytest.raises(ArgumentError, match=r"no role 'X' .*there are x, o"):
        GameEnv("tictactoe", role="X")
    with pytest.raises(ArgumentError, match="needs an opponent"):
        GameEnv("tictactoe", role="x", opponent=None)
    with pytest.raises(ArgumentError, match="does not learn, and td does"):
        GameEnv("tictactoe", opponent="td")
    with pytest.raises(ArgumentError, match="64 matches at once, got 65"):
        GameVectorEnv("tictactoe", 65, opponent="mcts-10")
    with pytest.raises(GameloreError, match="did you mean minimax"):
        GameEnv("tictactoe", opponent="minimx")


@pytest.mark.parametrize("kind", [GameEnv, GameVectorEnv])
def test_a_game_that_only_the_interpreter_plays_is_refused(
    kind: type, race: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(GameloreError, match=r"race has no spaces .*: it was given"):
        kind(Interpreter(race))

    def refuse(*_: object) -> None:
        raise GroundingError("too many rules")

    monkeypatch.setattr(lanes, "make_simulator", refuse)
    with pytest.raises(GameloreError, match=r"race has no spaces .*: too many rules"):
        kind(race)


def test_masks_fit_the_moves() -> None:
    env = GameEnv("tictactoe", role="x")
    _, info = env.reset(seed=4)
    assert np.array_equal(env.action_masks(), info["action_mask"].astype(bool))
    legal = [env.moves[i] for i in np.flatnonzero(env.action_masks()).tolist()]
    assert [to_kif(move) for move in legal] == [
        to_kif(move) for move in env.position.legal_moves("x")
    ]
