"""The example's learner learns through the adapter."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

EXAMPLE = Path(__file__).parents[2] / "examples" / "ppo_tictactoe.py"


@pytest.fixture(scope="module")
def example() -> Any:
    spec = importlib.util.spec_from_file_location("ppo_tictactoe", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for types
    spec.loader.exec_module(module)
    return module


def test_the_slopes_are_those_of_the_loss(example: Any) -> None:
    """Written out by hand, and by small differences of the objective."""
    settings = example.Settings(hidden=5)
    network = example.Network(4, 3, settings)
    random = np.random.default_rng(0)
    facts, masks = random.normal(size=(6, 4)), np.ones((6, 3), bool)
    wanted = random.normal(size=(6, 4))

    def loss() -> float:
        into, bias, out, out_bias = network.weights
        outputs = np.tanh(facts @ into + bias) @ out + out_bias
        return float((outputs * wanted).sum())

    _, _, units = network(facts, masks)
    place, step = (1, 2), 1e-6
    before = loss()
    network.weights[0][place] += step
    slope = (loss() - before) / step
    network.weights[0][place] -= step
    inner = (wanted @ network.weights[2].T) * (1 - units**2)
    assert (facts.T @ inner)[place] == pytest.approx(slope, rel=1e-4)


@pytest.mark.slow
def test_it_learns(example: Any) -> None:
    """The random player against itself has a mean reward of about 0.3."""
    learner = example.Learner("tictactoe", example.Settings())
    results = []
    for _ in range(30):
        seen, rewards = learner.play()
        learner.learn(seen)
        results.append(rewards)
    assert np.concatenate(results[:3]).mean() < 0.6
    assert np.concatenate(results[-5:]).mean() > 0.75
