"""All matches of the lab, by id."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from concurrent.futures import Executor

from gamelore.errors import GameloreError
from gamelore.lab.events import MatchEntryView
from gamelore.lab.matches import Follower, LabMatch, MatchSettings
from gamelore.lab.roster import Roster
from gamelore.lab.shelf import LabGame

MOST_MATCHES = 100
"""Matches that are kept; beyond, the one that was left longest ago is forgotten."""


class MatchBook:
    """All matches of the lab, by id."""

    def __init__(self, roster: Roster, threads: Executor) -> None:
        self._roster = roster
        self._threads = threads
        self._matches: OrderedDict[str, LabMatch] = OrderedDict()

    async def open(
        self, game: LabGame, settings: MatchSettings, moves: list[list[str]]
    ) -> LabMatch:
        """Begin a match."""
        missing = set(game.players) - settings.players.keys()
        unknown = settings.players.keys() - set(game.players)
        if missing or unknown:
            roles = ", ".join(game.players)
            raise GameloreError(f"{game.game.name} has the roles {roles}")
        for who in settings.players.values():
            self._roster.check(who)
        settings.players = {role: settings.players[role] for role in game.players}
        match = LabMatch(
            secrets.token_hex(6), game, settings, self._roster, self._threads
        )
        await match.start(moves)
        self._matches[match.key] = match
        while len(self._matches) > MOST_MATCHES:
            self._forget_one()
        return match

    def find(self, key: str) -> LabMatch:
        """Return a match; `GameloreError` if there is none of that id."""
        if key not in self._matches:
            raise GameloreError("that match is over and forgotten: begin a new one")
        self._matches.move_to_end(key)
        return self._matches[key]

    def summaries(self) -> list[MatchEntryView]:
        """Return all matches, the latest first."""
        return [match.summary() for match in reversed(self._matches.values())]

    def leave_all(self, follower: Follower) -> None:
        """Have somebody follow no match any more."""
        for match in self._matches.values():
            match.leave(follower)

    def close(self) -> None:
        """End all matches."""
        for match in self._matches.values():
            match.close()
        self._matches.clear()

    def _forget_one(self) -> None:
        idle = [key for key, match in self._matches.items() if not match.followers]
        self._matches.pop((idle or list(self._matches))[0]).close()
