"""An arena: snapshots of training runs and other players meet in many matches.

Two players that choose without randomness would repeat one match for ever. Such pairs
therefore start from random openings; each opening is played twice, with the roles
exchanged. Pairs with a random player, and games with dice, need none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from gamelore.agents.agent import MatchEntry
from gamelore.agents.registry import AgentSpec, make_agent
from gamelore.engine import Simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.gdl import Move, Role
from gamelore.graph import StateGraph
from gamelore.learn.snapshots import Snapshot
from gamelore.match.match import play_match
from gamelore.match.ratings import Result
from gamelore.match.record import CHANCE
from gamelore.player import Briefing, Clock, Player

BLOCK = 20
"""Matches of a pair in a block; the next block has new players, with other seeds."""
USUAL_OPENING = 1
"""Random moves of each player, where a pair needs an opening."""


@dataclass(frozen=True)
class Participant:
    """Who takes part in an arena, under one name."""

    name: str
    players: Mapping[Role, Player]
    """For each role that it can play."""
    learned: bool = False
    """Whether it plays by what was learned: without randomness."""


class ArenaMatch(NamedTuple):
    """A match to be played."""

    players: tuple[str, str]
    """In the order of the roles."""
    number: int
    """Of the opening, and of the seeds; the same twice, with the roles exchanged."""
    opening: int
    """The number of each player's first moves that are random."""


class ArenaBlock(NamedTuple):
    """Matches of one pair, played one after the other by the same two players."""

    number: int
    """From 0, for each pair."""
    matches: tuple[ArenaMatch, ...]


class ArenaResult(NamedTuple):
    """A match that was played."""

    match: ArenaMatch
    result: Result | None
    """Nothing if it was cut off at the move limit."""


def make_participant(spec: AgentSpec, simulator: Simulator, seed: int) -> Participant:
    """Return the participant of a spec, for both roles."""
    if spec.learns:
        raise GameloreError(
            f"{spec} learns from its matches; in an arena, snapshots of it play"
        )
    roles = find_players(simulator)
    agent = make_agent(spec, seed=seed, games=[simulator.game])
    player = agent.enter(MatchEntry("arena", simulator, roles[0]), Clock())
    return Participant(
        spec.label, dict.fromkeys(roles, player), learned=spec.is_learned
    )


def make_learned_participant(
    snapshot: Snapshot, graph: StateGraph, seed: int, depth: int | None = None
) -> Participant:
    """Return the participant of a snapshot, in the roles that it learned.

    `depth`: how many moves a value function looks ahead, if not as its preset says.
    """
    find_players(graph.simulator)
    limits = None if depth is None else snapshot.limits(depth)
    return Participant(
        snapshot.name, snapshot.players(graph, seed, limits), learned=True
    )


def find_players(simulator: Simulator) -> list[Role]:
    """Return the two roles of players."""
    roles = [role for role in simulator.roles if role != CHANCE]
    if len(roles) != 2:
        raise GameloreError(
            f"{simulator.game.name} has {len(roles)} players; an arena is for two"
        )
    return roles


def name_files(paths: Sequence[Path]) -> list[str]:
    """Return the names of snapshots: their files', with the folder where they clash."""
    known = Counter(path.name for path in paths)
    return [path.name if known[path.name] == 1 else str(path) for path in paths]


class Arena:
    """Has every pair meet in which a snapshot takes part; all, if there is none."""

    def __init__(
        self,
        simulator: Simulator,
        participants: Sequence[Participant],
        *,
        seed: int = 0,
        opening: int | None = None,
    ) -> None:
        """`opening`: how many of each player's first moves are random, in all matches;
        by default, one between snapshots, and none in other pairs or with dice."""
        self.simulator = simulator
        self.roles = find_players(simulator)
        self.participants = {each.name: each for each in participants}
        if len(self.participants) < len(participants):
            twice = Counter(each.name for each in participants).most_common(1)[0][0]
            raise GameloreError(f"{twice} would play against itself: name it once")
        self.seed = seed
        self.opening = opening

    @property
    def impossible_pairs(self) -> list[tuple[str, str]]:
        """Pairs that cannot meet, since both learned the same role only."""
        return [
            (one.name, other.name)
            for one, other in self._pairs()
            if not self._assign_roles(one, other)
        ]

    @property
    def opened_pairs(self) -> list[tuple[str, str]]:
        """Pairs whose matches start from random openings."""
        return [
            (one.name, other.name)
            for one, other in self._pairs()
            if self._opening(one, other) and self._assign_roles(one, other)
        ]

    def describe_openings(self) -> str:
        """Return a sentence about random openings, for readers of the results."""
        opened, pairs = self.opened_pairs, self._pairs()
        if not opened:
            return "no random openings: every match starts from the first position"
        length = USUAL_OPENING if self.opening is None else self.opening
        moves = "first move" if length == 1 else f"first {length} moves"
        whose = "every match"
        if len(opened) < len(pairs):
            whose = "matches of " + ", ".join(" and ".join(pair) for pair in opened)
        return (
            f"random openings: each player's {moves} in {whose}; every opening is"
            " played twice with the roles exchanged, and may decide a match"
            " (--opening 0: none)"
        )

    def blocks(self, matches: int) -> Iterator[ArenaBlock]:
        """Yield so many matches of each pair, both roles in turn, in blocks."""
        for number, first in enumerate(range(0, matches, BLOCK)):
            numbers = range(first, min(matches, first + BLOCK))
            for one, other in self._pairs():
                assignments = self._assign_roles(one, other)
                opening = self._opening(one, other)
                block = [
                    ArenaMatch(assignments[n % len(assignments)], n // 2, opening)
                    for n in numbers
                    if assignments
                ]
                if block:
                    yield ArenaBlock(number, tuple(block))

    def play(self, match: ArenaMatch) -> ArenaResult:
        """Play a match."""
        seeds = np.random.SeedSequence((self.seed, match.number)).generate_state(3)
        players: dict[Role, Player] = {
            role: _OpeningPlayer(
                self.participants[name].players[role], match.opening, int(seed)
            )
            for role, name, seed in zip(
                self.roles, match.players, seeds[:2], strict=True
            )
        }
        record = play_match(self.simulator, players, seed=int(seeds[2]))
        if not record.complete:
            return ArenaResult(match, None)
        faults = Counter(fault.role for fault in record.faults)
        goals = dict(zip(record.roles, record.goals, strict=True))
        result = Result(
            players=match.players,
            goals=tuple(goals[role] for role in self.roles),
            faults=tuple(faults[role] for role in self.roles),
            game=record.game,
        )
        return ArenaResult(match, result)

    def _opening(self, one: Participant, other: Participant) -> int:
        """Return the number of random moves of each player in matches of a pair."""
        if self.opening is not None:
            return self.opening
        steady = one.learned and other.learned and CHANCE not in self.simulator.roles
        return USUAL_OPENING if steady else 0

    def _pairs(self) -> list[tuple[Participant, Participant]]:
        pairs = list(combinations(self.participants.values(), 2))
        with_learned = [pair for pair in pairs if pair[0].learned or pair[1].learned]
        return with_learned or pairs

    def _assign_roles(
        self, one: Participant, other: Participant
    ) -> list[tuple[str, str]]:
        """Return the ways in which two can share the roles, in the roles' order."""
        first, second = self.roles
        return [
            (black.name, white.name)
            for black, white in ((one, other), (other, one))
            if first in black.players and second in white.players
        ]


class _OpeningPlayer:
    """Makes its first moves at random; then another player chooses."""

    def __init__(self, player: Player, moves: int, seed: int) -> None:
        self._player = player
        self._left = moves
        self._random = Random(seed)
        self._role: Role = ""

    def start(self, briefing: Briefing, clock: Clock) -> None:
        self._role = briefing.role
        self._player.start(briefing, clock)

    def choose(self, position: Position, clock: Clock) -> Move:
        legal = position.legal_moves(self._role)
        if len(legal) > 1 and self._left > 0:
            self._left -= 1
            return self._random.choice(legal)
        return self._player.choose(position, clock)
