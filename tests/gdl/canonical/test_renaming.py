"""Renaming symbols: there and back, one after the other, and nothing confused."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gamelore.games import load
from gamelore.gdl import Compound, Game, Term, Variable, read_term
from gamelore.gdl.canonical import Renaming

RULES = """(role r)
(<= (legal r ?x) (true ?x))
(init (p r))
(goal r 100)
terminal
"""
RENAMED = """(role s)
(<= (legal s ?y) (true ?y))
(init (q s))
(goal s 100)
terminal
"""
SYMBOLS = ("a", "b", "c", "d", "~a", "~~a")

names = st.permutations(SYMBOLS).flatmap(
    lambda new: st.integers(0, 4).map(
        lambda n: dict(zip("abcd"[:n], new, strict=False))
    )
)
renamings = names.map(Renaming)
plain = st.sampled_from("abcdef")
terms: st.SearchStrategy[Term] = st.recursive(
    plain,
    lambda inner: st.builds(
        Compound, plain, st.lists(inner, min_size=1, max_size=3).map(tuple)
    ),
    max_leaves=6,
)


@given(renamings)
def test_known_symbols_find_their_way_back(renaming: Renaming) -> None:
    for old, new in renaming.names.items():
        assert renaming.rename_symbol(old) == new
        assert renaming.inverse.rename_symbol(new) == old
    assert renaming.inverse.inverse == renaming


@given(terms)
def test_a_term_finds_its_way_back_with_unknown_symbols(term: Term) -> None:
    renaming = Renaming({"a": "c", "b": "e"})
    assert renaming.inverse.rename(renaming.rename(term)) == term


def test_an_unknown_symbol_is_not_taken_for_another() -> None:
    renaming = Renaming({"x": "y"})
    assert renaming.rename_symbol("y") == "~y"
    assert renaming.inverse.rename_symbol("~y") == "y"
    assert renaming.rename_symbol("z") == "z"


@given(st.permutations("abcd"), st.permutations("abcd"), terms)
def test_composition_is_one_after_the_other(
    one: list[str], other: list[str], term: Term
) -> None:
    first = Renaming(dict(zip("abcd", one, strict=True)))
    second = Renaming(dict(zip("abcd", other, strict=True)))
    assert first.then(second).rename(term) == second.rename(first.rename(term))
    assert first.then(first.inverse).rename(term) == term


def test_composition_does_not_understand_what_only_the_last_names_mean() -> None:
    mine = Renaming({"weiss": "c1"})
    yours = Renaming({"white": "c1"})
    both = mine.then(yours.inverse)
    assert both.rename_symbol("weiss") == "white"
    assert both.rename_symbol("white") == "~white"


def test_a_symbol_that_only_the_second_knows() -> None:
    both = Renaming({"a": "b"}).then(Renaming({"c": "d"}))
    assert both.names == {"a": "b", "c": "d"}


def test_a_game_and_its_variables() -> None:
    game = Game.from_kif(RULES)
    renaming = Renaming({"r": "s", "p": "q"}, {"x": "y"})
    renamed = renaming.rename_game(game)
    assert renamed.roles == ("s",)
    assert renamed.to_kif() == RENAMED
    assert renaming.inverse.rename_game(renamed) == game
    assert renaming.rename(Variable("z")) == Variable("z")


def test_relations_of_gdl_keep_their_names() -> None:
    game = load("tictactoe")
    swapped = Renaming({"true": "next", "mark": "does"}).rename_game(game)
    assert {rule.head.relation for rule in swapped.rules} == {
        rule.head.relation for rule in game.rules
    }
    assert Renaming({"mark": "does"}).rename(read_term("(mark 1 2)")) == Compound(
        "does", ("1", "2")
    )
