"""A player that knows the game of a match under other names."""

from __future__ import annotations

from dataclasses import replace

from gamelore.engine.position import Position
from gamelore.engine.simulator import Simulator
from gamelore.gdl import Move
from gamelore.gdl.canonical import Renaming
from gamelore.player import Briefing, Clock, Player, let_rest


class RenamedPlayer:
    """Has another player play on a simulator of its own, under its own names."""

    def __init__(
        self, player: Player, simulator: Simulator, renaming: Renaming | None = None
    ) -> None:
        """`renaming`: from the names of the match to the player's, if they differ.

        Roles are matched by their order.
        """
        self.player = player
        self.simulator = simulator
        self._renaming = renaming

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Start the player in the role of the same number."""
        number = briefing.simulator.roles.index(briefing.role)
        role = self.simulator.roles[number]
        own = replace(briefing, simulator=self.simulator, role=role)
        self.player.start(own, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the player's move in the names of the match."""
        if self._renaming is None:
            if position.simulator is not self.simulator:
                position = Position(self.simulator, position.facts)
            return self.player.choose(position, clock)
        facts = map(self._renaming.rename, position.facts)
        back = self._renaming.inverse.rename
        move = self.player.choose(Position(self.simulator, facts), clock.rename(back))
        return back(move)

    def rest(self) -> None:
        """Have the player stop thinking on the others' time."""
        let_rest(self.player)
