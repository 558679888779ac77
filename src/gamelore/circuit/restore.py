"""From a scheduled program back to the circuit that it computes."""

from __future__ import annotations

from itertools import pairwise

from gamelore.circuit.build import Circuit
from gamelore.circuit.compiled import CompiledGame
from gamelore.circuit.graph import FALSE, Graph, GraphBuilder
from gamelore.circuit.program import (
    GATES,
    GOALS,
    LEGAL,
    NEXT,
    SHARED,
    TERMINAL,
    Program,
)


def restore_circuit(compiled: CompiledGame, roles: tuple[str, ...]) -> Circuit | None:
    """Return the circuit of a compiled game without its features; None with loops."""
    if len(compiled.program.runs):
        return None
    return Circuit(
        roles=roles,
        fluents=compiled.fluents,
        initial=compiled.initial,
        moves=compiled.moves,
        goal_values=_goal_values(compiled.program),
        features=(),
        loops=(),
        graph=_Machine(compiled.program).graph(),
    )


def _goal_values(program: Program) -> tuple[tuple[int, ...], ...]:
    ends = [0, *program.goal_ends.tolist()]
    values = program.goal_values.tolist()
    return tuple(tuple(values[a:b]) for a, b in pairwise(ends))


class _Machine:
    """Runs a program over literals of a graph in place of bits."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.inputs = len(program.next) + len(program.legal)
        self.builder = GraphBuilder(self.inputs)

    def graph(self) -> Graph:
        program = self.program
        slots = {0: FALSE}
        slots |= {1 + i: self.builder.input(i) for i in range(self.inputs)}
        shared = self._run(SHARED, dict(slots))
        ended = self._run(TERMINAL, slots)
        outputs = [self._literal(program.terminal, ended)]
        reached = self._run(GOALS, ended)
        outputs += [self._literal(goal, reached) for goal in program.goals.tolist()]
        known = self._run(LEGAL, shared)
        outputs += [self._literal(legal, known) for legal in program.legal.tolist()]
        after = self._run(NEXT, known)
        outputs += [self._literal(one, after) for one in program.next.tolist()]
        return self.builder.finish(outputs)

    def _literal(self, literal: int, slots: dict[int, int]) -> int:
        return slots.get(literal >> 1, FALSE) ^ (literal & 1)

    def _run(self, phase: int, slots: dict[int, int]) -> dict[int, int]:
        """Run a phase; changes and returns what slots hold."""
        program, both = self.program, self.builder.both
        for segment in range(*program.phases[phase]):
            kind, first, end = program.segments[segment].tolist()
            assert kind == GATES
            span = slice(first, end)
            columns = program.left[span], program.right[span], program.slot[span]
            for left, right, slot in zip(*(c.tolist() for c in columns), strict=True):
                one = slots.get(left >> 1, FALSE) ^ (left & 1)
                other = slots.get(right >> 1, FALSE) ^ (right & 1)
                slots[slot] = both(one, other)
        return slots
