"""What was learned about features, and from what: the part that outlives a game.

A *lesson* is what one learner took from one game in one role against one opponent. A
*knowledge* is a set of lessons. Merging is the union of sets: it does not matter in
which order, how grouped, or how often the same lesson comes. Values of a feature over
several lessons are averages weighted by visits, worked out when asked for.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, TypeAlias

from gamelore.errors import KnowledgeError
from gamelore.transfer.tree_pattern import TreePattern

Setting: TypeAlias = "str | int | float | bool | None"


@dataclass(frozen=True)
class Learned:
    """What is known of one feature."""

    value: float
    """The average of Q over the matching afterstates, weighted by visits."""
    visits: int
    """Of all matching afterstates together."""
    afterstates: int
    """How many different ones were visited."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise KnowledgeError(f"value must be a finite number, got {self.value}")
        if self.visits < 1 or self.afterstates < 1:
            raise KnowledgeError("a feature that was learned was visited at least once")


@dataclass(frozen=True)
class Lesson:
    """What one learner learned in one game."""

    game: str
    rules: str
    """The fingerprint of the game's rules."""
    role: str
    opponent: str
    matches: int
    outcomes: Mapping[int, str]
    """What the features call each reward."""
    patterns: Mapping[TreePattern, Learned]
    depth: int = 2
    """Of the lookahead that the features come from."""
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """How it was learned."""
    run: str = ""
    """If given, lessons of the same run replace one another as it goes on: that with
    the most matches stands."""

    def __post_init__(self) -> None:
        if self.matches < 0 or self.depth < 1:
            raise KnowledgeError("matches must not be negative, and depth at least 1")
        for name, value in self.settings.items():
            _check_setting(name, value)
        named = set(self.outcomes.values())
        for pattern in self.patterns:
            strange = sorted(pattern.outcomes() - named)
            if strange:
                raise KnowledgeError(
                    f"no reward of {self.game} is called {strange[0]!r}, as in feature"
                    f" {pattern}"
                )

    def __hash__(self) -> int:
        return hash(self.text)

    @cached_property
    def text(self) -> str:
        """The lesson as one line of JSON, always the same for the same lesson."""
        return json.dumps(self.record(), ensure_ascii=False, separators=(",", ":"))

    @property
    def thread(self) -> tuple[Setting, ...]:
        """What lessons share that replace one another; each its own without a run."""
        if not self.run:
            return (self.text,)
        names = ",".join(sorted(set(self.outcomes.values())))
        return self.run, self.rules, self.role, self.opponent, self.depth, names

    def record(self) -> dict[str, Any]:
        """The lesson as plain JSON values, in a stable order."""
        return {
            "game": self.game,
            "rules": self.rules,
            "role": self.role,
            "opponent": self.opponent,
            "matches": self.matches,
            "depth": self.depth,
            "run": self.run,
            "outcomes": {
                str(goal): self.outcomes[goal] for goal in sorted(self.outcomes)
            },
            "settings": dict(sorted(self.settings.items())),
            "features": [
                {
                    "feature": str(pattern),
                    "value": learned.value,
                    "visits": learned.visits,
                    "afterstates": learned.afterstates,
                }
                for pattern, learned in sorted(
                    self.patterns.items(), key=lambda item: item[0]
                )
            ],
        }

    @classmethod
    def from_record(cls, record: object) -> Lesson:
        """The lesson of such a record; `KnowledgeError` says what is wrong with it."""
        wanted = {one.name: _KINDS[one.name] for one in fields(cls)}
        found = _members(record, wanted, "a lesson")
        return cls(
            **{
                **found,
                "outcomes": {
                    _integer(goal, "a reward"): _text(name, "an outcome's name")
                    for goal, name in found["outcomes"].items()
                },
                "features": _patterns(found["features"]),
            }
        )


@dataclass(frozen=True)
class Knowledge:
    """A set of lessons."""

    lessons: tuple[Lesson, ...] = ()
    """In a stable order, none twice, the latest of each run."""

    def __post_init__(self) -> None:
        latest: dict[tuple[Setting, ...], Lesson] = {}
        for lesson in self.lessons:
            rival = latest.setdefault(lesson.thread, lesson)
            if (lesson.matches, lesson.text) > (rival.matches, rival.text):
                latest[lesson.thread] = lesson
        ordered = sorted(latest.values(), key=lambda lesson: lesson.text)
        object.__setattr__(self, "lessons", tuple(ordered))

    def __or__(self, other: Knowledge) -> Knowledge:
        """Both together."""
        return Knowledge(self.lessons + other.lessons)

    def __len__(self) -> int:
        return len(self.lessons)

    def about(
        self,
        *,
        opponent: str | None = None,
        game: str | None = None,
        role: str | None = None,
        depth: int | None = None,
    ) -> Knowledge:
        """Only the lessons against an opponent, from a game, in a role, of a depth."""
        wanted = {"opponent": opponent, "game": game, "role": role, "depth": depth}
        asked = {name: value for name, value in wanted.items() if value is not None}
        return Knowledge(
            tuple(
                lesson
                for lesson in self.lessons
                if all(getattr(lesson, name) == value for name, value in asked.items())
            )
        )

    def values(self) -> dict[TreePattern, Learned]:
        """Each feature over all lessons, in the order of features.

        Values are taken as they are: lessons of different reward scales are mapped one
        by one when they are applied (`initial_values`).
        """
        gathered: dict[TreePattern, list[Learned]] = {}
        for lesson in self.lessons:
            for pattern, learned in lesson.patterns.items():
                gathered.setdefault(pattern, []).append(learned)
        return {pattern: average(gathered[pattern]) for pattern in sorted(gathered)}


def average(parts: Iterable[Learned]) -> Learned:
    """What several lessons taught of one feature, whatever their order."""
    parts = list(parts)
    visits = sum(part.visits for part in parts)
    if len(parts) == 1:
        return parts[0]
    total = math.fsum(part.value * part.visits for part in parts)
    return Learned(total / visits, visits, sum(part.afterstates for part in parts))


# ── reading what others may have written ────────────────────────────────────────────

_KINDS: dict[str, type] = {
    "game": str,
    "rules": str,
    "role": str,
    "opponent": str,
    "matches": int,
    "depth": int,
    "run": str,
    "outcomes": dict,
    "settings": dict,
    "features": list,
}
_FEATURE_KINDS: dict[str, type] = {
    "feature": str,
    "value": float,
    "visits": int,
    "afterstates": int,
}
_JSON_NAMES: dict[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    dict: "an object",
    list: "a list",
}


def _members(record: object, wanted: Mapping[str, type], what: str) -> dict[str, Any]:
    """The members of a JSON object, each of its kind and none missing or unknown."""
    if not isinstance(record, dict):
        raise KnowledgeError(f"{what} must be an object")
    for name in record.keys() - wanted.keys():
        raise KnowledgeError(f"{what} has a member {name!r}, which is not known")
    for name, kind in wanted.items():
        if name not in record:
            raise KnowledgeError(f"{what} has no {name}")
        value = record[name]
        if kind is float and type(value) is int:
            continue
        if type(value) is not kind:
            raise KnowledgeError(f"{name} of {what} must be {_JSON_NAMES[kind]}")
    return record


def _patterns(records: list[object]) -> dict[TreePattern, Learned]:
    patterns: dict[TreePattern, Learned] = {}
    for record in records:
        found = _members(record, _FEATURE_KINDS, "a feature")
        pattern = TreePattern.parse(found["feature"])
        if pattern in patterns:
            raise KnowledgeError(f"feature {pattern} occurs twice in one lesson")
        patterns[pattern] = Learned(
            float(found["value"]), found["visits"], found["afterstates"]
        )
    return patterns


def _integer(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise KnowledgeError(f"{what} must be a whole number, not {text!r}") from None


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise KnowledgeError(f"{what} must be text, not {value!r}")
    return value


def _check_setting(name: str, value: object) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise KnowledgeError(f"setting {name} must be finite, got {value}")
    if value is not None and not isinstance(value, str | int | float):
        raise KnowledgeError(f"setting {name} must be a single value, got {value!r}")
