"""The player that moves at random."""

from __future__ import annotations

from random import Random

from gamelore.engine.position import Position
from gamelore.gdl import Move, Role
from gamelore.player import Briefing, Clock


class RandomPlayer:
    """Chooses uniformly among the legal moves; the same seed gives the same choices."""

    def __init__(self, seed: int = 0) -> None:
        self._random = Random(seed)
        self._role: Role = ""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Note the role; there is nothing to prepare."""
        self._role = briefing.role

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return any of the legal moves."""
        return self._random.choice(position.legal_moves(self._role))
