"""A player that looks one move ahead."""

from __future__ import annotations

import random

from gamelore import Briefing, Clock, Move, Position


class CautiousPlayer:
    """Wins at once if it can, does not let others do so, and moves at random else."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._role = ""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Note which role it plays."""
        self._role = briefing.role

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the move whose worst successor is the best, at random among equals."""
        number = position.roles.index(self._role)
        worst: dict[Move, int] = {}
        for joint, following in position.successors():
            value = self._value(following)
            worst[joint[number]] = min(value, worst.get(joint[number], value))
        best = max(worst.values())
        return self._random.choice([m for m, value in worst.items() if value == best])

    def _value(self, position: Position) -> int:
        """Return the goal at the end, the worst one if another wins next, else 50."""
        if position.is_terminal:
            return position.goal(self._role) or 0
        ends = (after for _, after in position.successors() if after.is_terminal)
        return min((after.goal(self._role) or 0 for after in ends), default=50)
