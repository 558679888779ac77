"""Analyse a position: search it, and say now and then what was found."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from gamelore.engine.position import Position
from gamelore.errors import ArgumentError, GameloreError
from gamelore.gdl import Role, to_kif
from gamelore.player import Briefing, Clock
from gamelore.search.mcts.player import TreePlayer
from gamelore.search.mcts.report import Analysis
from gamelore.search.mcts.settings import TreeSettings

_FIRST_PART = 16  # playouts; their time tells how many to do next
_GROWTH = 8.0  # of parts, at most
_TOO_LITTLE = 0.1  # of the time between reports: no part is that short

SearchOn = Callable[[int], Analysis]
"""Searches on for so many playouts, and returns what is known then."""


@dataclass(frozen=True)
class AnalysisLimits:
    """How long a position is analysed, and how often that is told."""

    seconds: float = math.inf
    """Seconds at most."""
    playouts: int | None = None
    """Playouts at most."""
    every: float = 0.5
    """Seconds from one report to the next."""
    lines: int = 10
    """Candidates, of the best, that come with their principal variations."""

    def __post_init__(self) -> None:
        for name in ("seconds", "playouts", "every", "lines"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ArgumentError(f"{name} must be positive, got {value}")


def analyse(
    position: Position,
    role: Role | None = None,
    limits: AnalysisLimits | None = None,
    *,
    settings: TreeSettings | None = None,
    seed: int = 0,
) -> Iterator[Analysis]:
    """Search a position; yield what is known now and then, and once more at the end.

    `role`: who is to move; by default the first that has a choice. Without limits, the
    search goes on until the position is solved. Raises a `GameloreError` at once where
    there is nothing to choose.
    """
    role = find_role(position, role)
    limits = limits or AnalysisLimits()
    settings = replace(settings or TreeSettings(), playouts=limits.playouts)
    search_on = start_search(position, role, settings, seed, limits.lines)
    return report_search(search_on, limits)


def find_role(position: Position, role: Role | None = None) -> Role:
    """Return who is to be analysed in a position; `GameloreError` if nobody can be."""
    name = position.game.name
    if role is not None and role not in position.roles:
        raise GameloreError(
            f"{name} has no role {role}: choose from {', '.join(position.roles)}"
        )
    if position.is_terminal:
        goals = ", ".join(f"{own} gets {goal}" for own, goal in position.goals.items())
        raise GameloreError(f"the match of {name} is over here: {goals}")
    moves = {own: position.legal_moves(own) for own in position.roles}
    choosing = [own for own in moves if own != "random" and len(moves[own]) > 1]
    if role in choosing:
        return role
    others = f"; {' and '.join(choosing)} can choose" if choosing else ""
    if role is not None:
        only = to_kif(moves[role][0])
        raise GameloreError(f"{role} has no choice here but {only}{others}")
    if not choosing:
        raise GameloreError(f"no player has a choice in this position of {name}")
    return choosing[0]


def start_search(
    position: Position, role: Role, settings: TreeSettings, seed: int, lines: int
) -> SearchOn:
    """Return a search of a position for one role, with so many lines of play.

    Its playouts are already under way when this returns. What comes of it depends on
    how many are asked for in all, and not on how they are divided.
    """
    player = TreePlayer(seed, settings)
    player.start(Briefing(position.simulator, role), Clock())
    asked = 0

    def search(playouts: int) -> Analysis:
        player.settings = replace(settings, playouts=playouts)
        return player.analyse(position, Clock(), lines)

    latest = search(1)

    def search_on(playouts: int) -> Analysis:
        nonlocal asked, latest
        asked += playouts
        left = asked - latest.playouts
        if left > 0 and not latest.solved:
            latest = search(left)
        return latest

    return search_on


def report_search(
    search_on: SearchOn,
    limits: AnalysisLimits,
    now: Callable[[], float] = time.monotonic,
) -> Iterator[Analysis]:
    """Search in parts; yield when a report is due, and at the end.

    `now`: returns the seconds of a clock.
    """
    began = told = now()
    done, size = 0, _FIRST_PART
    while True:
        if limits.playouts is not None:
            size = min(size, limits.playouts - done)
        before = now()
        analysis = search_on(size)
        after = now()
        done += size
        left = began + limits.seconds - after
        ended = analysis.solved or left <= _TOO_LITTLE * limits.every
        if limits.playouts is not None:
            ended = ended or done >= limits.playouts
        if ended or after - told >= (1 - _TOO_LITTLE) * limits.every:
            yield analysis
            told = after
        if ended:
            return
        wanted = min(told + limits.every - after, left)
        size = max(1, int(size * min(_GROWTH, wanted / max(after - before, 1e-6))))
