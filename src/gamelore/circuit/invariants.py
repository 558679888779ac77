"""Fluents that have one value in all positions of a turn that can be reached.

A stone that carries the number of the step it was placed in belongs to one role if
that is odd and to the other if it is even. The rules do not say so, but it follows from
them: if positions have these values, so have their successors. They are found by
evaluating the circuit over sets of values: from the initial position on, until no turn
gets a value that is new to it.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.circuit.build import Circuit

_MOST_WORK = 60_000_000  # gates evaluated, about 10 ns each

_Sets: TypeAlias = npt.NDArray[np.uint8]
"""uint8 [·]: bit t says whether a literal can be true in turn t."""


def find_constants(circuit: Circuit, turns: int) -> tuple[dict[int, bool], ...]:
    """Return per turn, of eight at most, the fluents of which the value is known.

    What positions satisfy in their turn, their successors do in the next one. Nothing
    is known where that takes too much work to find out.
    """
    reached = _Reached(circuit, turns)
    work = 0
    while reached.extend():
        work += circuit.graph.gates
        if work > _MOST_WORK:
            return ({},) * turns
    can_be = reached.fluents  # [F, 2]: true, false
    return tuple(
        {
            fluent: not can_be_false
            for fluent, (can_be_true, can_be_false) in enumerate(
                ((can_be >> turn) & 1).astype(bool).tolist()
            )
            if not (can_be_true and can_be_false)
        }
        for turn in range(turns)
    )


class _Reached:
    """What fluents can be, as far as it is known by now."""

    def __init__(self, circuit: Circuit, turns: int) -> None:
        graph = circuit.graph
        count = len(circuit.fluents)
        self.turns = turns
        self.first_move = 1 + count
        first = 1 + circuit.goal_count
        legal_end = first + circuit.move_count
        self.legal = graph.outputs[first:legal_end]
        self.following = graph.outputs[legal_end : legal_end + count]
        self.levels = _list_levels(circuit)
        self.every = np.uint8((1 << turns) - 1)
        self.known = np.ones(1, np.uint8)
        """The turns that were reached."""
        initial = np.array(circuit.initial, np.uint8)
        self.fluents = np.stack([initial, 1 - initial], axis=1)
        self.values = np.full(2 * (1 + graph.inputs + graph.gates), self.every)
        self.values[0] = 0

    def extend(self) -> bool:
        """Add what one more step can lead to; return whether that was anything."""
        values, count = self.values, len(self.fluents)
        values[2 : 2 + 2 * count] = self.fluents.ravel()
        before_moves, after_moves = self.levels
        for level in before_moves:
            self._evaluate(level)
        moves = slice(2 * self.first_move, 2 * (self.first_move + len(self.legal)), 2)
        values[moves] = values[self.legal]
        for level in after_moves:
            self._evaluate(level)
        literals = np.stack([self.following, self.following ^ 1], axis=1)
        grown = self.fluents | self._next_turn(values[literals] & self.known)
        known = self.known | self._next_turn(self.known)
        changed = bool((known != self.known).any() or (grown != self.fluents).any())
        self.fluents, self.known = grown, known
        return changed

    def _next_turn(self, sets: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Return sets of turns, each turn later by one."""
        later = (sets << np.uint8(1)) | (sets >> np.uint8(self.turns - 1))
        result: npt.NDArray[np.uint8] = later & self.every
        return result

    def _evaluate(self, level: npt.NDArray[np.int64]) -> None:
        """Evaluate gates that do not need each other: int64 [3, n], with inputs."""
        values, (node, a, b) = self.values, level
        values[2 * node] = values[a] & values[b]
        values[2 * node + 1] = values[a ^ 1] | values[b ^ 1]


_Levels: TypeAlias = list[npt.NDArray[np.int64]]


def _list_levels(circuit: Circuit) -> tuple[_Levels, _Levels]:
    """Return the gates by level: those that need no moves, and then all others."""
    graph = circuit.graph
    first = 1 + graph.inputs
    left, right = graph.left.astype(np.int64), graph.right.astype(np.int64)
    level = [0] * (first + graph.gates)
    needs_moves = [False] * (first + graph.gates)
    first_move = 1 + len(circuit.fluents)
    for move in range(first_move, first_move + circuit.move_count):
        needs_moves[move] = True
    pairs = zip((left >> 1).tolist(), (right >> 1).tolist(), strict=True)
    for node, (a, b) in enumerate(pairs, start=first):
        level[node] = 1 + max(level[a], level[b])
        needs_moves[node] = needs_moves[a] or needs_moves[b]
    levels = np.array(level[first:], np.int64)
    later = np.array(needs_moves[first:], bool)
    nodes = np.arange(first, first + graph.gates)
    result: tuple[_Levels, _Levels] = ([], [])
    for found, chosen in zip(result, (~later, later), strict=True):
        of_chosen = np.flatnonzero(chosen)
        order = of_chosen[np.argsort(levels[of_chosen], kind="stable")]
        ends = np.flatnonzero(np.diff(levels[order])) + 1
        for part in np.split(order, ends):
            if len(part):
                found.append(np.stack([nodes[part], left[part], right[part]]))
    return result
