"""Features files: what is read from them, and what is refused."""

from __future__ import annotations

import pytest

from gamelore.errors import GdlError, GroundingError
from gamelore.games import load
from gamelore.gdl import Compound, Game, read_term, to_kif
from gamelore.gdl.checks.feature_file import check_features, read_number
from gamelore.gdl.features import FeatureRules, feature_atom, fits

GAME = load("tictactoe")


def problems(text: str, game: Game = GAME) -> list[str]:
    found = check_features(text, game.rules)
    return [f"{p.span.line}:{p.span.column} {p.severity}: {p.message}" for p in found]


def test_a_sound_file_has_no_problems() -> None:
    text = """
    (<= (other ?q) (me ?p) (opponent ?p ?q))
    (<= (feature own ?r ?c) (me ?p) (true (cell ?r ?c ?p)))
    (<= (weighted (column ?c) -1/2 ?r) (other ?p) (true (cell ?r ?c ?p)))
    (<= (average row ?r ?c) (true (cell ?r ?c x)))
    (<= (feature mobility ?m) (me ?p) (legal ?p ?m))
    (<= (feature over) terminal)
    """
    assert problems(text) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(<= (feature a ?m) (does x ?m))", "1:20 error: `does` cannot be a condition"),
        ("(<= (feature a) (next (cell 1 1 x)))", "1:17 error: `next` cannot be a cond"),
        ("(<= (legal x ?m) (legal o ?m))", "1:5 error: a features file cannot say wha"),
        ("(<= (opponent ?p ?p) (role ?p))", "1:5 error: `opponent` is a relation of"),
        ("(<= (me ?p) (role ?p))", "1:5 error: `me` is the role from whose side"),
        ("(<= a (role x))", "1:1 error: no `feature`, `weighted` or `average`"),
        ("(<= (weighted a) (role x))", "1:5 error: `weighted` needs a name and a numb"),
        ("(<= (weighted a ten) (role x))", "1:5 error: `ten` is not a number"),
        (
            "(<= (feature a) (opponent ?p))",
            "1:17 error: `opponent` has 1 argument",
        ),
        ("(<= (feature a) (true (cell ?p)))", "1:23 error: `cell` has 1 argument here"),
        ("(<= (feature a) (me x o))", "1:17 error: `me` takes 1 argument, not 2"),
        ("(<= (feature a ?x) (role x))", "1:16 error: `?x` in the head is bound by no"),
        (
            "(<= (feature a) (not b)) (<= b (not b))",
            "1:37 error: `b` depends on its",
        ),
        ("(<= (feature a) (opponnet x o))", "1:17 warning: `opponnet` is never derive"),
        ("(<= (feature a) (true (cel 1 1 x)))", "1:23 warning: `cel` is never true"),
        ("(<= (feature a) (feature b)) (feature b)", "1:17 error: `feature` cannot be"),
        ("(<= (feature a (role x))", "1:1 error: this parenthesis is never closed"),
        (
            "(feature a 1) (average a 2)",
            "1:15 error: `a` cannot be an average",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, problem: str) -> None:
    assert any(found.startswith(problem) for found in problems(text)), problems(text)


def test_features_cannot_depend_on_moves_by_way_of_the_game() -> None:
    text = "(<= (feature a ?x) (left ?x))"
    (found,) = problems(text, load("abalone-3"))
    assert "features cannot depend on what is done: `left` → `goes` → " in found


def test_errors_are_raised_together() -> None:
    with pytest.raises(GdlError) as caught:
        FeatureRules.from_kif("(<= (feature a) (does x 1)) (weighted b)", GAME)
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3.0),
        ("-0.5", -0.5),
        ("1/4", 0.25),
        ("+2", 2.0),
        ("x", None),
        ("1/0", None),
    ],
)
def test_numbers(text: str, number: float | None) -> None:
    assert read_number(text) == number


def test_a_number_that_rules_compute_may_turn_out_to_be_none() -> None:
    term = Compound("feature", ("weighted", "a", "x", "atom"))
    with pytest.raises(GroundingError, match="feature a has x where a number must"):
        feature_atom(term)


def test_views() -> None:
    alike = FeatureRules.from_kif("(<= (feature a) (true (control x)))", GAME)
    assert len(alike.views(GAME.roles)) == 1
    own = FeatureRules.from_kif("(<= (feature a) (me ?p) (true (control ?p)))", GAME)
    assert len(own.views(GAME.roles)) == 2
    assert own.fingerprint != alike.fingerprint


def test_the_names_that_features_can_have() -> None:
    rules = FeatureRules.from_kif(
        """
        (<= (feature own ?r ?c) (me ?p) (true (cell ?r ?c ?p)))
        (<= (weighted (column ?c own) 2 ?r) (me ?p) (true (cell ?r ?c ?p)))
        (<= (feature own ?r ?c) (role ?p) (true (cell ?r ?c ?p)))
        """,
        GAME,
    )
    assert [*map(to_kif, rules.patterns)] == ["own", "(column ?c own)"]
    names = ["own", "(column 3 own)", "(column (a b) own)"]
    others = [
        "own2",
        "(own)",
        "column",
        "(column 3)",
        "(column 3 other)",
        "(row 3 own)",
    ]
    for name in [*names, *others]:
        known = any(fits(pattern, read_term(name)) for pattern in rules.patterns)
        assert known == (name in names), name
