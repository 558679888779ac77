"""Knowledge: the values of tree patterns, with the game and opponent they come from.

A *source result* is what one learner found in one game, in one role, against one
opponent. A *knowledge* is a set of source results. Merging is the union of sets:
neither order, grouping nor repetition matters. The value of a pattern over several
results is an average weighted by visits, computed when it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, TypeAlias, TypedDict, Unpack

import msgspec

from gamelore.display import markdown_table
from gamelore.errors import KnowledgeError, PatternError
from gamelore.transfer.tree_pattern import TreePattern

Setting: TypeAlias = "str | int | float | bool | None"


class SourceFilter(TypedDict, total=False):
    """Which source results are wanted; what is left out does not matter."""

    opponent: str
    game: str
    role: str
    depth: int


@dataclass(frozen=True)
class PatternEstimate:
    """The estimated value of one tree pattern."""

    value: float
    """The mean value of the matching afterstates, weighted by visits."""
    visits: int
    """Of all matching afterstates together."""
    afterstates: int
    """The number of different ones that were visited."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise KnowledgeError(f"value must be a finite number, got {self.value}")
        if self.visits < 1 or self.afterstates < 1:
            raise KnowledgeError("a pattern with a value was visited at least once")


@dataclass(frozen=True)
class SourceResult:
    """The values of tree patterns that one learner found in one game."""

    game: str
    rules: str
    """The fingerprint of the game's rules."""
    role: str
    opponent: str
    matches: int
    outcomes: Mapping[int, str]
    """The name that the patterns use for each goal value."""
    patterns: Mapping[TreePattern, PatternEstimate]
    depth: int = 2
    """The depth of the lookahead that the patterns come from."""
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """How it was learned."""
    run: str = ""
    """If given, results of the same run replace one another: that with the most matches
    is kept."""

    def __post_init__(self) -> None:
        if self.matches < 0 or self.depth < 1:
            raise KnowledgeError("matches must not be negative, and depth at least 1")
        for name, value in self.settings.items():
            _check_setting(name, value)
        named = set(self.outcomes.values())
        for pattern in self.patterns:
            unknown = sorted(pattern.outcomes() - named)
            if unknown:
                raise KnowledgeError(
                    f"no reward of {self.game} is called {unknown[0]!r}, as in pattern"
                    f" {pattern}"
                )

    def __hash__(self) -> int:
        return hash(self.text)

    @cached_property
    def text(self) -> str:
        """One line of JSON, always the same for equal results."""
        return msgspec.json.encode(self.record()).decode()

    @property
    def identity(self) -> tuple[Setting, ...]:
        """What results that replace one another share; all of it without a run."""
        if not self.run:
            return (self.text,)
        names = ",".join(sorted(set(self.outcomes.values())))
        return self.run, self.rules, self.role, self.opponent, self.depth, names

    def record(self) -> ResultRecord:
        """Return the result in the form of knowledge files, in a stable order."""
        return ResultRecord(
            self.game,
            self.rules,
            self.role,
            self.opponent,
            self.matches,
            self.depth,
            self.run,
            {goal: self.outcomes[goal] for goal in sorted(self.outcomes)},
            dict(sorted(self.settings.items())),
            [
                PatternRecord(str(pattern), one.value, one.visits, one.afterstates)
                for pattern, one in sorted(self.patterns.items(), key=lambda i: i[0])
            ],
        )

    @classmethod
    def from_text(cls, text: str | bytes) -> SourceResult:
        """Read what `text` returns; `KnowledgeError` says what is wrong with it."""
        try:
            return msgspec.json.decode(text, type=ResultRecord).result()
        except msgspec.DecodeError as error:
            raise KnowledgeError(str(error)) from error


@dataclass(frozen=True)
class Knowledge:
    """A set of source results."""

    results: tuple[SourceResult, ...] = ()
    """In a stable order, none twice, the latest of each run."""

    def __post_init__(self) -> None:
        latest: dict[tuple[Setting, ...], SourceResult] = {}
        for result in self.results:
            rival = latest.setdefault(result.identity, result)
            if (result.matches, result.text) > (rival.matches, rival.text):
                latest[result.identity] = result
        ordered = sorted(latest.values(), key=lambda result: result.text)
        object.__setattr__(self, "results", tuple(ordered))

    def __or__(self, other: Knowledge) -> Knowledge:
        """Return the union."""
        return Knowledge(self.results + other.results)

    def __len__(self) -> int:
        return len(self.results)

    def _repr_markdown_(self) -> str:
        """The knowledge in a notebook: where it comes from, and values of patterns."""
        sources = [
            (
                one.game,
                one.role,
                one.opponent,
                one.depth,
                one.matches,
                len(one.patterns),
            )
            for one in self.results
        ]
        head = ("game", "role", "against", "depth", "matches", "patterns")
        found = sorted(self.values().items(), key=lambda item: -item[1].value)
        values = [
            (f"`{pattern}`", one.value, one.visits, one.afterstates)
            for pattern, one in found
        ]
        return "\n\n".join(
            [
                markdown_table(head, sources),
                markdown_table(("pattern", "value", "visits", "afterstates"), values),
            ]
        )

    def select(self, **wanted: Unpack[SourceFilter]) -> Knowledge:
        """Return results against an opponent, from a game, in a role or of a depth."""
        return Knowledge(
            tuple(
                result
                for result in self.results
                if all(getattr(result, name) == value for name, value in wanted.items())
            )
        )

    def values(self) -> dict[TreePattern, PatternEstimate]:
        """Return the mean estimate of each pattern over all results, in sorted order.

        Values are taken as they are. Results of different reward scales are mapped one
        by one where they are applied (`initialise_values`).
        """
        gathered: dict[TreePattern, list[PatternEstimate]] = {}
        for result in self.results:
            for pattern, estimate in result.patterns.items():
                gathered.setdefault(pattern, []).append(estimate)
        return {pattern: average(gathered[pattern]) for pattern in sorted(gathered)}


def average(parts: Iterable[PatternEstimate]) -> PatternEstimate:
    """Return the mean of estimates of one pattern, whatever their order."""
    parts = list(parts)
    visits = sum(part.visits for part in parts)
    if len(parts) == 1:
        return parts[0]
    total = math.fsum(part.value * part.visits for part in parts)
    afterstates = sum(part.afterstates for part in parts)
    return PatternEstimate(total / visits, visits, afterstates)


def _check_setting(name: str, value: object) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise KnowledgeError(f"setting {name} must be finite, got {value}")
    if value is not None and not isinstance(value, str | int | float):
        raise KnowledgeError(f"setting {name} must be a single value, got {value!r}")


# ── the form in files and stores ────────────────────────────────────────────────────


class PatternRecord(msgspec.Struct, forbid_unknown_fields=True):
    """A tree pattern with its estimate, as JSON has it."""

    pattern: str
    value: float
    visits: Annotated[int, msgspec.Meta(ge=1)]
    afterstates: Annotated[int, msgspec.Meta(ge=1)]


class ResultRecord(msgspec.Struct, forbid_unknown_fields=True):
    """A source result, as JSON has it."""

    game: str
    rules: str
    role: str
    opponent: str
    matches: Annotated[int, msgspec.Meta(ge=0)]
    depth: Annotated[int, msgspec.Meta(ge=1)]
    run: str
    outcomes: dict[int, str]
    settings: dict[str, str | int | float | bool | None]
    patterns: list[PatternRecord]

    def result(self) -> SourceResult:
        """Return the source result; `KnowledgeError` if it cannot be one."""
        patterns: dict[TreePattern, PatternEstimate] = {}
        for one in self.patterns:
            try:
                pattern = TreePattern.parse(one.pattern)
            except PatternError as error:
                raise KnowledgeError(str(error)) from error
            if pattern in patterns:
                raise KnowledgeError(f"pattern {pattern} occurs twice in one result")
            patterns[pattern] = PatternEstimate(one.value, one.visits, one.afterstates)
        return SourceResult(
            game=self.game,
            rules=self.rules,
            role=self.role,
            opponent=self.opponent,
            matches=self.matches,
            outcomes=self.outcomes,
            patterns=patterns,
            depth=self.depth,
            settings=self.settings,
            run=self.run,
        )
