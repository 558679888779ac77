"""Matches of a network of policy and value against reference players."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from gamelore.errors import GameloreError
from gamelore.learn.opponents import AgentOpponent, AgentPlayer
from gamelore.learn.references import ITSELF, Floats, ReferenceMatches
from gamelore.learn.trainer import Trainer
from gamelore.learn.zero.player import PolicyValuePlayer
from gamelore.match.match import play_match
from gamelore.match.record import CHANCE
from gamelore.player import Player

Stop: TypeAlias = Callable[[], bool]


def make_references(
    trainer: Trainer,
    opponents: tuple[str, ...],
    matches: int,
    clock: Callable[[], float] = time.monotonic,
) -> ReferenceMatches:
    """Return the reference matches of a trainer."""
    if trainer.network is not None and ITSELF in opponents:
        raise GameloreError("a reference of itself is for value functions")
    kind = ReferenceMatches if trainer.network is None else NetworkReferenceMatches
    return kind(trainer, opponents, matches, clock)


class NetworkReferenceMatches(ReferenceMatches):
    """Plays a network by its policy, in each role in turn; all others are references.

    Where a reference player cannot play a game, its faults are random moves.
    """

    def _play_one(
        self, opponent: str, seed: int, seconds: float, is_stopped: Stop
    ) -> Floats:
        trainer, began = self._trainer, self._clock()
        players = trainer.players
        shares: list[float] = []
        while len(shares) < self._matches and not is_stopped():
            late = self._clock() - began >= seconds
            if late and len(shares) >= len(players):
                break
            number = len(shares)
            role = players[number % len(players)]
            shares.append(self._play_match(opponent, role, (seed, number)))
        return np.array(shares)

    def _play_match(self, opponent: str, role: int, seed: tuple[int, int]) -> float:
        """Return the goal of a role as a share from the lowest to the highest."""
        trainer = self._trainer
        simulator, network = trainer.graph.simulator, trainer.network
        assert network is not None
        seeds = np.random.SeedSequence(seed).generate_state(2)
        players: dict[str, Player] = {
            name: AgentPlayer(AgentOpponent(opponent), (*seed, other))
            for other, name in enumerate(simulator.roles)
            if name != CHANCE and other != role
        }
        players[simulator.roles[role]] = PolicyValuePlayer(network, int(seeds[0]))
        record = play_match(
            simulator,
            players,
            seed=int(seeds[1]),
            move_limit=trainer.config.longest_match,
        )
        for fault in record.faults:
            if fault.role == simulator.roles[role]:
                raise GameloreError(f"the learner could not move: {fault.message}")
        goals = simulator.goal_values[role]
        low, high = min(goals), max(goals)
        goal = record.goals[role] if record.complete else None
        return ((low + high) / 2 if goal is None else goal - low) / max(1, high - low)
