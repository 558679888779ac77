"""Bradley and Terry's ratings, against cases by hand and against a slow maximiser."""

from __future__ import annotations

import math
from itertools import combinations
from random import Random

import numpy as np
import pytest

from gamelore.match.ratings import (
    DEVIATIONS,
    POINTS,
    Result,
    log_likelihood,
    most_likely,
    rate,
    score_table,
)


def duel(one: str, other: str, goal: int, count: int = 1) -> list[Result]:
    return [Result((one, other), (goal, 100 - goal))] * count


def climb(results: list[Result], names: list[str], prior: float) -> list[float]:
    """The most likely strengths by trying: a step per player, ever smaller."""

    def height(strengths: list[float]) -> float:
        total = 0.0
        for strength in strengths:
            for sign in (1, -1):
                total -= prior / 2 * math.log1p(math.exp(sign * strength))
        for result in results:
            players = list(zip(result.players, result.goals, strict=True))
            for (one, ours), (other, theirs) in combinations(players, 2):
                if one == other:
                    continue
                gap = strengths[names.index(one)] - strengths[names.index(other)]
                score = 0.5 + ((ours or 0) - (theirs or 0)) / 200
                loss = score * math.log1p(math.exp(-gap))
                loss += (1 - score) * math.log1p(math.exp(gap))
                total -= loss * 2 / len(players)
        return total

    strengths, step = [0.0] * len(names), 1.0
    best = height(strengths)
    while step > 1e-6:
        moved = False
        for index in range(len(names)):
            for change in (step, -step):
                tried = [*strengths]
                tried[index] += change
                if (reached := height(tried)) > best:
                    strengths, best, moved = tried, reached, True
        step = step if moved else step / 2
    return strengths


def test_two_players_by_hand() -> None:
    """Three wins to one. With r and -r by symmetry, the slope in r is

    3 (1 - s(2r)) - s(2r) + (1/2 - s(r)) = 0, where s is the logistic function.
    """
    results = [*duel("a", "b", 100, 3), *duel("b", "a", 100)]
    ratings = rate(results)
    strength = ratings["a"].value / POINTS
    s = 1 / (1 + math.exp(-2 * strength))
    assert 3 - 4 * s + 0.5 - 1 / (1 + math.exp(-strength)) == pytest.approx(0, abs=1e-9)
    assert ratings["b"].value == pytest.approx(-ratings["a"].value)
    # The curvature is ((4q + p, -4q), (-4q, 4q + p)) with q = s(1-s) and the prior's p;
    # of the difference, the direction (1, -1) / 2, the variance is 1 / (2 (8q + p)).
    q, p = s * (1 - s), math.exp(-strength) / (1 + math.exp(-strength)) ** 2
    margin = POINTS * DEVIATIONS * math.sqrt(1 / (2 * (8 * q + p)))
    assert ratings["a"].high - ratings["a"].value == pytest.approx(margin)
    assert ratings["a"].value - ratings["a"].low == pytest.approx(margin)


def test_a_weak_prior_leaves_the_odds_as_they_are() -> None:
    results = [*duel("a", "b", 100, 10), *duel("b", "a", 100)]
    ratings = rate(results, prior=1e-9)
    assert ratings["a"].value - ratings["b"].value == pytest.approx(400, abs=1e-3)


@pytest.mark.parametrize("seed", range(12))
def test_the_peak_is_where_a_slow_maximiser_finds_it(seed: int) -> None:
    random = Random(seed)
    names = [f"p{n}" for n in range(random.randint(2, 5))]
    results = []
    for _ in range(random.randint(1, 40)):
        # up to four players, now and then the same one twice
        players = tuple(random.choices(names, k=random.randint(1, 4)))
        goals = tuple(random.choice([0, 25, 50, 99, 100, None]) for _ in players)
        results.append(Result(players, goals))
    prior = random.choice([0.5, 1.0, 3.0])
    found = most_likely(score_table(results, names), prior)
    assert found == pytest.approx(climb(results, names, prior), abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_no_strengths_near_the_peak_are_more_likely(seed: int) -> None:
    generator = np.random.default_rng(seed)
    scores = generator.random((6, 6)) * 10 ** generator.uniform(-2, 4, (6, 6))
    np.fill_diagonal(scores, 0)
    peak = most_likely(scores, 0.1)
    height = log_likelihood(peak, scores, 0.1)
    for _ in range(100):
        other = peak + generator.normal(size=6) * 10 ** generator.uniform(-4, 0)
        assert log_likelihood(other, scores, 0.1) < height


def test_perfect_scores_stay_finite() -> None:
    few, many = rate(duel("a", "b", 100, 10)), rate(duel("a", "b", 100, 10_000))
    assert 0 < few["a"].value < many["a"].value < 4000
    assert all(math.isfinite(bound) for bound in many["b"])


def test_draws_and_halves_are_alike() -> None:
    drawn = rate(duel("a", "b", 50, 10))
    shared = rate([*duel("a", "b", 100, 5), *duel("a", "b", 0, 5)])
    assert drawn["a"] == pytest.approx(shared["a"])
    assert drawn["a"].value == pytest.approx(0, abs=1e-9)


def test_three_quarters_of_the_goal_are_three_wins_of_four() -> None:
    parts = rate(duel("a", "b", 75, 8))
    whole = rate([*duel("a", "b", 100, 6), *duel("a", "b", 0, 2)])
    assert parts["a"] == pytest.approx(whole["a"])


def test_goals_for_both_are_a_draw() -> None:
    assert rate([Result(("a", "b"), (100, 100))])["a"].value == pytest.approx(0)
    assert rate([Result(("a", "b"), (None, 0))])["a"].value == pytest.approx(0)


def test_a_match_of_three_is_its_pairs() -> None:
    scores = score_table([Result(("a", "b", "c"), (100, 50, 0))], ["a", "b", "c"])
    expected = np.array([[0, 0.75, 1], [0.25, 0, 0.75], [0, 0.25, 0]]) * 2 / 3
    assert scores == pytest.approx(expected)


def test_who_plays_alone_or_itself_is_not_compared() -> None:
    results = [Result(("a",), (100,)), Result(("b", "b"), (100, 0))]
    ratings = rate(results, ["c"])
    assert [*ratings] == ["c", "a", "b"]
    assert {rating.value for rating in ratings.values()} == {0.0}


def test_who_never_met_is_compared_through_others() -> None:
    ratings = rate([*duel("a", "b", 100, 5), *duel("b", "c", 100, 5)])
    assert ratings["a"].value > ratings["b"].value > ratings["c"].value
    assert sum(rating.value for rating in ratings.values()) == pytest.approx(0)


def test_more_matches_narrow_the_interval() -> None:
    few, many = rate(duel("a", "b", 50, 4)), rate(duel("a", "b", 50, 400))
    assert many["a"].high - many["a"].low < (few["a"].high - few["a"].low) / 5


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    """60 matches between each two of four players, 300 times over: about 95%."""
    truth = np.array([-0.9, -0.2, 0.3, 0.8])
    names, random, covered = ["a", "b", "c", "d"], Random(7), 0
    for _ in range(300):
        results = []
        for one, other in combinations(range(4), 2):
            chance = 1 / (1 + math.exp(truth[other] - truth[one]))
            wins = sum(random.random() < chance for _ in range(60))
            results += duel(names[one], names[other], 100, wins)
            results += duel(names[one], names[other], 0, 60 - wins)
        ratings = rate(results)
        for name, strength in zip(names, truth * POINTS, strict=True):
            rating = ratings[name]
            covered += rating.low <= strength <= rating.high
    assert 0.93 < covered / 1200 < 0.98


def test_the_order_of_results_does_not_matter() -> None:
    results = [*duel("a", "b", 100, 3), *duel("c", "b", 70, 2), *duel("a", "c", 10)]
    forth, back = rate(results), rate(results[::-1])
    for name in "abc":
        assert forth[name] == pytest.approx(back[name])


def test_nobody_is_rated_without_players() -> None:
    assert rate([]) == {}


def test_wrong_results_are_refused() -> None:
    with pytest.raises(ValueError, match="1 goals of 2 players"):
        Result(("a", "b"), (100,))
    with pytest.raises(ValueError, match="got 101"):
        Result(("a",), (101,))
    with pytest.raises(ValueError, match="faults of 1 of 2"):
        Result(("a", "b"), (0, 0), (1,))
    with pytest.raises(ValueError, match="prior must be positive"):
        rate([], prior=0)
