"""Games as text and back."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.errors import GdlError
from gamelore.gdl import (
    And,
    Atom,
    Compound,
    Condition,
    Game,
    Not,
    Or,
    ReaderLimits,
    Rule,
    Term,
    Variable,
)

FRAME = "(legal x go)\n(<= terminal (true end))\n(goal x 100)\n(init end)\n"

# ── random games: relations r0, r1, … each of a fixed arity, asking only lower ones ──

constants = st.text(
    st.characters(exclude_categories=["Z", "C"], exclude_characters="();"),
    min_size=1,
    max_size=5,
).filter(lambda name: name[0] != "?" and name != "<=")
bound = st.sampled_from([Variable("x"), Variable("Y"), Variable("+z")])


def terms(leaves: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    def compound(arguments: list[Term]) -> Compound:
        return Compound(f"f{len(arguments)}", tuple(arguments))

    return st.recursive(
        leaves, lambda inner: st.lists(inner, min_size=1, max_size=3).map(compound)
    )


def atoms(relation: int, leaves: st.SearchStrategy[Term]) -> st.SearchStrategy[Atom]:
    arguments = st.lists(terms(leaves), min_size=relation % 4, max_size=relation % 4)
    return arguments.map(lambda found: Atom(f"r{relation}", tuple(found)))


@st.composite
def rules(draw: st.DrawFn, relation: int) -> Rule:
    """A safe rule: one condition binds every variable, the others may be anything."""
    head = draw(atoms(relation, constants | bound))
    if not relation or draw(st.booleans()):
        return Rule(draw(atoms(relation, constants)))
    lower = st.integers(0, relation - 1).flatmap(lambda r: atoms(r, constants | bound))
    distinct = st.builds(lambda a, b: Atom("distinct", (a, b)), bound, bound)
    conditions: st.SearchStrategy[Condition] = st.recursive(
        lower | distinct,
        lambda inner: (
            st.builds(Not, inner)
            | st.lists(inner, min_size=1, max_size=3).map(lambda o: Or(tuple(o)))
            | st.lists(inner, min_size=1, max_size=3).map(lambda p: And(tuple(p)))
        ),
        max_leaves=6,
    )
    binder = Atom("bind", (Variable("x"), Variable("Y"), Variable("+z")))
    return Rule(head, (binder, *draw(st.lists(conditions, max_size=3))))


@st.composite
def games(draw: st.DrawFn) -> Game:
    roles = ("x", *draw(st.lists(constants, max_size=3)))
    numbers = draw(st.lists(st.integers(0, 7), max_size=8))
    facts = [Rule(Atom("role", (role,))) for role in roles]
    facts.append(Rule(Atom("bind", ("a", "b", "c"))))
    made = [*facts, *Game.from_kif("(role x)" + FRAME).rules[1:]]
    made += [draw(rules(number)) for number in numbers]
    return Game("random", tuple(dict.fromkeys(roles)), tuple(made))


@given(games())
def test_random_games_round_trip(game: Game) -> None:
    again = Game.from_kif(game.to_kif(), name="random")
    assert again == game
    assert again.fingerprint == game.fingerprint
    assert again.to_kif() == game.to_kif()


@given(games(), st.randoms(use_true_random=False))
def test_layout_means_nothing(game: Game, chance: random.Random) -> None:
    def spread(token: re.Match[str]) -> str:
        gaps = ["", " ", "\t", "\r\n", "\n\n", " ; (note) ?\n"]
        return f"{chance.choice(gaps)}{token[0]}{chance.choice(gaps)}"

    text = re.sub(r"[()]", spread, game.to_kif())
    assert Game.from_kif(text).fingerprint == game.fingerprint


def check_round_trip(path: Path) -> None:
    game = Game.from_file(path)
    again = Game.from_kif(game.to_kif(), name=game.name)
    assert again == game
    assert again.fingerprint == game.fingerprint


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.slow)])
def test_public_games_round_trip(corpus: Path, every: int) -> None:
    paths = sorted((corpus / "games").glob("*.kif"))[::every]
    assert paths
    for path in paths:
        check_round_trip(path)


# ── particular games ────────────────────────────────────────────────────────────────


def test_roles_keep_their_order_and_collapse() -> None:
    game = Game.from_kif("(role x)\n(ROLE b)\n(role a)(role b)(role x)" + FRAME)
    assert game.roles == ("x", "b", "a")


def test_random_is_a_role_and_sees_is_kept() -> None:
    game = Game.from_kif("(role x)(role random)(<= (sees x ?m) (does x ?m))" + FRAME)
    assert game.roles == ("x", "random")
    assert "(<= (sees x ?m) (does x ?m))\n" in game.to_kif()


def test_the_fingerprint_knows_the_rules_and_nothing_else() -> None:
    one = Game.from_kif("(role x)" + FRAME, name="one", source="here")
    two = Game.from_kif("; a comment\n(ROLE  x)" + FRAME, name="two")
    other = Game.from_kif("(role x)" + FRAME.replace("100", "99"))
    assert one.fingerprint == two.fingerprint != other.fingerprint


def test_a_file_names_its_game(tmp_path: Path) -> None:
    path = tmp_path / "my-game.kif"
    path.write_text("(role x)" + FRAME)
    game = Game.from_file(path)
    assert (game.name, game.source) == ("my-game", str(path))


def test_limits_hold_for_games(tmp_path: Path) -> None:
    path = tmp_path / "game.kif"
    path.write_text("(role x)" + FRAME)
    with pytest.raises(GdlError, match=r"game\.kif:1:1: error: more than 9 bytes"):
        Game.from_file(path, limits=ReaderLimits(text=9))
    with pytest.raises(GdlError, match="more than 2 rules"):
        Game.from_kif("(role x)" + FRAME, limits=ReaderLimits(rules=2))
