"""Features as text and as values; what they are in positions worked out by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.engine import Row
from gamelore.errors import FeatureError
from gamelore.graph import Atlas, Template, Templates
from gamelore.transfer import Feature
from gamelore.transfer.tree_pattern import DEEPEST

leaves: st.SearchStrategy[Template] = st.sampled_from(["W", "D", "L", "N", "0", "-10"])
templates: st.SearchStrategy[Template] = st.recursive(
    leaves, lambda below: st.frozensets(below, min_size=1, max_size=4), max_leaves=12
)


def has_outcome(template: Template) -> bool:
    if isinstance(template, str):
        return template != "N"
    return any(map(has_outcome, template))


features = (
    st.frozensets(templates, min_size=1, max_size=4)
    .filter(has_outcome)
    .map(Feature.from_template)
)


# ── text ────────────────────────────────────────────────────────────────────────────


@given(features)
def test_text_round_trips(feature: Feature) -> None:
    assert Feature.parse(str(feature)) == feature
    assert eval(repr(feature), {"Feature": Feature}) == feature


@given(features, features)
def test_equal_features_have_equal_texts(one: Feature, other: Feature) -> None:
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
    assert str(Feature.parse(text)) == canonical


@pytest.mark.parametrize(
    ("text", "depth"), [("L", 1), ("L (N W)", 2), ("L (N (W))", 3)]
)
def test_depth(text: str, depth: int) -> None:
    assert Feature.parse(text).depth == depth


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "an empty text"),
        ("   ", "an empty text"),
        ("L (N W", "'\\(' without '\\)'"),
        ("L N) W", "'\\)' without '\\(' at column 4"),
        ("L ()", "nothing in parentheses at column 4"),
        ("N (N)", "no match ends"),
        ("(" * 100_000, "more than 64 levels at column 64"),
    ],
)
def test_what_is_no_feature(text: str, complaint: str) -> None:
    with pytest.raises(FeatureError, match=complaint):
        Feature.parse(text)


def test_templates_that_are_no_features() -> None:
    deep: Template = "W"
    for _ in range(DEEPEST + 1):
        deep = frozenset([deep])
    wrong: list[Template] = ["W", frozenset(), frozenset(["a b"]), frozenset("("), deep]
    for template in wrong:
        with pytest.raises(FeatureError):
            Feature.from_template(template)


def test_renaming_coalesces() -> None:
    feature = Feature.parse("0 (5 N) (10 N)")
    renamed = feature.renamed({"0": "L", "5": "W", "10": "W"})
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
def test_features_of_positions_worked_by_hand(
    tictactoe: Atlas,
    board: Callable[[str], Row],
    drawing: str,
    role: int,
    depth: int,
    expected: str,
) -> None:
    node = tictactoe.number(board(drawing))
    template = Templates(tictactoe, role, depth).template(node)
    assert str(Feature.from_template(template)) == expected
