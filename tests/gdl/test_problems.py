"""How a problem is shown."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.errors import GdlError
from gamelore.gdl import Problem, Span
from gamelore.gdl.problems import WINDOW, draw
from gamelore.gdl.source import Source


def test_a_problem_shows_place_line_and_caret() -> None:
    problem = Problem(
        "error",
        "unsafe",
        "`?y` is unbound",
        Span(3, 9, 2),
        "(<= (p ?y) (q))",
        "g",
    )
    assert str(problem).splitlines() == [
        "g:3:9: error: `?y` is unbound",
        "  (<= (p ?y) (q))",
        "          ^^",
    ]


def test_a_problem_without_its_line_is_one_line() -> None:
    assert str(Problem("warning", "x", "odd", Span(1, 1))) == "<text>:1:1: warning: odd"


def test_a_problem_is_json() -> None:
    problem = Problem("error", "x", "odd", Span(2, 3, 4), "line", "g.kif")
    assert json.loads(json.dumps(problem.to_json())) == {
        "file": "g.kif",
        "line": 2,
        "column": 3,
        "length": 4,
        "severity": "error",
        "code": "x",
        "message": "odd",
    }


def test_refusals_pass_between_processes() -> None:
    refusal = GdlError([Problem("error", "x", "odd", Span(2, 3), "line", "g.kif")])
    again = pickle.loads(pickle.dumps(refusal))
    assert (again.problems, str(again)) == (refusal.problems, str(refusal))


@pytest.mark.parametrize(
    ("line", "start", "length", "expected"),
    [
        ("\t(p ?x)", 4, 2, (" (p ?x)", "    ^^")),
        ("(中文 ?x)", 4, 2, ("(中文 ?x)", "      ^^")),
        ("(p 中文)", 3, 2, ("(p 中文)", "   ^^^^")),
        ("(e\u0301 ?x)", 4, 2, ("(e\u0301 ?x)", "   ^^")),
        ("(\x00\udc80 x)", 1, 1, ("(\ufffd\ufffd x)", " ^")),
        ("short", 5, 1, ("short", "     ^")),
    ],
)
def test_carets_stand_under_the_culprit(
    line: str, start: int, length: int, expected: tuple[str, str]
) -> None:
    assert draw(line, start, length) == expected


@pytest.mark.parametrize("start", [0, 50, 5000, 9993])
def test_long_lines_are_cut_around_the_culprit(start: int) -> None:
    line = "." * start + "culprit" + "." * (10_000 - start - 7)
    shown, carets = draw(line, start, 7)
    at = carets.index("^")
    assert len(shown) <= WINDOW + 2
    assert shown[at : len(carets)] == "culprit"


def test_long_culprits_are_cut() -> None:
    shown, carets = draw("x" * 10_000, 3, 9_000)
    assert len(carets) <= len(shown) <= WINDOW + 2


@given(st.text(min_size=1), st.data())
def test_any_line_can_be_drawn(line: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(line)))
    shown, carets = draw(line, start, data.draw(st.integers(1, len(line) + 5)))
    assert len(shown.splitlines()) <= 1
    assert carets.strip(" ^") == ""
    (shown + carets).encode()


@given(st.text(st.sampled_from("ab\r\n")), st.data())
def test_offsets_and_places_agree(text: str, data: st.DataObject) -> None:
    source = Source(text)
    start = data.draw(st.integers(0, len(text)))
    span = source.span(start, data.draw(st.integers(start, len(text))))
    assert source.offset(span) == start
    assert source.column(start) == span.column
    newlines = text[:start].replace("\r\n", "\n").replace("\r", "\n").count("\n")
    if text[start - 1 : start + 1] != "\r\n":
        assert span.line == newlines + 1
