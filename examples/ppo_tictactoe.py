"""Proximal policy optimisation learns tic-tac-toe through the Gymnasium adapter.

The learner is written in numpy and knows nothing of the game: it gets facts and masks
of legal actions from `GameVectorEnv`, 128 matches at a time against the random player,
and learns a policy and a value function in one network. It takes some seconds, prints
its curve, and draws it in `ppo_tictactoe.png`.

    python examples/ppo_tictactoe.py [GAME]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np

from gamelore.adapters.gymnasium import GameVectorEnv

matplotlib.use("Agg")
from matplotlib import pyplot as plt

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Settings:
    """Settings of the learner."""

    matches: int = 128
    """Matches at a time."""
    steps: int = 16
    """Steps in each match between two updates."""
    updates: int = 100
    epochs: int = 4
    """Passes over the steps of an update."""
    batch: int = 512
    hidden: int = 64
    """Hidden units."""
    learning_rate: float = 3e-3
    discount: float = 1.0
    trace_decay: float = 0.95
    """Lambda of generalised advantage estimation."""
    clip: float = 0.2
    entropy_weight: float = 0.01
    value_weight: float = 0.5
    seed: int = 1


class Network:
    """One hidden layer, with logits of actions and a value as outputs."""

    def __init__(self, inputs: int, actions: int, settings: Settings) -> None:
        random = np.random.default_rng(settings.seed)
        hidden = settings.hidden
        self.weights = [
            random.normal(0, inputs**-0.5, (inputs, hidden)),
            np.zeros(hidden),
            random.normal(0, 0.01, (hidden, actions + 1)),
            np.zeros(actions + 1),
        ]
        self._mean = [np.zeros_like(w) for w in self.weights]
        self._square = [np.zeros_like(w) for w in self.weights]
        self._updates = 0
        self._rate = settings.learning_rate

    def __call__(self, facts: Array, masks: Array) -> tuple[Array, Array, Array]:
        """Return probabilities of actions, values, and what hidden units have."""
        into, bias, out, out_bias = self.weights
        units = np.tanh(facts @ into + bias)
        outputs = units @ out + out_bias
        logits = np.where(masks, outputs[:, :-1], -np.inf)
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True), outputs[:, -1], units

    def update(self, facts: Array, units: Array, slopes: Array) -> None:
        """Take a step of Adam down the slopes of the loss by the outputs."""
        _, _, out, _ = self.weights
        inner = (slopes @ out.T) * (1 - units**2)
        gradients = [facts.T @ inner, inner.sum(0), units.T @ slopes, slopes.sum(0)]
        norm = np.sqrt(sum(float((g**2).sum()) for g in gradients))
        self._updates += 1
        for i, gradient in enumerate(gradients):
            gradient = gradient * min(1.0, 0.5 / (norm + 1e-9))
            self._mean[i] += 0.1 * (gradient - self._mean[i])
            self._square[i] += 0.001 * (gradient**2 - self._square[i])
            mean = self._mean[i] / (1 - 0.9**self._updates)
            square = self._square[i] / (1 - 0.999**self._updates)
            self.weights[i] -= self._rate * mean / (np.sqrt(square) + 1e-8)


@dataclass(frozen=True)
class Experience:
    """Steps of all matches; each array has the shape [steps, matches, …]."""

    facts: Array
    masks: Array
    actions: Array
    chances: Array
    """The probability of the action when it was taken."""
    advantages: Array
    returns: Array


class Learner:
    """Plays and learns."""

    def __init__(self, game: str, settings: Settings) -> None:
        self.settings = settings
        # A match that ends begins anew in the same step, so that every step counts.
        self.envs = GameVectorEnv(game, settings.matches, autoreset_mode="same_step")
        facts, infos = self.envs.reset(seed=settings.seed)
        self._seen = facts.astype(float), infos["action_mask"].astype(bool)
        self.network = Network(facts.shape[1], len(self.envs.moves), settings)
        self._random = np.random.default_rng(settings.seed)

    def choose(self, chances: Array) -> Array:
        """Return an action for each row of probabilities."""
        points = self._random.random((len(chances), 1)) * chances.sum(1, keepdims=True)
        return (chances.cumsum(axis=1) <= points).sum(axis=1)

    def play(self) -> tuple[Experience, Array]:
        """Play some steps; return them, and the rewards of matches that ended."""
        steps: list[tuple[Array, ...]] = []
        results: list[Array] = []
        for _ in range(self.settings.steps):
            facts, masks = self._seen
            chances, values, _ = self.network(facts, masks)
            actions = self.choose(chances)
            following, rewards, ended, cut_off, infos = self.envs.step(actions)
            over = ended | cut_off
            own = chances[np.arange(len(actions)), actions]
            steps.append((facts, masks, actions, own, values, rewards, over))
            results.append(rewards[over])
            self._seen = following.astype(float), infos["action_mask"].astype(bool)
        facts, masks, actions, own, values, rewards, over = map(
            np.stack, zip(*steps, strict=True)
        )
        _, last, _ = self.network(*self._seen)
        advantages = self._estimate(values, last, rewards, over)
        seen = Experience(facts, masks, actions, own, advantages, advantages + values)
        return seen, np.concatenate(results)

    def _estimate(
        self, values: Array, last: Array, rewards: Array, over: Array
    ) -> Array:
        """Return generalised advantage estimates."""
        settings = self.settings
        advantages = np.zeros_like(values)
        carried = np.zeros(values.shape[1])
        following = last
        for step in reversed(range(len(values))):
            on = ~over[step] * settings.discount
            error = rewards[step] + on * following - values[step]
            carried = error + on * settings.trace_decay * carried
            advantages[step] = carried
            following = values[step]
        return advantages

    def learn(self, seen: Experience) -> None:
        """Update the network by the steps that were played."""
        flat = Experience(
            *(np.reshape(part, (-1, *part.shape[2:])) for part in vars(seen).values())
        )
        count = len(flat.actions)
        for _ in range(self.settings.epochs):
            order = self._random.permutation(count)
            for first in range(0, count, self.settings.batch):
                rows = order[first : first + self.settings.batch]
                self._update(Experience(*(part[rows] for part in vars(flat).values())))

    def _update(self, seen: Experience) -> None:
        """Take one step of the clipped objective, with its slopes written out."""
        settings, count = self.settings, len(seen.actions)
        chances, values, units = self.network(seen.facts, seen.masks)
        rows = np.arange(count)
        own = chances[rows, seen.actions]
        ratio = own / seen.chances
        gain = (seen.advantages - seen.advantages.mean()) / (
            seen.advantages.std() + 1e-8
        )
        clipped = np.where(
            gain > 0, ratio > 1 + settings.clip, ratio < 1 - settings.clip
        )
        taken = np.zeros_like(chances)
        taken[rows, seen.actions] = 1
        slopes = -((~clipped * gain * ratio)[:, None]) * (taken - chances)
        logs = np.log(np.where(chances > 0, chances, 1))
        entropy = -(chances * logs).sum(axis=1, keepdims=True)
        slopes += settings.entropy_weight * chances * (logs + entropy)
        value_slopes = settings.value_weight * (values - seen.returns)
        both = np.concatenate([slopes, value_slopes[:, None]], axis=1) / count
        self.network.update(seen.facts, units, both)


def main() -> None:
    game = sys.argv[1] if len(sys.argv) > 1 else "tictactoe"
    settings = Settings()
    learner = Learner(game, settings)
    curve: list[tuple[int, float]] = []
    recent: list[Array] = []
    played = 0
    print(f"{game}, against the random player\nmatches   mean reward")
    for update in range(1, settings.updates + 1):
        seen, results = learner.play()
        learner.learn(seen)
        played += len(results)
        recent.append(results)
        if update % 10 == 0:
            curve.append((played, float(np.concatenate(recent).mean())))
            print(f"{played:7,}   {curve[-1][1]:+.3f}")
            recent = []
    figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
    axes.plot(*zip(*curve, strict=True), marker=".")
    axes.set(xlabel="matches", ylabel="mean reward", title=f"{game}: PPO")
    axes.axhline(1, color="grey", linewidth=0.5)
    figure.savefig("ppo_tictactoe.png", dpi=120)


if __name__ == "__main__":
    main()
