"""A player that hands over to another one where it cannot play."""

from __future__ import annotations

import logging
import math

from gamelore.engine import CircuitSimulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.gdl import Move
from gamelore.player import Briefing, Clock, Player, describe_strength, let_rest

log = logging.getLogger(__name__)


class NotNowError(GameloreError):
    """A player has no time for this decision; it can make the next one."""


class FallbackPlayer:
    """Plays as one player; where that one cannot, as another, to the end of the match.

    A player says that it cannot play by raising a `GameloreError`, when it starts or
    when it chooses. After a `NotNowError` the other player makes one move only.
    """

    def __init__(self, player: Player, fallback: Player) -> None:
        self.player = player
        self.fallback = fallback
        self._active = player

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Start both players; the fallback first, so that it is ready in any case."""
        self._active = self.fallback
        self.fallback.start(briefing, clock)
        try:
            self.player.start(briefing, clock)
        except GameloreError as error:
            log.warning("another player takes over: %s", error)
        else:
            self._active = self.player

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the move of the player in charge."""
        if self._active is self.player:
            try:
                return self.player.choose(position, clock)
            except NotNowError as error:
                log.info("another player makes this move: %s", error)
            except GameloreError as error:
                log.info("another player takes over: %s", error)
                self._active = self.fallback
        return self.fallback.choose(position, clock)

    @property
    def strength(self) -> str | None:
        """Where the strength of the player in charge comes from, if it says."""
        return describe_strength(self._active)

    def rest(self) -> None:
        """Have both players stop thinking on the others' time."""
        let_rest(self.player)
        let_rest(self.fallback)


class CompiledOnly:
    """Lets a player start only where it is ready in time: not on the interpreter, if
    there is a start clock."""

    def __init__(self, player: Player) -> None:
        self._player = player

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Start the player, or raise a `GameloreError`."""
        compiled = isinstance(briefing.simulator, CircuitSimulator)
        if not compiled and clock.seconds < math.inf:
            raise GameloreError("there is no compiled engine")
        self._player.start(briefing, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the player's move."""
        return self._player.choose(position, clock)

    def rest(self) -> None:
        """Have the player stop thinking on the others' time."""
        let_rest(self._player)
