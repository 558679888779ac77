"""Cofactor circuits: what is left of a game's circuit while one role moves.

In most games a fluent or two say whose turn it is. While one role moves, nothing needs
computing about the moves of the others, which is half of a circuit or more. The
fluents that tell turns apart are looked for in random play; a cofactor is used only in
positions where its fluents have their values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamelore.circuit.program import GATES, LEGAL, NEXT, SHARED, Program
from gamelore.graph._cofactor_kernels import Cofactors

Row = npt.NDArray[np.uint64]

_Gate = tuple[int, int, int]  # its literals, and its slot


class TurnFacts(NamedTuple):
    """What the positions in which one role moves have in common.  uint64 [K] each"""

    always: Row
    """Fluents that were true in all of them."""
    ever: Row
    """Fluents that were true in some."""


class _Cofactor(NamedTuple):
    gates: list[_Gate]
    for_moves: int
    """So many gates come first, which find the legal moves."""
    legal: list[int]
    """Literals of moves, 0 where a move is never legal."""
    next: list[int]


def find_cofactors(program: Program, turns: Mapping[int, TurnFacts]) -> Cofactors:
    """Return a cofactor for each role whose turns fluents tell apart.

    There are none where the circuit has loops.
    """
    width = len(next(iter(turns.values())).always) if turns else 1
    guards = [] if _has_loops(program) else _guards(turns)
    found = [_Restriction(program, mask, value).cofactor() for mask, value in guards]
    cofactors = [one for one in found if one is not None]
    if len(cofactors) < len(found):
        guards, cofactors = [], []
    return _arrays(program, guards, cofactors, width)


def no_cofactors(width: int, roles: int) -> Cofactors:
    """Return the cofactors of a game in which nothing tells turns apart."""
    return Cofactors(
        masks=np.zeros((0, width), np.uint64),
        values=np.zeros((0, width), np.uint64),
        left=np.zeros((0, 0), np.int32),
        right=np.zeros((0, 0), np.int32),
        slot=np.zeros((0, 0), np.int32),
        ends=np.zeros((0, 2), np.int64),
        moves=np.zeros((0, 0), np.int32),
        legal=np.zeros((0, 0), np.int32),
        move_ends=np.zeros((0, roles), np.int64),
        next=np.zeros((0, 0), np.int32),
    )


def _guards(turns: Mapping[int, TurnFacts]) -> list[tuple[Row, Row]]:
    """For each role, fluents that are one thing in its turns and another in others'."""
    guards = []
    for role, own in turns.items():
        mask = np.zeros_like(own.always)
        for other, theirs in turns.items():
            if other != role:
                mask |= (own.always & ~theirs.ever) | (~own.ever & theirs.always)
        if mask.any():
            guards.append((mask, own.always & mask))
    return guards


def _has_loops(program: Program) -> bool:
    return any(
        program.segments[segment, 0] != GATES
        for phase in (SHARED, LEGAL, NEXT)
        for segment in range(*program.phases[phase])
    )


def _gates(program: Program, phase: int) -> list[_Gate]:
    gates: list[_Gate] = []
    for segment in range(*program.phases[phase]):
        _, first, end = program.segments[segment]
        span = slice(first, end)
        columns = program.left[span], program.right[span], program.slot[span]
        gates += zip(*(column.tolist() for column in columns), strict=True)
    return gates


class _Restriction:
    """A circuit where the fluents of a mask have certain values.

    Gates that are not constant then, nor the same as another literal, become *nodes*:
    numbers after those of all slots. Inputs are the nodes of their slots.
    """

    def __init__(self, program: Program, mask: Row, value: Row) -> None:
        self.program = program
        self.nodes: list[tuple[int, int]] = []
        self.meaning: dict[int, int] = {}  # of slots by now: literals over nodes
        for fluent in range(len(program.next)):
            if _bit(mask, fluent):
                self.meaning[1 + fluent] = _bit(value, fluent)

    def cofactor(self) -> _Cofactor | None:
        """What is left, or nothing if there are too few slots for it."""
        program = self.program
        self._run(SHARED)
        self._run(LEGAL)
        legal = [self._literal(literal) for literal in program.legal.tolist()]
        for_moves = len(self.nodes)
        for move, literal in enumerate(legal):
            if literal == 0:
                self.meaning[program.first_move + move] = 0  # nobody makes it
        self._run(NEXT)
        following = [self._literal(literal) for literal in program.next.tolist()]
        following = [self._lasting(f, literal) for f, literal in enumerate(following)]
        return self._lay_out(for_moves, legal, following)

    def _lasting(self, fluent: int, literal: int) -> int:
        """A literal of the next position that outlasts the overwriting of fluents."""
        own = 2 * (1 + fluent)
        if 1 <= literal >> 1 <= len(self.program.next) and literal != own:
            return self._new_node(literal, literal)
        return literal

    def _run(self, phase: int) -> None:
        for left, right, slot in _gates(self.program, phase):
            self.meaning[slot] = self._both(self._literal(left), self._literal(right))

    def _literal(self, literal: int) -> int:
        """A literal over slots as one over nodes, or 0 or 1."""
        slot = literal >> 1
        return self.meaning.get(slot, 2 * slot) ^ (literal & 1)

    def _both(self, one: int, two: int) -> int:
        if one == two or two == 1:
            return one
        if one == 1:
            return two
        if one == 0 or two == 0 or one == two ^ 1:
            return 0
        return self._new_node(one, two)

    def _new_node(self, one: int, two: int) -> int:
        self.nodes.append((one, two))
        return 2 * (self.program.slots + len(self.nodes) - 1)

    def _lay_out(
        self, for_moves: int, legal: Sequence[int], following: Sequence[int]
    ) -> _Cofactor | None:
        """Give the nodes that are needed slots, which they share as others do.

        Each node is a moment, and so is the listing of moves once they are found.
        """
        first = self.program.slots
        expiring = self._expiring(for_moves, legal, following)
        needed = {node for nodes in expiring.values() for node in nodes}
        free = sorted(set(self.program.slot.tolist()), reverse=True)
        slot_of: dict[int, int] = {}
        gates: list[_Gate] = []
        listed = 0, list(legal)

        def laid(literal: int) -> int:
            return 2 * slot_of.get(literal >> 1, literal >> 1) + (literal & 1)

        for moment in range(len(self.nodes) + 1):
            inputs = None
            if moment == for_moves:
                listed = len(gates), list(map(laid, legal))
            elif first + (number := moment - (moment > for_moves)) in needed:
                inputs = [laid(literal) for literal in self.nodes[number]]
            free += [slot_of[node] for node in expiring.get(moment, ())]
            if inputs and not free:
                return None
            if inputs:
                slot_of[first + number] = free.pop()
                gates.append((inputs[0], inputs[1], slot_of[first + number]))
        return _Cofactor(gates, *listed, list(map(laid, following)))

    def _expiring(
        self, for_moves: int, legal: Sequence[int], following: Sequence[int]
    ) -> dict[int, list[int]]:
        """The nodes that are needed, by the moment after which they are not."""
        last: dict[int, int] = {}
        for literal in legal:
            last[literal >> 1] = for_moves
        for literal in following:
            last[literal >> 1] = len(self.nodes) + 1
        first = self.program.slots
        for number in range(len(self.nodes) - 1, -1, -1):
            if first + number in last:
                moment = number + (number >= for_moves)
                for literal in self.nodes[number]:
                    last[literal >> 1] = max(last.get(literal >> 1, 0), moment)
        expiring: dict[int, list[int]] = {}
        for node, moment in last.items():
            if node - first < for_moves < moment:
                moment = len(self.nodes) + 1  # the gates after the listing run again
            if node >= first:
                expiring.setdefault(moment, []).append(node)
        return expiring


def _bit(row: Row, fluent: int) -> int:
    return int(row[fluent >> 6]) >> (fluent & 63) & 1


def _arrays(
    program: Program,
    guards: Sequence[tuple[Row, Row]],
    cofactors: Sequence[_Cofactor],
    width: int,
) -> Cofactors:
    roles = len(program.move_ends)
    if not cofactors:
        return no_cofactors(width, roles)
    moves = [[m for m, literal in enumerate(one.legal) if literal] for one in cofactors]
    columns = [[[gate[i] for gate in one.gates] for one in cofactors] for i in range(3)]
    return Cofactors(
        masks=np.array([mask for mask, _ in guards]),
        values=np.array([value for _, value in guards]),
        left=_stacked(columns[0]),
        right=_stacked(columns[1]),
        slot=_stacked(columns[2]),
        ends=np.array([(one.for_moves, len(one.gates)) for one in cofactors]),
        moves=_stacked(moves),
        legal=_stacked([[x for x in one.legal if x] for one in cofactors]),
        move_ends=np.array([np.searchsorted(m, program.move_ends) for m in moves]),
        next=_stacked([one.next for one in cofactors]),
    )


def _stacked(lists: Sequence[Sequence[int]]) -> npt.NDArray[np.int32]:
    """int32 [lists, longest]: one list to the row, zeros after its end."""
    stacked = np.zeros((len(lists), max(map(len, lists))), np.int32)
    for row, numbers in zip(stacked, lists, strict=True):
        row[: len(numbers)] = numbers
    return stacked
