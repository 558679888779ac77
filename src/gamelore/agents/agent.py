"""Who enters matches: under one name, again and again, perhaps learning in between."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

import numpy as np

from gamelore.engine.simulator import Simulator
from gamelore.gdl import Game, Role
from gamelore.match.match import MatchRecord
from gamelore.player import Briefing, Clock, Player

_MOST_IDLE = 4  # players kept for the next match
_MOST_BUSY = 64  # matches at once; beyond it the oldest is taken to be abandoned


@dataclass(frozen=True)
class Entry:
    """One match, as one who plays in it knows it."""

    match: str
    """Its id."""
    simulator: Simulator
    """Of the canonical game where names were changed."""
    role: Role
    opponents: tuple[str, ...] = ()
    """The names of the others in the order of their roles, where they are told."""
    start_clock: float = math.inf
    play_clock: float = math.inf

    @property
    def briefing(self) -> Briefing:
        """What a player of the match is told."""
        return Briefing(self.simulator, self.role, self.start_clock, self.play_clock)


class Agent(Protocol):
    """Plays matches under one name, and may learn between them."""

    def enter(self, entry: Entry, clock: Clock) -> Player:
        """A player for the match, already started; called in the start clock.

        Called again with another simulator when a faster engine is ready in mid-match.
        """

    def finish(self, entry: Entry, record: MatchRecord) -> None:
        """The match is over; what is to be kept of it is safe when this returns.

        A match that was given up has a record that is not complete.
        """

    def close(self) -> None:
        """No more matches."""


class PlayerAgent:
    """Enters players that never learn.

    A player whose match is over plays the next one of the same game: what it found out
    about the rules serves again. Several matches may go on at once.
    """

    def __init__(
        self,
        make_player: Callable[[int], Player],
        seed: int = 0,
        *,
        game: Game | None = None,
    ) -> None:
        """`make_player`: makes a player from a seed; the first gets this one.

        `game`: the only one that its players know, if they do not play every game.
        """
        self.game = game
        self._make_player = make_player
        self._seed = seed
        self._made = 0
        self._lock = Lock()
        self._busy: OrderedDict[str, tuple[Simulator, Player]] = OrderedDict()
        self._idle: list[tuple[Simulator, Player]] = []

    def enter(self, entry: Entry, clock: Clock) -> Player:
        """A player that knows the game, or a new one."""
        with self._lock:
            self._retire(entry.match)
            player = self._player_for(entry.simulator)
            self._busy[entry.match] = entry.simulator, player
            if len(self._busy) > _MOST_BUSY:
                self._busy.popitem(last=False)
        player.start(entry.briefing, clock)
        return player

    def finish(self, entry: Entry, record: MatchRecord) -> None:
        """The player is free for another match, unless it may still be at this one."""
        with self._lock:
            if any(fault.kind == "late" for fault in record.faults):
                self._busy.pop(entry.match, None)
            self._retire(entry.match)

    def close(self) -> None:
        """Let all players go."""
        with self._lock:
            self._busy.clear()
            self._idle.clear()

    def _retire(self, match: str) -> None:
        """Keep the player of a match, if there is one, for later matches."""
        known = self._busy.pop(match, None)
        if known is not None:
            self._idle = [known, *self._idle][:_MOST_IDLE]

    def _player_for(self, simulator: Simulator) -> Player:
        for number, (known, player) in enumerate(self._idle):
            if known is simulator:
                del self._idle[number]
                return player
        seed = self._seed
        if self._made:
            mixed = np.random.SeedSequence((self._seed, self._made))
            seed = int(mixed.generate_state(1)[0])
        self._made += 1
        return self._make_player(seed)
