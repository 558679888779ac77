"""The record of a match: joint moves, goals and faults."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Literal, TypeAlias

from gamelore.display import html_table
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

    def _repr_html_(self) -> str:
        """The match in a notebook: its joint moves, goals and faults in tables."""
        moves = [
            (step, *map(to_kif, joint)) for step, joint in enumerate(self.moves, 1)
        ]
        goals = ("goal", *("" if goal is None else goal for goal in self.goals))
        parts = [html_table(("", *self.roles), [*moves, goals])]
        if not self.complete:
            parts.append("<p>The match was not played to its end.</p>")
        if self.faults:
            faults = [
                (fault.step + 1, fault.role, fault.kind, fault.message)
                for fault in self.faults
            ]
            parts.append(html_table(("move", "role", "fault", ""), faults))
        return f"<p><b>{escape(self.game)}</b></p>{''.join(parts)}"
