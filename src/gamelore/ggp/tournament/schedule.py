"""Who meets whom: all matches of a tournament, the same ones whenever it is asked.

Every choice of players for the roles of a game is an *assignment*. Games of one or two
roles have them all played. With more roles their number explodes; where it passes a
limit, whole *rounds* are drawn by lot: in a round every player has every role once, so
that whatever is drawn is fair.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import perm
from random import Random
from typing import TypeAlias

from gamelore.ggp.tournament.config import Discipline, Tournament

_LONGEST_ID = 150

Assignment: TypeAlias = tuple[str, ...]
"""Names of players in the order of the roles, `random` left out."""


@dataclass(frozen=True)
class Fixture:
    """A match that is to be played."""

    id: str
    """The same in every schedule that has this match."""
    game: str
    """The name of the discipline."""
    players: Assignment
    repeat: int
    """From 1."""
    seed: int


def schedule(tournament: Tournament) -> tuple[Fixture, ...]:
    """All matches in the order they are to be played.

    Repeat by repeat, so that a tournament broken off early has treated all alike.
    """
    most = max(each.repeats for each in tournament.disciplines)
    return tuple(
        _fixture(tournament, discipline, players, repeat)
        for repeat in range(1, most + 1)
        for discipline in tournament.disciplines
        if repeat <= discipline.repeats
        for players in _assignments_in(tournament, discipline, repeat)
    )


def _assignments_in(
    tournament: Tournament, discipline: Discipline, repeat: int
) -> list[Assignment]:
    names = [each.name for each in tournament.competitors]
    lots = Random(number_of(tournament.seed, discipline.name, repeat))
    return assignments(names, len(discipline.roles), tournament.assignments, lots)


def assignments(
    players: Sequence[str], seats: int, limit: int, lots: Random
) -> list[Assignment]:
    """Ways to seat players: all, or `limit` of them where more than two must sit."""
    if seats <= 2 or perm(len(players), seats) <= limit:
        return list(permutations(players, seats))
    drawn: list[Assignment] = []
    for one_round in _rounds(players, seats, lots):
        drawn += one_round
        if len(drawn) >= limit:
            break
    return drawn[:limit]


def _rounds(
    players: Sequence[str], seats: int, lots: Random
) -> Iterator[list[Assignment]]:
    """Rounds in random order, none twice, their assignments shuffled.

    With the players in a circle, a round is a set of distances from the first seat's
    player to the others': going round the circle, everybody sits everywhere once. Every
    assignment is in exactly one round.
    """
    circle = lots.sample(players, len(players))
    count = len(circle)
    for distances in _distinct_choices(count - 1, seats - 1, lots):
        one_round = [
            (circle[start], *(circle[(start + far) % count] for far in distances))
            for start in range(count)
        ]
        lots.shuffle(one_round)
        yield one_round


def _distinct_choices(
    highest: int, length: int, lots: Random
) -> Iterator[tuple[int, ...]]:
    """Every ordered choice of different numbers from 1 to `highest`, at random."""
    numbers, total = range(1, highest + 1), perm(highest, length)
    seen: set[tuple[int, ...]] = set()
    # Drawing is quick while most choices are new; what is left then is listed.
    while 2 * len(seen) < total:
        choice = tuple(lots.sample(numbers, length))
        if choice not in seen:
            seen.add(choice)
            yield choice
    rest = [choice for choice in permutations(numbers, length) if choice not in seen]
    lots.shuffle(rest)
    yield from rest


def _fixture(
    tournament: Tournament, discipline: Discipline, players: Assignment, repeat: int
) -> Fixture:
    name = ".".join([discipline.name, *players, str(repeat)])
    seed = number_of(tournament.seed, name)
    # Where rules are scrambled, the id must not give away what is played; and it is
    # the name of a file, which must not be too long.
    hidden = tournament.scramble or len(name) > _LONGEST_ID
    match = f"match.{seed:016x}" if hidden else name
    return Fixture(match, discipline.name, players, repeat, seed)


def number_of(seed: int, *what: object) -> int:
    """A number below 2**63 that is the same for the same things."""
    text = "\n".join(map(str, (seed, *what)))
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
