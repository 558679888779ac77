"""Stable-Baselines3 learns through the Gymnasium adapter."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
pytest.importorskip(
    "sb3_contrib", reason="Stable-Baselines3 is not installed: make test-extras"
)

from stable_baselines3.common.env_checker import check_env

from gamelore.adapters.gymnasium import GameEnv

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "examples" / "sb3_tictactoe.py"


@pytest.fixture(scope="module")
def example() -> Any:
    spec = importlib.util.spec_from_file_location("sb3_tictactoe", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("observation", ["facts", "planes"])
def test_its_own_checks_pass(observation: Any) -> None:
    check_env(GameEnv("connect-four", observation=observation), warn=False)


def test_it_learns(example: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The random player in the first role has a mean reward of about 0.3 in the same
    matches; an untrained network is a fixed player of about that strength."""
    curve = example.learn("tictactoe", parts=2, steps=8192)
    assert len(curve) == 3
    assert curve[-1] > 0.75
    assert curve[-1] > curve[0]
    assert len(capsys.readouterr().out.splitlines()) == 3
