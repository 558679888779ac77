"""Table 1: patterns known from the paper's words, and the others by least squares."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.experiments.banerjee2007.table1 import (
    MATCHED,
    OPPONENTS,
    TABLE_1,
    PatternSample,
    classify_pattern,
    fit_letters,
    fit_table,
    read_table,
)
from gamelore.experiments.sweep import load_graph
from gamelore.transfer import TreePattern, find_patterns


def test_our_patterns_are_those_that_are_matched() -> None:
    found = find_patterns(load_graph("tictactoe"), 0)
    assert sorted(map(str, found)) == sorted(MATCHED.values())


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("(D)", "draws"),
        ("(D) L", ""),
        ("(W)", "fork"),
        ("(N W)", "fork"),
        ("(N W) (W)", "fork"),
        ("(D) (W)", ""),
        ("(N W) L", "torn"),
        ("(N W) (N)", ""),
        ("L", ""),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    assert classify_pattern(TreePattern.parse(text)) == kind


def test_the_papers_own_values_fit_without_error() -> None:
    values = {
        TreePattern.parse(text): np.array(TABLE_1[letter])
        for letter, text in MATCHED.items()
    }
    fit = fit_letters("test", 1, values, 12.0)
    assert {letter: str(pattern) for letter, pattern in fit.letters.items()} == MATCHED
    assert fit.error == 0.0
    assert fit.correlation == pytest.approx(1.0)


def test_fits_average_runs_and_put_the_best_first() -> None:
    def at(matches: int, off: float) -> list[PatternSample]:
        return [
            PatternSample(
                "test",
                matches,
                opponent,
                {
                    TreePattern.parse(text): TABLE_1[letter][column] + off + sway
                    for letter, text in MATCHED.items()
                },
            )
            for column, opponent in enumerate(OPPONENTS)
            for sway in (-1.0, 1.0)
        ]

    fits = fit_table([*at(10, 5.0), *at(20, 0.5)])
    assert [fit.matches for fit in fits] == [20, 10]
    assert fits[0].error == pytest.approx(0.5)
    assert fits[0].met == 12


def test_what_not_all_opponents_showed_is_not_fitted() -> None:
    values = {TreePattern.parse("L"): 40.0}
    assert fit_table([PatternSample("test", 10, "novice", values)]) == []


def test_the_printed_values_are_a_result() -> None:
    result = read_table("weak")
    assert len(result.patterns) == 12
    assert result.patterns[TreePattern.parse("(D)")].value == 50.0
    assert result.patterns[TreePattern.parse("L")].value == TABLE_1["f"][2]
