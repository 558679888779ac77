"""Directives in rule sheets."""

from __future__ import annotations

import pytest

from gamelore.games.template import evaluate, expand


def test_facts_repeat_over_a_range() -> None:
    assert expand(";@ (row {r})   for r in 1..rows\n", {"rows": 3}) == (
        "(row 1)\n(row 2)\n(row 3)\n"
    )


def test_the_last_range_varies_fastest_and_may_use_the_first() -> None:
    text = expand(";@ (pair {i} {j}) for i in 1..2 for j in i..2\n", {})
    assert text == "(pair 1 1)\n(pair 1 2)\n(pair 2 2)\n"


def test_a_directive_without_a_range_is_written_once() -> None:
    assert expand(";@ (far-row white {rows})\n", {"rows": 6}) == "(far-row white 6)\n"


def test_an_empty_range_writes_nothing() -> None:
    assert expand("(a)\n;@ (x {i}) for i in 1..0\n(b)\n", {}) == "(a)\n(b)\n"


def test_other_text_is_kept() -> None:
    text = "; a comment with {braces} for i in 1..2\n(<= (f ?x) (g ?x))\n"
    assert expand(text, {}) == text


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("7", 7),
        ("n+1", 6),
        ("2+3*n", 17),
        ("(2+3)*n", 25),
        ("n/2", 2),
        ("10-n-1", 4),
        ("heap[n-4]", 9),
    ],
)
def test_expressions(expression: str, value: int) -> None:
    assert evaluate(expression, {"n": 5, "heap": (8, 9)}) == value


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "m",
        "n+",
        "n n",
        "heap",
        "n[0]",
        "heap[7]",
        "n/0",
        "n**2",
        "len(heap)",
        "'n'",
    ],
)
def test_a_damaged_expression_is_named(expression: str) -> None:
    with pytest.raises(ValueError, match="cannot work out"):
        evaluate(expression, {"n": 5, "heap": (8, 9)})
