"""Lessons, their sets, and the file they are kept in."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelore.errors import KnowledgeError
from gamelore.transfer import (
    Knowledge,
    Learned,
    Lesson,
    TreePattern,
    load_knowledge,
    save_knowledge,
)
from gamelore.transfer.files import from_json, to_json

OUTCOMES = {0: "L", 50: "D", 100: "W"}
FEATURES = [TreePattern.parse(text) for text in ("L", "(D)", "(W)", "L (N W)")]

learned = st.builds(
    Learned,
    value=st.floats(0, 100),
    visits=st.integers(1, 10**6),
    afterstates=st.integers(1, 1000),
)
lessons = st.builds(
    Lesson,
    game=st.sampled_from(["tictactoe", "nim"]),
    rules=st.just("0f"),
    role=st.sampled_from(["x", "o"]),
    opponent=st.sampled_from(["novice", "weak", 'a "quoted" näme\n']),
    matches=st.integers(0, 5),
    outcomes=st.just(OUTCOMES),
    patterns=st.dictionaries(st.sampled_from(FEATURES), learned),
    depth=st.integers(1, 3),
    settings=st.dictionaries(
        st.text(max_size=3),
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=3),
        max_size=2,
    ),
    run=st.sampled_from(["", "a", "b"]),
)
knowledges = st.lists(lessons, max_size=4).map(lambda some: Knowledge(tuple(some)))


# ── merging ─────────────────────────────────────────────────────────────────────────


@given(knowledges, knowledges, knowledges)
def test_merging_is_associative(a: Knowledge, b: Knowledge, c: Knowledge) -> None:
    assert (a | b) | c == a | (b | c)
    assert ((a | b) | c).values() == (a | (b | c)).values()


@given(knowledges, knowledges)
def test_merging_is_commutative_and_repeats_nothing(a: Knowledge, b: Knowledge) -> None:
    assert a | b == b | a
    assert (a | b).values() == (b | a).values()
    assert (a | b) | a == a | b
    assert a | Knowledge() == a


@given(st.lists(learned, min_size=1, max_size=5))
def test_merged_values_are_averages_weighted_by_visits(parts: list[Learned]) -> None:
    pattern = TreePattern.parse("L (N W)")
    taught = Knowledge(
        tuple(
            Lesson("nim", "0f", "x", f"opponent {n}", 1, OUTCOMES, {pattern: part})
            for n, part in enumerate(parts)
        )
    )
    found = taught.values()[pattern]
    visits = sum(part.visits for part in parts)
    mean = sum(part.value * part.visits for part in parts) / visits
    assert found.value == pytest.approx(mean)
    assert found.visits == visits
    assert found.afterstates == sum(part.afterstates for part in parts)


def test_a_longer_part_of_a_run_replaces_a_shorter_one(lesson: Lesson) -> None:
    early = replace(lesson, run="r", matches=10)
    late = replace(lesson, run="r", matches=20)
    other = replace(lesson, run="s", matches=5)
    assert set((Knowledge((late,)) | Knowledge((early, other))).lessons) == {
        late,
        other,
    }


def test_lessons_without_a_run_add_up(lesson: Lesson) -> None:
    both = Knowledge((lesson, replace(lesson, matches=1)))
    assert len(both) == 2
    assert both.values()[TreePattern.parse("(W)")].visits == 2


def test_about(lesson: Lesson) -> None:
    weak = replace(lesson, opponent="weak", role="o")
    nim = replace(lesson, game="nim", depth=3)
    all_ = Knowledge((lesson, weak, nim))
    assert all_.about() == all_
    assert all_.about(opponent="weak").lessons == (weak,)
    assert all_.about(opponent="novice", game="nim").lessons == (nim,)
    assert all_.about(role="o", depth=3).lessons == ()


def test_lessons_that_cannot_be(lesson: Lesson) -> None:
    with pytest.raises(KnowledgeError, match="no reward of tictactoe is called 'D'"):
        replace(lesson, outcomes={0: "L", 100: "W"})
    with pytest.raises(KnowledgeError, match="setting x must be a single value"):
        replace(lesson, settings={"x": cast(Any, [1])})
    with pytest.raises(KnowledgeError, match="setting x must be finite"):
        replace(lesson, settings={"x": float("inf")})
    with pytest.raises(KnowledgeError, match="finite number, got nan"):
        Learned(float("nan"), 1, 1)
    with pytest.raises(KnowledgeError, match="at least once"):
        Learned(1.0, 0, 1)


# ── files ───────────────────────────────────────────────────────────────────────────


@given(knowledges)
def test_text_round_trips(knowledge: Knowledge) -> None:
    assert from_json(to_json(knowledge)) == knowledge
    assert to_json(from_json(to_json(knowledge))) == to_json(knowledge)


def test_files_round_trip_and_can_be_replaced(tmp_path: Path, lesson: Lesson) -> None:
    path = tmp_path / "lore.json"
    save_knowledge(Knowledge((lesson,)), path)
    more = load_knowledge(path) | Knowledge((replace(lesson, role="o"),))
    save_knowledge(more, path)
    assert load_knowledge(path) == more
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_can_be_read_by_people(lesson: Lesson) -> None:
    text = to_json(Knowledge((lesson,)))
    assert '"opponent": "novice"' in text
    assert '{"feature": "L (N W)", "value": 40.18, "visits": 120,' in text


def test_every_truncated_file_is_refused_and_left_alone(
    tmp_path: Path, lesson: Lesson
) -> None:
    path = tmp_path / "lore.json"
    knowledge = Knowledge((lesson,))
    whole = to_json(knowledge)
    for length in range(0, len(whole.rstrip()), 7):
        path.write_text(whole[:length])
        with pytest.raises(KnowledgeError, match=r"lore\.json is no knowledge file"):
            load_knowledge(path)
        with pytest.raises(KnowledgeError, match="it is not overwritten"):
            save_knowledge(knowledge, path)
        assert path.read_text() == whole[:length]
    save_knowledge(knowledge, path, overwrite=True)
    assert load_knowledge(path) == knowledge


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"\xff\xfe\x00", "it is not text"),
        (b"[1, 2]", 'lacks "format"'),
        (b'{"format": "other"}', 'lacks "format"'),
        (b'{"format": "gamelore knowledge", "version": 99}', "version 99"),
        (b'{"format": "gamelore knowledge", "version": 1}', "lessons must be a list"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_foreign_files(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(KnowledgeError, match=complaint):
        load_knowledge(path)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"matches": "many"}, "matches of a lesson must be a whole number"),
        ({"matches": True}, "matches of a lesson must be a whole number"),
        ({"matches": -1}, "matches must not be negative"),
        ({"strange": 1}, "a member 'strange'"),
        ({"outcomes": {"x": "W"}}, "a reward must be a whole number"),
        ({"outcomes": {"0": 1}}, "an outcome's name must be text"),
        ({"settings": {"a": [1]}}, "setting a must be a single value"),
        ({"features": [{}]}, "a feature has no feature"),
        ({"features": [1]}, "a feature must be an object"),
    ],
)
def test_damaged_lessons(
    lesson: Lesson, change: dict[str, object], complaint: str
) -> None:
    content = json.loads(to_json(Knowledge((lesson,))))
    content["lessons"][0].update(change)
    with pytest.raises(KnowledgeError, match=rf"{complaint}.*\(lesson 1\)"):
        from_json(json.dumps(content))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("L (N W)", "L (N W", "'\\(' without"),
        ("40.18", "NaN", "NaN is no number"),
        ("40.18", '"40.18"', "value of a feature must be a number"),
        ('"(W)"', '"(D)"', "occurs twice"),
        ('"run": "",', "", "a lesson has no run"),
    ],
)
def test_damaged_patterns(lesson: Lesson, old: str, new: str, complaint: str) -> None:
    text = to_json(Knowledge((lesson,)))
    assert old in text
    with pytest.raises(KnowledgeError, match=complaint):
        from_json(text.replace(old, new))


def test_places_that_cannot_be_used(tmp_path: Path, lesson: Lesson) -> None:
    with pytest.raises(KnowledgeError, match=r"cannot read .*No such file"):
        load_knowledge(tmp_path / "none.json")
    with pytest.raises(KnowledgeError, match=r"cannot write .*No such file"):
        save_knowledge(Knowledge((lesson,)), tmp_path / "none" / "lore.json")
