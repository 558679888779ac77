"""Tournaments between agents: everybody meets everybody, in every order of roles.

One match is played after the other, whether somebody watches or not. Records are in a
folder of their own, `matches/NAME`, and standings are made from them.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from dataclasses import dataclass
from itertools import permutations

from gamelore.errors import GameloreError
from gamelore.ggp.match_record import write_match
from gamelore.lab.events import TournamentView
from gamelore.lab.match_book import MatchBook
from gamelore.lab.matches import LabMatch, MatchSettings
from gamelore.lab.records import make_managed
from gamelore.lab.roster import PERSON, Roster
from gamelore.lab.shelf import LabGame
from gamelore.lab.workspace import Workspace

log = logging.getLogger(__name__)

MOST_AT_ONCE = 2
MOST_MATCHES = 1000
"""Matches of a tournament."""
MOST_KEPT = 20


@dataclass
class Tournament:
    """Matches to be played, and how many of them were."""

    name: str
    game: LabGame
    agents: list[str]
    rounds: int
    played: int = 0
    message: str = ""
    task: asyncio.Task[None] | None = None
    match: str = ""
    """The match that is being played."""

    def pairings(self) -> list[dict[str, str]]:
        """Return who plays which role in each match."""
        roles = self.game.players
        orders = permutations(self.agents, len(roles))
        once = [dict(zip(roles, order, strict=True)) for order in orders]
        return once * self.rounds

    def view(self) -> TournamentView:
        """Return it as a message."""
        return TournamentView(
            name=self.name,
            game=self.game.game.name,
            played=self.played,
            matches=len(self.pairings()),
            running=self.task is not None,
            match=self.match,
            message=self.message,
        )


class TournamentBook:
    """Runs tournaments."""

    def __init__(
        self, workspace: Workspace, matches: MatchBook, roster: Roster
    ) -> None:
        self._workspace = workspace
        self._matches = matches
        self._roster = roster
        self._tournaments: list[Tournament] = []

    def start(self, game: LabGame, agents: list[str], rounds: int) -> Tournament:
        """Begin a tournament; `GameloreError` where that cannot be."""
        for spec in agents:
            if spec == PERSON:
                raise GameloreError("a tournament is for agents")
            self._roster.check(spec)
        if len(set(agents)) != len(agents) or len(agents) < len(game.players):
            raise GameloreError(
                f"{game.game.name} needs {len(game.players)} different agents or more:"
                " choose several with Ctrl"
            )
        if sum(one.task is not None for one in self._tournaments) >= MOST_AT_ONCE:
            raise GameloreError(
                f"{MOST_AT_ONCE} tournaments are going on: wait for one"
            )
        day = time.strftime("%Y-%m-%d")
        name = f"{game.game.name}-{day}-{secrets.token_hex(2)}"
        made = Tournament(name, game, agents, rounds)
        if not 0 < len(made.pairings()) <= MOST_MATCHES:
            raise GameloreError(f"a tournament has {MOST_MATCHES:,} matches at most")
        made.task = asyncio.get_running_loop().create_task(self._run(made))
        self._tournaments = [made, *self._tournaments][:MOST_KEPT]
        return made

    def stop(self, name: str) -> None:
        """End a tournament; the records of its matches stay."""
        for one in self._tournaments:
            if one.name == name and one.task is not None:
                one.task.cancel()
                return
        raise GameloreError(f"no tournament {name!r:.60} is going on")

    def views(self) -> list[TournamentView]:
        """Return all tournaments, the latest first."""
        return [one.view() for one in self._tournaments]

    def close(self) -> None:
        """End all."""
        for one in self._tournaments:
            if one.task is not None:
                one.task.cancel()

    async def _run(self, tournament: Tournament) -> None:
        try:
            for number, players in enumerate(tournament.pairings()):
                await self._play(tournament, players, number)
                tournament.played += 1
        except asyncio.CancelledError:
            tournament.message = "stopped"
        except Exception as error:  # it must not end the server, and must be shown
            log.exception("a tournament failed")
            tournament.message = str(error)
        tournament.task = None
        tournament.match = ""

    async def _play(
        self, tournament: Tournament, players: dict[str, str], number: int
    ) -> None:
        settings = MatchSettings(dict(players), seed=number, alone=True)
        match = await self._matches.open(tournament.game, settings, [])
        tournament.match = match.key
        try:
            await match.ended.wait()
        finally:
            match.settings.alone = False
        await asyncio.to_thread(self._keep, tournament, match)

    def _keep(self, tournament: Tournament, match: LabMatch) -> None:
        managed = make_managed(
            tournament.game,
            match.positions,
            tuple(match.referee.moves),
            [match.settings.players.get(r, r) for r in tournament.game.game.roles],
        )
        folder = self._workspace.matches / tournament.name
        write_match(managed, folder, tournament.name)
