"""Evaluate a graph over literals of another, again and again with a few changes.

A graph is evaluated once; what differs when some inputs change is found by going from
these through the gates that read them. Composing the rules with each of hundreds of
moves takes no more time that way than what the moves change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from heapq import heapify, heappop, heappush

from gamelore.circuit.graph import FALSE, TRUE, Graph, GraphBuilder


class AssumingBuilder(GraphBuilder):
    """A builder that takes some literals to be constants."""

    def __init__(self, inputs: int) -> None:
        super().__init__(inputs)
        self.assumed: dict[int, int] = {}
        """By literal, not inverted."""

    def both(self, a: int, b: int) -> int:
        literal = super().both(a, b)
        return self.assumed.get(literal, literal)

    def simplify(self, literal: int) -> int:
        """Return the literal, or the constant it is taken to be."""
        return self.assumed.get(literal & ~1, literal & ~1) ^ (literal & 1)

    def assume(self, literal: int) -> None:
        """Take from now on a literal and all it implies to be true."""
        self.assumed.update(self.imply(literal))

    @contextmanager
    def without_assumptions(self) -> Iterator[None]:
        """Take nothing to be a constant for a while."""
        assumed, self.assumed = self.assumed, {}
        yield
        self.assumed = assumed

    def imply(self, literal: int) -> dict[int, int]:
        """Return what follows from a literal: constants by literals, not inverted."""
        return imply(literal, self.inputs, self._left, self._right)

    def implies(self, one: int, other: int) -> bool:
        """Return whether one literal is plainly true only where another one is."""
        known = self.imply(other ^ 1)
        pending = [one ^ 1]
        while pending:
            literal = pending.pop()
            value = known.get(literal & ~1)
            if literal == TRUE or (value is not None and value ^ (literal & 1)):
                continue
            gate = (literal >> 1) - self.inputs - 1
            if literal & 1 or gate < 0:
                return False
            pending += [self._left[gate], self._right[gate]]
        return True

    def input_values(self, literals: Sequence[int]) -> dict[int, int]:
        """Return the inputs that are constants if all literals are true, by node."""
        found: dict[int, int] = {}
        for literal in literals:
            for one, value in self.imply(literal).items():
                if 2 <= one <= 2 * self.inputs:
                    found[one >> 1] = value
        return found


def imply(
    literal: int, inputs: int, left: Sequence[int], right: Sequence[int]
) -> dict[int, int]:
    """Return constants by literals of a graph, not inverted, if one literal is true."""
    implied: dict[int, int] = {}
    pending = [literal]
    while pending:
        one = pending.pop()
        if one < 2 or one & ~1 in implied:
            continue
        implied[one & ~1] = TRUE ^ (one & 1)
        gate = (one >> 1) - inputs - 1
        if gate >= 0 and not one & 1:
            pending += [left[gate], right[gate]]
    return implied


def imply_in(graph: Graph, literal: int) -> dict[int, int]:
    """Return constants by nodes of a graph, if one of its literals is true."""
    implied = imply(literal, graph.inputs, graph.left.tolist(), graph.right.tolist())
    return {one >> 1: value for one, value in implied.items()}


class Evaluation:
    """The nodes of a graph as literals of a builder's."""

    def __init__(
        self,
        builder: GraphBuilder,
        graph: Graph,
        inputs: Sequence[int],
        forced: Mapping[int, int] | None = None,
    ) -> None:
        """`inputs`: their literals. `forced`: nodes that have other values than their
        gates say."""
        self._both = builder.both
        self._left, self._right = graph.left.tolist(), graph.right.tolist()
        self._first_gate = 1 + graph.inputs
        self.outputs: list[int] = graph.outputs.tolist()
        self.values = [FALSE, *inputs]
        self.work = graph.gates
        """Gates that were evaluated so far."""
        forced = forced or {}
        values, both = self.values, self._both
        for a, b in zip(self._left, self._right, strict=True):
            node = len(values)
            if node in forced:
                values.append(forced[node])
            else:
                values.append(both(values[a >> 1] ^ (a & 1), values[b >> 1] ^ (b & 1)))
        self._readers: list[list[int]] = [[] for _ in values]
        for gate, (a, b) in enumerate(zip(self._left, self._right, strict=True)):
            self._readers[a >> 1].append(self._first_gate + gate)
            if a >> 1 != b >> 1:
                self._readers[b >> 1].append(self._first_gate + gate)

    def output(self, number: int, changed: Mapping[int, int] | None = None) -> int:
        """Return the literal of an output, where some nodes have changed."""
        literal = self.outputs[number]
        node = literal >> 1
        if changed is not None and node in changed:
            return changed[node] ^ (literal & 1)
        return self.values[node] ^ (literal & 1)

    def change(self, changes: Mapping[int, int]) -> dict[int, int]:
        """Return the nodes that differ, with their literals, if some nodes change."""
        values, readers, both = self.values, self._readers, self._both
        left, right, first_gate = self._left, self._right, self._first_gate
        changed = {node: v for node, v in changes.items() if v != values[node]}
        queued = {reader for node in changed for reader in readers[node]}
        pending = list(queued)
        heapify(pending)
        while pending:
            node = heappop(pending)
            if node in changes:
                continue
            a, b = left[node - first_gate], right[node - first_gate]
            x, y = a >> 1, b >> 1
            one = changed[x] if x in changed else values[x]
            other = changed[y] if y in changed else values[y]
            value = both(one ^ (a & 1), other ^ (b & 1))
            if value != values[node]:
                changed[node] = value
                for reader in readers[node]:
                    if reader not in queued:
                        queued.add(reader)
                        heappush(pending, reader)
        self.work += len(queued)
        return changed
