"""What the checks find in rules, and where they point."""

from __future__ import annotations

import time
from pathlib import Path
from textwrap import dedent

import pytest

from gamelore.errors import GdlError
from gamelore.gdl import Game, Problem, Span
from gamelore.gdl.checks.rule_sheet import check_text
from gamelore.gdl.reader import read_text

SHEET = dedent("""\
    (role x)
    (init (step 1))
    (succ 1 2)
    (<= (legal x go) (true (step ?n)))
    (<= (next (step ?m)) (true (step ?n)) (does x go) (succ ?n ?m))
    (<= terminal (true (step 2)))
    (goal x 100)
    """)
HERE = len(SHEET.splitlines()) + 1  # the line of what a test adds


def problems(*added: str) -> list[Problem]:
    return check_text(SHEET + "\n".join(added), "sheet")


def found(*added: str) -> list[tuple[str, str, int, int, int]]:
    """Severity, code, line counted from the added text, column and length."""
    return [
        (p.severity, p.code, p.span.line - HERE, p.span.column, p.span.length)
        for p in problems(*added)
    ]


def errors(*added: str) -> list[tuple[str, int, int, int]]:
    return [(c, line, at, n) for s, c, line, at, n in found(*added) if s == "error"]


def without(start: str) -> list[Problem]:
    lines = [line for line in SHEET.splitlines() if not line.startswith(start)]
    return check_text("\n".join(lines))


def test_a_good_sheet_has_no_problems() -> None:
    assert problems() == []


# ── what must be there ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("(role", "no role: nobody plays"),
        ("(<= terminal", "no `terminal`: a match would never end"),
        ("(goal", "no `goal`: no role can win or lose"),
        ("(<= (legal", "no `legal`: no role ever has a move"),
    ],
)
def test_what_is_missing_is_named(start: str, message: str) -> None:
    missing = [p for p in without(start) if p.code == "missing"]
    assert [(p.severity, p.message, p.span) for p in missing] == [
        ("error", message, Span(1, 1))
    ]


def test_an_empty_sheet_lacks_everything() -> None:
    assert [p.code for p in check_text("; nothing here")] == ["missing"] * 4


def test_what_could_not_be_read_is_not_called_missing() -> None:
    broken = SHEET.replace("(goal x 100)", "(GOAL x 100").replace(
        "(succ 1 2)", "(succ 1 (2)"
    )
    assert [p.code for p in check_text(broken)] == ["unclosed", "unclosed"]


@pytest.mark.parametrize(
    ("rule", "column", "length"),
    [
        ("(role (player 1))", 1, 17),
        ("(<= (role y) (succ ?n ?m))", 5, 8),
        ("(<= (role y) (role x))", 5, 8),
    ],
)
def test_roles_are_plain_facts(rule: str, column: int, length: int) -> None:
    assert errors(rule) == [("role", 0, column, length)]


# ── where things may stand ──────────────────────────────────────────────────────────


@pytest.mark.parametrize("head", ["(true (step 1))", "(does x go)", "(distinct a b)"])
def test_what_cannot_be_a_head(head: str) -> None:
    expected = ("head", 0, 5, len(head))
    assert expected in errors(f"(<= {head} (true (step 1)))")
    assert ("head", 0, 1, len(head)) in errors(head)


@pytest.mark.parametrize("condition", ["(next (step 1))", "(init (step 1))"])
def test_what_cannot_be_a_condition(condition: str) -> None:
    expected = [("condition", 0, 14, len(condition))]
    assert errors(f"(<= terminal {condition})") == expected
    nested = errors(f"(<= terminal (not (or {condition} (true (step 1)))))")
    assert nested == [("condition", 0, 23, len(condition))]


@pytest.mark.parametrize(
    ("rule", "column", "message"),
    [
        ("(<= (legal x go) (does x go))", 18, "`legal` cannot depend on `does`"),
        ("(<= terminal (does x go))", 14, "`terminal` cannot depend on `does`"),
        ("(<= (goal x 5) (not (does x go)))", 21, "`goal` cannot depend on `does`"),
        ("(<= (init a) (true a))", 14, "`init` cannot depend on `true`"),
        ("(<= (base a) (true (step 1)))", 14, "`base` cannot depend on `true`"),
    ],
)
def test_what_is_not_known_yet_cannot_be_asked(
    rule: str, column: int, message: str
) -> None:
    (problem,) = problems(rule)
    assert problem.message == message
    assert (problem.span.line, problem.span.column) == (HERE, column)


def test_forbidden_dependencies_are_found_through_other_relations() -> None:
    (problem,) = problems(
        "(<= (legal x stay) (idle ?n))",
        "(<= (idle ?n) (quiet ?n))",
        "(<= (quiet ?n) (true (step ?n)) (not (does x go)))",
    )
    assert problem.message == (
        "`legal` cannot depend on `does`: `legal` → `idle` → `quiet` → `does`"
    )
    assert problem.span == Span(HERE + 2, 38, 11)


def test_next_and_sees_may_depend_on_moves() -> None:
    assert errors("(<= (sees x ?m) (does x ?m))") == []


# ── arities ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("(true)", "`true` takes 1 argument, not none"),
        ("(true a b)", "`true` takes 1 argument, not 2"),
        ("(does x)", "`does` takes 2 arguments, not 1"),
        ("(distinct a b c)", "`distinct` takes 2 arguments, not 3"),
        ("(terminal x)", "`terminal` takes no arguments, not 1"),
        ("(legal x)", "`legal` takes 2 arguments, not 1"),
    ],
)
def test_keywords_have_fixed_arities(condition: str, message: str) -> None:
    arities = [p for p in problems(f"(<= (next a) {condition})") if p.code == "arity"]
    assert [(p.message, p.span) for p in arities] == [
        (message, Span(HERE, 14, len(condition)))
    ]


def test_relations_have_one_arity() -> None:
    (problem,) = problems("(<= (next a) (succ 1))")
    assert problem.message == "`succ` has 1 argument here, but 2 in line 3"
    assert problem.span == Span(HERE, 14, 8)


def test_functors_have_one_arity() -> None:
    (problem,) = problems("(<= (next (pair a (step 1 2))) (true (step 1)))")
    assert problem.message == "`step` has 2 arguments here, but 1 in line 2"
    assert problem.span == Span(HERE, 19, 10)


def test_names_of_different_kinds_do_not_clash() -> None:
    assert errors("(init (succ 1))", "(init step)", "(init go)") == []


# ── safety ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("rule", "column", "length"),
    [
        ("(<= (next (step ?zz)) (does x go))", 17, 3),
        ("(<= (legal x ?m) (true (step 1)))", 14, 2),
        ("(init (step ?n))", 13, 2),
        ("(<= (next a) (true (step ?n)) (not (succ ?n ?m)))", 45, 2),
        ("(<= (next a) (not (succ ?n 1)) (not (succ 2 ?n)))", 25, 2),
        ("(<= (next a) (true (step ?n)) (distinct ?n ?m))", 44, 2),
        ("(<= (next (step ?n)) (or (true (step ?n)) (does x ?m)))", 17, 2),
        ("(<= (next a) (or (succ ?n 1) (distinct ?n 2)))", 40, 2),
        ("(<= (next a) (not (and (succ ?n 1) (true b))) (distinct ?n 2))", 30, 2),
        ("(<= (next (step ?n)) (distinct ?n 1))", 17, 2),
    ],
)
def test_unbound_variables_are_found(rule: str, column: int, length: int) -> None:
    assert ("unsafe", 0, column, length) in errors(rule, "(init b)")


@pytest.mark.parametrize(
    "rule",
    [
        "(<= (next (step ?n)) (distinct ?n 1) (true (step ?n)))",
        "(<= (next a) (not (succ ?n ?m)) (true (step ?n)) (succ 1 ?m))",
        "(<= (next (step ?n)) (or (true (step ?n)) (succ ?n 2)))",
        "(<= (next a) (or (and (succ ?n 1) (distinct ?n 2)) (does x go)))",
        "(<= (next (step ?n)) (and (does x go) (succ ?n 2)))",
        "(<= (next (step ?n)) (legal x ?n))",
    ],
)
def test_bound_variables_are_fine(rule: str) -> None:
    assert errors(rule) == []


def test_roles_of_goals_and_moves_need_no_binding() -> None:
    (warning,) = problems("(<= (goal ?r 50) (not (true (step ?r))))")
    assert (warning.severity, warning.code) == ("warning", "unsafe")
    assert warning.span == Span(HERE, 11, 2)
    assert warning.message.endswith("taken for any role")


DIFFERENT = "(<= (different ?a ?b) (distinct ?a ?b))"


def test_arguments_may_be_left_to_who_asks() -> None:
    use = "(<= (next a) (different ?n ?m) (true (step ?n)) (succ ?n ?m))"
    assert found(DIFFERENT, use) == [
        ("warning", "unsafe", 0, 16, 2),
        ("warning", "unsafe", 0, 19, 2),
    ]


def test_who_asks_must_have_values() -> None:
    use = "(<= (next a) (different ?n ?m) (true (step ?n)))"
    assert errors(DIFFERENT, use) == [("unsafe", 0, 16, 2), ("unsafe", 0, 19, 2)]


def test_arguments_can_be_left_through_several_rules() -> None:
    between = "(<= (other ?a ?b) (different ?b ?a))"
    good = "(<= (next a) (other ?n ?m) (true (step ?n)) (succ ?n ?m))"
    assert errors(DIFFERENT, between, good) == []
    bad = "(<= (next a) (other ?n ?m) (true (step ?n)))"
    assert {line for _, line, _, _ in errors(DIFFERENT, between, bad)} == {1}


def test_an_unused_relation_must_be_safe_unless_it_is_a_test() -> None:
    assert errors(DIFFERENT) == []
    assert errors("(<= (odd ?a) (true (step 1)))") == [("unsafe", 0, 10, 2)]
    assert errors("(odd ?a)") == [("unsafe", 0, 6, 2)]


# ── negation ────────────────────────────────────────────────────────────────────────


def test_negation_in_a_circle_is_named() -> None:
    negative = [
        p
        for p in problems(
            "(<= (win ?n) (true (step ?n)) (not (lose ?n)))",
            "(<= (lose ?n) (true (step ?n)) (or (draw ?n) (true (step 2))))",
            "(<= (draw ?n) (win ?n))",
        )
        if p.severity == "error"
    ]
    assert [(p.code, p.span) for p in negative] == [("unstratified", Span(HERE, 36, 9))]
    assert negative[0].message == (
        "`win` depends on its own negation: `win` → `lose` → `draw` → `win`"
    )


def test_every_negation_in_a_circle_is_reported() -> None:
    assert errors("(<= a (not b))", "(<= b (not a))", "(<= c (not (not c)))") == [
        ("unstratified", 0, 12, 1),
        ("unstratified", 1, 12, 1),
        ("unstratified", 2, 17, 1),
    ]


def test_other_arguments_make_it_a_warning() -> None:
    rules = "(<= (goal x 0) (not (goal x 100)))"
    assert found(rules) == [("warning", "unstratified", 0, 21, 12)]
    chain = [*rules.split("\n"), "(<= (goal x 100) (not (goal x 0)))"]
    assert [code for code, *_ in errors(*chain)] == ["unstratified"] * 2


def test_negated_facts_and_positive_circles_are_fine() -> None:
    path = ["(<= (path ?a ?b) (succ ?a ?b))"]
    path += ["(<= (path ?a ?c) (path ?a ?b) (path ?b ?c))"]
    assert errors(*path, "(<= (next a) (not (true a)) (not (path 1 2)))") == []


# ── recursion ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("rules", "line", "column"),
    [
        (["(<= (num (s ?a)) (num ?a))"], 0, 13),
        (["(<= (num (s (t ?a))) (num (s ?a)) (not (true (step ?a))))"], 0, 16),
        (["(<= (num (s ?a)) (or (num ?a) (succ ?a 1)))"], 0, 13),
        (["(<= (odd (s ?a)) (num ?a))", "(<= (num ?a) (odd ?a))"], 0, 13),
        (["(<= (num (pair ?a ?b)) (num ?a) (num ?b))"], 0, 19),
    ],
)
def test_recursion_that_builds_terms_is_refused(
    rules: list[str], line: int, column: int
) -> None:
    found = errors(*rules, "(num 1)")
    assert found == [("recursion", line, column, 2)]


@pytest.mark.parametrize(
    "rules",
    [
        ["(<= (num ?a) (num (s ?a)))", "(num (s 1))"],
        ["(<= (num (s ?a)) (num ?a) (succ ?a ?b))"],
        ["(<= (odd (s ?a)) (num ?a))", "(<= (num ?a) (odd (s ?a)))", "(num 1)"],
        ["(<= (r ?a (f ?a)) (r ?b ?a) (succ ?b 2))", "(r 1 1)"],
        ["(<= (num (s ?a)) (succ ?a ?b))"],
    ],
)
def test_recursion_that_is_bounded_is_fine(rules: list[str]) -> None:
    assert errors(*rules) == []


def test_facts_that_grow_are_a_warning() -> None:
    rule = "(<= (next (step (s ?n))) (true (step ?n)))"
    assert found(rule) == [("warning", "growth", 0, 20, 2)]


# ── values and names ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("value", "warned"),
    [("0", 0), ("100", 0), ("101", 1), ("-1", 1), ("ten", 1), ("(s 1)", 1), ("1.5", 1)],
)
def test_goals_are_numbers_from_0_to_100(value: str, warned: int) -> None:
    expected = [("warning", "goal", 0, 9, len(value))] * warned
    assert found(f"(goal x {value})".replace("(goal x 100)", "(goal x 50)")) in (
        expected,
        [*expected, ("warning", "duplicate", 0, 1, 12)],
    )


def test_rules_that_stand_twice_are_a_warning() -> None:
    (warning,) = problems("; again", "(SUCC 1 2)", "(succ  1 2)")[-1:]
    assert warning.message == "the same rule as in line 3"
    assert warning.span == Span(HERE + 2, 1, 11)


def test_misspelt_relations_get_a_suggestion() -> None:
    (warning,) = problems("(<= (next a) (suc 1 2))")
    assert warning.message == "`suc` is never derived; did you mean `succ`?"
    assert (warning.severity, warning.span) == ("warning", Span(HERE, 14, 9))


def test_misspelt_facts_and_moves_get_a_suggestion() -> None:
    warnings = problems("(<= (next a) (true (stepp 1)) (does x goo))")
    assert [w.message for w in warnings] == [
        "`stepp` is never true: no `init` or `next` makes it; did you mean `step`?",
        "`goo` is never done: no `legal` allows it; did you mean `go`?",
    ]
    assert [(w.span.column, w.span.length) for w in warnings] == [(20, 9), (39, 3)]


def test_relations_that_nobody_asks_for_are_a_warning() -> None:
    assert found("(colour red)", "(colour blue)") == [("warning", "unused", 0, 1, 12)]


def test_what_players_and_engines_ask_for_is_used() -> None:
    assert problems("(base (step 1))", "(input x go)", "(sees x 1)") == []


# ── everything at once ──────────────────────────────────────────────────────────────


def test_all_problems_come_in_the_order_of_the_text() -> None:
    text = dedent("""\
        (role x))
        (legal x go)
        (legal x (go 1))
        (<= (legal x (go 1 2)) (does ?y go))
        (<= terminal (true (f ?z)) (not (p ?w)))
        (<= (p ?a) (not (p ?a)) (next ?a))
        """)
    places = [(p.span.line, p.span.column, p.code) for p in check_text(text)]
    assert places == sorted(places, key=lambda place: place[:2])
    assert {code for _, _, code in places} == {
        "missing", "unopened", "arity", "dependency", "unsafe", "unstratified",
        "condition", "underived",
    }  # fmt: skip


def test_a_game_is_refused_with_all_its_errors_and_no_warnings() -> None:
    text = SHEET + "(<= (next ?a) (tru b))\n(<= (next b) (not (succ ?c 1)))"
    with pytest.raises(GdlError) as caught:
        Game.from_kif(text, name="broken")
    assert [p.span for p in caught.value.problems] == [
        Span(HERE, 11, 2),
        Span(HERE + 1, 25, 2),
    ]
    assert str(caught.value).splitlines()[:3] == [
        f"broken:{HERE}:11: error: `?a` in the head is bound by no positive condition",
        "  (<= (next ?a) (tru b))",
        "            ^^",
    ]


# ── hostile sheets ──────────────────────────────────────────────────────────────────


def numbered(pattern: str, count: int, ring: int = 10**9) -> str:
    """The pattern with {a} and {b} for each number and the one after it."""
    return "\n".join(
        pattern.replace("{a}", str(i % ring)).replace("{b}", str((i + 1) % ring))
        for i in range(count)
    )


LONG = [
    numbered("(<= (p{a} ?x) (p{b} ?x))", 10_000),
    numbered("(<= (p{a} ?x) (p{b} ?x) (not (p{b} ?x)))", 8000, ring=4000),
    numbered("(<= (p ?x) (q ?x) (not (p {a})))", 10_000),
    numbered("(<= (p{a} (f ?x)) (p{b} ?x))", 10_000, ring=3000),
    numbered("(<= (p{a} a) (qq{a} a))", 10_000),
    f"(<= (p ?x) (or {numbered('(q{a} ?x)', 20_000)}))",
    f"(p {('(f ' * 90 + 'a' + ')' * 90) * 800})",
]
"""Hostile sheets that take a second or more."""


@pytest.mark.parametrize(
    "text",
    [
        *(pytest.param(text, marks=pytest.mark.slow) for text in LONG),
        numbered("(<= (p{a} ?x) (p{b} ?x) (not (p{b} ?x)))", 1000, ring=500),
        numbered("(<= (p{a} (f ?x)) (p{b} ?x))", 1000, ring=300),
        f"(<= (p ?x) (q {numbered('?v{a}', 30_000)}))",
        f"(<= (p ?x) {'(or (a ?x) (and (b ?x) ' * 45}"
        f"{numbered('(not (q{a} ?x))', 10_000)}{'))' * 45})",
        f"(<= (p a) (q (f a) {numbered('(f a {a})', 20_000)}))",
    ],
    ids=lambda text: text[:24],
)
def test_checking_takes_seconds_whatever_the_rules(text: str) -> None:
    start = time.process_time()
    assert check_text(text)
    assert time.process_time() - start < 15


# ── public games ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.slow)])
def test_public_games_have_no_errors(corpus: Path, every: int) -> None:
    errors = [
        problem
        for path in sorted((corpus / "games").glob("*.kif"))[::every]
        for problem in check_text(read_text(path), path.name)
        if problem.severity == "error"
    ]
    assert "\n".join(map(str, errors)) == ""


def test_invalid_games_are_refused_with_a_place(corpus: Path) -> None:
    paths = sorted((corpus / "invalid").glob("*.kif"))
    assert paths
    for path in paths:
        with pytest.raises(GdlError) as caught:
            Game.from_file(path)
        assert all(problem.span.line > 1 for problem in caught.value.problems)
