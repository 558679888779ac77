"""Reading KIF: what is taken, what is refused, and where the refusal points."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.errors import GdlError, UnknownGameError
from gamelore.gdl import (
    And,
    Atom,
    Compound,
    Not,
    Or,
    ReaderLimits,
    Rule,
    Term,
    Variable,
    read_term,
    to_kif,
    variables,
)
from gamelore.gdl.reader import read_rules, read_text


def only_rule(text: str) -> Rule:
    rules, problems = read_rules(text)
    assert not problems
    (rule,) = rules
    return rule


def places(text: str, limits: ReaderLimits | None = None) -> list[tuple[str, int, int]]:
    _, problems = read_rules(text, limits=limits or ReaderLimits())
    return [(p.code, p.span.line, p.span.column) for p in problems]


# ── what is taken ───────────────────────────────────────────────────────────────────


def test_a_rule_becomes_head_and_body() -> None:
    rule = only_rule("(<= (next (cell ?x b)) (true (cell ?x b)) (not (does o ?x)))")
    x = Variable("x")
    assert rule.head == Atom("next", (Compound("cell", (x, "b")),))
    assert rule.body == (
        Atom("true", (Compound("cell", (x, "b")),)),
        Not(Atom("does", ("o", x))),
    )


def test_connectives_nest() -> None:
    rule = only_rule("(<= win (or (and a (not b)) (not (or c (distinct ?x ?y)))))")
    x, y = Variable("x"), Variable("y")
    assert rule.body == (
        Or(
            (
                And((Atom("a"), Not(Atom("b")))),
                Not(Or((Atom("c"), Atom("distinct", (x, y))))),
            )
        ),
    )


def test_keywords_are_lowered_and_constants_kept() -> None:
    rule = only_rule("(<= (LEGAL White Noop) (True (Control White)) (NOT (Foo)))")
    assert str(rule) == "(<= (legal White Noop) (true (Control White)) (not (Foo)))"


def test_keywords_in_terms_are_names_like_any_other() -> None:
    assert only_rule("(init (Role Not))").head.arguments == (
        Compound("Role", ("Not",)),
    )


@pytest.mark.parametrize("token", ["+", "-", "1st", '"a', "b|c'", "é中🙂", "a?b", "=<"])
def test_any_characters_make_a_name(token: str) -> None:
    assert only_rule(f"(init ({token} {token}))").head.arguments == (
        Compound(token, (token,)),
    )


@pytest.mark.parametrize("text", ["terminal", "(terminal)", "( TERMINAL ; now\n)"])
def test_parentheses_around_a_single_name_mean_nothing(text: str) -> None:
    assert only_rule(text) == Rule(Atom("terminal"))


def test_parentheses_around_a_single_name_are_part_of_it() -> None:
    assert only_rule("(legal x (noop))").head.arguments == ("x", "(noop)")
    assert only_rule("(<= (open) shut)").head.relation == "(open)"
    assert only_rule("(terminal)").head.relation == "terminal"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_comments_end_with_their_line(end: str) -> None:
    rules, problems = read_rules(f"(role x);) ({end}; (role y){end}(role z)")
    assert not problems
    assert [str(rule) for rule in rules] == ["(role x)", "(role z)"]
    assert rules[1].span.line == 3


def test_spans_cover_what_they_name() -> None:
    rule = only_rule("\n  (<= (p ?x)\n      (not (q ?x)))")
    (negation,) = rule.body
    assert isinstance(negation, Not)
    assert (rule.span.line, rule.span.column, rule.span.length) == (2, 3, 10)
    assert (rule.head.span.column, rule.head.span.length) == (7, 6)
    assert (negation.span.line, negation.span.column, negation.span.length) == (
        3,
        7,
        12,
    )


# ── what is refused ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(role x))", [("unopened", 1, 9)]),
        (
            ") (role x) )\n)",
            [("unopened", 1, 1), ("unopened", 1, 12), ("unopened", 2, 1)],
        ),
        ("(role x", [("unclosed", 1, 1)]),
        ("(role x\n(role y)\n(role z", [("unclosed", 1, 1), ("unclosed", 3, 1)]),
        ("(<= (p ?x) (q ?x)\n(<= (r ?x) (q ?x))", [("unclosed", 1, 1)]),
        ("(<= a b) (<= c (d (<= e f)", [("unclosed", 1, 10)]),
        ("(<= p\n(true (q)\n(true r))\n(init q)", [("unclosed", 1, 1)]),
        ("()", [("empty", 1, 1)]),
        ("(role ())", [("empty", 1, 7)]),
        ("(?x a)", [("variable", 1, 2)]),
        ("?x", [("variable", 1, 1)]),
        ("(init (?f a))", [("variable", 1, 8)]),
        ("(init ?)", [("variable", 1, 7)]),
        ("(<= p ?x)", [("variable", 1, 7)]),
        ("((p) a)", [("name", 1, 2)]),
        ("(init ((f) a))", [("name", 1, 8)]),
        ("(<=)", [("head", 1, 1)]),
        ("(<= (not p) q)", [("head", 1, 5)]),
        ("(or p q)", [("head", 1, 1)]),
        ("(p <=)", [("name", 1, 4)]),
        ("(<= p (not))", [("connective", 1, 7)]),
        ("(<= p (not a b))", [("connective", 1, 7)]),
        ("(<= p (or))", [("connective", 1, 7)]),
        ("(<= p (not (and)))", [("connective", 1, 12)]),
        ("(role a\x00b)", [("unreadable", 1, 8)]),
        ("(role \udce9)", [("unreadable", 1, 7)]),
    ],
)
def test_mistakes_are_located(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert places(text) == expected


def test_every_mistake_is_reported() -> None:
    text = "(<= p (not))\n(role x))\n(?r a)\n(init ())\n(legal x noop"
    assert [line for _, line, _ in sorted(places(text), key=lambda p: p[1])] == [
        *range(1, 6)
    ]


def test_what_follows_an_unclosed_rule_is_read() -> None:
    rules, _ = read_rules("(init (a b)\n(init c)\n(<= d e)\n  (init (f)\n  (init g)")
    assert [str(rule) for rule in rules] == ["(init c)", "(<= d e)", "(init g)"]


def test_an_unclosed_rule_tells_how_much_is_missing() -> None:
    _, problems = read_rules("(<= p (true (q")
    assert problems[0].message == "this parenthesis is never closed, nor 2 inside it"


# ── limits ──────────────────────────────────────────────────────────────────────────


def test_the_largest_of_everything_is_taken() -> None:
    limits = ReaderLimits(text=12, token=4, depth=3, rules=2)
    rules, problems = read_rules("(a (b (c)))d", limits=limits)
    assert [len(rules), problems] == [2, []]
    assert read_rules("abcd", limits=limits)[1] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b c d e f g", ("too-large", 1, 1)),
        ("a\nb\nc", ("too-large", 3, 1)),
        ("a (b)(c)", ("too-large", 1, 6)),
        ("(b abcde)", ("too-large", 1, 4)),
        ("(a (b (c (d", ("too-deep", 1, 10)),
    ],
)
def test_more_than_the_limit_is_refused(
    text: str, expected: tuple[str, int, int]
) -> None:
    limits = ReaderLimits(text=12, token=4, depth=3, rules=2)
    assert places(text, limits)[0] == expected


def test_reading_goes_on_after_what_is_too_deep() -> None:
    text = "(((((\n(role x)\n" + "(" * 9 + "(<= a b)"
    rules, problems = read_rules(text, limits=ReaderLimits(depth=4))
    assert [str(rule) for rule in rules] == ["(role x)", "(<= a b)"]
    assert [p.code for p in problems] == ["too-deep", "too-deep"]


@pytest.mark.parametrize(
    ("field", "value"), [("text", 0), ("token", -1), ("rules", 0), ("depth", 100_000)]
)
def test_limits_must_make_sense(field: str, value: int) -> None:
    with pytest.raises(ValueError, match=field):
        ReaderLimits(**{field: value})


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000_000,
        ")" * 10_000_000,
        "(" * 900_000,
        ")" * 900_000,
        "(a\n" * 300_000,
        "(<= " * 250_000,
        pytest.param("(p a)" * 200_000, marks=pytest.mark.slow),
        "(p " + "a " * 50_000,
        pytest.param("(p " + "a " * 490_000, marks=pytest.mark.slow),
        "\n" * 900_000 + ")",
        " " * 300_000 + "(\n" + "(" * 300_000,
        "a" * 900_000,
        "(? " * 300_000,
    ],
    ids=lambda text: f"{text[:6]!r}x{len(text)}",
)
def test_hostile_text_is_refused_in_seconds(text: str) -> None:
    start = time.process_time()
    _, problems = read_rules(text)
    assert problems
    assert len("".join(map(str, problems))) < 1_000_000
    assert time.process_time() - start < 10


def test_the_deepest_terms_are_safe_to_use() -> None:
    depth = ReaderLimits().depth
    text = "(f " * depth + "?x" + ")" * depth
    term = read_term(text)
    assert to_kif(term) == str(term) == text
    assert term == read_term(text)
    assert hash(term) == hash(read_term(text))
    assert list(variables(term)) == [Variable("x")]
    nested = "(<= p " + "(not " * (depth - 2) + "(q a)" + ")" * (depth - 1)
    assert str(only_rule(nested)) == nested
    assert only_rule(nested) == only_rule(nested)
    assert hash(only_rule(nested)) == hash(only_rule(nested))


def test_terms_deeper_than_any_text_can_be_written() -> None:
    term: Term = "zero"
    for _ in range(5000):
        term = Compound("s", (term,))
    assert to_kif(term) == "(s " * 5000 + "zero" + ")" * 5000
    assert list(variables(term)) == []


# ── single terms ────────────────────────────────────────────────────────────────────

names = st.text(
    st.characters(exclude_categories=["Z", "C"], exclude_characters="();"), min_size=1
).filter(lambda name: name[0] != "?" and name != "<=")
terms = st.recursive(
    names | names.map(Variable),
    lambda inner: st.builds(
        Compound, names, st.lists(inner, min_size=1, max_size=4).map(tuple)
    ),
)


@given(terms)
def test_terms_round_trip(term: Term) -> None:
    assert read_term(to_kif(term)) == term


@pytest.mark.parametrize(
    "text", ["", "  ; nothing", "a b", "(f", "f)", "()", "(?f a)", "(f ())", "<=", "?"]
)
def test_what_is_not_one_term_is_refused(text: str) -> None:
    with pytest.raises(GdlError) as caught:
        read_term(text)
    assert caught.value.problems[0].span.line == 1


# ── files ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks_are_understood(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "game.kif"
    path.write_text("(role é)", encoding=encoding)
    assert read_text(path) == "(role é)"


def test_other_bytes_do_no_harm_in_comments(tmp_path: Path) -> None:
    path = tmp_path / "game.kif"
    path.write_bytes(b"; caf\xe9\n(role x)\n(role caf\xe9)")
    _, problems = read_rules(read_text(path))
    (problem,) = problems
    assert (problem.span.line, problem.span.column) == (3, 10)
    assert problem.message == "byte 0xe9, which is not UTF-8, in a name"
    str(problem).encode()


def test_a_mark_inside_text_is_dropped_at_its_start_only() -> None:
    assert only_rule("\ufeff(role x)").span.column == 1
    assert places("(role x)\n\ufeff(role y)") == [("unreadable", 2, 1)]


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownGameError, match="no such file"):
        read_text(tmp_path / "none.kif")
    with pytest.raises(GdlError, match="cannot be read"):
        read_text(tmp_path)
    with pytest.raises(GdlError, match="cannot be read"):
        read_text("nul\0byte.kif")
    path = tmp_path / "large.kif"
    path.write_bytes(b"a" * 11)
    with pytest.raises(GdlError, match="more than 10 bytes"):
        read_text(path, ReaderLimits(text=10))
