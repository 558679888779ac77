"""Schedules: complete, fair, without duplicates, and always the same."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import perm
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gamelore.ggp.tournament.config import Tournament, make_tournament
from gamelore.ggp.tournament.schedule import assignments, schedule


def tournament(players: int, **values: Any) -> Tournament:
    names = {f"p{n}": "random" for n in range(players)}
    return make_tournament({"players": names, **values}, Path("t.toml"))


def test_every_pair_meets_in_both_roles() -> None:
    fixtures = schedule(tournament(4, games=["tictactoe", "nim"], repeats=3))
    assert len(fixtures) == 4 * 3 * 2 * 3
    names = ("p0", "p1", "p2", "p3")
    for game in ("tictactoe", "nim"):
        met = Counter(each.players for each in fixtures if each.game == game)
        assert met == dict.fromkeys(permutations(names, 2), 3)


def test_who_plays_alone_plays_every_repeat() -> None:
    fixtures = schedule(tournament(3, games=["peg-solitaire"], repeats=2))
    assert Counter(each.players for each in fixtures) == {
        ("p0",): 2,
        ("p1",): 2,
        ("p2",): 2,
    }


def test_chance_has_no_player() -> None:
    fixtures = schedule(tournament(2, games=["pig"]))
    assert [each.players for each in fixtures] == [("p0", "p1"), ("p1", "p0")]


def test_three_roles_have_every_order() -> None:
    fixtures = schedule(tournament(4, games=["trio"]))
    assert len(fixtures) == len({each.players for each in fixtures}) == 24


@pytest.mark.parametrize(
    ("players", "roles"), [(3, 3), (4, 3), (4, 4), (5, 3), (5, 4), (9, 3), (9, 4)]
)
@pytest.mark.parametrize("limit", [1, 5, 18, 100])
def test_what_is_drawn_is_fair(players: int, roles: int, limit: int) -> None:
    names = [f"p{n}" for n in range(players)]
    drawn = assignments(names, roles, limit, Random(3))
    assert len(drawn) == len({*drawn}) == min(limit, perm(players, roles))
    for role in range(roles):
        counts = Counter(each[role] for each in drawn)
        assert max(counts.values()) - min(counts[name] for name in names) <= 1
    assert all(len({*each}) == roles for each in drawn)


def test_all_but_one_of_the_assignments_can_be_drawn() -> None:
    drawn = assignments("abcdef", 3, 119, Random(0))
    assert len({*drawn}) == 119
    assert {*drawn} < {*permutations("abcdef", 3)}


def test_repeats_draw_anew() -> None:
    fixtures = schedule(tournament(6, games=["trio"], assignments=12, repeats=2))
    halves = [{each.players for each in fixtures if each.repeat == n} for n in (1, 2)]
    assert [len(half) for half in halves] == [12, 12]
    assert halves[0] != halves[1]


def test_two_roles_know_no_limit() -> None:
    assert len(assignments("abcde", 2, 3, Random(0))) == 20


def test_repeats_come_one_after_another() -> None:
    fixtures = schedule(
        tournament(2, games=["nim", {"game": "tictactoe", "repeats": 1}], repeats=3)
    )
    assert [each.repeat for each in fixtures] == [1, 1, 1, 1, 2, 2, 3, 3]
    assert {each.game for each in fixtures if each.repeat > 1} == {"nim"}


def test_ids_are_stable_and_distinct() -> None:
    values = {"games": ["tictactoe", "trio"], "repeats": 4, "assignments": 7}
    fixtures = schedule(tournament(5, **values))
    assert fixtures == schedule(tournament(5, **values))
    assert len({each.id for each in fixtures}) == len(fixtures)
    assert len({each.seed for each in fixtures}) == len(fixtures)
    assert fixtures[0].id == "tictactoe.p0.p1.1"


def test_a_larger_tournament_keeps_the_ids_and_seeds() -> None:
    small = schedule(tournament(3, games=["nim"], repeats=2))
    large = schedule(tournament(4, games=["tictactoe", "nim"], repeats=5))
    assert {*small} < {*large}


def test_the_seed_changes_seeds_and_not_ids() -> None:
    one = schedule(tournament(2, games=["nim"], seed=1))
    two = schedule(tournament(2, games=["nim"], seed=2))
    assert [each.id for each in one] == [each.id for each in two]
    assert {each.seed for each in one}.isdisjoint(each.seed for each in two)


def test_scrambled_ids_tell_nothing() -> None:
    plain = schedule(tournament(3, games=["nim"], repeats=2))
    hidden = schedule(tournament(3, games=["nim"], repeats=2, scramble=True))
    assert len({each.id for each in hidden}) == len(hidden) == len(plain)
    assert not any("nim" in each.id or "p1" in each.id for each in hidden)
    assert [each.players for each in hidden] == [each.players for each in plain]
