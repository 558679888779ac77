"""ORs of many ANDs, factored: what ANDs have in common is looked at once.

Whether somebody has five stones in a row is an OR over hundreds of lines, and each
point is in up to twenty of them. Gate by gate, passes of minimising see only a few of
these at once. Here the literal that most ANDs have is taken out of them, and what is
left of them is an OR of ANDs again (algebraic factoring, as in Brayton and McMullen).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from gamelore.circuit.graph import FALSE, TRUE, Graph, GraphBuilder
from gamelore.circuit.minimise import equivalent

_Product: TypeAlias = frozenset[int]
"""Literals that are ANDed."""

_FEWEST, _MOST = 6, 3000  # ANDs of an OR that is factored
_LONGEST = 12  # literals of an AND


def factor_disjunctions(graph: Graph) -> Graph | None:
    """Return an equivalent graph with its large ORs factored; none if there are none.

    It may have more gates: other outputs may need what was taken apart.
    """
    factoring = _Factoring(graph)
    if not factoring.parts:
        return None
    factored = factoring.rebuild()
    return factored if equivalent(graph, factored) else None


class _Factoring:
    """A graph, and its gates that are negations of large ORs."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.first = 1 + graph.inputs
        self.left, self.right = graph.left.tolist(), graph.right.tolist()
        self.readers = Counter(x >> 1 for x in (*self.left, *self.right))
        self.readers.update(2 * [x >> 1 for x in graph.outputs.tolist()])
        self.parts: dict[int, tuple[list[int], list[_Product]]] = {}
        """By gate: literals it is the AND of, and an OR that must be false, too."""
        inner: set[int] = set()
        for node in range(self.first + graph.gates - 1, self.first - 1, -1):
            if node not in inner:
                leaves, passed = self._list_leaves(node)
                inner |= passed
                products = [
                    self._multiply(leaf ^ 1) for leaf in leaves if self._is_or(leaf)
                ]
                if _FEWEST <= len(products) <= _MOST:
                    plain = [leaf for leaf in leaves if not self._is_or(leaf)]
                    self.parts[node] = plain, products

    def _is_or(self, literal: int) -> bool:
        """Return whether a literal is the negation of a gate."""
        return bool(literal & 1) and literal >> 1 >= self.first

    def _list_leaves(self, node: int) -> tuple[list[int], set[int]]:
        """Return what a gate is the AND of, and the gates between, each read once."""
        leaves, passed = [], set()
        waiting = [2 * node]
        while waiting:
            literal = waiting.pop()
            at = literal >> 1
            if literal & 1 or at < self.first or (at != node and self.readers[at] > 1):
                leaves.append(literal)
            else:
                passed.add(at)
                waiting += [self.right[at - self.first], self.left[at - self.first]]
        return leaves, passed

    def _multiply(self, literal: int) -> _Product:
        """Return the literals that a gate is the AND of; itself, if these are many."""
        found: set[int] = set()
        waiting = [literal]
        while waiting:
            one = waiting.pop()
            if one & 1 or one >> 1 < self.first:
                found.add(one)
                if len(found) > _LONGEST:
                    return frozenset([literal])
            else:
                gate = (one >> 1) - self.first
                waiting += [self.left[gate], self.right[gate]]
        return frozenset(found)

    def rebuild(self) -> Graph:
        """Return the graph with ORs factored."""
        builder = GraphBuilder(self.graph.inputs)
        meaning = [FALSE, *(builder.input(i) for i in range(self.graph.inputs))]
        factors = _Factors(builder, meaning)
        for gate, (a, b) in enumerate(zip(self.left, self.right, strict=True)):
            parts = self.parts.get(self.first + gate)
            if parts is None:
                one, other = (meaning[x >> 1] ^ (x & 1) for x in (a, b))
                meaning.append(builder.both(one, other))
            else:
                plain, products = parts
                rest = factors.conjoin(plain)
                meaning.append(builder.both(rest, factors.disjoin(products) ^ 1))
        outputs = self.graph.outputs.tolist()
        return builder.finish(meaning[x >> 1] ^ (x & 1) for x in outputs)


class _Factors:
    """Makes ORs of ANDs, over literals of another graph."""

    def __init__(self, builder: GraphBuilder, meaning: Sequence[int]) -> None:
        self._builder = builder
        self._meaning = meaning

    def conjoin(self, literals: Iterable[int]) -> int:
        """Return the AND of literals, in their order: so beginnings are shared."""
        meaning = self._meaning
        return self._builder.conjoin(
            meaning[x >> 1] ^ (x & 1) for x in sorted(literals)
        )

    def disjoin(self, products: Iterable[_Product]) -> int:
        """Return the OR of ANDs, factored by the literal that most of them have."""
        left = dict.fromkeys(products)
        counts = Counter(literal for product in left for literal in product)
        options = []
        while left:
            literal, most = min(counts.items(), key=lambda item: (-item[1], item[0]))
            if most == 1:
                options += [self.conjoin(product) for product in left]
                break
            sharing = [product for product in left if literal in product]
            for product in sharing:
                del left[product]
            counts.subtract(x for product in sharing for x in product)
            common = frozenset.intersection(*sharing)
            rest = [product - common for product in sharing]
            inner = self.disjoin(rest) if all(rest) else TRUE
            options.append(self._builder.both(self.conjoin(common), inner))
        return self._builder.disjoin(options)
