"""Features: the shape of the game tree under an afterstate, as text and as a value.

A feature is a template (see `gamelore.graph.tree_patterns`) in which some match
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

from gamelore.errors import FeatureError
from gamelore.graph.tree_patterns import OPEN_LEAF, Template

DEEPEST = 64
"""Levels of a feature at most: more than any lookahead, fewer than Python recurses."""

_TOKEN = re.compile(r"[()]|[^\s()]+")
_NAME = re.compile(r"[^\s()]+")
_NUMBER = re.compile(r"-?[0-9]{1,18}")

OrderKey: TypeAlias = "tuple[int, int, str, tuple[OrderKey, ...]]"


@total_ordering
@dataclass(frozen=True)
class Feature:
    """A game-tree feature; `str` and `Feature.parse` are inverses."""

    template: frozenset[Template]
    """What lies under the afterstate."""

    def __post_init__(self) -> None:
        _check(self.template)

    @classmethod
    def from_template(cls, template: Template) -> Feature:
        """The feature of a template; `FeatureError` if no match ends in it."""
        if isinstance(template, str):
            raise FeatureError(f"a single node is no feature: {template}")
        return cls(template)

    @classmethod
    def parse(cls, text: str) -> Feature:
        """The feature a text stands for; order and repetitions do not matter."""
        levels: list[set[Template]] = [set()]
        for token in _TOKEN.finditer(text):
            if token[0] == "(":
                levels.append(set())
                if len(levels) > DEEPEST:
                    raise FeatureError(f"more than {DEEPEST} levels {_at(token, text)}")
            elif token[0] == ")":
                below = levels.pop()
                if not levels:
                    raise FeatureError(f"')' without '(' {_at(token, text)}")
                if not below:
                    raise FeatureError(f"nothing in parentheses {_at(token, text)}")
                levels[-1].add(frozenset(below))
            else:
                levels[-1].add(token[0])
        if len(levels) > 1:
            raise FeatureError(f"'(' without ')' in {_shorten(text)}")
        if not levels[0]:
            raise FeatureError("an empty text is no feature")
        return cls(frozenset(levels[0]))

    @cached_property
    def depth(self) -> int:
        """Levels under the afterstate."""
        return depth_of(self.template)

    def outcomes(self) -> frozenset[str]:
        """The names of the outcomes that occur."""
        return frozenset(leaves_of(self.template)) - {OPEN_LEAF}

    def renamed(self, names: dict[str, str]) -> Feature:
        """The feature with its outcomes called something else."""
        return Feature.from_template(_rename(self.template, names))

    def __str__(self) -> str:
        return " ".join(map(_text, sorted(self.template, key=order_key)))

    def __repr__(self) -> str:
        return f"Feature.parse({str(self)!r})"

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Feature):
            return NotImplemented
        return self._order < other._order

    @cached_property
    def _order(self) -> tuple[int, OrderKey]:
        return self.depth, order_key(self.template)


def depth_of(template: Template) -> int:
    """Levels under the topmost node."""
    if isinstance(template, str):
        return 0
    return 1 + max(map(depth_of, template))


def leaves_of(template: Template) -> Iterator[str]:
    """The leaves of a template, from left to right in no stated order."""
    if isinstance(template, str):
        yield template
    else:
        for below in template:
            yield from leaves_of(below)


def order_key(template: Template) -> OrderKey:
    """Numbers by size, then names, then open nodes by what is below them."""
    if not isinstance(template, str):
        return 2, 0, "", tuple(sorted(map(order_key, template)))
    if _NUMBER.fullmatch(template):
        return 0, int(template), template, ()
    return 1, 0, template, ()


def _text(template: Template) -> str:
    if isinstance(template, str):
        return template
    return f"({' '.join(map(_text, sorted(template, key=order_key)))})"


def _rename(template: Template, names: dict[str, str]) -> Template:
    if isinstance(template, str):
        return template if template == OPEN_LEAF else names[template]
    return frozenset(_rename(below, names) for below in template)


def _check(template: frozenset[Template]) -> None:
    """`FeatureError` unless this is a feature that can be written and read back."""
    _check_levels(template, 1)
    if all(leaf == OPEN_LEAF for leaf in leaves_of(template)):
        text = _shorten(" ".join(map(_text, template)))
        raise FeatureError(f"no match ends in a feature of open nodes only: {text}")


def _check_levels(template: Template, level: int) -> None:
    if isinstance(template, str):
        if not _NAME.fullmatch(template):
            raise FeatureError(f"no name of an outcome: {template!r}")
        return
    if level > DEEPEST:
        raise FeatureError(f"more than {DEEPEST} levels in a feature")
    if not template:
        raise FeatureError("an open node with nothing below it")
    for below in template:
        _check_levels(below, level + 1)


def _at(token: re.Match[str], text: str) -> str:
    return f"at column {token.start() + 1} of {_shorten(text)}"


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
