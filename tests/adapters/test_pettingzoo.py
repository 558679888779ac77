"""PettingZoo's own tests on games of every kind, and what they do not look at."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gamelore import Game, Position, load
from gamelore.engine import Interpreter
from gamelore.errors import ArgumentError, GameloreError
from gamelore.gdl import to_kif

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")

from pettingzoo import test as conformance
from pettingzoo.test.max_cycles_test import max_cycles_test
from pettingzoo.test.render_test import render_test
from pettingzoo.test.seed_test import parallel_seed_test, seed_test
from pettingzoo.test.state_test import state_test

from gamelore.adapters import pettingzoo

KINDS = ("tictactoe", "rock-paper-scissors", "trio", "pig", "peg-solitaire")
"""In turns, at once, for three, with chance, for one."""

ENVIRONMENTS = (*KINDS, "tron", "othello-4x4")


@pytest.fixture(autouse=True)
def strict() -> Any:
    """A warning of theirs is a failure, but for one that their own games raise, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        known = "Observation space for each agent probably should be"
        warnings.filterwarnings("ignore", message=known)
        known = "Observation is not a NumPy array"
        warnings.filterwarnings("ignore", message=known)
        yield


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_api(name: str) -> None:
    conformance.api_test(pettingzoo.env(name), num_cycles=30)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_parallel_api(name: str) -> None:
    conformance.parallel_api_test(pettingzoo.parallel_env(name), num_cycles=60)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_seeds(name: str) -> None:
    seed_test(lambda: pettingzoo.env(name), num_cycles=40)
    parallel_seed_test(lambda: pettingzoo.parallel_env(name), num_cycles=40)


@pytest.mark.parametrize("name", ("tictactoe", "pig"))
def test_render(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    def make(render_mode: str) -> Any:
        return pettingzoo.env(name, render_mode=render_mode)

    custom: dict[str, Callable[[Any], bool]] = {
        "svg": lambda drawn: drawn.startswith("<svg") and drawn.endswith("</svg>")
    }
    render_test(make, custom)
    assert str(Position(name)) in capsys.readouterr().out


def test_max_cycles(race: Game) -> None:
    """Of a game whose agents act at once: they count joint moves and turns alike."""
    module = SimpleNamespace(
        env=lambda **settings: pettingzoo.env(race, **settings),
        parallel_env=lambda **settings: pettingzoo.parallel_env(race, **settings),
    )
    max_cycles_test(module)


@pytest.mark.parametrize("name", KINDS)
def test_state(name: str) -> None:
    state_test(pettingzoo.env(name), pettingzoo.parallel_env(name), num_cycles=10)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_play_is_that_of_positions(name: str) -> None:
    """Facts and masks are those of positions, whose moves the actions stand for."""
    environment = pettingzoo.env(name)
    environment.reset(seed=3)
    raw = environment.unwrapped
    assert isinstance(raw, pettingzoo.GameAECEnv)
    random = np.random.default_rng(3)
    fluents = raw._match.lanes.simulator.fluents
    for agent in environment.agent_iter(60):
        seen, _, terminated, _, info = environment.last()
        assert seen is not None
        position = raw.position
        facts = {fluents[i] for i in np.flatnonzero(seen["observation"]).tolist()}
        assert facts == set(position.facts)
        assert terminated == position.is_terminal
        if terminated:
            environment.step(None)
            continue
        legal = [raw.moves[a] for a in np.flatnonzero(seen["action_mask"])]
        assert sorted(legal, key=to_kif) == [*position.legal_moves(info["role"])]
        environment.step(random.choice(np.flatnonzero(seen["action_mask"])))
        assert raw.roles[agent] == info["role"]


def test_rewards_are_goals_to_scale() -> None:
    for reward_range, win, loss in (((-1, 1), 1, -1), ((0, 5), 5, 0)):
        environment = pettingzoo.env("tictactoe", reward_range=reward_range)
        environment.reset()
        for text in ("1 1", "2 1", "1 2", "2 2", "1 3"):
            moves = [to_kif(move) for move in environment.unwrapped.moves]
            environment.step(moves.index(f"(mark {text})"))
        assert environment.rewards == {"player_0": win, "player_1": loss}
        assert environment.last()[1] == loss


def test_moves_at_once_are_not_seen_before_all_are_made() -> None:
    environment = pettingzoo.env("rock-paper-scissors")
    environment.reset(seed=0)
    before = environment.unwrapped.position
    environment.step(0)
    assert environment.agent_selection == "player_1"
    assert environment.unwrapped.position == before
    environment.step(1)
    assert environment.unwrapped.position != before


def test_the_environment_plays_the_role_random() -> None:
    environment = pettingzoo.env("pig")
    assert environment.possible_agents == ["player_0", "player_1"]
    played = []
    for seed in (1, 1, 2, 3, 4):
        environment.reset(seed=seed)
        roll = [to_kif(m) for m in environment.unwrapped.moves].index("roll")
        for _ in range(4):
            environment.step(roll)
        played.append(environment.unwrapped.position)
    assert played[0] == played[1]
    assert len(set(played)) > 1


@pytest.mark.parametrize("action", (0, 9, 10, 11, -1, -2))
def test_illegal_actions_lose_the_match(action: int) -> None:
    """Of a mark that is there, of the idle move, and of numbers that are no action."""
    environment = pettingzoo.env("tictactoe")
    environment.reset()
    environment.step(0)
    environment.step(action)
    assert environment.terminations == {"player_0": True, "player_1": True}
    assert environment.rewards == {"player_0": 1, "player_1": -1}


def test_illegal_actions_become_random_ones() -> None:
    environment = pettingzoo.env("tictactoe", illegal="random")
    environment.reset(seed=1)
    environment.step(0)
    environment.step(0)
    assert not any(environment.terminations.values())
    assert environment.agent_selection == "player_0"
    assert len(environment.unwrapped.position.legal_moves("x")) == 7


def test_a_game_by_path_and_by_rules(tmp_path: Path, race: Game) -> None:
    path = tmp_path / "own.kif"
    path.write_text(load("tictactoe").to_kif(), encoding="utf-8")
    for game in (str(path), path, load("tictactoe")):
        assert len(pettingzoo.env(game).unwrapped.moves) == 10
    assert pettingzoo.parallel_env(race).roles == {
        "player_0": "left",
        "player_1": "right",
    }


def test_refusals(race: Game) -> None:
    with pytest.raises(GameloreError, match=r"race has no spaces .* the interpreter"):
        pettingzoo.env(Interpreter(race))
    with pytest.raises(ArgumentError, match=r"render_mode .* did you mean ansi"):
        pettingzoo.env(race, render_mode="ansy")
    with pytest.raises(ArgumentError, match="illegal must be"):
        pettingzoo.env(race, illegal="raise")
    with pytest.raises(ArgumentError, match="max_cycles"):
        pettingzoo.env(race, max_cycles=0)
