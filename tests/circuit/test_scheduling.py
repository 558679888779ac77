"""Random ground games as circuits: built, minimised and scheduled, they say the same.

The rules are evaluated by hand, and so is the program, slot by slot: a slot that is
read before anything was written to it is an error.
"""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.circuit.random_games import (
    RandomGame,
    evaluate_rules,
    make_game,
    random_inputs,
)

from gamelore.circuit.build import Circuit, build, loops_in_order
from gamelore.circuit.compiler import with_minimised
from gamelore.circuit.minimise import minimise
from gamelore.circuit.program import (
    FEATURES,
    GATES,
    GOALS,
    LEGAL,
    NEXT,
    SHARED,
    TERMINAL,
    Program,
)
from gamelore.circuit.schedule import schedule

seeds = st.integers(0, 2**32)


class Machine:
    """Runs a program on one position, in plain Python."""

    def __init__(self, program: Program, true: set[int]) -> None:
        self.program = program
        self.slots: dict[int, bool] = {0: False}
        inputs = len(program.fluents) + len(program.legal)
        self.slots |= {1 + i: 1 + i in true for i in range(inputs)}

    def read(self, literal: int) -> bool:
        return self.slots[literal >> 1] ^ bool(literal & 1)

    def run(self, phase: int) -> None:
        program = self.program
        for kind, first, end in program.segments[slice(*program.phases[phase])]:
            if kind == GATES:
                self._evaluate(first, end)
            else:
                self._repeat(program.runs[first:end])

    def _evaluate(self, first: int, end: int) -> None:
        program = self.program
        for gate in range(first, end):
            both = self.read(program.left[gate]) and self.read(program.right[gate])
            self.slots[int(program.slot[gate])] = both

    def _repeat(self, runs: np.ndarray) -> None:
        for *_, variable in runs.tolist():
            self.slots[variable] = False
        changed = True
        while changed:
            changed = False
            for first, end, literal, variable in runs.tolist():
                self._evaluate(first, end)
                if self.read(literal) and not self.slots[variable]:
                    self.slots[variable] = changed = True

    def read_all(self, literals: np.ndarray) -> list[bool]:
        return [self.read(literal) for literal in literals.tolist()]

    def take_next(self) -> list[bool]:
        """Overwrite the fluents one after the other, as kernels do."""
        for fluent, literal in enumerate(self.program.next.tolist()):
            self.slots[1 + fluent] = self.read(literal)
        return [self.slots[1 + f] for f in range(len(self.program.next))]


def check(game: RandomGame, circuit: Circuit, random: Random) -> None:
    program = schedule(circuit)
    for _ in range(8):
        true = random_inputs(game, random)
        wanted = evaluate_rules(game, true)
        machine = Machine(program, true)  # as when a position is viewed
        machine.run(TERMINAL)
        assert machine.read(program.terminal) == wanted.terminal[0]
        machine.run(GOALS)
        assert machine.read_all(program.goals) == wanted.goals
        machine.run(FEATURES)
        assert machine.read_all(program.features) == wanted.features
        machine.run(LEGAL)
        assert machine.read_all(program.legal) == wanted.legal
        machine.run(NEXT)
        assert machine.take_next() == wanted.next

        machine = Machine(program, true)  # as when moves are made
        for phase in (SHARED, LEGAL):
            machine.run(phase)
        assert machine.read_all(program.legal) == wanted.legal
        machine.run(NEXT)
        assert machine.take_next() == wanted.next

        machine = Machine(program, true)  # as when a playout begins
        machine.run(TERMINAL)
        kept = {*range(1 + circuit.graph.inputs - _variables(circuit))}
        kept |= {*program.carried.tolist()}
        machine.slots = {s: v for s, v in machine.slots.items() if s in kept}
        machine.run(LEGAL)
        assert machine.read_all(program.legal) == wanted.legal
        machine.run(NEXT)
        assert machine.take_next() == wanted.next


def _variables(circuit: Circuit) -> int:
    return sum(len(loop.variables) for loop in circuit.loops)


@given(seeds)
def test_a_program_says_what_the_rules_say(seed: int) -> None:
    game = make_game(seed)
    circuit = build(game.ground)
    assert loops_in_order(circuit)
    check(game, circuit, Random(seed))


@settings(max_examples=10, deadline=None)  # minimising loads large tables every time
@given(seeds)
def test_minimised_equals_unminimised(seed: int) -> None:
    game = make_game(seed)
    circuit = build(game.ground)
    small = with_minimised(circuit, minimise(circuit.graph))
    check(game, small, Random(seed))
    assert small.graph.gates <= circuit.graph.gates
    inputs = min(circuit.graph.inputs, 10)  # all assignments of so many, the rest false
    mask = (1 << (1 << inputs)) - 1
    columns = [
        sum(1 << row for row in range(1 << inputs) if row >> i & 1)
        for i in range(inputs)
    ] + [0] * (circuit.graph.inputs - inputs)
    assert small.graph.evaluate(columns, mask) == circuit.graph.evaluate(columns, mask)


@given(seeds)
def test_slots_are_shared(seed: int) -> None:
    """A program never has more slots than one for every gate would take."""
    circuit = build(make_game(seed).ground)
    program = schedule(circuit)
    assert program.slots <= 1 + circuit.graph.inputs + len(program.left)
    assert program.slot.min(initial=program.slots) > circuit.graph.inputs
