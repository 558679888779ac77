"""A circuit in plain Python, one position at a time: for where no kernel is ready."""

from __future__ import annotations

from collections.abc import Sequence

from gamelore.circuit.program import GATES, Program


def read_slots(
    program: Program, phase: int, present: Sequence[bool], literals: Sequence[int]
) -> list[bool]:
    """Return the values of literals in a position, once one phase has run.

    present: whether each fluent is true
    """
    circuit = PlainCircuit(program, present)
    circuit.run(phase)
    return [circuit.value(literal) for literal in literals]


class PlainCircuit:
    """The slots of a program."""

    def __init__(self, program: Program, present: Sequence[bool]) -> None:
        self._program = program
        self._slots = [False, *map(bool, present)]
        self._slots += [False] * (program.slots - len(self._slots))

    def set(self, slot: int) -> None:
        """Set a slot, such as that of a move."""
        self._slots[slot] = True

    def value(self, literal: int) -> bool:
        """Return the value of a literal."""
        return self._slots[literal >> 1] ^ bool(literal & 1)

    def run(self, phase: int) -> None:
        """Run a phase: its gates and its loops."""
        program = self._program
        for kind, first, end in program.segments[slice(*program.phases[phase])]:
            if kind == GATES:
                self._evaluate(first, end)
            else:
                self._repeat(program.runs[first:end].tolist())

    def _evaluate(self, first: int, end: int) -> None:
        program = self._program
        gates = (program.left, program.right, program.slot)
        columns = [column[first:end].tolist() for column in gates]
        for left, right, slot in zip(*columns, strict=True):
            self._slots[slot] = self.value(left) and self.value(right)

    def _repeat(self, runs: Sequence[Sequence[int]]) -> None:
        """Find the least fixed point of a loop's variables."""
        for *_, slot in runs:
            self._slots[slot] = False
        changed = True
        while changed:
            changed = False
            for first, end, literal, slot in runs:
                self._evaluate(first, end)
                if self.value(literal) and not self._slots[slot]:
                    self._slots[slot] = changed = True
