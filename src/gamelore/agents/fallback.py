"""A player for every game: one that needs turns to move, and one that does not."""

from __future__ import annotations

import logging
import math

from gamelore.engine import CircuitSimulator
from gamelore.engine.position import Position
from gamelore.errors import NotTurnTakingError
from gamelore.gdl import Move
from gamelore.player import Briefing, Clock, Player

log = logging.getLogger(__name__)


class FallbackPlayer:
    """Plays as one player; where that one cannot, as another, to the end of the match.

    The first is one for games that take turns. On the interpreter it would need too
    long to get ready: where there is a start clock, the other plays there.
    """

    def __init__(self, player: Player, spare: Player) -> None:
        self._player = player
        self._spare = spare
        self._chosen = player

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Prepare both."""
        self._spare.start(briefing, clock)
        self._chosen = self._spare
        compiled = isinstance(briefing.simulator, CircuitSimulator)
        if compiled or clock.seconds == math.inf:
            self._player.start(briefing, clock)
            self._chosen = self._player

    def choose(self, position: Position, clock: Clock) -> Move:
        """What the player chooses who is in charge."""
        if self._chosen is self._player:
            try:
                return self._player.choose(position, clock)
            except NotTurnTakingError as error:
                log.info("another player takes over: %s", error)
                self._chosen = self._spare
        return self._spare.choose(position, clock)
