"""The simulator of a circuit without kernels, for a process that compiles others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gamelore.circuit.program import GOALS, LEGAL, NEXT, SHARED, TERMINAL
from gamelore.engine.compiled.plain import PlainCircuit
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.engine.simulator import NO_GOAL, Row, Rows


class PlainSimulator(CircuitSimulator):
    """Plays a game on its compiled circuit in plain Python."""

    def _check_range(self, positions: Rows) -> None:
        """Rows are taken to be fine."""

    def _circuit(self, row: Row) -> PlainCircuit:
        bits = np.unpackbits(row.view(np.uint8), bitorder="little")
        return PlainCircuit(self.program, bits[: len(self.fluents)].tolist())

    def _view(
        self, positions: Rows
    ) -> tuple[Rows, npt.NDArray[np.bool_], npt.NDArray[np.int16]]:
        program, n = self.program, len(positions)
        columns = 64 * max(1, -(-len(program.legal) // 64))
        legal = np.zeros((n, columns), np.bool_)
        terminal = np.zeros(n, np.bool_)
        goals = np.full((n, len(self.roles)), NO_GOAL, np.int16)
        for i, row in enumerate(positions):
            circuit = self._circuit(row)
            circuit.run(TERMINAL)
            terminal[i] = circuit.value(program.terminal)
            circuit.run(GOALS)
            first = 0
            for role, end in enumerate(program.goal_ends.tolist()):
                literals = program.goals[first:end].tolist()
                reached = [circuit.value(literal) for literal in literals]
                if sum(reached) == 1:
                    goals[i, role] = program.goal_values[first:end][reached][0]
                first = end
            circuit.run(LEGAL)
            for move, literal in enumerate(program.legal.tolist()):
                legal[i, move] = circuit.value(literal)
        bits = np.packbits(legal, axis=1, bitorder="little").view(np.uint64)
        return bits, terminal, goals

    def _advance(
        self, positions: Rows, moves: npt.NDArray[np.int32]
    ) -> tuple[Rows, int]:
        program = self.program
        starts = [0, *program.move_ends.tolist()]
        following = np.zeros((len(positions), 64 * self.width), np.bool_)
        illegal = -1
        for i, (row, joint) in enumerate(zip(positions, moves.tolist(), strict=True)):
            circuit = self._circuit(row)
            numbers = [a + move for a, move in zip(starts, joint, strict=False)]
            for number in numbers:
                circuit.set(program.first_move + number)
            circuit.run(SHARED)
            circuit.run(LEGAL)
            legal = [circuit.value(int(program.legal[number])) for number in numbers]
            if illegal < 0 and not all(legal):
                illegal = i
            circuit.run(NEXT)
            for fluent, literal in enumerate(program.next.tolist()):
                following[i, fluent] = circuit.value(literal)
        rows = np.packbits(following, axis=1, bitorder="little").view(np.uint64)
        return rows, illegal
