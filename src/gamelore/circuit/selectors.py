"""What a move leaves, by cases: the same for many fluents, so computed once.

Exactly one move is made, so the next value of a fluent is a list of *cases*: sets of
moves, each with what the fluent becomes after a move of that set. A piece that arrives
at a cell comes from the cell that the move leaves:

    next(cell, piece)  =  OR over sources  (source → cell) AND (source, piece)

For each cell that is an OR over all sources. But which piece moves does not depend on
where it goes. A *selector* joins the cases of fluents that never differ for the same
move: which piece moves, whatever the cell. Each fluent is then the selector AND the set
of moves that arrive there, and a set of moves is an input of a turn's circuit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gamelore.circuit.graph import FALSE, TRUE, Graph, GraphBuilder

Cases: TypeAlias = dict[int, int]
"""Literals over fluents, each with the set of moves after which it is the value: bit i
is the i-th move. The sets are disjoint, and have all moves."""

_MOST_NEW_GATES = 16  # that a node's cases may need: beyond it they are no saving
_MOST_CASES = 4096
_MOST_WORK = 4_000_000  # pairs of cases, 0.3 µs each


class TooMuchWorkError(Exception):
    """Cases have become too many."""


@dataclass
class _Selector:
    """Cases of several fluents that do not contradict each other."""

    cases: Cases = field(default_factory=dict)
    support: int = 0

    def agrees_with(self, cases: Cases) -> bool:
        """Return whether no move has another literal here."""
        own = self.cases
        return not any(
            moves & self.support & ~own.get(literal, 0)
            for literal, moves in cases.items()
        )

    def add(self, cases: Cases) -> None:
        for literal, moves in cases.items():
            self.cases[literal] = self.cases.get(literal, 0) | moves
            self.support |= moves


class MoveCases:
    """The cases of the nodes of a graph in which one role chooses a move."""

    def __init__(
        self,
        graph: Graph,
        builder: GraphBuilder,
        inputs: dict[int, int],
        moves: Sequence[int],
    ) -> None:
        """`inputs`: literals of `builder` for the nodes of all inputs but the moves;
        `moves`: the nodes of the moves."""
        self.builder = builder
        self.every = (1 << len(moves)) - 1
        self._work = 0
        self._free: dict[int, int] = inputs | {0: FALSE}
        """Nodes that no move changes, as literals."""
        self._cases: dict[int, Cases | None] = {}
        """Of all others; none of those that have too many."""
        for number, node in enumerate(moves):
            self._cases[node] = {TRUE: 1 << number, FALSE: self.every ^ (1 << number)}
        first = 1 + graph.inputs
        pairs = zip(graph.left.tolist(), graph.right.tolist(), strict=True)
        for gate, (a, b) in enumerate(pairs):
            self._add(first + gate, a, b)

    def of(self, literal: int) -> Cases | None:
        """Return the cases of a literal of the graph; none if they are too many."""
        node, flip = literal >> 1, literal & 1
        if node in self._free:
            return {self._free[node] ^ flip: self.every}
        cases = self._cases[node]
        if cases is None or not flip:
            return cases
        return {value ^ 1: moves for value, moves in cases.items()}

    def _add(self, node: int, a: int, b: int) -> None:
        free = self._free
        if a >> 1 in free and b >> 1 in free:
            one, other = free[a >> 1] ^ (a & 1), free[b >> 1] ^ (b & 1)
            free[node] = self.builder.both(one, other)
            return
        first, second = self.of(a), self.of(b)
        self._cases[node] = None
        if first is not None and second is not None:
            self._cases[node] = self._intersect(first, second)

    def _intersect(self, one: Cases, other: Cases) -> Cases | None:
        """Return the cases of an AND, unless they take many gates of their own."""
        self._work += len(one) * len(other)
        if self._work > _MOST_WORK:
            raise TooMuchWorkError
        both = self.builder.both
        most = self.builder.gates + _MOST_NEW_GATES
        result: Cases = {}
        for literal, moves in one.items():
            for second, others in other.items():
                if common := moves & others:
                    value = both(literal, second)
                    result[value] = result.get(value, 0) | common
        few = self.builder.gates <= most and len(result) <= _MOST_CASES
        return result if few else None


def join_cases(
    wanted: Sequence[Cases | None],
    builder: GraphBuilder,
    group: Callable[[int], int],
) -> list[int | None]:
    """Return a literal for each list of cases, by selectors where they serve several.

    `group`: the literal of a set of moves.
    """
    selectors: list[_Selector] = []
    users: list[tuple[int, Cases] | None] = []
    by_literal: dict[int, set[int]] = {}
    for cases in wanted:
        shared = None if cases is None else _find_shared(cases)
        if not shared:
            users.append(None)
            continue
        number = _choose_selector(shared, selectors, by_literal)
        if number == len(selectors):
            selectors.append(_Selector())
        selectors[number].add(shared)
        for literal in shared:
            by_literal.setdefault(literal, set()).add(number)
        users.append((number, shared))
    count = Counter(user[0] for user in users if user is not None)
    made = {
        number: _sum(selectors[number].cases, builder, group)
        for number, uses in count.items()
        if uses > 1
    }
    results: list[int | None] = []
    for cases, user in zip(wanted, users, strict=True):
        if cases is None:
            results.append(None)
        elif user is None or user[0] not in made:
            results.append(_sum(cases, builder, group))
        else:
            number, shared = user
            arrives = group(_union(shared))
            selected = builder.both(arrives, made[number])
            rest = {x: moves for x, moves in cases.items() if x not in shared}
            others = _sum(rest, builder, group)
            results.append(builder.disjoin([selected, others]))
    return results


def _find_shared(cases: Cases) -> Cases:
    """Return cases that others may have too: no constants, not that of most moves."""
    varied = {x: moves for x, moves in cases.items() if x > TRUE}
    if len(varied) < 2:
        return {}
    frame = max(varied, key=lambda literal: varied[literal].bit_count())
    if 2 * varied[frame].bit_count() > sum(m.bit_count() for m in cases.values()):
        del varied[frame]
    return varied if len(varied) > 1 else {}


def _choose_selector(
    cases: Cases, selectors: Sequence[_Selector], by_literal: dict[int, set[int]]
) -> int:
    """Return the number of the selector that has most of some cases, or a new one."""
    found = Counter(n for x in cases for n in sorted(by_literal.get(x, ())))
    for number, _ in sorted(found.items(), key=lambda item: (-item[1], item[0])):
        if selectors[number].agrees_with(cases):
            return number
    return len(selectors)


def _sum(cases: Cases, builder: GraphBuilder, group: Callable[[int], int]) -> int:
    """Return the OR of all cases: each literal AND its set of moves."""
    return builder.disjoin(
        literal if literal == FALSE else builder.both(group(moves), literal)
        for literal, moves in cases.items()
    )


def _union(cases: Cases) -> int:
    result = 0
    for moves in cases.values():
        result |= moves
    return result
