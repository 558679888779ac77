"""Players of gamelore as opponents in environments of one learner."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt

from gamelore.adapters.lanes import (
    BEGIN,
    GOING,
    KEEP,
    MatchLanes,
    find_simulator,
    list_players,
)
from gamelore.agents.agent import Agent, MatchEntry
from gamelore.agents.registry import AgentSpec, make_agent
from gamelore.engine import CircuitSimulator
from gamelore.engine.position import Playable
from gamelore.errors import ArgumentError
from gamelore.gdl import Role
from gamelore.match.record import MatchRecord
from gamelore.player import Clock, Player

MOST_MATCHES = 64
"""Matches in which players other than the random one can be opponents at once."""


def find_role(simulator: CircuitSimulator, role: Role | None) -> int:
    """Return the number of a role that is not `random`, by default the first."""
    players = list_players(simulator)
    names = [simulator.roles[r] for r in players]
    if role is None:
        return players[0]
    if role not in names:
        close = get_close_matches(role, names, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise ArgumentError(
            f"there is no role {role!r} to play in {simulator.game.name}{hint} (there"
            f" are {', '.join(names)})"
        )
    return simulator.roles.index(role)


class Opponents:
    """Plays all roles but one, in every match."""

    def __init__(self, spec: str, simulator: CircuitSimulator, count: int) -> None:
        self._spec = AgentSpec.parse(spec)
        if self._spec.learns:
            raise ArgumentError(
                f"an opponent in an environment does not learn, and {spec} does: save"
                " what it has learned, and take learned:FILE"
            )
        if count > MOST_MATCHES:
            raise ArgumentError(
                f"{spec} can be the opponent in {MOST_MATCHES} matches at once, got"
                f" {count}; random can in any number"
            )
        self._simulator = simulator
        self._agents: dict[int, Agent] = {}
        self._players: dict[tuple[int, int], tuple[MatchEntry, Player]] = {}
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Make all players anew."""
        self.close()
        games = (self._simulator.game,)
        self._agents = {
            role: make_agent(self._spec, seed=seed + role, games=games)
            for role in list_players(self._simulator)
        }

    def begin(self, which: npt.NDArray[np.intp]) -> None:
        """Forget the matches in whose place others have begun."""
        for match, role in [*self._players]:
            if match in which:
                self._finish(match, role)

    def answer(self, lanes: MatchLanes, learner: int) -> None:
        """Make moves until every match is over or asks the learner's role."""
        while True:
            asked = (lanes.status == GOING) & (lanes.player != learner)
            if not asked.any():
                return
            given = np.full(lanes.count, KEEP, np.int32)
            for match in np.flatnonzero(asked).tolist():
                given[match] = self._choose(lanes, match)
            lanes.step(given)

    def close(self) -> None:
        """Release all players."""
        for match, role in [*self._players]:
            self._finish(match, role)
        for agent in self._agents.values():
            agent.close()

    def _choose(self, lanes: MatchLanes, match: int) -> int:
        """Return the action of the role that is asked."""
        role = int(lanes.player[match])
        if (match, role) not in self._players:
            name = self._simulator.roles[role]
            entry = MatchEntry(str(match), self._simulator, name)
            self._players[match, role] = entry, self._agents[role].enter(entry, Clock())
        _, player = self._players[match, role]
        return lanes.actions.index(player.choose(lanes.position(match), Clock()))

    def _finish(self, match: int, role: int) -> None:
        entry, _ = self._players.pop((match, role))
        simulator = self._simulator
        goals = (None,) * len(simulator.roles)
        record = MatchRecord(simulator.game.name, simulator.roles, (), goals, False)
        self._agents[role].finish(entry, record)


class LearnerMatches:
    """The lanes of an environment, with those who answer for the other roles."""

    def __init__(
        self,
        game: Playable,
        count: int,
        opponent: str | None,
        role: Role | None,
        **settings: Any,
    ) -> None:
        simulator = find_simulator(game)
        asked = list_players(simulator)
        self.role: int | None = None
        self.opponents: Opponents | None = None
        if opponent is not None:
            self.role = find_role(simulator, role)
            if opponent == "random":
                asked = (self.role,)
            else:
                self.opponents = Opponents(opponent, simulator, count)
        elif role is not None:
            raise ArgumentError(
                f"role {role!r} needs an opponent: without one, every role is asked"
            )
        self.lanes = MatchLanes(simulator, count, asked=asked, **settings)
        self._learner = np.full(count, self.role or 0, np.int32)

    @property
    def actors(self) -> npt.NDArray[np.int32]:
        """int32 [n]: the role that an action is of, in each match"""
        return self.lanes.player.copy() if self.role is None else self._learner

    def step(self, given: npt.NDArray[np.int32]) -> None:
        """Take actions, and let opponents answer."""
        self.lanes.step(given)
        if self.opponents is not None and self.role is not None:
            self.opponents.begin(np.flatnonzero(given == BEGIN))
            self.opponents.answer(self.lanes, self.role)

    def seed(self, seeds: Sequence[int | None]) -> None:
        self.lanes.seed(seeds)
        if self.opponents is not None and seeds[0] is not None:
            self.opponents.seed(seeds[0])
