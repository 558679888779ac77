"""What every message of the server has, and what a page is told first."""

from __future__ import annotations

import msgspec


class Event(msgspec.Struct, tag=True, kw_only=True, omit_defaults=True):
    """What the server tells the page."""

    re: int = 0
    """The request that this answers, if it does."""


class GameEntry(msgspec.Struct):
    """A game to choose."""

    game: str
    label: str
    description: str
    roles: list[str]


class AgentEntry(msgspec.Struct):
    """A player to choose."""

    spec: str
    label: str
    description: str
    game: str = ""
    """The only game that it plays, if it does not play every one."""


class Welcome(Event):
    """The first message: what there is."""

    version: str
    folder: str
    games: list[GameEntry]
    agents: list[AgentEntry]
    templates: list[str]


class Done(Event):
    """A request was carried out."""


class Failure(Event):
    """A request was not: why, and which setting is at fault, if one is."""

    message: str
    setting: str = ""
