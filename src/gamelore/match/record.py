"""The record of a match: joint moves, goals and faults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from gamelore.gdl import Move, Role, to_kif

CHANCE: Role = "random"
"""The role that moves at random, such as dice."""

FaultKind: TypeAlias = Literal["illegal", "late", "failed"]


@dataclass(frozen=True)
class Fault:
    """A move that a player failed to give; a random one took its place."""

    step: int
    """Which joint move of the match, from 0; -1 if the player failed to start, and one
    past the last if it failed when the match was over."""
    role: Role
    kind: FaultKind
    message: str
    answer: Move | None = None
    """What the player gave instead, where that was a move."""


@dataclass(frozen=True)
class MatchRecord:
    """What happened in a match."""

    game: str
    roles: tuple[Role, ...]
    moves: tuple[tuple[Move, ...], ...]
    """The joint moves in order, each in the order of the roles."""
    goals: tuple[int | None, ...]
    """Each role's goal where the match ended; `None` where the rules give none."""
    complete: bool
    """Whether the rules ended the match, rather than the move limit or a player."""
    faults: tuple[Fault, ...] = ()

    def __str__(self) -> str:
        lines = [
            f"{step:3}. {'  '.join(map(to_kif, joint))}"
            for step, joint in enumerate(self.moves, start=1)
        ]
        results = zip(self.roles, self.goals, strict=True)
        ending = ", ".join(f"{role} {goal}" for role, goal in results)
        return "\n".join([*lines, f"{self.game}: {ending}"])
