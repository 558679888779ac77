"""From value tables to values of patterns, and from those to initial values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gamelore.engine import Row, simulator
from gamelore.errors import KnowledgeError
from gamelore.games import load, rules_text
from gamelore.gdl import Game
from gamelore.graph import PatternIndex, StateGraph
from gamelore.transfer import (
    Knowledge,
    PatternEstimate,
    RewardMap,
    SourceResult,
    TreePattern,
    extract_knowledge,
    initialise_values,
    make_target_index,
)

# Afterstates of x with their value and visits. The first two are mirror images; what
# their patterns are is worked out in test_tree_pattern.py.
TABLE = [
    ("XX. OOX ...", 60.0, 3),  # (N) (N W)
    ("... OOX XX.", 70.0, 1),  # (N) (N W)
    ("XOX XO. OX.", 51.5, 4),  # (D)
    ("XX. XOO .OX", 90.0, 0),  # (W), but never visited
    ("XXX OO. ...", 100.0, 9),  # the match is over: no pattern
    ("X.. ... ...", 55.0, 5),  # no match can end within two plies: no pattern
]


@pytest.fixture
def knowledge(tictactoe: StateGraph, board: Callable[[str], Row]) -> Knowledge:
    return extract_knowledge(
        PatternIndex(tictactoe, 0),
        np.stack([board(drawing) for drawing, *_ in TABLE]),
        np.array([value for _, value, _ in TABLE]),
        np.array([visits for *_, visits in TABLE], np.uint32),
        opponent="novice",
        matches=22,
        settings={"step_size": 0.3},
    )


def test_values_are_averages_weighted_by_visits(knowledge: Knowledge) -> None:
    assert knowledge.values() == {
        TreePattern.parse("(N) (N W)"): PatternEstimate(
            (3 * 60 + 70) / 4, visits=4, afterstates=2
        ),
        TreePattern.parse("(D)"): PatternEstimate(51.5, visits=4, afterstates=1),
    }


def test_a_result_says_where_it_comes_from(knowledge: Knowledge) -> None:
    (result,) = knowledge.results
    assert result.game == "tictactoe"
    assert result.rules == load("tictactoe").fingerprint
    assert (result.role, result.opponent, result.matches) == ("x", "novice", 22)
    assert result.outcomes == {0: "L", 50: "D", 100: "W"}
    assert result.settings == {"step_size": 0.3}


def test_an_empty_table_has_no_patterns(tictactoe: StateGraph) -> None:
    width = tictactoe.simulator.width
    rows, none = np.zeros((0, width), np.uint64), np.zeros(0, np.int64)
    knowledge = extract_knowledge(
        PatternIndex(tictactoe, 0), rows, np.zeros(0), none, opponent="weak", matches=0
    )
    assert knowledge.values() == {}


def test_initial_values_in_the_same_game(
    tictactoe: StateGraph, knowledge: Knowledge, board: Callable[[str], Row]
) -> None:
    pattern_index = PatternIndex(tictactoe, 0)
    values = initialise_values(knowledge, pattern_index)
    assert len(values) == len(pattern_index.shapes.first)
    for drawing, expected in [
        ("... OOX XX.", 62.5),
        ("XOX XO. OX.", 51.5),
        ("XX. XOO .OX", None),
        ("X.. ... ...", None),
    ]:
        value = values[pattern_index.number(tictactoe.number(board(drawing)))]
        assert np.isnan(value) if expected is None else value == expected


def test_initial_values_in_another_game(knowledge: Knowledge) -> None:
    graph = StateGraph(simulator(load("connect-3")))
    pattern_index = PatternIndex(graph, 1)
    values = initialise_values(knowledge, pattern_index)
    assert values[pattern_index.intern(TreePattern.parse("(N) (N W)").tree)] == 62.5
    assert np.isfinite(values).sum() == 2


def test_several_results_are_averaged(
    tictactoe: StateGraph, result: SourceResult
) -> None:
    pattern = TreePattern.parse("L (N W)")
    more = replace(result, patterns={pattern: PatternEstimate(100.0, 360, 1)})
    pattern_index = PatternIndex(tictactoe, 0)
    values = initialise_values(Knowledge((result, more)), pattern_index)
    mean = (40.18 * 120 + 100 * 360) / 480
    assert values[pattern_index.intern(pattern.tree)] == pytest.approx(mean)


def test_many_patterns_make_room(tictactoe: StateGraph) -> None:
    patterns = {
        TreePattern.parse(
            " ".join(f"({'(N) ' * (n >> k & 1)}({k} N))" for k in range(11))
        ): (PatternEstimate(float(n), 1, 1))
        for n in range(1, 1500)
    }
    names = {k: str(k) for k in range(11)}
    many = SourceResult("many", "0f", "x", "novice", 1, names, patterns)
    pattern_index = PatternIndex(tictactoe, 0, outcomes=names)
    values = initialise_values(Knowledge((many,)), pattern_index)
    assert len(values) == len(pattern_index.shapes.first)
    assert sorted(values[np.isfinite(values)]) == [float(n) for n in range(1, 1500)]


def test_depths_must_agree(tictactoe: StateGraph, result: SourceResult) -> None:
    with pytest.raises(KnowledgeError, match=r"depth 3 are wanted, .* have depth 2"):
        initialise_values(Knowledge((result,)), PatternIndex(tictactoe, 0, depth=3))
    assert np.isnan(initialise_values(Knowledge(), PatternIndex(tictactoe, 0))).all()


# ── other rewards ───────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def cheap_nim() -> StateGraph:
    """Nim in which a win gives 80, a loss 20, and 50 occurs in the rules alone."""
    text = rules_text("nim-1-2")
    for old, new in (
        ("(goal ?p 100)", "(goal ?p 80)"),
        ("(goal ?p 0)", "(goal ?p 20)"),
    ):
        assert old in text
        text = text.replace(old, new)
    return StateGraph(simulator(Game.from_kif(text, "cheap-nim")))


def find_value(pattern_index: PatternIndex, values: np.ndarray, text: str) -> float:
    return float(values[pattern_index.intern(TreePattern.parse(text).tree)])


def test_by_rank_values_come_to_our_scale(
    cheap_nim: StateGraph, result: SourceResult
) -> None:
    pattern_index = make_target_index(cheap_nim, 0, Knowledge((result,)))
    assert pattern_index.outcomes == {20: "L", 50: "D", 80: "W"}
    values = initialise_values(Knowledge((result,)), pattern_index)
    assert find_value(pattern_index, values, "L (N W)") == pytest.approx(
        20 + 0.6 * 40.18
    )


def test_results_by_reward_and_by_rank_join(
    cheap_nim: StateGraph, result: SourceResult
) -> None:
    named = {0: "0", 50: "50", 100: "100"}
    by_reward = replace(
        result,
        outcomes=named,
        patterns={TreePattern.parse("0 (N 100)"): PatternEstimate(80.0, 120, 1)},
    )
    both = Knowledge((result, by_reward))
    for outcomes in (None, {20: "20", 50: "50", 80: "80"}):
        pattern_index = PatternIndex(cheap_nim, 0, outcomes=outcomes)
        values = initialise_values(both, pattern_index)
        text = "20 (80 N)" if outcomes else "L (W N)"
        mean = 20 + 0.6 * (40.18 + 80) / 2
        assert find_value(pattern_index, values, text) == pytest.approx(mean)


def test_a_map_may_put_rewards_together(
    cheap_nim: StateGraph, result: SourceResult
) -> None:
    knowledge = Knowledge((result,))
    reward_map = RewardMap.parse("20=0,50=0,80=100")
    pattern_index = make_target_index(cheap_nim, 0, knowledge, reward_map)
    assert pattern_index.outcomes == {20: "L", 50: "L", 80: "W"}
    values = initialise_values(knowledge, pattern_index, reward_map)
    expected = 35 + (80 - 35) * 0.4018
    assert find_value(pattern_index, values, "L (N W)") == pytest.approx(expected)
    with pytest.raises(KnowledgeError, match="both stand for L of tictactoe"):
        initialise_values(knowledge, PatternIndex(cheap_nim, 0), reward_map)


def test_a_map_may_not_tear_an_outcome_apart(
    cheap_nim: StateGraph, result: SourceResult
) -> None:
    pattern_index = PatternIndex(cheap_nim, 0, outcomes={20: "L", 50: "L", 80: "W"})
    with pytest.raises(KnowledgeError, match="L stands for both L and D of tictactoe"):
        initialise_values(Knowledge((result,)), pattern_index)


def test_patterns_with_outcomes_that_are_not_here_are_left_out(
    cheap_nim: StateGraph, result: SourceResult
) -> None:
    reward_map = RewardMap.parse("20=0,80=100")
    pattern_index = make_target_index(cheap_nim, 0, Knowledge((result,)), reward_map)
    values = initialise_values(Knowledge((result,)), pattern_index, reward_map)
    assert np.isfinite(values).sum() == 2  # all but (D)


def test_a_target_index_needs_knowledge(cheap_nim: StateGraph) -> None:
    with pytest.raises(KnowledgeError, match="nothing was learned"):
        make_target_index(cheap_nim, 0, Knowledge())
