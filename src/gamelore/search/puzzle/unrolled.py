"""A circuit run on literals of a solver in place of lanes: the game, step by step.

The position at step 0 is constant, so what follows from it alone (counters of steps,
what cannot have been reached yet) is constant too, and takes no gates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gamelore.circuit.program import (
    GATES,
    GOALS,
    LEGAL,
    NEXT,
    TERMINAL,
    Program,
)

TRUE = 1
"""The literal that is always true; negative numbers are complements."""


class LiteralCircuit:
    """Evaluates the phases of a program; equal gates are made once."""

    def __init__(self, program: Program, make_and: Callable[[int, int], int]) -> None:
        """`make_and`: returns a new literal for a gate of two others."""
        self.program = program
        self.gates = 0
        """Gates made."""
        self._make_and = make_and
        self._known: dict[tuple[int, int], int] = {}
        self._values = [-TRUE] * program.slots
        self._left: list[int] = program.left.tolist()
        self._right: list[int] = program.right.tolist()
        self._slot: list[int] = program.slot.tolist()

    def conjoin(self, one: int, other: int) -> int:
        """Return the literal of a gate."""
        if one in (TRUE, other):
            return other
        if other == TRUE:
            return one
        if one == -TRUE or other == -TRUE or one == -other:
            return -TRUE
        key = (one, other) if one < other else (other, one)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._make_and(*key)
            self.gates += 1
        return known

    def set_position(self, fluents: Sequence[int]) -> None:
        """Give every fluent its literal, and let nobody move."""
        self._values[0] = -TRUE
        self._values[1 : 1 + len(fluents)] = fluents
        self.set_moves([-TRUE] * len(self.program.legal))

    def set_moves(self, moves: Sequence[int]) -> None:
        """Give every move its literal."""
        first = self.program.first_move
        self._values[first : first + len(moves)] = moves

    def terminal(self) -> int:
        """Return the literal of the end; the first phase of a step."""
        self._run(TERMINAL)
        return self._read(self.program.terminal)

    def goals(self) -> list[int]:
        """Return the literals of all goals, after `terminal`."""
        self._run(GOALS)
        return [self._read(literal) for literal in self.program.goals.tolist()]

    def legal(self) -> list[int]:
        """Return the literals of all legal moves, after `goals`."""
        self._run(LEGAL)
        return [self._read(literal) for literal in self.program.legal.tolist()]

    def next(self) -> list[int]:
        """Return the literals of the next position's fluents, after `set_moves`."""
        self._run(NEXT)
        return [self._read(literal) for literal in self.program.next.tolist()]

    def _read(self, literal: int) -> int:
        value = self._values[literal >> 1]
        return -value if literal & 1 else value

    def _run(self, phase: int) -> None:
        program = self.program
        values, conjoin = self._values, self.conjoin
        left, right, slot = self._left, self._right, self._slot
        for segment in range(*program.phases[phase].tolist()):
            kind, first, end = program.segments[segment].tolist()
            assert kind == GATES, "a circuit with loops cannot be unrolled"
            for gate in range(first, end):
                a, b = left[gate], right[gate]
                one, other = values[a >> 1], values[b >> 1]
                values[slot[gate]] = conjoin(
                    -one if a & 1 else one, -other if b & 1 else other
                )


def can_unroll(program: Program) -> bool:
    """Return whether no phase has a loop."""
    return bool((program.segments[:, 0] == GATES).all())
