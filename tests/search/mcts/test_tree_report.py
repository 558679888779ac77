"""Which candidate is the best, by visits and values."""

from __future__ import annotations

import pytest

from gamelore.search.mcts.report import Analysis, Candidate, merge, promise


def ranked(*candidates: Candidate) -> list[str]:
    most = max(one.visits for one in candidates)
    best = sorted(candidates, key=lambda one: promise(one, most), reverse=True)
    return [str(one.move) for one in best]


def test_a_move_that_was_found_late_is_chosen_once_it_is_surely_better() -> None:
    early = Candidate("early", 100_000, 50.0)
    assert ranked(early, Candidate("late", 20_000, 52.0)) == ["late", "early"]
    assert ranked(early, Candidate("late", 20_000, 50.2)) == ["early", "late"]


def test_moves_that_were_visited_seldom_follow_by_visits() -> None:
    most = Candidate("most", 1000, 40.0)
    seldom = [Candidate("few", 90, 99.0), Candidate("fewer", 80, 100.0)]
    assert ranked(*seldom, most) == ["most", "few", "fewer"]


def test_several_trees_choose_by_all_their_playouts() -> None:
    def tree(*found: tuple[str, int, float]) -> Analysis:
        candidates = tuple(Candidate(*one) for one in found)
        return Analysis("x", candidates, 0, 0, solved=False, value=50.0)

    one = tree(("a", 9000, 50.0), ("b", 900, 40.0))
    other = tree(("b", 9000, 60.0), ("a", 900, 40.0))
    assert [str(c.move) for c in merge([one, other]).candidates] == ["b", "a"]
    assert merge([one, other]).best.value == pytest.approx(
        (900 * 40 + 9000 * 60) / 9900
    )
