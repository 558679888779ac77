"""A plain AlphaZero loop on OpenSpiel in numpy, to measure beside.

One match at a time, one leaf at a time: PUCT with Dirichlet noise at the root, moves
drawn by visits at first, a network of two hidden layers, a replay window and Adam. It
is what one writes from the paper on an afternoon, and nothing here is tuned for speed.
"""

from __future__ import annotations

import math
from collections import deque
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

Array = npt.NDArray[np.float64]

_EXPLORATION = 1.25
_NOISE, _CONCENTRATION = 0.25, 10.0
_TEMPERATURE_MOVES = 12


class PlainNetwork:
    """A value of the player to move, and a logit for each action."""

    def __init__(self, inputs: int, actions: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        sizes = (inputs, 128, 64, actions + 1)
        self.layers = [
            (random.normal(0, math.sqrt(2 / one), (one, other)), np.zeros(other))
            for one, other in pairwise(sizes)
        ]
        self.moments = [
            [np.zeros_like(part) for part in layer for _ in range(2)]
            for layer in self.layers
        ]
        self.steps = 0

    def forward(self, x: Array) -> list[Array]:
        """Return the levels of all layers, the input first."""
        levels = [x]
        for place, (weights, bias) in enumerate(self.layers):
            x = x @ weights + bias
            if place < 2:
                x = np.maximum(x, 0)
            levels.append(x)
        return levels

    def evaluate(self, x: Array) -> tuple[float, Array]:
        """Return the value in -1 to 1, and logits."""
        out = self.forward(x[None])[-1][0]
        return math.tanh(float(out[0])), out[1:]

    def learn(self, x: Array, policy: Array, value: Array, mask: Array) -> None:
        """Take a step of Adam on squared error and cross-entropy."""
        levels = self.forward(x)
        out = levels[-1]
        found = np.tanh(out[:, 0])
        logits = np.where(mask, out[:, 1:], -1e9)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        slope = np.hstack(
            [
                (2 * (found - value) * (1 - found**2))[:, None],
                (shares - policy) * mask,
            ]
        ) / len(x)
        self.steps += 1
        for place in (2, 1, 0):
            weights, bias = self.layers[place]
            gradients = levels[place].T @ slope, slope.sum(axis=0)
            slope = (slope @ weights.T) * (levels[place] > 0)
            moments = self.moments[place]
            for number, (part, gradient) in enumerate(
                zip((weights, bias), gradients, strict=True)
            ):
                mean, square = moments[2 * number], moments[2 * number + 1]
                mean += 0.1 * (gradient - mean)
                square += 0.001 * (gradient**2 - square)
                high = np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8
                part -= 0.001 * mean / (1 - 0.9**self.steps) / high


class _Node:
    def __init__(self, state: Any, network: PlainNetwork) -> None:
        self.actions = state.legal_actions()
        tensor = np.array(state.observation_tensor(state.current_player()))
        self.value, logits = network.evaluate(tensor)
        shares = np.exp(logits[self.actions] - logits[self.actions].max())
        self.priors = shares / shares.sum()
        self.visits = np.zeros(len(self.actions))
        self.sums = np.zeros(len(self.actions))
        self.children: dict[int, _Node] = {}


class PlainAlphaZero:
    """Self-play and training, match by match."""

    def __init__(self, game: str, simulations: int = 64, seed: int = 0) -> None:
        self.game = pyspiel.load_game(game)
        self.simulations = simulations
        self.network = PlainNetwork(
            self.game.observation_tensor_size(),
            self.game.num_distinct_actions(),
            seed,
        )
        self.random = np.random.default_rng(seed)
        self.window: deque[tuple[Array, Array, float, Array]] = deque(maxlen=50_000)
        self.positions = 0
        self.matches = 0
        self._owed = 0.0

    def search(self, state: Any, noise: bool) -> tuple[_Node, Array]:
        """Return the root, and the shares of visits."""
        root = _Node(state, self.network)
        if noise and len(root.actions) > 1:
            alpha = _CONCENTRATION / len(root.actions)
            drawn = self.random.dirichlet([alpha] * len(root.actions))
            root.priors = (1 - _NOISE) * root.priors + _NOISE * drawn
        for _ in range(self.simulations):
            self._simulate(state.clone(), root)
        return root, root.visits / root.visits.sum()

    def _simulate(self, state: Any, root: _Node) -> None:
        node, path = root, []
        while True:
            means = np.where(node.visits > 0, node.sums / np.maximum(node.visits, 1), 0)
            bonus = _EXPLORATION * math.sqrt(1 + node.visits.sum())
            choice = int(np.argmax(means + bonus * node.priors / (1 + node.visits)))
            path.append((node, choice, state.current_player()))
            state.apply_action(node.actions[choice])
            if state.is_terminal():
                returns = state.returns()
                break
            if choice not in node.children:
                leaf = node.children[choice] = _Node(state, self.network)
                returns = [0.0, 0.0]
                returns[state.current_player()] = leaf.value
                returns[1 - state.current_player()] = -leaf.value
                break
            node = node.children[choice]
        for node, choice, player in path:
            node.visits[choice] += 1
            node.sums[choice] += returns[player]

    def play(self) -> None:
        """Play one match, and learn."""
        state = self.game.new_initial_state()
        samples = []
        while not state.is_terminal():
            root, shares = self.search(state, noise=True)
            player = state.current_player()
            policy = np.zeros(self.game.num_distinct_actions())
            policy[root.actions] = shares
            mask = np.zeros(len(policy), bool)
            mask[root.actions] = True
            samples.append(
                (np.array(state.observation_tensor(player)), policy, player, mask)
            )
            choice = int(np.argmax(shares))
            if len(samples) <= _TEMPERATURE_MOVES:
                choice = int(self.random.choice(len(shares), p=shares))
            state.apply_action(root.actions[choice])
        returns = state.returns()
        for tensor, policy, player, mask in samples:
            self.window.append((tensor, policy, returns[player], mask))
        self.matches += 1
        self.positions += len(samples)
        self._owed += 4 * len(samples)
        while self._owed >= 256 and len(self.window) >= 1024:
            self._owed -= 256
            picked = self.random.integers(len(self.window), size=256)
            columns = zip(*(self.window[i] for i in picked), strict=True)
            tensors, policies, values, masks = map(np.array, columns)
            self.network.learn(tensors, policies, values, masks)

    def choose(self, state: Any, simulations: int) -> int:
        """Return the action with most visits."""
        usual, self.simulations = self.simulations, simulations
        root, shares = self.search(state, noise=False)
        self.simulations = usual
        return int(root.actions[int(np.argmax(shares))])
