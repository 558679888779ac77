"""The interface of agents: they enter many matches under one name, and may learn."""

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
from gamelore.match.record import MatchRecord
from gamelore.player import Briefing, Clock, Player, let_rest

_MOST_IDLE = 4  # players kept for the next match
_MOST_BUSY = 64  # matches at once; beyond it the oldest is taken to be abandoned


@dataclass(frozen=True)
class MatchEntry:
    """One match, as one of its players knows it."""

    match: str
    """Its id."""
    simulator: Simulator
    """Of the canonical game where names were changed."""
    role: Role
    opponents: tuple[str, ...] = ()
    """The names of the others in the order of their roles, if they are known."""
    start_clock: float = math.inf
    play_clock: float = math.inf
    ponders: bool = False
    """Whether the player may think while the others do."""
    threads: int = 1
    """How many threads the player may use at once."""

    @property
    def briefing(self) -> Briefing:
        """What a player knows before the match."""
        clocks = self.start_clock, self.play_clock
        return Briefing(self.simulator, self.role, *clocks, self.ponders, self.threads)


class Agent(Protocol):
    """Plays matches under one name, and may learn between them."""

    def enter(self, entry: MatchEntry, clock: Clock) -> Player:
        """Return a player for the match, already started; called in the start clock.

        Called again with another simulator when a faster engine is ready in mid-match.
        """

    def finish(self, entry: MatchEntry, record: MatchRecord) -> None:
        """Take note that a match is over; what is stored of it is safe on return.

        A match that was given up has a record that is not complete.
        """

    def close(self) -> None:
        """Release everything: there are no more matches."""


class PlayerAgent:
    """Enters players that never learn.

    A player whose match is over plays the next one of the same game, with the tables it
    has. Several matches may go on at once.
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

    def fresh(self, seed: int, simulator: Simulator) -> PlayerAgent:
        """Return such an agent without a past, with a player ready for a game.

        What it plays depends on the seed and on nothing else.
        """
        agent = PlayerAgent(self._make_player, seed, game=self.game)
        agent._idle.append((simulator, agent._player_for(simulator)))
        return agent

    def enter(self, entry: MatchEntry, clock: Clock) -> Player:
        """Return a player that has played the game before, or a new one."""
        with self._lock:
            self._retire(entry.match)
            player = self._player_for(entry.simulator)
            self._busy[entry.match] = entry.simulator, player
            if len(self._busy) > _MOST_BUSY:
                let_rest(self._busy.popitem(last=False)[1][1])
        player.start(entry.briefing, clock)
        return player

    def finish(self, entry: MatchEntry, record: MatchRecord) -> None:
        """Free the player for another match, unless it may still be thinking."""
        with self._lock:
            if any(fault.kind == "late" for fault in record.faults):
                late = self._busy.pop(entry.match, None)
                if late is not None:
                    let_rest(late[1])
            self._retire(entry.match)

    def close(self) -> None:
        """Release all players."""
        with self._lock:
            for _, player in self._busy.values():
                let_rest(player)
            self._busy.clear()
            self._idle.clear()

    def _retire(self, match: str) -> None:
        """Keep the player of a match for later matches, if there is one."""
        known = self._busy.pop(match, None)
        if known is not None:
            let_rest(known[1])
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
