"""Whatever a text contains, it is read, or refused with a place, in little time."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gamelore.errors import GdlError
from gamelore.gdl import Game
from gamelore.gdl.checks.rule_sheet import check_text
from gamelore.gdl.reader import KEYWORDS
from gamelore.gdl.source import Source

SECONDS = 5.0  # of processor time for one case; a usual case takes milliseconds
LIBRARY = Path(__file__).resolve().parents[2] / "src" / "gamelore" / "games" / "rules"


def examine(text: str) -> None:
    """Read and check a text, and demand that what comes back makes sense."""
    start = time.process_time()
    problems = check_text(text, "fuzzed")
    source = Source(text)
    for problem in problems:
        assert problem.line_text == source.line(problem.span.line)
        assert 1 <= problem.span.column <= len(problem.line_text) + 1
        assert problem.span.length >= 1
        assert problem.message[0] in "`abcdefghijklmnopqrstuvwxyz"
        str(problem).encode()
    errors = [problem for problem in problems if problem.severity == "error"]
    try:
        game = Game.from_kif(text, name="fuzzed")
    except GdlError as refusal:
        assert list(refusal.problems) == errors
    else:
        assert errors == []
        assert Game.from_kif(game.to_kif(), name="fuzzed") == game
    assert time.process_time() - start < SECONDS


# ── token soup ──────────────────────────────────────────────────────────────────────

WORDS = [
    *sorted(KEYWORDS), "ROLE", "True", "<=", "p", "q", "r", "f", "g", "a", "b", "0",
    "100", "?x", "?y", "?zz", "?", "random", "noop",
]  # fmt: skip
PUNCTUATION = ["(", "(", "(", ")", ")", ")", "(<=", " ", "\n", "\n(", "; x\n", "\t"]
ODDITIES = ["\x00", "\ufeff", "\udce9", "\u200b", "é", "中", '"', "|", "'", "??", "\r"]

tokens = st.sampled_from([*WORDS, *PUNCTUATION, *ODDITIES])
soup = st.lists(tokens | st.text(max_size=3), max_size=60).map(" ".join)
raw = st.text(st.characters() | st.sampled_from("()?;<= \n"), max_size=200)

# ── near-GDL: well-formed lists of GDL's own words, in any order and number ─────────

words = st.sampled_from(WORDS)
variables = st.sampled_from(["?x", "?y", "?z"])


def listed(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(parts, min_size=0, max_size=3).map(lambda p: f"({' '.join(p)})")


def applied(name: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map(lambda p: f"({' '.join((name, *p))})")


near_terms = st.recursive(
    words | variables,
    lambda t: listed(t) | applied("f", t) | applied("g", t, t),
    max_leaves=5,
)
near_atoms = st.one_of(
    applied("p", near_terms),
    applied("q", near_terms, near_terms),
    applied("true", applied("f", near_terms)),
    applied("does", variables, near_terms),
    applied("role", variables),
    listed(near_terms),
    words,
)
near_conditions = st.recursive(
    near_atoms | applied("distinct", variables, near_terms),
    lambda c: applied("not", c) | applied("or", c, c) | applied("and", c, c),
    max_leaves=4,
)
near_heads = st.one_of(
    near_atoms,
    applied("next", applied("f", near_terms)),
    applied("legal", variables, near_terms),
    applied("goal", variables, st.sampled_from(["0", "100", "?x", "x"])),
    applied("init", near_terms),
    st.just("terminal"),
)
near_rules = near_heads | st.builds(
    lambda head, body: f"(<= {head} {' '.join(body)})",
    near_heads,
    st.lists(near_conditions, max_size=4),
)
near_sheets = st.lists(near_rules, max_size=12).map("\n".join)
FRAME = "(role a)(role b)\n(<= (legal ?x noop) (role ?x))\n(goal a 100)\n"
sheets = near_sheets | near_sheets.map(lambda text: f"{FRAME}(<= terminal p)\n{text}")

patient = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=15
)
thorough = settings(patient, max_examples=2500)


@patient
@given(soup | raw)
def test_token_soup(text: str) -> None:
    examine(text)


@patient
@given(sheets)
def test_near_gdl(text: str) -> None:
    examine(text)


@pytest.mark.slow
@thorough
@given(soup | raw)
def test_much_token_soup(text: str) -> None:
    examine(text)


@pytest.mark.slow
@thorough
@given(sheets)
def test_much_near_gdl(text: str) -> None:
    examine(text)


# ── real sheets with mistakes in them ───────────────────────────────────────────────


def cut(text: str, chance: random.Random) -> str:
    start = chance.randrange(len(text) + 1)
    return text[:start] + text[start + chance.choice([1, 1, 1, 5, 40]) :]


def repeat(text: str, chance: random.Random) -> str:
    start = chance.randrange(len(text) + 1)
    piece = text[start : start + chance.choice([1, 10, 80])]
    return text[:start] + piece * chance.choice([2, 3, 200]) + text[start:]


def insert(text: str, chance: random.Random) -> str:
    start = chance.randrange(len(text) + 1)
    extra = chance.choice([*WORDS, *PUNCTUATION, *ODDITIES, "(" * 150, ")" * 150])
    return text[:start] + extra + text[start:]


def swap_words(text: str, chance: random.Random) -> str:
    found = list(re.finditer(r"[^\s()]+", text))
    if not found:
        return text
    target, other = chance.choice(found), chance.choice(found)
    return text[: target.start()] + other[0] + text[target.end() :]


def swap_lines(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    chance.shuffle(lines)
    return "\n".join(lines)


MUTATIONS: list[Callable[[str, random.Random], str]] = [
    cut, cut, repeat, insert, insert, swap_words, swap_words, swap_words, swap_lines,
]  # fmt: skip


def mutated(texts: list[str], chance: random.Random) -> str:
    """A sheet, or mostly some lines of one, with a few mistakes."""
    text = chance.choice(texts)
    if chance.random() < 0.95:
        lines = text.splitlines(keepends=True)
        start = chance.randrange(len(lines))
        text = "".join(lines[start : start + chance.choice([5, 20, 60])])
    for _ in range(chance.choice([1, 1, 2, 5])):
        text = chance.choice(MUTATIONS)(text, chance)
    return text


def real_sheets(folder: Path) -> list[str]:
    return [path.read_text(errors="replace") for path in sorted(folder.glob("*.kif"))]


@pytest.mark.parametrize(
    ("cases", "seed"), [(50, 1), pytest.param(15_000, 2, marks=pytest.mark.slow)]
)
def test_mutated_library_sheets(cases: int, seed: int) -> None:
    texts = real_sheets(LIBRARY)
    chance = random.Random(seed)
    for _ in range(cases):
        examine(mutated(texts, chance))


@pytest.mark.parametrize(
    ("cases", "seed"), [(50, 3), pytest.param(12_000, 4, marks=pytest.mark.slow)]
)
def test_mutated_public_games(corpus: Path, cases: int, seed: int) -> None:
    texts = real_sheets(corpus / "games")
    chance = random.Random(seed)
    for _ in range(cases):
        examine(mutated(texts, chance))
