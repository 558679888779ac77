"""Who meets whom: all matches of a tournament, the same ones whenever it is asked.

Every choice of players for the roles of a game is an *assignment*. Games of one or two
roles have them all played. With more roles their number explodes; where it passes a
limit, whole *rounds* are drawn at random. In a round every player has every role once,
so that whatever is drawn is fair.
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
    random = Random(derive_number(tournament.seed, discipline.name, repeat))
    return assignments(names, len(discipline.roles), tournament.assignments, random)


def assignments(
    players: Sequence[str], roles: int, limit: int, random: Random
) -> list[Assignment]:
    """Return assignments: all, or `limit` of them for three roles or more."""
    if roles <= 2 or perm(len(players), roles) <= limit:
        return list(permutations(players, roles))
    drawn: list[Assignment] = []
    for one_round in _rounds(players, roles, random):
        drawn += one_round
        if len(drawn) >= limit:
            break
    return drawn[:limit]


def _rounds(
    players: Sequence[str], roles: int, random: Random
) -> Iterator[list[Assignment]]:
    """Rounds in random order, none twice, their assignments shuffled.

    With the players in a circle, a round is a set of distances from the first role's
    player to the others': going round the circle, everybody has every role once. Every
    assignment is in exactly one round.
    """
    circle = random.sample(players, len(players))
    count = len(circle)
    for distances in _distinct_choices(count - 1, roles - 1, random):
        one_round = [
            (circle[start], *(circle[(start + far) % count] for far in distances))
            for start in range(count)
        ]
        random.shuffle(one_round)
        yield one_round


def _distinct_choices(
    highest: int, length: int, random: Random
) -> Iterator[tuple[int, ...]]:
    """Every ordered choice of different numbers from 1 to `highest`, at random."""
    numbers, total = range(1, highest + 1), perm(highest, length)
    seen: set[tuple[int, ...]] = set()
    # Drawing is quick while most choices are new; what is left then is listed.
    while 2 * len(seen) < total:
        choice = tuple(random.sample(numbers, length))
        if choice not in seen:
            seen.add(choice)
            yield choice
    rest = [choice for choice in permutations(numbers, length) if choice not in seen]
    random.shuffle(rest)
    yield from rest


def _fixture(
    tournament: Tournament, discipline: Discipline, players: Assignment, repeat: int
) -> Fixture:
    name = ".".join([discipline.name, *players, str(repeat)])
    seed = derive_number(tournament.seed, name)
    # Where rules are scrambled, the id must not give away what is played; and it is
    # the name of a file, which must not be too long.
    hidden = tournament.scramble or len(name) > _LONGEST_ID
    match = f"match.{seed:016x}" if hidden else name
    return Fixture(match, discipline.name, players, repeat, seed)


def derive_number(seed: int, *what: object) -> int:
    """A number below 2**63 that is the same for the same things."""
    text = "\n".join(map(str, (seed, *what)))
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
