"""Tree patterns: the shape of the game tree under an afterstate, with its text.

Banerjee and Stone (2007) call them features. The text of a tree pattern lists what lies
under the afterstate, with nodes that are not terminal in parentheses:

    L (N W)    the opponent can end the match with the learner's loss (L), or move to a
               position (in parentheses) in which the learner can win at once (W) or
               play on (N)

Equal siblings are written once, in a fixed order, so equal patterns have equal texts.
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
"""The largest number of levels: more than any lookahead, fewer than Python recurses."""

_TOKEN = re.compile(r"[()]|[^\s()]+")
_NAME = re.compile(r"[^\s()]+")
_NUMBER = re.compile(r"-?[0-9]{1,18}")

OrderKey: TypeAlias = "tuple[int, int, str, tuple[OrderKey, ...]]"


@total_ordering
@dataclass(frozen=True)
class TreePattern:
    """A pattern with at least one terminal node; `str` and `parse` are inverses."""

    tree: frozenset[Pattern]
    """What lies under the afterstate."""

    def __post_init__(self) -> None:
        _check(self.tree)

    @classmethod
    def from_structure(cls, tree: Pattern) -> TreePattern:
        """Return the tree pattern of what `PatternIndex.structure` returns.

        `PatternError` if it is a single node, or has no terminal node.
        """
        if isinstance(tree, str):
            raise PatternError(f"a single node is no tree pattern: {tree}")
        return cls(tree)

    @classmethod
    def parse(cls, text: str) -> TreePattern:
        """Read a pattern from its text; order and repetitions do not matter."""
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
            raise PatternError("an empty text is no tree pattern")
        return cls(frozenset(levels[0]))

    @cached_property
    def depth(self) -> int:
        """The number of levels under the afterstate."""
        return measure_depth(self.tree)

    def outcomes(self) -> frozenset[str]:
        """Return the names of the outcomes that occur."""
        return frozenset(list_leaves(self.tree)) - {OPEN_LEAF}

    def renamed(self, names: dict[str, str]) -> TreePattern:
        """Return the pattern with other names for its outcomes."""
        return TreePattern.from_structure(_rename(self.tree, names))

    def __str__(self) -> str:
        return " ".join(map(_format, sorted(self.tree, key=order_key)))

    def __repr__(self) -> str:
        return f"TreePattern.parse({str(self)!r})"

    def _repr_svg_(self) -> str:
        """The pattern in a notebook, drawn."""
        # matplotlib takes a second or two to import
        from gamelore.transfer.plots import pattern_svg

        return pattern_svg(self)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, TreePattern):
            return NotImplemented
        return self._order < other._order

    @cached_property
    def _order(self) -> tuple[int, OrderKey]:
        return self.depth, order_key(self.tree)


def measure_depth(tree: Pattern) -> int:
    """Return the number of levels under the topmost node."""
    if isinstance(tree, str):
        return 0
    return 1 + max(map(measure_depth, tree))


def list_leaves(tree: Pattern) -> Iterator[str]:
    """Yield the names of the leaves, in no particular order."""
    if isinstance(tree, str):
        yield tree
    else:
        for below in tree:
            yield from list_leaves(below)


def order_key(tree: Pattern) -> OrderKey:
    """Sort numbers by size, then names, then inner nodes by what is below them."""
    if not isinstance(tree, str):
        return 2, 0, "", tuple(sorted(map(order_key, tree)))
    if _NUMBER.fullmatch(tree):
        return 0, int(tree), tree, ()
    return 1, 0, tree, ()


def _format(tree: Pattern) -> str:
    if isinstance(tree, str):
        return tree
    return f"({' '.join(map(_format, sorted(tree, key=order_key)))})"


def _rename(tree: Pattern, names: dict[str, str]) -> Pattern:
    if isinstance(tree, str):
        return tree if tree == OPEN_LEAF else names[tree]
    return frozenset(_rename(below, names) for below in tree)


def _check(tree: frozenset[Pattern]) -> None:
    """Raise `PatternError` unless the pattern can be written and read back."""
    _check_levels(tree, 1)
    if all(leaf == OPEN_LEAF for leaf in list_leaves(tree)):
        text = _shorten(" ".join(map(_format, tree)))
        raise PatternError(f"a tree pattern needs a terminal node, got {text}")


def _check_levels(tree: Pattern, level: int) -> None:
    if isinstance(tree, str):
        if not _NAME.fullmatch(tree):
            raise PatternError(f"no name of an outcome: {tree!r}")
        return
    if level > DEEPEST:
        raise PatternError(f"more than {DEEPEST} levels in a tree pattern")
    if not tree:
        raise PatternError("an inner node with nothing below it")
    for below in tree:
        _check_levels(below, level + 1)


def _at(token: re.Match[str], text: str) -> str:
    return f"at column {token.start() + 1} of {_shorten(text)}"


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
