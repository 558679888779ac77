"""Networks of policy and value: kernels beside numpy, gradients beside differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from gamelore.engine import CircuitSimulator, simulator
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.search.mcts.leaf_values import sample_positions
from gamelore.values._policy_value_kernels import LossRule, OptimiserRule, Samples
from gamelore.values.policy_value import PolicyValueNetwork, PolicyValueOptimiser
from gamelore.values.policy_value_settings import PolicyValueSettings

LOSS = LossRule(value=1.3, policy=0.7, facts=0.5)
ADAM = OptimiserRule(0.01, 0.9, 0.999, 0.01, 1e9)

Weights = Mapping[str, npt.NDArray[Any]]


def make_engine(game: str) -> CircuitSimulator:
    engine = simulator(load(game), "circuit")
    assert isinstance(engine, CircuitSimulator)
    return engine


def make_network(game: str, facts: float = 0.5) -> PolicyValueNetwork:
    settings = PolicyValueSettings(hidden=13, second_hidden=9, final_facts=facts)
    network = PolicyValueNetwork(make_engine(game), settings, seed=3)
    weights = network.copy_weights()
    random = np.random.default_rng(4)
    for name, array in weights.items():  # far from 0, biases too
        weights[name] = random.normal(0, 0.5, array.shape).astype(np.float32)
    network.load(weights)
    return network


def make_samples(network: PolicyValueNetwork, count: int = 24) -> Samples:
    """Return positions of random matches, with random targets."""
    engine, random = network.simulator, np.random.default_rng(5)
    rows = np.ascontiguousarray(sample_positions(engine, 6)[::2][:count])
    legal = engine.legal(rows)
    choices = np.stack([one.sum(axis=1) for one in legal], axis=1)
    counts = np.where(choices > 1, choices, 0)
    width = int(counts.sum(axis=1).max())
    moves = np.zeros((len(rows), width), np.int32)
    policy = np.zeros((len(rows), width), np.float32)
    ends = np.cumsum([0, *(one.shape[1] for one in legal)])
    for i in range(len(rows)):
        place = 0
        for role, flags in enumerate(legal):
            found = np.flatnonzero(flags[i]) if counts[i, role] else np.zeros(0, int)
            moves[i, place : place + len(found)] = ends[role] + found
            if len(found):
                shares = random.dirichlet(np.ones(len(found)))
                policy[i, place : place + len(found)] = shares
            place += len(found)
    return Samples(
        rows=rows,
        views=network.choose_views(choices),
        moves=moves,
        counts=counts.astype(np.int32),
        policy=policy,
        values=random.random((len(rows), len(engine.roles)), np.float32),
        weights=random.integers(0, 2, len(rows)).astype(np.float32),
        ends=rows[::-1].copy(),
    )


class Twin:
    """The same network in numpy, float64, by the definition."""

    def __init__(self, network: PolicyValueNetwork, samples: Samples) -> None:
        self.network = network
        self.samples = samples
        self.facts = self._observe(samples.rows)
        self.ends = self._observe(samples.ends)

    def _observe(self, rows: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
        """Return facts from the side of the view, float64 [n, I]."""
        found = np.zeros((len(rows), self.network.inputs))
        seen = self.network.simulator.fact_matrix(rows)
        for i, view in enumerate(self.samples.views):
            places = self.network.views.facts[view, : self.network.inputs]
            found[i, places] = seen[i]
        return found

    def forward(self, w: Weights) -> dict[str, npt.NDArray[Any]]:
        ones = np.ones((len(self.facts), 1))
        first = np.maximum(np.hstack([self.facts, ones]) @ w["first"], 0)
        second = np.maximum(np.hstack([first, ones]) @ w["second"], 0)
        return {
            "first": first,
            "second": second,
            "value": 1 / (1 + np.exp(-(second @ w["value"].T + w["value_bias"]))),
            "policy": second @ w["policy"].T + w["policy_bias"],
            "facts": 1 / (1 + np.exp(-(second @ w["facts"].T + w["facts_bias"]))),
        }

    def errors(
        self, found: Mapping[str, npt.NDArray[Any]]
    ) -> tuple[float, dict[str, npt.NDArray[Any]]]:
        """Return the mean loss, and its derivatives by the sums into outputs."""
        samples, views = self.samples, self.network.views
        n = len(self.facts)
        slopes = {k: np.zeros_like(found[k]) for k in ("value", "policy", "facts")}
        loss = 0.0
        for i in range(n):
            view = samples.views[i]
            places = views.roles[view]
            p, t = found["value"][i, places], samples.values[i]
            loss += LOSS.value * -(t * np.log(p) + (1 - t) * np.log(1 - p)).sum() / n
            slopes["value"][i, places] += LOSS.value * (p - t) / n
            p, t = found["facts"][i], self.ends[i]
            weight = LOSS.facts / n / max(1, len(p))
            loss += weight * -(t * np.log(p) + (1 - t) * np.log(1 - p)).sum()
            slopes["facts"][i] += weight * (p - t)
            first = 0
            for count in samples.counts[i]:
                span = slice(first, first + count)
                first += count
                if not count:
                    continue
                outputs = views.moves[view, samples.moves[i, span]]
                shares = np.exp(found["policy"][i, outputs])
                shares /= shares.sum()
                weight = LOSS.policy * samples.weights[i] / n
                loss -= weight * (samples.policy[i, span] * np.log(shares)).sum()
                target = samples.policy[i, span]
                slopes["policy"][i, outputs] += weight * (shares - target)
        return loss, slopes

    def loss(self, w: Weights) -> float:
        return self.errors(self.forward(w))[0]

    def gradient(self, w: Weights) -> dict[str, npt.NDArray[Any]]:
        found = self.forward(w)
        _, slopes = self.errors(found)
        ones = np.ones((len(self.facts), 1))
        gradient: dict[str, npt.NDArray[Any]] = {}
        back = np.zeros_like(found["second"])
        for head, slope in slopes.items():
            gradient[head] = slope.T @ found["second"]
            gradient[f"{head}_bias"] = slope.sum(axis=0)
            back += slope @ w[head]
        back *= found["second"] > 0
        gradient["second"] = np.hstack([found["first"], ones]).T @ back
        back = (back @ w["second"][:-1].T) * (found["first"] > 0)
        gradient["first"] = np.hstack([self.facts, ones]).T @ back
        return gradient


def wide(weights: Weights) -> dict[str, npt.NDArray[Any]]:
    return {name: array.astype(np.float64) for name, array in weights.items()}


# Two players in turn, at once, and one alone.
GAMES = ["tictactoe", "rock-paper-scissors", "peg-solitaire"]


@pytest.mark.parametrize("game", GAMES)
def test_kernels_compute_what_numpy_does(game: str) -> None:
    network = make_network(game)
    samples = make_samples(network)
    found = Twin(network, samples).forward(wide(network.copy_weights()))
    places = network.views.roles[samples.views]
    values = np.take_along_axis(found["value"], places, axis=1)
    np.testing.assert_allclose(network.evaluate(samples.rows), values, rtol=1e-4)
    shares = network.policy(samples.rows)
    legal = network.simulator.legal(samples.rows)
    first = 0
    for one, flags in zip(shares, legal, strict=True):
        assert not one[~flags].any()
        outputs = network.views.moves[samples.views][:, first : first + one.shape[1]]
        first += one.shape[1]
        logits = np.take_along_axis(found["policy"], outputs, axis=1)
        wanted = np.exp(logits) * flags
        wanted /= wanted.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(one, wanted, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("game", GAMES)
def test_gradients_are_those_of_numpy(game: str) -> None:
    network = make_network(game)
    samples = make_samples(network)
    optimiser = PolicyValueOptimiser(network, ADAM)
    found = optimiser.gradient(samples, np.arange(len(samples.rows)), LOSS)
    wanted = Twin(network, samples).gradient(wide(network.copy_weights()))
    own = network.settings
    for name, array in wanted.items():
        mine = found[name]
        if name == "second":
            assert not mine[own.hidden : -1].any(), "units that only fill up vectors"
            mine = np.vstack([mine[: own.hidden], mine[-1:]])
        mine = mine[..., : array.shape[-1]]
        np.testing.assert_allclose(mine, array, rtol=2e-4, atol=2e-6, err_msg=name)


def test_gradients_of_numpy_are_differences() -> None:
    network = make_network("tictactoe")
    twin = Twin(network, make_samples(network))
    weights = wide(network.copy_weights())
    gradient = twin.gradient(weights)
    random = np.random.default_rng(7)
    step = 1e-6
    for name, array in weights.items():
        for _ in range(12):
            place = tuple(random.integers(size) for size in array.shape)
            before = array[place]
            array[place] = before + step
            above = twin.loss(weights)
            array[place] = before - step
            below = twin.loss(weights)
            array[place] = before
            slope = (above - below) / (2 * step)
            assert gradient[name][place] == pytest.approx(slope, rel=1e-4, abs=1e-8)


def test_steps_are_those_of_adam() -> None:
    network = make_network("tictactoe", facts=0.0)
    samples = make_samples(network)
    rule = LossRule(1.0, 1.0, 0.0)
    optimiser = PolicyValueOptimiser(network, ADAM)
    expected = wide(network.copy_weights())
    mean = {name: np.zeros_like(array) for name, array in expected.items()}
    square = {name: np.zeros_like(array) for name, array in expected.items()}
    own = network.settings
    for number in range(1, 4):
        picked = np.arange(number, number + 8)
        gradient = optimiser.gradient(samples, picked, rule)
        gradient["second"] = np.delete(
            gradient["second"], np.s_[own.hidden : -1], axis=0
        )
        optimiser.learn(samples, picked, rule)
        for name, array in expected.items():
            slope = gradient[name][..., : array.shape[-1]]
            mean[name] = 0.9 * mean[name] + 0.1 * slope
            square[name] = 0.999 * square[name] + 0.001 * slope**2
            high = np.sqrt(square[name] / (1 - 0.999**number)) + 1e-8
            array *= 1 - ADAM.step_size * ADAM.weight_decay
            array -= ADAM.step_size * (mean[name] / (1 - 0.9**number)) / high
    for name, array in network.copy_weights().items():
        np.testing.assert_allclose(array, expected[name], atol=2e-4, err_msg=name)


def test_learning_lowers_the_loss_and_repeats_bit_for_bit() -> None:
    results = []
    for _ in range(2):
        network = make_network("tictactoe")
        samples = make_samples(network)
        optimiser = PolicyValueOptimiser(network, ADAM)
        picked = np.arange(len(samples.rows))
        losses = [optimiser.learn(samples, picked, LOSS) for _ in range(60)]
        assert losses[-1].value < losses[0].value
        assert losses[-1].policy < losses[0].policy
        assert losses[-1].facts < losses[0].facts
        results.append(network.parameters.copy())
    np.testing.assert_array_equal(results[0], results[1])


def test_players_see_a_position_alike_where_the_rules_are() -> None:
    network = PolicyValueNetwork(make_engine("connect-four"))
    engine = network.simulator
    start = engine.initial_row()
    rows = np.stack([start, engine.expand(start[None]).successors[0]])
    assert network.is_symmetric
    choices = np.stack([one.sum(axis=1) for one in engine.legal(rows)], axis=1)
    assert network.choose_views(choices).tolist() == [0, 1]
    # In the second view red is yellow: a position with colours exchanged is the same.
    view = network.views
    np.testing.assert_array_equal(view.facts[1][view.facts[1]], view.facts[0])
    np.testing.assert_array_equal(view.moves[1][view.moves[1]], view.moves[0])
    assert view.roles.tolist() == [[0, 1], [1, 0]]


def test_weights_of_another_network_are_refused() -> None:
    network = make_network("tictactoe")
    other = PolicyValueNetwork(make_engine("tictactoe"))
    with pytest.raises(ValueError, match="weights must have first"):
        other.load(network.copy_weights())


def test_the_interpreter_has_no_network() -> None:
    engine: Any = simulator(load("tictactoe"), "interpreter")
    with pytest.raises(GameloreError, match="compiled"):
        PolicyValueNetwork(engine)
