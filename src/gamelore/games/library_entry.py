"""What the library knows of a game."""

from __future__ import annotations

from dataclasses import dataclass

from gamelore.games.families import MoveKind, Size
from gamelore.gdl import Role


@dataclass(frozen=True)
class LibraryEntry:
    """What the library knows of one game without simulating it."""

    name: str
    description: str
    roles: tuple[Role, ...]
    moves: MoveKind | None
    """None where only the rules tell."""
    family: str
    size: Size
    """Rows and columns, heaps, or a number of points; empty if there is one size."""
    continues: str | None
    """The relation that holds while a turn of several moves goes on: until it no longer
    does, those moves count as one."""
    package: str = "gamelore"
    """The package that brings it."""

    @property
    def players(self) -> int:
        """How many players it takes; `random` is none."""
        return sum(role != "random" for role in self.roles)
