"""Reward maps: text, the default by rank, names and scales."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.errors import KnowledgeError
from gamelore.transfer import RewardMap

rewards = st.lists(st.integers(-100, 200), min_size=1, max_size=8, unique=True)
maps = st.dictionaries(
    st.integers(-1000, 1000), st.integers(-1000, 1000), min_size=1, max_size=6
).map(lambda pairs: RewardMap(tuple(pairs.items())))


@given(maps)
def test_text_round_trips(reward_map: RewardMap) -> None:
    assert RewardMap.parse(str(reward_map)) == reward_map


def test_parse() -> None:
    assert RewardMap.parse(" 20=100, -10 = 0").pairs == ((-10, 0), (20, 100))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not ''"),
        ("1=2,", "not ''"),
        ("1:2", "not '1:2'"),
        ("1=x", "not '1=x'"),
        ("1=2=3", "not '1=2=3'"),
        ("1=2,1=3", "two pairs for 1"),
    ],
)
def test_what_is_no_map(text: str, complaint: str) -> None:
    with pytest.raises(KnowledgeError, match=complaint):
        RewardMap.parse(text)


@pytest.mark.parametrize(
    ("targets", "sources", "expected"),
    [
        ([0, 50, 100], [0, 50, 100], "0=0,50=50,100=100"),
        ([0, 100], [0, 50, 100], "0=0,100=100"),
        ([0, 50, 100], [0, 100], "0=0,100=100"),  # a draw stands for nothing there
        ([-10, 0, 10, 20, 50], [0, 50, 100], "-10=0,0=50,10=50,20=50,50=100"),
        ([0, 1, 2], [0, 25, 50, 75, 100], "0=0,1=50,2=100"),
        ([0, 1, 2, 3], [0, 25, 75, 100], "0=0,1=25,2=75,3=100"),
        ([50], [0, 100], "50=0"),
    ],
)
def test_by_rank(targets: list[int], sources: list[int], expected: str) -> None:
    assert str(RewardMap.by_rank(targets, sources)) == expected


@given(rewards, rewards)
def test_by_rank_keeps_the_order_and_the_ends(
    targets: list[int], sources: list[int]
) -> None:
    pairs = RewardMap.by_rank(targets, sources).pairs
    assert [source for _, source in pairs] == sorted(source for _, source in pairs)
    assert pairs[0] == (min(targets), min(sources))
    if len(targets) > 1 and len(sources) > 1:
        assert pairs[-1] == (max(targets), max(sources))


@given(rewards)
def test_by_rank_of_the_same_rewards_is_the_identity(same: list[int]) -> None:
    assert all(a == b for a, b in RewardMap.by_rank(same, same).pairs)
    assert RewardMap.by_rank(same, same).scale(37.5) == pytest.approx(37.5)


def test_names_are_those_of_the_equivalents() -> None:
    reward_map = RewardMap.parse("-10=0,0=0,20=100")
    sources = {0: "L", 50: "D", 100: "W"}
    assert reward_map.outcomes([-10, 0, 10, 20], sources) == {
        -10: "L",
        0: "L",
        10: "?10",
        20: "W",
    }


def test_a_map_to_a_reward_that_is_not_there() -> None:
    with pytest.raises(KnowledgeError, match=r"has 20=99, but .* are 0, 100"):
        RewardMap.parse("20=99").outcomes([20], {0: "L", 100: "W"})


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("0=0,100=100", 41.08, 41.08),
        ("-10=0,20=100", 50.0, 5.0),
        ("-10=0,0=0,20=100", 0.0, -5.0),  # two rewards stand for one: their mean
        ("0=0,7=50,1=100", 50.0, 0.5),  # values are averages: only the ends count
        ("5=0", 10.0, 15.0),
    ],
)
def test_scale(text: str, value: float, expected: float) -> None:
    assert RewardMap.parse(text).scale(value) == pytest.approx(expected)
