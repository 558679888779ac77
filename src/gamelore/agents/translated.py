"""A player that plays the game of a match by other rules of the same game."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from gamelore.engine.position import Position
from gamelore.engine.translation import Translation
from gamelore.gdl import Move
from gamelore.player import Briefing, Clock, Player, let_rest

log = logging.getLogger(__name__)


class TranslatedPlayer:
    """Has another player play the known game; one by itself where they do not agree."""

    def __init__(
        self,
        player: Player,
        translation: Translation,
        make_other: Callable[[], Player],
    ) -> None:
        """`make_other`: makes the player for positions in which the two games differ,
        if there should be any."""
        self.player = player
        self.translation = translation
        self._make_other = make_other
        self._other: Player | None = None
        self._briefing: Briefing | None = None
        self._role = 0  # of the known game

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Start the player in the role that is the same."""
        self._other = None
        self._briefing = briefing
        known = self.translation.known
        number = briefing.simulator.roles.index(briefing.role)
        self._role = self.translation.roles.index(number)
        own = replace(briefing, simulator=known, role=known.roles[self._role])
        self.player.start(own, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the player's move as it is called in the match."""
        if self._briefing is None:
            raise RuntimeError("start must be called before choose")
        legal = position.legal_moves(self._briefing.role)
        if len(legal) == 1:
            return legal[0]
        names = None
        if self._other is None:
            names = self.translation.match_moves(position.row, self._role)
        if names is None:
            return self._choose_otherwise(position, clock)
        row = self.translation.translate(position.row.reshape(1, -1))[0]
        own = Position.from_row(self.translation.known, row)
        move = self.player.choose(own, clock.rename(names.__getitem__))
        return names[move]

    def _choose_otherwise(self, position: Position, clock: Clock) -> Move:
        """Return the move of a player that knows the game of the match alone."""
        assert self._briefing is not None
        if self._other is None:
            game = self.translation.known.game.name
            log.warning("this is not %s after all: playing by its own rules", game)
            let_rest(self.player)
            self._other = self._make_other()
            self._other.start(self._briefing, Clock(max(0.001, clock.budget / 4)))
        return self._other.choose(position, clock)

    def rest(self) -> None:
        """Have the players stop thinking on the others' time."""
        let_rest(self.player)
        if self._other is not None:
            let_rest(self._other)
