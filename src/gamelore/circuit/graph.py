"""And-inverter graphs: two-input ANDs over literals that may be inverted.

Node 0 is the constant false, nodes 1 … I are the inputs, then come the gates, each
after the nodes it reads. A *literal* is `2 * node + inverted`: 0 is false, 1 is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FALSE, TRUE = 0, 1


@dataclass(frozen=True)
class Graph:
    """A finished graph of G gates over I inputs, with its outputs."""

    inputs: int
    left: npt.NDArray[np.int32]
    """int32 [G]: first literal of each gate"""
    right: npt.NDArray[np.int32]
    """int32 [G]: second literal of each gate"""
    outputs: npt.NDArray[np.int32]
    """int32: the literals that are wanted"""

    @property
    def gates(self) -> int:
        return len(self.left)

    def depth(self) -> int:
        """Return the length of the longest chain of gates."""
        level = [0] * (1 + self.inputs + self.gates)
        for gate, (a, b) in enumerate(zip(self.left, self.right, strict=True)):
            level[1 + self.inputs + gate] = 1 + max(level[a >> 1], level[b >> 1])
        return max(level, default=0)

    def evaluate(self, inputs: Sequence[int], mask: int) -> list[int]:
        """Return the outputs for many assignments at once, the bits of each number.

        `mask` has a one for every assignment. Slow and plain: the twin of the kernels.
        """
        values = [0, *inputs]
        for a, b in zip(self.left.tolist(), self.right.tolist(), strict=True):
            x, y = values[a >> 1], values[b >> 1]
            values.append((x ^ mask if a & 1 else x) & (y ^ mask if b & 1 else y))
        return [values[o >> 1] ^ (mask if o & 1 else 0) for o in self.outputs.tolist()]


class GraphBuilder:
    """Grows a graph; equal gates are made once, constants are folded."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self._left: list[int] = []
        self._right: list[int] = []
        self._known: dict[tuple[int, int], int] = {}

    @property
    def gates(self) -> int:
        """The number of gates so far."""
        return len(self._left)

    def input(self, number: int) -> int:
        """Return the literal of an input, numbered from 0."""
        return 2 * (1 + number)

    def both(self, a: int, b: int) -> int:
        """Return the literal of a AND b."""
        if a > b:
            a, b = b, a
        if a < 2:
            return b if a else FALSE
        if a >> 1 == b >> 1:
            return a if a == b else FALSE
        known = self._known.get((a, b))
        if known is not None:
            return known
        literal = 2 * (1 + self.inputs + len(self._left))
        self._left.append(a)
        self._right.append(b)
        self._known[a, b] = literal
        return literal

    def parts(self, literal: int) -> set[int]:
        """Return the literals that are true if this one is: parts of its ANDs."""
        found: set[int] = set()
        waiting = [literal]
        while waiting:
            gate = (waiting[-1] >> 1) - 1 - self.inputs
            if waiting.pop() & 1 or gate < 0:
                continue
            for part in (self._left[gate], self._right[gate]):
                if part not in found:
                    found.add(part)
                    waiting.append(part)
        return found

    def conjoin(self, literals: Iterable[int]) -> int:
        """Return the AND of literals, in this order, so that beginnings are shared."""
        result = TRUE
        for literal in literals:
            result = self.both(result, literal)
        return result

    def disjoin(self, literals: Iterable[int]) -> int:
        """Return the OR of literals, as a balanced tree: a short chain to wait for."""
        level = sorted({literal ^ 1 for literal in literals})
        if not level:
            return FALSE
        while len(level) > 1:
            pairs = [self.both(a, b) for a, b in zip(level[::2], level[1::2])]  # noqa: B905
            level = pairs + level[len(level) & ~1 :]
        return level[0] ^ 1

    def finish(self, outputs: Iterable[int]) -> Graph:
        """Return the graph, without the gates that no output needs."""
        return prune(
            Graph(
                self.inputs,
                np.array(self._left, dtype=np.int32),
                np.array(self._right, dtype=np.int32),
                np.fromiter(outputs, dtype=np.int32),
            )
        )


def prune(graph: Graph) -> Graph:
    """Drop the gates that no output needs."""
    first = 1 + graph.inputs
    needed = np.zeros(first + graph.gates, dtype=bool)
    needed[graph.outputs >> 1] = True
    left, right = graph.left.tolist(), graph.right.tolist()
    for gate in range(graph.gates - 1, -1, -1):
        if needed[first + gate]:
            needed[left[gate] >> 1] = True
            needed[right[gate] >> 1] = True
    needed[:first] = True
    number = np.cumsum(needed, dtype=np.int32) - 1
    keep = needed[first:]

    def renumber(literals: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        renumbered: npt.NDArray[np.int32] = number[literals >> 1] * 2 + (literals & 1)
        return renumbered

    return Graph(
        graph.inputs,
        renumber(graph.left[keep]),
        renumber(graph.right[keep]),
        renumber(graph.outputs),
    )
