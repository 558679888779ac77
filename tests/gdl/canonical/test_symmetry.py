"""Games that are the same to both players: found, and true on random positions."""

from __future__ import annotations

from random import Random

import pytest

from gamelore.engine import Simulator, simulator
from gamelore.engine.position import Position
from gamelore.games import load
from gamelore.gdl import Compound, Game, Term, read_term
from gamelore.gdl.canonical.kinds import Kinds
from gamelore.gdl.canonical.symmetry import Exchange, find_exchange

SAME = ("tictactoe", "connect-four", "breakthrough-6x6", "tron", "nim", "pig")
OTHER = ("trio", "peg-solitaire", "hex-4x4", "othello-6x6")


def found(name: str) -> Exchange:
    exchange = find_exchange(load(name))
    assert exchange is not None
    return exchange


def map_position(exchange: Exchange, sim: Simulator, position: Position) -> Position:
    return Position(sim, map(exchange.fact, position.facts))


def assert_alike(exchange: Exchange, one: Position, other: Position) -> None:
    """What holds of a position holds of its image, for the other player."""
    assert one.is_terminal == other.is_terminal
    if one.is_terminal:
        goals = {exchange.role(role): goal for role, goal in one.goals.items()}
        assert goals == other.goals
        return
    for role in one.roles:
        moves = set(map(exchange.move, one.legal_moves(role)))
        assert moves == set(other.legal_moves(exchange.role(role)))


@pytest.mark.parametrize("name", SAME)
def test_players_change_places(name: str) -> None:
    exchange, sim, random = found(name), simulator(load(name)), Random(4)
    first, second = [role for role in sim.roles if role != "random"]
    assert exchange.role(first) == second
    assert exchange.role(second) == first
    for _ in range(6):
        position = Position(sim)
        for _ in range(200):
            image = map_position(exchange, sim, position)
            assert_alike(exchange, position, image)
            if position.is_terminal:
                break
            moves = {r: random.choice(position.legal_moves(r)) for r in sim.roles}
            position = position.advance([moves[role] for role in sim.roles])
            mirrored = {exchange.role(r): exchange.move(m) for r, m in moves.items()}
            image = image.advance([mirrored[role] for role in sim.roles])
            assert image.facts == map_position(exchange, sim, position).facts


@pytest.mark.parametrize("name", OTHER)
def test_not_every_game_is_the_same_to_both(name: str) -> None:
    assert find_exchange(load(name)) is None


STEPS = """
(role a) (role b) (other a b) (other b a)
(init (at a 1)) (init (at b 3)) (init (turn 1))
(<= (legal ?r (go ?y)) (true (at ?r ?x)) (ahead ?r ?x ?y))
(<= (legal ?r stay) (role ?r))
(<= (next (at ?r ?y)) (does ?r (go ?y)))
(<= (next (at ?r ?x)) (true (at ?r ?x)) (does ?r stay))
(<= (next (turn ?n)) (true (turn ?m)) (after ?m ?n))
(ahead a 1 2) (ahead a 2 3) (ahead b 3 2) (ahead b 2 1)
(after 1 2) (after 2 3)
(home a 3) (home b 1)
(<= terminal (true (turn 3)))
(<= (goal ?r 100) (home ?r ?x) (true (at ?r ?x)))
(<= (goal ?r 0) (home ?r ?x) (not (true (at ?r ?x))))
"""
"""Cells are turned round; turns, which have the same numbers, are not."""


def test_equal_numbers_of_other_kinds_stay() -> None:
    exchange = find_exchange(Game.from_kif(STEPS, name="steps"))
    assert exchange is not None
    expected = {"(at a 1)": "(at b 3)", "(at b 2)": "(at a 2)", "(turn 1)": "(turn 1)"}
    for fact, image in expected.items():
        assert exchange.fact(read_term(fact)) == read_term(image)
    assert exchange.move(read_term("(go 3)")) == read_term("(go 1)")
    assert exchange.move("stay") == "stay"


@pytest.mark.parametrize(
    ("rule", "other"),
    [
        ("(home b 1)", "(home b 2)"),  # another way to win
        ("(goal ?r 100)", "(goal a 100)"),  # which only one player has
        ("(after 1 2)", "(after 1 2) (<= (ahead a 1 3) (true (turn 1)))"),
    ],
)
def test_a_rule_for_one_player_spoils_it(rule: str, other: str) -> None:
    assert rule in STEPS
    text = STEPS.replace(rule, other)
    assert find_exchange(Game.from_kif(text, name="spoilt")) is None


def test_goals_are_not_renamed() -> None:
    """One wins and one loses, whatever they do: they are not the same."""
    text = "(role a) (role b) (<= (legal ?r wait) (role ?r)) terminal"
    same = Game.from_kif(f"{text} (goal a 50) (goal b 50) (init s)", name="same")
    other = Game.from_kif(f"{text} (goal a 100) (goal b 0) (init s)", name="other")
    assert find_exchange(same) is not None
    assert find_exchange(other) is None


def test_constants_that_are_compared_are_of_one_kind() -> None:
    text = """(role a) (init (at 1)) (init (on 1)) (init (in 1))
    (<= (legal a go) (true (at ?x)) (true (on ?y)) (distinct ?x ?y))
    (<= (next (at ?x)) (true (at ?x)))
    (<= terminal (true (in 1)))
    (goal a 1)"""
    kinds = Kinds(Game.from_kif(text).rules)

    def marked(fact: str) -> Term:
        term = kinds.mark_fact(read_term(fact))
        assert isinstance(term, Compound)
        return term.arguments[0]

    at, on, other = map(marked, ("(at 1)", "(on 1)", "(in 1)"))
    assert at == on
    assert at != other
