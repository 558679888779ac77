"""Features: the shape of the game tree under an afterstate, as text and as a value.

A feature is a pattern (see `gamelore.graph.pattern_index`) in which some match
ends. Its
text lists what lies under the afterstate, open nodes in parentheses:

    L (N W)    the opponent can end the match with our loss (L), or leave us a position
               (in parentheses) where we may win at once (W) or play on (N)

Equal siblings are written once, in one order, so equal features have equal texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, total_ordering
from typing import TypeAlias

from gamelore.errors import PatternError
from gamelore.graph.pattern_index import OPEN_LEAF, Pattern

DEEPEST = 64
"""Levels of a feature at most: more than any lookahead, fewer than Python recurses."""

_TOKEN = re.compile(r"[()]|[^\s()]+")
_NAME = re.compile(r"[^\s()]+")
_NUMBER = re.compile(r"-?[0-9]{1,18}")

OrderKey: TypeAlias = "tuple[int, int, str, tuple[OrderKey, ...]]"


@total_ordering
@dataclass(frozen=True)
class TreePattern:
    """A game-tree feature; `str` and `TreePattern.parse` are inverses."""

    pattern: frozenset[Pattern]
    """What lies under the afterstate."""

    def __post_init__(self) -> None:
        _check(self.pattern)

    @classmethod
    def from_template(cls, pattern: Pattern) -> TreePattern:
        """The feature of a pattern; `FeatureError` if no match ends in it."""
        if isinstance(pattern, str):
            raise PatternError(f"a single node is no feature: {pattern}")
        return cls(pattern)

    @classmethod
    def parse(cls, text: str) -> TreePattern:
        """The feature a text stands for; order and repetitions do not matter."""
        levels: list[set[Pattern]] = [set()]
        for token in _TOKEN.finditer(text):
            if token[0] == "(":
                levels.append(set())
                if len(levels) > DEEPEST:
                    raise PatternError(f"more than {DEEPEST} levels {_at(token, text)}")
            elif token[0] == ")":
                below = levels.pop()
                if not levels:
                    raise PatternError(f"')' without '(' {_at(token, text)}")
                if not below:
                    raise PatternError(f"nothing in parentheses {_at(token, text)}")
                levels[-1].add(frozenset(below))
            else:
                levels[-1].add(token[0])
        if len(levels) > 1:
            raise PatternError(f"'(' without ')' in {_shorten(text)}")
        if not levels[0]:
            raise PatternError("an empty text is no feature")
        return cls(frozenset(levels[0]))

    @cached_property
    def depth(self) -> int:
        """Levels under the afterstate."""
        return depth_of(self.pattern)

    def outcomes(self) -> frozenset[str]:
        """The names of the outcomes that occur."""
        return frozenset(leaves_of(self.pattern)) - {OPEN_LEAF}

    def renamed(self, names: dict[str, str]) -> TreePattern:
        """The feature with its outcomes called something else."""
        return TreePattern.from_template(_rename(self.pattern, names))

    def __str__(self) -> str:
        return " ".join(map(_text, sorted(self.pattern, key=order_key)))

    def __repr__(self) -> str:
        return f"TreePattern.parse({str(self)!r})"

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, TreePattern):
            return NotImplemented
        return self._order < other._order

    @cached_property
    def _order(self) -> tuple[int, OrderKey]:
        return self.depth, order_key(self.pattern)


def depth_of(pattern: Pattern) -> int:
    """Levels under the topmost node."""
    if isinstance(pattern, str):
        return 0
    return 1 + max(map(depth_of, pattern))


def leaves_of(pattern: Pattern) -> Iterator[str]:
    """The leaves of a pattern, from left to right in no stated order."""
    if isinstance(pattern, str):
        yield pattern
    else:
        for below in pattern:
            yield from leaves_of(below)


def order_key(pattern: Pattern) -> OrderKey:
    """Numbers by size, then names, then open nodes by what is below them."""
    if not isinstance(pattern, str):
        return 2, 0, "", tuple(sorted(map(order_key, pattern)))
    if _NUMBER.fullmatch(pattern):
        return 0, int(pattern), pattern, ()
    return 1, 0, pattern, ()


def _text(pattern: Pattern) -> str:
    if isinstance(pattern, str):
        return pattern
    return f"({' '.join(map(_text, sorted(pattern, key=order_key)))})"


def _rename(pattern: Pattern, names: dict[str, str]) -> Pattern:
    if isinstance(pattern, str):
        return pattern if pattern == OPEN_LEAF else names[pattern]
    return frozenset(_rename(below, names) for below in pattern)


def _check(pattern: frozenset[Pattern]) -> None:
    """`FeatureError` unless this is a feature that can be written and read back."""
    _check_levels(pattern, 1)
    if all(leaf == OPEN_LEAF for leaf in leaves_of(pattern)):
        text = _shorten(" ".join(map(_text, pattern)))
        raise PatternError(f"no match ends in a feature of open nodes only: {text}")


def _check_levels(pattern: Pattern, level: int) -> None:
    if isinstance(pattern, str):
        if not _NAME.fullmatch(pattern):
            raise PatternError(f"no name of an outcome: {pattern!r}")
        return
    if level > DEEPEST:
        raise PatternError(f"more than {DEEPEST} levels in a feature")
    if not pattern:
        raise PatternError("an open node with nothing below it")
    for below in pattern:
        _check_levels(below, level + 1)


def _at(token: re.Match[str], text: str) -> str:
    return f"at column {token.start() + 1} of {_shorten(text)}"


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
