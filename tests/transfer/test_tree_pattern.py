"""Tree patterns as text, and in positions worked out by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.engine import Row
from gamelore.errors import PatternError
from gamelore.graph import Pattern, PatternIndex, StateGraph
from gamelore.transfer import TreePattern
from gamelore.transfer.tree_pattern import DEEPEST

leaves: st.SearchStrategy[Pattern] = st.sampled_from(["W", "D", "L", "N", "0", "-10"])
pattern_index: st.SearchStrategy[Pattern] = st.recursive(
    leaves, lambda below: st.frozensets(below, min_size=1, max_size=4), max_leaves=12
)


def has_outcome(pattern: Pattern) -> bool:
    if isinstance(pattern, str):
        return pattern != "N"
    return any(map(has_outcome, pattern))


patterns = (
    st.frozensets(pattern_index, min_size=1, max_size=4)
    .filter(has_outcome)
    .map(TreePattern.from_structure)
)


# ── text ────────────────────────────────────────────────────────────────────────────


@given(patterns)
def test_text_round_trips(pattern: TreePattern) -> None:
    assert TreePattern.parse(str(pattern)) == pattern
    assert eval(repr(pattern), {"TreePattern": TreePattern}) == pattern


@given(patterns, patterns)
def test_equal_patterns_have_equal_texts(one: TreePattern, other: TreePattern) -> None:
    assert (one == other) == (str(one) == str(other))
    assert (one == other) == (hash(one) == hash(other) and not one < other > one)
    assert (one < other) + (other < one) + (one == other) == 1


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("L (N W)", "L (N W)"),
        ("(W N) L", "L (N W)"),
        ("( W  N )L L (N W)", "L (N W)"),
        ("((W) D) W", "W (D (W))"),
        ("100 20 -10 (N 5)", "-10 20 100 (5 N)"),
        ("(W) W L D", "D L W (W)"),
    ],
)
def test_order_and_repetitions_do_not_matter(text: str, canonical: str) -> None:
    assert str(TreePattern.parse(text)) == canonical


@pytest.mark.parametrize(
    ("text", "depth"), [("L", 1), ("L (N W)", 2), ("L (N (W))", 3)]
)
def test_depth(text: str, depth: int) -> None:
    assert TreePattern.parse(text).depth == depth


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "an empty text"),
        ("   ", "an empty text"),
        ("L (N W", "'\\(' without '\\)'"),
        ("L N) W", "'\\)' without '\\(' at column 4"),
        ("L ()", "nothing in parentheses at column 4"),
        ("N (N)", "needs a terminal node"),
        ("(" * 100_000, "more than 64 levels at column 64"),
    ],
)
def test_what_is_no_pattern(text: str, complaint: str) -> None:
    with pytest.raises(PatternError, match=complaint):
        TreePattern.parse(text)


def test_structures_that_are_no_tree_patterns() -> None:
    deep: Pattern = "W"
    for _ in range(DEEPEST + 1):
        deep = frozenset([deep])
    wrong: list[Pattern] = ["W", frozenset(), frozenset(["a b"]), frozenset("("), deep]
    for pattern in wrong:
        with pytest.raises(PatternError):
            TreePattern.from_structure(pattern)


def test_renaming_coalesces() -> None:
    pattern = TreePattern.parse("0 (5 N) (10 N)")
    renamed = pattern.renamed({"0": "L", "5": "W", "10": "W"})
    assert str(renamed) == "L (N W)"


# ── positions worked by hand ────────────────────────────────────────────────────────

# Cells are named by row and column. In each the learner has just moved.
BY_HAND = [
    # x threatens 13 (the top row). o can block there, after which x has no line of two
    # that is open: (N). Any other move of o leaves x its win: (N W).
    ("XX. OOX ...", 0, 2, "(N) (N W)"),
    # As before, but o threatens 23 as well: L. If o blocks 13 instead, x cannot win at
    # once: (N). If o plays in the bottom row, x can take 13: (N W).
    ("XX. OO. ..X", 0, 2, "L (N) (N W)"),
    # The same, looking one ply ahead: o wins, or the match goes on.
    ("XX. OO. ..X", 0, 1, "L N"),
    # Two cells are left, and neither side can make a line with them.
    ("XOX XO. OX.", 0, 2, "(D)"),
    # x threatens 13 and 31; o can take only one, and x's last move takes the other.
    ("XX. XOO .OX", 0, 2, "(W)"),
    # o wins at 13 and at 31, and there are no other cells.
    ("OO. OXX .XX", 0, 2, "L"),
    # For o: x fills the last cell, which makes no line.
    ("XOX XOO OX.", 1, 2, "D"),
    # The same, three plies deep: the match is over after two.
    ("XOX XO. OX.", 0, 3, "(D)"),
    # For o, who has just taken 22: x wins at 13. Whatever else x plays, o has no line
    # of two to complete: 22 is its only mark besides 33, and 11 is x's.
    ("XX. .O. ..O", 1, 2, "L (N)"),
]


@pytest.mark.parametrize(("drawing", "role", "depth", "expected"), BY_HAND)
def test_patterns_of_positions_worked_by_hand(
    tictactoe: StateGraph,
    board: Callable[[str], Row],
    drawing: str,
    role: int,
    depth: int,
    expected: str,
) -> None:
    node = tictactoe.number(board(drawing))
    pattern = PatternIndex(tictactoe, role, depth).pattern(node)
    assert str(TreePattern.from_structure(pattern)) == expected
