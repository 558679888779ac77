"""How the program that the paper's authors published departs from its Algorithm 1.

A slow learner in plain Python with a switch for each departure, to see which of them
explain the paper's numbers. With all of them off it is Algorithm 1, and a test holds it
to the same win rates as the fast learner.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from random import Random
from typing import TypeAlias

import numpy as np

from gamelore.experiments.statistics import Floats
from gamelore.experiments.wang2018.best_response import WholeGame
from gamelore.learn.schedules import Schedule
from gamelore.learn.settings import QSettings

_WAITING = -1  # in place of a move, where the other player moves

Key: TypeAlias = tuple[int, int]
"""A move, by the node it leads to, and the position after it, if that is a key."""


@dataclass(frozen=True)
class Departures:
    """The differences of that program from Algorithm 1; by default, none."""

    learns_waiting: bool = False
    """The other player's turns are steps too, discounted and learned from."""
    keys_successor: bool = False
    """Entries are kept apart by the position that follows, so that the best of them
    takes the other player's replies for the learner's own choice."""
    doubles_goal: bool = False
    """The goal is the reward of the last step and the value of what follows it."""
    tries_untried: bool = False
    """Exploration takes the first untried move, and any only if none is left."""

    def __str__(self) -> str:
        on = [f.name.replace("_", " ") for f in fields(self) if getattr(self, f.name)]
        if not on:
            return "Algorithm 1"
        return "all of them" if len(on) == len(fields(self)) else " and ".join(on)


ALL = Departures(True, True, True, True)


class PublishedLearner:
    """Plays one role and learns from it."""

    def __init__(
        self, game: WholeGame, role: int, departures: Departures, random: Random
    ) -> None:
        self.game = game
        self.role = role
        self.departures = departures
        self.settings = QSettings()
        self.table: dict[int, dict[Key, float]] = {}
        self._random = random
        self._movers = {node: game.graph.mover(node) for node in game.order}
        self._goals = {
            node: float(game.graph.goals(node)[role])
            for node in game.order
            if node not in game.children
        }

    def play(self, epsilon: float) -> float:
        """Play and learn from a match against the random player; return the goal."""
        steps: list[Key] = []
        node = self.game.graph.root
        while node in self.game.children:
            if self._movers[node] == self.role:
                move = following = self._choose(node, epsilon)
            else:
                following = self._random.choice(self.game.children[node])
                move = _WAITING
            if move != _WAITING or self.departures.learns_waiting:
                steps.append((node, move))
            node = following
        self._learn(steps, node)
        return self._goals[node]

    def _choose(self, node: int, epsilon: float) -> int:
        moves = self.game.children[node]
        known = self.table.get(node, {})
        if self._random.random() < epsilon:
            tried = {move for move, _ in known}
            untried = [move for move in moves if move not in tried]
            if self.departures.tries_untried and untried:
                return untried[0]
            return self._random.choice(moves)
        if not known:
            return self._random.choice(moves)
        best = max(known.values())
        return self._random.choice([key[0] for key in known if known[key] == best])

    def _learn(self, steps: list[Key], end: int) -> None:
        rate, discount = self.settings.step_size, self.settings.discount
        target = self._goals[end]
        if self.departures.doubles_goal:
            target += discount * self._goals[end]
        following = end
        for node, move in reversed(steps):
            known = self.table.setdefault(node, {})
            key = (move, following if self.departures.keys_successor else 0)
            known[key] = (1 - rate) * known.get(key, 0.0) + rate * target
            target = discount * max(known.values())
            following = node


def play_program(
    game: WholeGame, departures: Departures, schedule: Schedule, matches: int, seed: int
) -> Floats:
    """Return the goals of a run in which roles alternate: float64 [matches]."""
    random = Random(seed)
    roles = [PublishedLearner(game, role, departures, random) for role in (0, 1)]
    epsilons = schedule(np.arange(matches))
    return np.array(
        [roles[m % 2].play(float(epsilon)) for m, epsilon in enumerate(epsilons)]
    )
