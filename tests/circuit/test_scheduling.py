"""Random ground games as circuits: built, minimised and scheduled, they say the same.

The rules are evaluated by hand, and so is the program, slot by slot: a slot that is
read before anything was written to it is an error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

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
from gamelore.ground import FALSE, TRUE, GroundFeature, GroundGame

Rules: TypeAlias = list[list[tuple[int, list[int]]]]
"""Per level, its rules: head and body."""

seeds = st.integers(0, 2**32)
many = settings(max_examples=80, deadline=None)


@dataclass(frozen=True)
class RandomGame:
    """A ground game, and its rules by level: `not` only reaches lower ones."""

    ground: GroundGame
    levels: Rules

    def evaluate(self, true: set[int]) -> set[int]:
        """Return all true atoms, given those of the position and the moves."""
        known = set(true)
        for rules in self.levels:
            lower, size = frozenset(known), -1
            while len(known) > size:
                size = len(known)
                for head, body in rules:
                    if all(x in known if x > 0 else -x not in lower for x in body):
                        known.add(head)
        return known


def make_game(seed: int) -> RandomGame:
    random = Random(seed)
    fluents = list(range(1, 1 + random.randint(1, 5)))
    first = len(fluents) + 1
    counts = [random.randint(1, 3) for _ in range(random.randint(1, 2))]
    moves = [list(range(first + sum(counts[:r]), first + sum(counts[: r + 1])))
             for r in range(len(counts))]  # fmt: skip
    number = first + sum(counts)
    levels: Rules = []
    lower = list(fluents)
    for level in range(3):
        if level == 2:  # only the next position depends on the moves
            lower = [*lower, *(move for of_role in moves for move in of_role)]
        atoms = list(range(number, number + random.randint(1, 5)))
        number += len(atoms)
        levels.append(
            [
                (
                    head,
                    [
                        _literal(random, lower, atoms)
                        for _ in range(random.randint(1, 3))
                    ],
                )
                for head in atoms
                for _ in range(random.randint(1, 3))
            ]
        )
        if level == 1:
            seen = [*lower, *atoms]  # by terminal, goals, legal and the features
        lower = [*lower, *atoms]
    rules = [rule for level_rules in levels for rule in level_rules]
    views = [GroundFeature("f", False, (1.0, 1.0), tuple(_signed(random, seen, 2)))]
    ground = GroundGame(
        roles=tuple(f"r{r}" for r in range(len(counts))),
        fluents=tuple(f"f{f}" for f in fluents),
        fluent_atoms=tuple(fluents),
        initial=tuple(random.random() < 0.5 for _ in fluents),
        next=tuple(random.choice([*_signed(random, lower, 5), *fluents, TRUE, FALSE])
                   for _ in fluents),
        moves=tuple(tuple(f"m{m}" for m in of_role) for of_role in moves),
        move_atoms=tuple(map(tuple, moves)),
        legal=tuple(tuple(_signed(random, seen, len(of_role))) for of_role in moves),
        terminal=random.choice([*_signed(random, seen, 4), FALSE]),
        goals=tuple(
            tuple(zip((0, 100), _signed(random, seen, 2), strict=True)) for _ in counts
        ),
        heads=np.array([head for head, _ in rules], np.int32),
        ends=np.cumsum([len(body) for _, body in rules]).astype(np.int32),
        bodies=np.array([x for _, body in rules for x in body], np.int32),
        guards=frozenset(),
        features=(tuple(views),),
    )  # fmt: skip
    return RandomGame(ground, levels)


def _body(random: Random, lower: list[int], same: list[int]) -> list[int]:
    return [_literal(random, lower, same) for _ in range(random.randint(1, 3))]


def _literal(random: Random, lower: list[int], same: list[int]) -> int:
    if random.random() < 0.35:
        return random.choice(same)  # recursion
    return random.choice(lower) * random.choice([1, 1, -1])


def _signed(random: Random, atoms: list[int], count: int) -> list[int]:
    return [random.choice(atoms) * random.choice([1, -1]) for _ in range(count)]


def holds(literal: int, known: set[int]) -> bool:
    if literal in (TRUE, FALSE):
        return literal == TRUE
    return literal in known if literal > 0 else -literal not in known


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


def random_inputs(game: RandomGame, random: Random) -> set[int]:
    moves = {random.choice(of_role) for of_role in game.ground.move_atoms}
    return moves | {f for f in game.ground.fluent_atoms if random.random() < 0.5}


def expected(game: RandomGame, true: set[int]) -> dict[int, list[bool]]:
    """What the rules say, by phase."""
    ground, known = game.ground, game.evaluate(true)
    literals = {
        TERMINAL: [ground.terminal],
        GOALS: [literal for goals in ground.goals for _, literal in goals],
        LEGAL: [literal for of_role in ground.legal for literal in of_role],
        NEXT: list(ground.next),
        FEATURES: [x for view in ground.features for f in view for x in f.literals],
    }
    return {p: [holds(x, known) for x in wanted] for p, wanted in literals.items()}


def check(game: RandomGame, circuit: Circuit, random: Random) -> None:
    program = schedule(circuit)
    for _ in range(8):
        true = random_inputs(game, random)
        wanted = expected(game, true)
        machine = Machine(program, true)  # as when a position is viewed
        machine.run(TERMINAL)
        assert machine.read(program.terminal) == wanted[TERMINAL][0]
        machine.run(GOALS)
        assert machine.read_all(program.goals) == wanted[GOALS]
        machine.run(FEATURES)
        assert machine.read_all(program.features) == wanted[FEATURES]
        machine.run(LEGAL)
        assert machine.read_all(program.legal) == wanted[LEGAL]
        machine.run(NEXT)
        assert machine.take_next() == wanted[NEXT]

        machine = Machine(program, true)  # as when moves are made
        for phase in (SHARED, LEGAL):
            machine.run(phase)
        assert machine.read_all(program.legal) == wanted[LEGAL]
        machine.run(NEXT)
        assert machine.take_next() == wanted[NEXT]

        machine = Machine(program, true)  # as when a playout begins
        machine.run(TERMINAL)
        kept = {*range(1 + circuit.graph.inputs - _variables(circuit))}
        kept |= {*program.carried.tolist()}
        machine.slots = {s: v for s, v in machine.slots.items() if s in kept}
        machine.run(LEGAL)
        assert machine.read_all(program.legal) == wanted[LEGAL]
        machine.run(NEXT)
        assert machine.take_next() == wanted[NEXT]


def _variables(circuit: Circuit) -> int:
    return sum(len(loop.variables) for loop in circuit.loops)


@many
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


def test_recursion_makes_loops_and_no_other_rules_do() -> None:
    game = next(g for g in map(make_game, range(99)) if build(g.ground).loops)
    bodies = game.ground.bodies.copy()
    heads = {head for level in game.levels for head, _ in level}
    bodies[[x in heads for x in bodies.tolist()]] = game.ground.fluent_atoms[0]
    assert not build(replace(game.ground, bodies=bodies)).loops


@many
@given(seeds)
def test_slots_are_shared(seed: int) -> None:
    """A program never has more slots than one for every gate would take."""
    circuit = build(make_game(seed).ground)
    program = schedule(circuit)
    assert program.slots <= 1 + circuit.graph.inputs + len(program.left)
    assert program.slot.min(initial=program.slots) > circuit.graph.inputs
