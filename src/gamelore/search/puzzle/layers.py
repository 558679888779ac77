"""Breadth-first search of a compiled game of one player, whole or as a beam.

Without a width, every position is expanded: when none is left, the best goal that was
met is the best there is. With a width, only so many of a layer are, the best by a
score.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator
from gamelore.engine.compiled.buffers import allocate_aligned
from gamelore.engine.simulator import NO_GOAL, Row, Rows
from gamelore.kernels import direct
from gamelore.search.puzzle import _layer_kernels
from gamelore.search.puzzle._layer_kernels import (
    BEST_GOAL,
    BEST_NODE,
    COUNT,
    CURSOR,
    FOLLOWING,
    FULL,
    LANES,
    USED,
    WORK,
    LayerBuffers,
    Layers,
)
from gamelore.search.puzzle.path import trace_back

Score: TypeAlias = Callable[[Rows], npt.NDArray[np.float64]]
"""From rows to numbers, the more the better: uint64 [n, K] to float64 [n]."""

_expand_layer = direct(_layer_kernels.expand_layer)
_add_root = direct(_layer_kernels.add_root)
_index_prints = direct(_layer_kernels.index_prints)

_Number = TypeVar("_Number", bound=np.generic)

_ODD = np.uint64(0x9E3779B97F4A7C15)
_FIRST_NODES = 1 << 14
_PIECE = 4_000_000  # gates of one call, in lanes of 512
_BYTES_PER_NODE = 2 * 8 + 4 + 4 + 4 * 4
_SECONDS_PER_NODE = 3e-7  # to index all again in a larger table


class LayeredSearch:
    """Expands positions in the order of their distance from the root."""

    def __init__(
        self,
        simulator: CircuitSimulator,
        row: Row,
        memory: int,
        width: int | None = None,
        score: Score | None = None,
    ) -> None:
        """`memory`: bytes of all nodes and rows, at most."""
        self.simulator = simulator
        self.program = simulator.program
        self.width = width
        self.score = score
        self.over = False
        """Whether nothing is left to expand, or no memory to do so."""
        self.complete = False
        """Whether all positions have been expanded."""
        self.depth = 0
        self._memory = memory
        self._buffers = _make_buffers(simulator)
        self._layers = _make_layers(_FIRST_NODES, _FIRST_NODES, simulator.width)
        self._layers.state[BEST_GOAL] = NO_GOAL - 1
        self._trimmed = False
        self._full = False
        self._scores: list[npt.NDArray[np.float64]] = []
        passes = max(1, _PIECE // max(1, len(self.program.left)))
        self._quota = min(8 * LANES, passes * LANES)
        _index_prints(self._layers)  # of nothing, so that it is compiled by now
        _add_root(self._layers, row)
        _expand_layer(self.program, self._layers, self._buffers, 0)  # likewise

    @property
    def work(self) -> int:
        """Successors computed so far."""
        return int(self._layers.state[WORK])

    @property
    def nodes(self) -> int:
        """Positions met."""
        return int(self._layers.state[USED])

    @property
    def goal(self) -> int:
        """The best goal of a terminal position, or less than any."""
        return int(self._layers.state[BEST_GOAL])

    def path(self) -> list[int]:
        """Return the moves that lead to the best goal, the fewest."""
        layers = self._layers
        return trace_back(layers.parent, layers.move, int(layers.state[BEST_NODE]))

    @property
    def pause(self) -> float:
        """Seconds that the next step may take longer than others."""
        return _SECONDS_PER_NODE * len(self._layers.parent) if self._full else 0.0

    def step(self) -> int:
        """Expand a few positions; return the work that was done."""
        before = self.work
        state = self._layers.state
        if self._full:
            self._grow()
            self._full = False
        elif state[CURSOR] == state[COUNT]:
            self._begin_layer()
        else:
            status = _expand_layer(
                self.program, self._layers, self._buffers, self._quota
            )
            self._full = status == FULL
        return max(1, self.work - before)

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _begin_layer(self) -> None:
        """Go on with the next layer, or with the best of it once all have a score."""
        layers = self._layers
        count = int(layers.state[FOLLOWING])
        if not count:
            self.over = True
            self.complete = not self._trimmed
            return
        if self.width is not None and count > self.width:
            if not self._score_some(count):
                return
            count = self._trim(count)
        self.depth += 1
        self._layers = layers._replace(
            rows=layers.next_rows,
            nodes=layers.next_nodes,
            next_rows=layers.rows,
            next_nodes=layers.nodes,
        )
        self._layers.state[[CURSOR, COUNT, FOLLOWING]] = 0, count, 0

    def _score_some(self, count: int) -> bool:
        """Score some more rows of the next layer; return whether all have a score."""
        done = sum(map(len, self._scores))
        rows = self._layers.next_rows[done : min(done + self._quota, count)]
        if self.score is not None and len(rows):
            self._scores.append(self.score(rows))
            self._layers.state[WORK] += len(rows)
            return done + len(rows) == count
        return True

    def _trim(self, count: int) -> int:
        """Keep the best of the next layer's rows; of equal ones, any.

        They are mixed up by a hash: those of one parent stand together, and a beam
        that takes the first ones is narrow.
        """
        assert self.width is not None
        layers = self._layers
        scores = np.concatenate(self._scores) if self._scores else np.zeros(count)
        odd = _ODD ** np.arange(1, 1 + self.simulator.width, dtype=np.uint64)
        mixed = np.bitwise_xor.reduce(layers.next_rows[:count] * odd, axis=1)
        order = np.lexsort((mixed * _ODD >> np.uint64(32), -scores))
        best = np.sort(order[: self.width])
        layers.next_rows[: self.width] = layers.next_rows[best]
        layers.next_nodes[: self.width] = layers.next_nodes[best]
        self._scores = []
        self._trimmed = True
        return self.width

    def _grow(self) -> None:
        """Make room for twice as many nodes or rows; where there is none, end."""
        layers, state = self._layers, self._layers.state
        nodes, rows = len(layers.parent), len(layers.next_nodes)
        most = len(self.simulator.moves[0]) * LANES
        more_nodes = nodes - state[USED] <= rows - state[FOLLOWING]
        if more_nodes:
            nodes = 2 * nodes + most
        else:
            rows = 2 * rows + most
        each = 8 * self.simulator.width + 4
        taken = _BYTES_PER_NODE * nodes + each * (rows + len(layers.nodes))
        if taken > self._memory or nodes >= 1 << 30:
            self.over = True
        elif more_nodes:
            self._layers = _with_more_nodes(layers, nodes)
        else:
            self._layers = layers._replace(
                next_rows=_extend(layers.next_rows, rows),
                next_nodes=_extend(layers.next_nodes, rows),
            )


def _with_more_nodes(layers: Layers, nodes: int) -> Layers:
    grown = layers._replace(
        prints=_extend(layers.prints, nodes),
        slots=_make_slots(nodes),
        parent=_extend(layers.parent, nodes),
        move=_extend(layers.move, nodes),
    )
    _index_prints(grown)
    return grown


def _extend(array: npt.NDArray[_Number], length: int) -> npt.NDArray[_Number]:
    """Return an array with more entries, zeros."""
    longer = np.zeros((length, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


def _make_slots(nodes: int) -> npt.NDArray[np.int32]:
    return np.zeros(1 << (2 * nodes - 1).bit_length(), np.int32)


def _make_layers(nodes: int, rows: int, width: int) -> Layers:
    """Return arrays for so many nodes, and rows of each layer."""
    return Layers(
        prints=np.zeros((nodes, 2), np.uint64),
        slots=_make_slots(nodes),
        parent=np.zeros(nodes, np.int32),
        move=np.zeros(nodes, np.int32),
        rows=np.zeros((rows, width), np.uint64),
        nodes=np.zeros(rows, np.int32),
        next_rows=np.zeros((rows, width), np.uint64),
        next_nodes=np.zeros(rows, np.int32),
        state=np.zeros(BEST_NODE + 1, np.int64),
    )


def _make_buffers(simulator: CircuitSimulator) -> LayerBuffers:
    slots, width = simulator.program.slots, simulator.width
    bits = max(1, -(-len(simulator.program.legal) // 64))
    return LayerBuffers(
        words=allocate_aligned(8 * slots).reshape(slots, 8),
        parents=np.zeros((LANES, width), np.uint64),
        legal=np.zeros((LANES, bits), np.uint64),
        rows=np.zeros((LANES, width), np.uint64),
        places=np.zeros(LANES, np.int64),
        moves=np.zeros(LANES, np.int64),
        ended=np.zeros(8, np.uint64),
        goals=np.zeros(1, np.int16),
        block=np.zeros(64, np.uint64),
    )
