"""Matches between snapshots of what was learned, and built-in players.

Two players that always choose the same would repeat one match for ever. So lots choose
the first moves of each match; a pair plays each opening twice, once from either seat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from gamelore.engine import Simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.gdl import Move, Role
from gamelore.graph import StateGraph
from gamelore.learn.snapshots import Snapshot
from gamelore.match.match import CHANCE, play_match
from gamelore.match.ratings import Result
from gamelore.player import Briefing, Clock, Player


@dataclass(frozen=True)
class Entrant:
    """Who takes part under one name."""

    name: str
    players: Mapping[Role, Player]
    """For each role that it can play."""
    learned: bool = False
    """Whether it is a snapshot."""


class Fixture(NamedTuple):
    """A match to be played."""

    players: tuple[str, str]
    """In the order of the roles."""
    opening: int
    """The number of the lots that choose its first moves."""


def built_in(
    name: str, make: Callable[[int], Player], simulator: Simulator, seed: int
) -> Entrant:
    """A player that is made from a seed, for both seats."""
    player = make(seed)
    return Entrant(name, dict.fromkeys(seats_of(simulator), player))


def entrant_of(
    snapshot: Snapshot, graph: StateGraph, seed: int, depth: int | None = None
) -> Entrant:
    """A player by what a course had learned, in the seats that it learned.

    `depth`: how many moves a value function looks ahead, if not as its course says.
    """
    seats_of(graph.simulator)
    wanted = None if depth is None else snapshot.limits(depth)
    return Entrant(snapshot.name, snapshot.players(graph, seed, wanted), learned=True)


def seats_of(simulator: Simulator) -> list[Role]:
    """The two roles that players have."""
    seats = [role for role in simulator.roles if role != CHANCE]
    if len(seats) != 2:
        raise GameloreError(
            f"{simulator.game.name} has {len(seats)} players; an arena is for two"
        )
    return seats


def names_of(paths: Sequence[Path]) -> list[str]:
    """What snapshots are called: as their files are, or with the way to them."""
    known = Counter(path.name for path in paths)
    return [path.name if known[path.name] == 1 else str(path) for path in paths]


class Arena:
    """Has everybody meet, snapshots each other and all else; built-in players do not
    meet, unless there is no snapshot."""

    def __init__(
        self,
        simulator: Simulator,
        entrants: Sequence[Entrant],
        *,
        seed: int = 0,
        opening: int = 1,
    ) -> None:
        """`opening`: how many moves of each player lots choose in its stead."""
        self.simulator = simulator
        self.seats = seats_of(simulator)
        self.entrants = {entrant.name: entrant for entrant in entrants}
        if len(self.entrants) < len(entrants):
            twice = Counter(entrant.name for entrant in entrants).most_common(1)[0][0]
            raise GameloreError(f"{twice} would play against itself: name it once")
        self.seed = seed
        self.opening = opening

    @property
    def strangers(self) -> list[tuple[str, str]]:
        """Pairs that cannot meet, since both learned the same seat only."""
        return [
            (one.name, other.name)
            for one, other in self._pairs()
            if not self._seatings(one, other)
        ]

    def fixtures(self, matches: int) -> Iterator[Fixture]:
        """So many matches of each pair, all pairs in turn, seats in turn."""
        for number in range(matches):
            for one, other in self._pairs():
                seatings = self._seatings(one, other)
                if seatings:
                    yield Fixture(seatings[number % len(seatings)], number // 2)

    def play(self, fixture: Fixture) -> Result | None:
        """What came of a match; nothing if it had no end."""
        lots = np.random.SeedSequence((self.seed, fixture.opening)).generate_state(3)
        players: dict[Role, Player] = {
            role: _OpenedPlayer(
                self.entrants[name].players[role], self.opening, int(lots[seat])
            )
            for seat, (role, name) in enumerate(
                zip(self.seats, fixture.players, strict=True)
            )
        }
        record = play_match(self.simulator, players, seed=int(lots[2]))
        if not record.complete:
            return None
        faults = Counter(fault.role for fault in record.faults)
        goals = dict(zip(record.roles, record.goals, strict=True))
        return Result(
            players=fixture.players,
            goals=tuple(goals[role] for role in self.seats),
            faults=tuple(faults[role] for role in self.seats),
            game=record.game,
        )

    def _pairs(self) -> list[tuple[Entrant, Entrant]]:
        pairs = list(combinations(self.entrants.values(), 2))
        telling = [pair for pair in pairs if pair[0].learned or pair[1].learned]
        return telling or pairs

    def _seatings(self, one: Entrant, other: Entrant) -> list[tuple[str, str]]:
        """The ways in which two can sit down, by names in the order of the roles."""
        first, second = self.seats
        return [
            (black.name, white.name)
            for black, white in ((one, other), (other, one))
            if first in black.players and second in white.players
        ]


class _OpenedPlayer:
    """Draws its first moves by lot; then another player chooses."""

    def __init__(self, player: Player, moves: int, seed: int) -> None:
        self._player = player
        self._left = moves
        self._lots = Random(seed)
        self._role: Role = ""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        self._role = briefing.role
        self._player.start(briefing, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        legal = position.legal_moves(self._role)
        if len(legal) > 1 and self._left > 0:
            self._left -= 1
            return self._lots.choice(legal)
        return self._player.choose(position, clock)
