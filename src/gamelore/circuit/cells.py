"""Gates joined to cells of up to three inputs, for kernels that play turns.

A kernel spends its time on reading and writing slots, not on logic. A gate that only
one other gate reads need not be written at all: both together are a function of three
inputs, computed at once. This is technology mapping, as in chip design, with a library
of five cells; those of a majority take the place of four gates.

A cell's inputs may be inverted, its output never is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import TypeAlias

from gamelore.circuit.graph import Graph
from gamelore.circuit.program import BOTH, EITHER, EVERY, MAJORITY, SELECT

_Form: TypeAlias = tuple[int, tuple[int, ...], int]
"""A kind of cell, which leaf each of its inputs is, and which inputs are inverted."""

_FULL = 0xFF
_LEAVES = (0xAA, 0xCC, 0xF0)  # what three leaves are in the eight rows of a truth table


@dataclass(frozen=True)
class Cell:
    """A gate with all that is computed along with it."""

    kind: int
    """`BOTH`, `EVERY`, …"""
    inputs: tuple[int, ...]
    """Literals over nodes."""
    gates: tuple[int, ...]
    """Nodes in order; the last is the cell's own."""

    @property
    def code(self) -> int:
        """The kind, with the inputs that are inverted: cells of a code run together."""
        return 8 * self.kind + sum((x & 1) << i for i, x in enumerate(self.inputs))


def map_cells(graph: Graph) -> dict[int, Cell]:
    """Return the cells of a graph by node; outputs and inputs of cells have one."""
    return _Mapper(graph).cells


class _Mapper:
    def __init__(self, graph: Graph) -> None:
        self.first = 1 + graph.inputs
        self.left, self.right = graph.left.tolist(), graph.right.tolist()
        self.readers = [0] * (self.first + graph.gates)
        for literal in (*self.left, *self.right):
            self.readers[literal >> 1] += 1
        for literal in graph.outputs.tolist():
            self.readers[literal >> 1] += 2  # it must be written
        self.inner: set[int] = set()
        self.cells: dict[int, Cell] = {}
        for node in range(self.first + graph.gates - 1, self.first - 1, -1):
            if node not in self.inner:
                cell = self.cells[node] = self._make_cell(node)
                self.inner.update(cell.gates[:-1])

    def _parts(self, literal: int) -> tuple[int, int]:
        gate = (literal >> 1) - self.first
        return self.left[gate], self.right[gate]

    def _is_free(self, literal: int) -> bool:
        """Return whether a gate is read once, and so can be a part of its reader."""
        node = literal >> 1
        return node >= self.first and self.readers[node] == 1

    def _make_cell(self, node: int) -> Cell:
        a, b = self._parts(2 * node)
        free = [x for x in (a, b) if self._is_free(x)]
        if len(free) == 2 and a & 1 and b & 1:
            joined = self._join_both(node, a, b)
            if joined is not None:
                return joined
        for x in free:
            other = b if x == a else a
            kind = EITHER if x & 1 else EVERY
            one, two = (part ^ (x & 1) for part in self._parts(x))
            inputs = [one, two, other]
            if len({i >> 1 for i in inputs}) == 3:
                count = 2 if kind == EITHER else 3
                return Cell(kind, _sorted(inputs, count), (x >> 1, node))
        return Cell(BOTH, _sorted([a, b], 2), (node,))

    def _join_both(self, node: int, a: int, b: int) -> Cell | None:
        """Return a cell of three inputs that has both parts of a gate, if there is one.

        Where the parts have four inputs, one of them may be a part of the cell, too.
        """
        leaves = [*self._parts(a), *self._parts(b)]
        inner = [a >> 1, b >> 1]
        tried = [(inner, leaves)]
        for x in filter(self._is_free, leaves):
            others = [y for y in leaves if y != x]
            tried.append(([x >> 1, *inner], [*others, *self._parts(x)]))
        for gates, found in tried:
            nodes = sorted({x >> 1 for x in found})
            if len(nodes) <= 3:
                form = _FORMS.get((len(nodes), self._table(node, gates, nodes)))
                if form is not None:
                    kind, places, flips = form
                    inputs = [
                        2 * nodes[p] ^ ((flips >> i) & 1) for i, p in enumerate(places)
                    ]
                    return Cell(kind, tuple(inputs), (*sorted(gates), node))
        return None

    def _table(self, root: int, gates: Sequence[int], leaves: Sequence[int]) -> int:
        """Return the truth table of a node over leaves."""
        values = dict(zip(leaves, _LEAVES, strict=False))
        for node in (*sorted(gates), root):
            a, b = self._parts(2 * node)
            one = values[a >> 1] ^ (_FULL * (a & 1))
            other = values[b >> 1] ^ (_FULL * (b & 1))
            values[node] = one & other
        return values[root]


def _sorted(inputs: Sequence[int], count: int) -> tuple[int, ...]:
    """Return inputs, the first `count` of them with those inverted first."""
    first = sorted(inputs[:count], key=lambda x: (~x & 1, x))
    return (*first, *inputs[count:])


def evaluate_cell(kind: int, a: int, b: int, c: int) -> int:
    """Return what a cell computes, for many assignments at once: bits of numbers."""
    if kind == BOTH:
        return a & b
    if kind == EVERY:
        return a & b & c
    if kind == EITHER:
        return (a | b) & c
    if kind == MAJORITY:
        return (a & b) | (c & (a | b))
    return b ^ (c & (a ^ b))


def _list_forms() -> Iterator[tuple[tuple[int, int], _Form]]:
    """Return the cells that stand for truth tables of two or three leaves."""
    for kind in (MAJORITY, SELECT):
        for count, places in (
            *((3, places) for places in permutations(range(3))),
            (2, (0, 0, 1)),
            (2, (1, 1, 0)),
        ):
            for flips in product((0, 1), repeat=3):
                values = [
                    _LEAVES[p] ^ _FULL * f for p, f in zip(places, flips, strict=True)
                ]
                table = evaluate_cell(kind, *values)
                mask = sum(f << i for i, f in enumerate(flips))
                if _is_sorted(kind, flips):
                    yield (count, table), (kind, places, mask)


def _is_sorted(kind: int, flips: Sequence[int]) -> bool:
    """Return whether inverted inputs of a majority come first."""
    return kind != MAJORITY or list(flips) == sorted(flips, reverse=True)


_FORMS: dict[tuple[int, int], _Form] = {}
for _table, _form in _list_forms():
    _FORMS.setdefault(_table, _form)
