"""Value tables to features, and features to initial values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gamelore.engine import Row, simulator
from gamelore.errors import KnowledgeError
from gamelore.games import load, rules_text
from gamelore.gdl import Game
from gamelore.graph import Atlas, Templates
from gamelore.transfer import (
    Feature,
    Knowledge,
    Learned,
    Lesson,
    RewardMap,
    initial_values,
    learn_values,
    target_templates,
)

# Afterstates of x with their value and visits. The first two are mirror images; what
# their features are is worked out in test_features.py.
TABLE = [
    ("XX. OOX ...", 60.0, 3),  # (N) (N W)
    ("... OOX XX.", 70.0, 1),  # (N) (N W)
    ("XOX XO. OX.", 51.5, 4),  # (D)
    ("XX. XOO .OX", 90.0, 0),  # (W), but never visited
    ("XXX OO. ...", 100.0, 9),  # the match is over: no feature
    ("X.. ... ...", 55.0, 5),  # no match can end within two plies: no feature
]


@pytest.fixture
def taught(tictactoe: Atlas, board: Callable[[str], Row]) -> Knowledge:
    return learn_values(
        Templates(tictactoe, 0),
        np.stack([board(drawing) for drawing, *_ in TABLE]),
        np.array([value for _, value, _ in TABLE]),
        np.array([visits for *_, visits in TABLE], np.uint32),
        opponent="novice",
        matches=22,
        settings={"step_size": 0.3},
    )


def test_values_are_averages_weighted_by_visits(taught: Knowledge) -> None:
    assert taught.values() == {
        Feature.parse("(N) (N W)"): Learned((3 * 60 + 70) / 4, visits=4, afterstates=2),
        Feature.parse("(D)"): Learned(51.5, visits=4, afterstates=1),
    }


def test_a_lesson_says_where_it_comes_from(taught: Knowledge) -> None:
    (lesson,) = taught.lessons
    assert lesson.game == "tictactoe"
    assert lesson.rules == load("tictactoe").fingerprint
    assert (lesson.role, lesson.opponent, lesson.matches) == ("x", "novice", 22)
    assert lesson.outcomes == {0: "L", 50: "D", 100: "W"}
    assert lesson.settings == {"step_size": 0.3}


def test_an_empty_table_teaches_nothing(tictactoe: Atlas) -> None:
    width = tictactoe.simulator.width
    rows, none = np.zeros((0, width), np.uint64), np.zeros(0, np.int64)
    taught = learn_values(
        Templates(tictactoe, 0), rows, np.zeros(0), none, opponent="weak", matches=0
    )
    assert taught.values() == {}


def test_initial_values_in_the_same_game(
    tictactoe: Atlas, taught: Knowledge, board: Callable[[str], Row]
) -> None:
    templates = Templates(tictactoe, 0)
    values = initial_values(taught, templates)
    assert len(values) == len(templates.shapes.first)
    for drawing, expected in [
        ("... OOX XX.", 62.5),
        ("XOX XO. OX.", 51.5),
        ("XX. XOO .OX", None),
        ("X.. ... ...", None),
    ]:
        value = values[templates.number(tictactoe.number(board(drawing)))]
        assert np.isnan(value) if expected is None else value == expected


def test_initial_values_in_another_game(taught: Knowledge) -> None:
    atlas = Atlas(simulator(load("connect-3")))
    templates = Templates(atlas, 1)
    values = initial_values(taught, templates)
    assert values[templates.intern(Feature.parse("(N) (N W)").template)] == 62.5
    assert np.isfinite(values).sum() == 2


def test_several_lessons_are_averaged(tictactoe: Atlas, lesson: Lesson) -> None:
    feature = Feature.parse("L (N W)")
    more = replace(lesson, features={feature: Learned(100.0, 360, 1)})
    templates = Templates(tictactoe, 0)
    values = initial_values(Knowledge((lesson, more)), templates)
    mean = (40.18 * 120 + 100 * 360) / 480
    assert values[templates.intern(feature.template)] == pytest.approx(mean)


def test_many_features_make_room(tictactoe: Atlas) -> None:
    features = {
        Feature.parse(
            " ".join(f"({'(N) ' * (n >> k & 1)}({k} N))" for k in range(11))
        ): (Learned(float(n), 1, 1))
        for n in range(1, 1500)
    }
    names = {k: str(k) for k in range(11)}
    many = Lesson("many", "0f", "x", "novice", 1, names, features)
    templates = Templates(tictactoe, 0, outcomes=names)
    values = initial_values(Knowledge((many,)), templates)
    assert len(values) == len(templates.shapes.first)
    assert sorted(values[np.isfinite(values)]) == [float(n) for n in range(1, 1500)]


def test_depths_must_agree(tictactoe: Atlas, lesson: Lesson) -> None:
    with pytest.raises(KnowledgeError, match=r"depth 3 are wanted, .* has depth 2"):
        initial_values(Knowledge((lesson,)), Templates(tictactoe, 0, depth=3))
    assert np.isnan(initial_values(Knowledge(), Templates(tictactoe, 0))).all()


# ── other rewards ───────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def cheap_nim() -> Atlas:
    """Nim in which a win gives 80, a loss 20, and 50 occurs in the rules alone."""
    text = rules_text("nim-1-2")
    for old, new in (
        ("(goal ?p 100)", "(goal ?p 80)"),
        ("(goal ?p 0)", "(goal ?p 20)"),
    ):
        assert old in text
        text = text.replace(old, new)
    return Atlas(simulator(Game.from_kif(text, "cheap-nim")))


def value_of(templates: Templates, values: np.ndarray, text: str) -> float:
    return float(values[templates.intern(Feature.parse(text).template)])


def test_by_rank_values_come_to_our_scale(cheap_nim: Atlas, lesson: Lesson) -> None:
    templates = target_templates(cheap_nim, 0, Knowledge((lesson,)))
    assert templates.outcomes == {20: "L", 50: "D", 80: "W"}
    values = initial_values(Knowledge((lesson,)), templates)
    assert value_of(templates, values, "L (N W)") == pytest.approx(20 + 0.6 * 40.18)


def test_lessons_by_reward_and_by_rank_join(cheap_nim: Atlas, lesson: Lesson) -> None:
    named = {0: "0", 50: "50", 100: "100"}
    by_reward = replace(
        lesson,
        outcomes=named,
        features={Feature.parse("0 (N 100)"): Learned(80.0, 120, 1)},
    )
    both = Knowledge((lesson, by_reward))
    for outcomes in (None, {20: "20", 50: "50", 80: "80"}):
        templates = Templates(cheap_nim, 0, outcomes=outcomes)
        values = initial_values(both, templates)
        text = "20 (80 N)" if outcomes else "L (W N)"
        mean = 20 + 0.6 * (40.18 + 80) / 2
        assert value_of(templates, values, text) == pytest.approx(mean)


def test_a_map_may_put_rewards_together(cheap_nim: Atlas, lesson: Lesson) -> None:
    taught = Knowledge((lesson,))
    reward_map = RewardMap.parse("20=0,50=0,80=100")
    templates = target_templates(cheap_nim, 0, taught, reward_map)
    assert templates.outcomes == {20: "L", 50: "L", 80: "W"}
    values = initial_values(taught, templates, reward_map)
    expected = 35 + (80 - 35) * 0.4018
    assert value_of(templates, values, "L (N W)") == pytest.approx(expected)
    with pytest.raises(KnowledgeError, match="both stand for L of tictactoe"):
        initial_values(taught, Templates(cheap_nim, 0), reward_map)


def test_a_map_may_not_tear_an_outcome_apart(cheap_nim: Atlas, lesson: Lesson) -> None:
    templates = Templates(cheap_nim, 0, outcomes={20: "L", 50: "L", 80: "W"})
    with pytest.raises(KnowledgeError, match="L stands for both L and D of tictactoe"):
        initial_values(Knowledge((lesson,)), templates)


def test_features_with_outcomes_that_are_not_here_are_left_out(
    cheap_nim: Atlas, lesson: Lesson
) -> None:
    reward_map = RewardMap.parse("20=0,80=100")
    templates = target_templates(cheap_nim, 0, Knowledge((lesson,)), reward_map)
    values = initial_values(Knowledge((lesson,)), templates, reward_map)
    assert np.isfinite(values).sum() == 2  # all but (D)


def test_templates_need_something_learned(cheap_nim: Atlas) -> None:
    with pytest.raises(KnowledgeError, match="nothing was learned"):
        target_templates(cheap_nim, 0, Knowledge())
