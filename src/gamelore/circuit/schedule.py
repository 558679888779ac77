"""The order in which gates run, and the slots they write to.

A circuit runs in *phases*: is the position terminal; the goals (only where it is); the
legal moves; the next position; the features, if there are any. A phase may use what the
terminal and legal phases computed, but that of the features stands alone: it may run at
any time, and disturbs no other. What the terminal phase shares with others comes first
in it and is a phase of its own, for positions that are known not to be terminal. Within
a phase gates come depth first, so that a value is used soon after it is made, and a
slot is free for others once its last reader has run.

Slots: 0 holds false; then the fluents, the moves, the loop variables; then shared ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from gamelore.circuit.build import Circuit
from gamelore.circuit.cells import Cell, map_cells
from gamelore.circuit.gate_runs import gather_runs
from gamelore.circuit.program import (
    FEATURES,
    GATES,
    GOALS,
    LEGAL,
    LOOP,
    NEXT,
    SLOT_WORDS,
    TERMINAL,
    Ints,
    Program,
)


class _Item(NamedTuple):
    """A gate, or a loop, in the order of running."""

    node: int
    """The node a gate computes; for a loop, minus its number minus one."""
    reads: Sequence[int]
    """Nodes."""


@dataclass
class _Phase:
    items: list[_Item] = field(default_factory=list)
    done: set[int] = field(default_factory=set)
    outputs: Sequence[int] = ()
    shared: int = 0
    """So many items come first that later phases read."""


def schedule(circuit: Circuit) -> Program:
    """Lay a circuit out for the kernels."""
    return _Scheduler(circuit).program()


def schedule_in_cells(circuit: Circuit) -> Program:
    """Lay a circuit without loops out with cells too, for kernels of 512 lanes."""
    scheduler = _Scheduler(circuit, map_cells(circuit.graph))
    scheduler.gather_runs()
    return scheduler.program()


class _Scheduler:
    def __init__(
        self, circuit: Circuit, cells: Mapping[int, Cell] = MappingProxyType({})
    ) -> None:
        """`cells`: by node, those of the circuit, if it is to have any."""
        self.circuit = circuit
        self.cells = cells
        graph = circuit.graph
        self.fluents = len(circuit.fluents)
        self.first_move = 1 + self.fluents
        self.first_gate = 1 + graph.inputs
        self.left = graph.left.tolist()
        self.right = graph.right.tolist()
        self.level = _levels(self.left, self.right, self.first_gate)
        self.loop_numbers = {
            1 + variable: number
            for number, loop in enumerate(circuit.loops)
            for variable in loop.variables
        }
        self._cut_outputs()
        self.phases = self._order()

    def _cut_outputs(self) -> None:
        """Return the graph's outputs by purpose."""
        outputs = self.circuit.graph.outputs.tolist()
        goals = 1 + self.circuit.goal_count
        legal = goals + self.circuit.move_count
        following = legal + self.fluents
        self.outputs = outputs
        self.by_phase = (
            outputs[:1],
            outputs[1:goals],
            outputs[goals:legal],
            outputs[legal:following],
            outputs[following : following + self.circuit.feature_atom_count],
        )

    # ── the order ───────────────────────────────────────────────────────────────────

    def _order(self) -> list[_Phase]:
        terminal = self._phase(TERMINAL, set())
        goals = self._phase(GOALS, terminal.done)
        legal = self._phase(LEGAL, terminal.done)
        following = self._phase(NEXT, terminal.done | legal.done)
        features = self._phase(FEATURES, set())
        terminal = self._shared_first(terminal, (legal, following))
        return [terminal, goals, legal, following, features]

    def gather_runs(self) -> None:
        """Bring cells of a kind together in every phase, and put gates in their place.

        The gates of a cell come one after the other, so that it can take their place.
        """
        for phase in self.phases:
            shared, rest = phase.items[: phase.shared], phase.items[phase.shared :]
            first, last = self._in_runs(shared), self._in_runs(rest)
            phase.items, phase.shared = first + last, len(first)

    def _in_runs(self, items: Sequence[_Item]) -> list[_Item]:
        """Return the gates of cells, these in an order of longer runs."""
        cells = [self.cells[item.node] for item in items]
        order = gather_runs(items, [cell.code for cell in cells])
        return [
            _Item(node, self._read_by_gate(node))
            for place in order
            for node in cells[place].gates
        ]

    def _shared_first(self, phase: _Phase, later: Iterable[_Phase]) -> _Phase:
        """Return a phase in another order: what later ones read, then the rest."""
        ordered = _Phase(outputs=phase.outputs)
        for node in sorted(self._carried(phase, later)):
            self._visit(node, set(), ordered)
        ordered.shared = len(ordered.items)
        for literal in phase.outputs:
            self._visit(literal >> 1, set(), ordered)
        return ordered

    def _carried(self, phase: _Phase, later: Iterable[_Phase]) -> set[int]:
        """Return the nodes of a phase that later ones read."""
        read: set[int] = set()
        for other in later:
            for item in other.items:
                read.update(item.reads)
            read.update(literal >> 1 for literal in other.outputs)
        return {node for node in read if self._key(node) in phase.done}

    def _phase(self, number: int, available: set[int]) -> _Phase:
        phase = _Phase(outputs=self.by_phase[number])
        for literal in phase.outputs:
            self._visit(literal >> 1, available, phase)
        return phase

    def _visit(self, root: int, available: set[int], phase: _Phase) -> None:
        """Add everything a node needs, depth first, then the node itself.

        The deepest is visited first: its many temporaries are free again when the
        shallow ones are made.
        """
        stack = [root]
        done, level, first_gate = phase.done, self.level, self.first_gate
        while stack:
            node = stack[-1]
            key = node if node >= first_gate else self._key(node)
            if key is None or key in done or key in available:
                stack.pop()
                continue
            reads = self._reads(key)
            waiting = [n for n in reads if self._is_missing(n, done, available)]
            if waiting:
                if len(waiting) > 1:
                    waiting.sort(key=level.__getitem__)
                stack += waiting
                continue
            stack.pop()
            done.add(key)
            phase.items.append(_Item(key, reads))

    def _is_missing(self, node: int, done: set[int], available: set[int]) -> bool:
        key = node if node >= self.first_gate else self._key(node)
        return key is not None and key not in done and key not in available

    def _key(self, node: int) -> int | None:
        """Return what must run for a node: itself, a loop, or nothing."""
        if node >= self.first_gate:
            return node
        loop = self.loop_numbers.get(node)
        return None if loop is None else -1 - loop

    def _reads(self, key: int) -> Sequence[int]:
        if key >= 0:
            cell = self.cells.get(key)
            if cell is not None:
                return tuple(literal >> 1 for literal in cell.inputs)
            return self._read_by_gate(key)
        loop = self.circuit.loops[-1 - key]
        leaves = {leaf for products in loop.updates for leaf, _ in products}
        own = {1 + v for v in loop.variables}
        return sorted({self.outputs[leaf] >> 1 for leaf in leaves} - own)

    def _read_by_gate(self, node: int) -> tuple[int, int]:
        gate = node - self.first_gate
        return self.left[gate] >> 1, self.right[gate] >> 1

    # ── slots ───────────────────────────────────────────────────────────────────────

    def program(self) -> Program:
        layout = _Layout(self.first_gate, self.cells)
        last_use = self._last_uses()
        spans = []
        time = 0
        following: list[int] = []
        shared = 0
        for number, phase in enumerate(self.phases):
            first_segment = len(layout.segments)
            layout.begin_phase()
            if number == FEATURES:
                layout.keep_slots()
            time = self._lay_items(phase.items[: phase.shared], layout, last_use, time)
            if number == TERMINAL:
                shared = len(layout.segments)
                layout.begin_phase()
            time = self._lay_items(phase.items[phase.shared :], layout, last_use, time)
            if number == NEXT:
                following = self._place_next(layout)
            spans.append((first_segment, len(layout.segments)))
            self._collect(number, phase, layout)
            layout.release(last_use.get(time, ()))
            time += 1
        spans.append((0, shared))
        return self._assemble(layout, spans, following)

    def _lay_items(
        self,
        items: Iterable[_Item],
        layout: _Layout,
        last_use: Mapping[int, Sequence[int]],
        time: int,
    ) -> int:
        """Lay out gates and loops from a moment on; the moment after them."""
        for item in items:
            finished = last_use.get(time, ())
            if item.node >= 0:
                gate = item.node - self.first_gate
                layout.gate(item.node, self.left[gate], self.right[gate], finished)
            else:
                self._lay_loop(-1 - item.node, layout)
                layout.release(finished)
            time += 1
        return time

    def _last_uses(self) -> dict[int, list[int]]:
        """Return for each moment the gates that nobody reads after it."""
        uses: dict[int, list[int]] = {}
        last: dict[int, int] = {}

        def close(node: int) -> None:
            if node >= self.first_gate and node in last:
                uses.setdefault(last[node], []).append(node)

        time = 0
        for phase in self.phases:
            for item in phase.items:
                close(item.node)  # what the goals computed may be computed again
                for node in item.reads:
                    last[node] = time
                last.pop(item.node, None)
                time += 1
            for literal in phase.outputs:
                last[literal >> 1] = time
            time += 1
        for node in last:
            close(node)
        return uses

    def _lay_loop(self, number: int, layout: _Layout) -> None:
        loop = self.circuit.loops[number]
        runs = []
        for variable, products in zip(loop.variables, loop.updates, strict=True):
            start = len(layout.left)
            temporaries: list[int] = []
            terms = [
                self._product(leaf, inside, layout, temporaries)
                for leaf, inside in _factored(products)
            ]
            literal = layout.disjoin(terms, temporaries)
            runs.append((start, len(layout.left), literal, 1 + variable))
            layout.free(temporaries)
        layout.loop(runs)

    def _product(
        self,
        leaf: int,
        options: Sequence[tuple[int, ...]],
        layout: _Layout,
        temporaries: list[int],
    ) -> int:
        """Return leaf AND (OR over options of their variables' AND)."""
        outside = layout.literal(self.outputs[leaf])
        if () in options:
            return outside
        terms = [
            layout.conjoin([2 * (1 + v) for v in option], temporaries)
            for option in options
        ]
        return layout.conjoin(
            [outside, layout.disjoin(terms, temporaries)], temporaries
        )

    def _place_next(self, layout: _Layout) -> list[int]:
        """Return the next position's literals, safe from the overwriting of fluents."""
        literals = []
        for fluent, output in enumerate(self.by_phase[NEXT]):
            literal = layout.literal(output)
            slot = literal >> 1
            if 1 <= slot <= self.fluents and literal != 2 * (1 + fluent):
                literal = layout.copy(literal)
            literals.append(literal)
        return literals

    def _collect(self, number: int, phase: _Phase, layout: _Layout) -> None:
        layout.outputs.append([layout.literal(literal) for literal in phase.outputs])
        if number == TERMINAL:
            carried = self._carried(phase, (self.phases[LEGAL], self.phases[NEXT]))
            layout.carried = sorted(layout.literal(2 * n) >> 1 for n in carried)

    def _assemble(
        self, layout: _Layout, spans: list[tuple[int, int]], following: list[int]
    ) -> Program:
        circuit = self.circuit
        (terminal,), goals, legal, _, features = layout.outputs
        runs, phases = layout.list_runs(spans)
        return Program(
            slots=layout.slots,
            left=_ints(layout.left),
            right=_ints(layout.right),
            slot=_ints(layout.dest),
            segments=_ints(layout.segments).reshape(-1, 3),
            phases=_ints(spans).reshape(6, 2),
            runs=_ints(layout.runs).reshape(-1, 4),
            terminal=terminal,
            goals=_ints(goals),
            goal_values=_ints([v for values in circuit.goal_values for v in values]),
            goal_ends=_ints(np.cumsum([len(v) for v in circuit.goal_values])),
            legal=_ints(legal),
            move_ends=_ints(np.cumsum([len(moves) for moves in circuit.moves])),
            first_move=self.first_move,
            fluents=_ints(2 * (1 + f) for f in range(self.fluents)),
            next=_ints(following),
            carried=_ints(layout.carried),
            features=_ints(features),
            cells=_ints(layout.cell_words).reshape(-1, 4),
            cell_runs=_ints(runs).reshape(-1, 3),
            cell_phases=_ints(phases).reshape(-1, 2),
        )


class _Layout:
    """Gates with their slots, as they are laid out one after the other."""

    def __init__(self, first_shared: int, cells: Mapping[int, Cell]) -> None:
        self.slots = first_shared
        self._first_shared = first_shared
        self._cells = {cell.gates[0]: cell for cell in cells.values()}
        """By the gate that comes first."""
        self._last_gate = -1
        """Of the cell that is being laid out."""
        self.cell_words: list[tuple[int, ...]] = []
        self._cell_codes: list[tuple[int, int]] = []
        """The code of each cell, and the number of its first gate."""
        self._free: list[int] = []
        self._slots: dict[int, int] = {}
        self.left: list[int] = []
        self.right: list[int] = []
        self.dest: list[int] = []
        self.segments: list[tuple[int, int, int]] = []
        self.runs: list[tuple[int, int, int, int]] = []
        self.outputs: list[list[int]] = []
        self.carried: list[int] = []
        self._new_phase = True

    def begin_phase(self) -> None:
        """Let the next gate begin a segment of its own."""
        self._new_phase = True

    def keep_slots(self) -> None:
        """Let what was made before now keep its slot, whoever has read it."""
        self._free.clear()

    def literal(self, literal: int) -> int:
        """Return a literal over nodes as one over slots."""
        node = literal >> 1
        slot = node if node < self._first_shared else self._slots[node]
        return 2 * slot + (literal & 1)

    def gate(self, node: int, left: int, right: int, finished: Iterable[int]) -> None:
        """Compute a node; those that it is the last to read may make room for it."""
        self._extend_segment()
        cell = self._cells.get(node)
        if cell is not None:
            self._begin_cell(cell.code, [self.literal(x) for x in cell.inputs])
            self._last_gate = cell.gates[-1]
        first, second = self.literal(left), self.literal(right)
        self.release(finished)
        self._slots[node] = self._append(first, second)
        if node == self._last_gate:
            self._end_cell(self._slots[node])

    def copy(self, literal: int) -> int:
        """Copy a literal; return one that stays as it is now."""
        self._extend_segment()
        if self._cells:
            self._begin_cell(3 * (literal & 1), [literal, literal])
        slot = self._append(literal, literal)
        if self._cells:
            self._end_cell(slot)
        return 2 * slot

    def _begin_cell(self, code: int, inputs: Sequence[int]) -> None:
        """Note where a cell reads, before its gates take slots."""
        words = [SLOT_WORDS * (literal >> 1) for literal in inputs]
        self._cell_codes.append((code, len(self.left)))
        self._reads = (*words, *[0] * (3 - len(words)))

    def _end_cell(self, slot: int) -> None:
        self.cell_words.append((*self._reads, SLOT_WORDS * slot))

    def list_runs(
        self, spans: Iterable[tuple[int, int]]
    ) -> tuple[list[tuple[int, int, int]], list[tuple[int, int]]]:
        """Return runs of cells of a code, and which of them each phase has."""
        if not self._cells:
            return [], []
        begins = [first for _, first in self._cell_codes]
        runs: list[tuple[int, int, int]] = []
        ends = [0]
        for _, first, end in self.segments:
            cells = range(bisect_left(begins, first), bisect_left(begins, end))
            for code, of_code in groupby(cells, lambda i: self._cell_codes[i][0]):
                members = list(of_code)
                runs.append((code, members[0], members[-1] + 1))
            ends.append(len(runs))
        return runs, [(ends[first], ends[end]) for first, end in spans]

    def conjoin(self, literals: Sequence[int], temporaries: list[int]) -> int:
        result = literals[0]
        for literal in literals[1:]:
            slot = self._append(result, literal)
            temporaries.append(slot)
            result = 2 * slot
        return result

    def disjoin(self, literals: Sequence[int], temporaries: list[int]) -> int:
        if not literals:
            return 0
        return self.conjoin([x ^ 1 for x in literals], temporaries) ^ 1

    def loop(self, runs: Iterable[tuple[int, int, int, int]]) -> None:
        """Close a loop over runs of gates that were appended since the last segment."""
        first = len(self.runs)
        self.runs += runs
        self._new_phase = False
        self.segments.append((LOOP, first, len(self.runs)))

    def release(self, nodes: Iterable[int]) -> None:
        """Free the slots of nodes that nobody reads any more."""
        self.free(self._slots[node] for node in nodes)

    def free(self, slots: Iterable[int]) -> None:
        """Keep slots for use, the last freed first: it is still near the processor."""
        self._free.extend(slots)

    def _append(self, left: int, right: int) -> int:
        if self._free:
            slot = self._free.pop()
        else:
            slot = self.slots
            self.slots += 1
        self.left.append(left)
        self.right.append(right)
        self.dest.append(slot)
        return slot

    def _extend_segment(self) -> None:
        """Add the next gate to the running segment of gates, or begin one."""
        position = len(self.left)
        if not self._new_phase and self.segments[-1][0] == GATES:
            kind, first, end = self.segments[-1]
            if end == position:
                self.segments[-1] = (kind, first, position + 1)
                return
        self._new_phase = False
        self.segments.append((GATES, position, position + 1))


def _factored(
    products: Sequence[tuple[int, tuple[int, ...]]],
) -> Iterator[tuple[int, list[tuple[int, ...]]]]:
    """Return products, those with the same leaf as one."""
    by_leaf: dict[int, list[tuple[int, ...]]] = {}
    for leaf, inside in products:
        by_leaf.setdefault(leaf, []).append(inside)
    yield from by_leaf.items()


def _levels(left: list[int], right: list[int], first_gate: int) -> list[int]:
    level = [0] * first_gate
    for a, b in zip(left, right, strict=True):
        level.append(1 + max(level[a >> 1], level[b >> 1]))
    return level


def _ints(values: Iterable[object]) -> Ints:
    return np.array(list(values), dtype=np.int32)
