"""Source results, sets of them, and their file."""

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
    PatternEstimate,
    SourceResult,
    TreePattern,
    load_knowledge,
    save_knowledge,
)
from gamelore.transfer.knowledge_file import decode_knowledge, encode_knowledge

OUTCOMES = {0: "L", 50: "D", 100: "W"}
PATTERNS = [TreePattern.parse(text) for text in ("L", "(D)", "(W)", "L (N W)")]

learned = st.builds(
    PatternEstimate,
    value=st.floats(0, 100),
    visits=st.integers(1, 10**6),
    afterstates=st.integers(1, 1000),
)
results = st.builds(
    SourceResult,
    game=st.sampled_from(["tictactoe", "nim"]),
    rules=st.just("0f"),
    role=st.sampled_from(["x", "o"]),
    opponent=st.sampled_from(["novice", "weak", 'a "quoted" näme\n']),
    matches=st.integers(0, 5),
    outcomes=st.just(OUTCOMES),
    patterns=st.dictionaries(st.sampled_from(PATTERNS), learned),
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
knowledges = st.lists(results, max_size=4).map(lambda some: Knowledge(tuple(some)))


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
def test_merged_values_are_averages_weighted_by_visits(
    parts: list[PatternEstimate],
) -> None:
    pattern = TreePattern.parse("L (N W)")
    knowledge = Knowledge(
        tuple(
            SourceResult(
                "nim", "0f", "x", f"opponent {n}", 1, OUTCOMES, {pattern: part}
            )
            for n, part in enumerate(parts)
        )
    )
    found = knowledge.values()[pattern]
    visits = sum(part.visits for part in parts)
    mean = sum(part.value * part.visits for part in parts) / visits
    assert found.value == pytest.approx(mean)
    assert found.visits == visits
    assert found.afterstates == sum(part.afterstates for part in parts)


def test_a_longer_part_of_a_run_replaces_a_shorter_one(result: SourceResult) -> None:
    early = replace(result, run="r", matches=10)
    late = replace(result, run="r", matches=20)
    other = replace(result, run="s", matches=5)
    assert set((Knowledge((late,)) | Knowledge((early, other))).results) == {
        late,
        other,
    }


def test_results_without_a_run_add_up(result: SourceResult) -> None:
    both = Knowledge((result, replace(result, matches=1)))
    assert len(both) == 2
    assert both.values()[TreePattern.parse("(W)")].visits == 2


def test_select(result: SourceResult) -> None:
    weak = replace(result, opponent="weak", role="o")
    nim = replace(result, game="nim", depth=3)
    all_ = Knowledge((result, weak, nim))
    assert all_.select() == all_
    assert all_.select(opponent="weak").results == (weak,)
    assert all_.select(opponent="novice", game="nim").results == (nim,)
    assert all_.select(role="o", depth=3).results == ()


def test_results_that_cannot_be(result: SourceResult) -> None:
    with pytest.raises(KnowledgeError, match="no reward of tictactoe is called 'D'"):
        replace(result, outcomes={0: "L", 100: "W"})
    with pytest.raises(KnowledgeError, match="setting x must be a single value"):
        replace(result, settings={"x": cast(Any, [1])})
    with pytest.raises(KnowledgeError, match="setting x must be finite"):
        replace(result, settings={"x": float("inf")})
    with pytest.raises(KnowledgeError, match="finite number, got nan"):
        PatternEstimate(float("nan"), 1, 1)
    with pytest.raises(KnowledgeError, match="at least once"):
        PatternEstimate(1.0, 0, 1)


# ── files ───────────────────────────────────────────────────────────────────────────


@given(knowledges)
def test_text_round_trips(knowledge: Knowledge) -> None:
    text = encode_knowledge(knowledge)
    assert decode_knowledge(text) == knowledge
    assert encode_knowledge(decode_knowledge(text)) == text


def test_files_round_trip_and_can_be_replaced(
    tmp_path: Path, result: SourceResult
) -> None:
    path = tmp_path / "lore.json"
    save_knowledge(Knowledge((result,)), path)
    more = load_knowledge(path) | Knowledge((replace(result, role="o"),))
    save_knowledge(more, path)
    assert load_knowledge(path) == more
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_can_be_read_by_people(result: SourceResult) -> None:
    text = encode_knowledge(Knowledge((result,)))
    assert '"opponent": "novice"' in text
    assert '{"pattern": "L (N W)", "value": 40.18, "visits": 120,' in text


def test_every_truncated_file_is_refused_and_left_alone(
    tmp_path: Path, result: SourceResult
) -> None:
    path = tmp_path / "lore.json"
    knowledge = Knowledge((result,))
    whole = encode_knowledge(knowledge)
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
        (b"\xff\xfe\x00", "JSON is malformed"),
        (b"[1, 2]", "Expected `object`, got `array`"),
        (b'{"format": "other"}', 'lacks "format"'),
        (b'{"format": "gamelore knowledge", "version": 99}', "version 99"),
        (b'{"format": "gamelore knowledge", "version": 2}', "field `results`"),
        (b'{"x":' * 100_000, "nested too deeply"),
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
        ({"matches": "many"}, r"Expected `int`, got `str` - .*\[0\]\.matches"),
        ({"matches": True}, r"Expected `int`, got `bool` - .*\[0\]\.matches"),
        ({"matches": -1}, r"Expected `int` >= 0 - .*\[0\]\.matches"),
        ({"strange": 1}, "unknown field `strange`"),
        ({"outcomes": {"x": "W"}}, r"Expected `int`, got `str` - .*outcomes"),
        ({"outcomes": {"0": 1}}, r"Expected `str`, got `int` - .*outcomes"),
        ({"outcomes": {"0": "L"}}, r"is called 'W', .* \(result 1\)"),
        ({"settings": {"a": [1]}}, r"got `array` - .*settings"),
        ({"patterns": [{}]}, "missing required field `pattern`"),
        ({"patterns": [1]}, r"Expected `object`, got `int` - .*patterns\[0\]"),
    ],
)
def test_damaged_results(
    result: SourceResult, change: dict[str, object], complaint: str
) -> None:
    content = json.loads(encode_knowledge(Knowledge((result,))))
    content["results"][0].update(change)
    with pytest.raises(KnowledgeError, match=complaint):
        decode_knowledge(json.dumps(content))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("L (N W)", "L (N W", "'\\(' without"),
        ("40.18", "NaN", "JSON is malformed"),
        ("40.18", '"40.18"', "Expected `float`, got `str`"),
        ('"(W)"', '"(D)"', "occurs twice"),
        ('"run": "",', "", "missing required field `run`"),
    ],
)
def test_damaged_patterns(
    result: SourceResult, old: str, new: str, complaint: str
) -> None:
    text = encode_knowledge(Knowledge((result,)))
    assert old in text
    with pytest.raises(KnowledgeError, match=complaint):
        decode_knowledge(text.replace(old, new))


def test_places_that_cannot_be_used(tmp_path: Path, result: SourceResult) -> None:
    with pytest.raises(KnowledgeError, match=r"cannot read .*No such file"):
        load_knowledge(tmp_path / "none.json")
    with pytest.raises(KnowledgeError, match=r"cannot write .*No such file"):
        save_knowledge(Knowledge((result,)), tmp_path / "none" / "lore.json")
