"""Circuits of turns: they say what the whole circuit says, wherever a turn is known.

The programs are evaluated by hand, in 64 lanes of Python integers.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from random import Random

import numpy as np
import pytest
from tests.marks import mark_slow

from gamelore.circuit import CompiledGame, compile_game
from gamelore.circuit.build import build
from gamelore.circuit.program import (
    GATES,
    GOALS,
    LEGAL,
    NEXT,
    PHASES,
    TERMINAL,
    Program,
)
from gamelore.circuit.turns import (
    find_turn_order,
    make_turn_circuit,
    make_turn_circuits,
)
from gamelore.games import load
from gamelore.gdl import Game, to_kif
from gamelore.ground import ground

LANES = 64
_ALL = (1 << LANES) - 1

THREE = """
(role a) (role b) (role c)
(init (turn a)) (init (count 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(follows a b) (follows b c) (follows c a)
(option x) (option y) (option z)
(<= (legal ?r ?m) (true (turn ?r)) (option ?m) (not (true (used ?m))))
(<= (legal ?r pass) (true (turn ?r)))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (turn ?s)) (true (turn ?r)) (follows ?r ?s))
(<= (next (used ?m)) (does ?r ?m) (option ?m))
(<= (next (used ?m)) (true (used ?m)) (not (does c pass)))
(<= (next (count ?m)) (true (count ?n)) (succ ?n ?m))
(<= terminal (true (count 5)))
(<= (goal ?r 100) (role ?r) (true (used x)))
(<= (goal ?r 0) (role ?r) (not (true (used x))))
"""

LINES = """
(role x) (role o) (follows x o) (follows o x)
(init (turn x)) (cell 1) (cell 2) (cell 3) (cell 4) (cell 5) (cell 6) (cell 7) (cell 8)
(line 1 2 3) (line 4 5 6) (line 1 4 7) (line 2 5 8) (line 3 5 7) (line 6 7 8)
(<= (taken ?c) (true (has ?r ?c)))
(<= (open ?c) (cell ?c) (not (taken ?c)))
(<= (legal ?r (take ?c)) (true (turn ?r)) (open ?c))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (has ?r ?c)) (does ?r (take ?c)))
(<= (next (has ?r ?c)) (true (has ?r ?c)))
(<= (next (turn ?s)) (true (turn ?r)) (follows ?r ?s))
(<= (made ?r) (line ?a ?b ?c) (true (has ?r ?a)) (true (has ?r ?b)) (true (has ?r ?c)))
(<= unfinished (open ?c))
(<= terminal (made x)) (<= terminal (made o)) (<= terminal (not unfinished))
(<= (goal ?r 100) (made ?r))
(<= (goal ?r 50) (role ?r) (not (made x)) (not (made o)))
(<= (goal ?r 0) (follows ?r ?s) (made ?s))
"""
"""Either role's lines end a match, whoever has moved."""

GAMES = (
    "tictactoe",
    "connect-four",
    "breakthrough-5x5",
    "othello-4x4",
    "hex-4x4",
    "english-draughts",
    "rock-paper-scissors",
    "capture-go-5x5",
    "tron",
    "three",
    "lines",
)


def find_game(name: str) -> Game:
    own = {"three": THREE, "lines": LINES}
    return Game.from_kif(own[name], name) if name in own else load(name)


class Machine:
    """Runs the phases of a program in 64 lanes, in plain Python."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.slots = [0] * program.slots

    def read(self, literal: int) -> int:
        return self.slots[literal >> 1] ^ (_ALL if literal & 1 else 0)

    def read_all(self, literals: np.ndarray) -> list[int]:
        return [self.read(literal) for literal in literals.tolist()]

    def run(self, phase: int) -> None:
        for kind, first, end in self.program.segments[
            slice(*self.program.phases[phase])
        ].tolist():
            if kind == GATES:
                self._evaluate(first, end)
            else:
                self._repeat(self.program.runs[first:end].tolist())

    def _evaluate(self, first: int, end: int) -> None:
        program = self.program
        for gate in range(first, end):
            both = self.read(int(program.left[gate])) & self.read(
                int(program.right[gate])
            )
            self.slots[int(program.slot[gate])] = both

    def _repeat(self, runs: list[list[int]]) -> None:
        for *_, variable in runs:
            self.slots[variable] = 0
        changed = True
        while changed:
            changed = False
            for first, end, literal, variable in runs:
                self._evaluate(first, end)
                new = self.slots[variable] | self.read(literal)
                changed |= new != self.slots[variable]
                self.slots[variable] = new


class Lanes:
    """64 matches, on the program of the whole game and on those of turns."""

    def __init__(self, compiled: CompiledGame, seed: int) -> None:
        self.compiled = compiled
        self.random = Random(seed)
        self.whole = Machine(compiled.program)
        self.turns = Machine(compiled.turn_program)
        self.facts = [_ALL if true else 0 for true in compiled.initial]
        self.live = _ALL
        self.step = 0

    def advance(self) -> bool:
        """Compare all that both say of a step; return whether a match goes on."""
        program, turns = self.compiled.program, self.compiled.turns
        turn = self.step % len(turns.terminal)
        whole, part = self.whole, self.turns
        for machine in (whole, part):
            machine.slots[1 : 1 + len(self.facts)] = self.facts
        whole.run(TERMINAL)
        part.run(PHASES * turn + TERMINAL)
        terminal = whole.read(program.terminal)
        self._compare([terminal], [part.read(int(turns.terminal[turn]))])
        whole.run(GOALS)
        part.run(PHASES * turn + GOALS)
        self._compare(whole.read_all(program.goals), part.read_all(turns.goals[turn]))
        self.live &= ~terminal
        whole.run(LEGAL)
        part.run(PHASES * turn + LEGAL)
        self._move(turn)
        whole.run(NEXT)
        part.run(PHASES * turn + NEXT)
        self.facts = whole.read_all(program.next)
        self._compare(self.facts, part.read_all(turns.next[turn]))
        self.step += 1
        return self.live != 0

    def _compare(self, one: list[int], other: list[int]) -> None:
        """Require that lanes are the same in matches that go on."""
        assert [lanes & self.live for lanes in one] == [
            lanes & self.live for lanes in other
        ]

    def _move(self, turn: int) -> None:
        """Choose legal moves in every lane: as slots of moves, and as groups."""
        program, turns = self.compiled.program, self.compiled.turns
        legal = self.whole.read_all(program.legal)
        chosen = self._choose(legal)
        for move, lanes in enumerate(chosen):
            self.whole.slots[program.first_move + move] = lanes
        for slot in range(*turns.group_slots[turn].tolist()):
            self.turns.slots[slot] = 0
        offered = self._offered(turn)
        for move in set(range(len(legal))) - set(offered):
            assert not self.live & legal[move] & ~self._only_move(move, legal)
        for move, number in offered.items():
            self._compare([legal[move]], [self.turns.read(int(turns.legal[number]))])
            start = int(turns.group_ends[number - 1]) if number else 0
            for slot in turns.groups[start : turns.group_ends[number]].tolist():
                self.turns.slots[slot] |= chosen[move]

    def _only_move(self, move: int, legal: list[int]) -> int:
        """The lanes in which a role has no other legal move than this one."""
        ends = self.compiled.program.move_ends
        role = int(np.searchsorted(ends, move, side="right"))
        first = int(ends[role - 1]) if role else 0
        others = [legal[m] for m in range(first, int(ends[role])) if m != move]
        return _ALL & ~reduce(or_, others, 0)

    def _choose(self, legal: list[int]) -> list[int]:
        chosen = [0] * len(legal)
        first = 0
        for end in self.compiled.program.move_ends.tolist():
            for lane in range(LANES):
                options = [m for m in range(first, end) if legal[m] >> lane & 1]
                if options:
                    chosen[self.random.choice(options)] |= 1 << lane
            first = end
        return chosen

    def _offered(self, turn: int) -> dict[int, int]:
        """The numbers among the moves of turns, by the numbers among all moves."""
        turns = self.compiled.turns
        first = int(turns.move_ends[turn - 1, -1]) if turn else 0
        numbers = range(first, int(turns.move_ends[turn, -1]))
        return {int(turns.moves[number]): number for number in numbers}


@pytest.mark.parametrize("name", mark_slow(GAMES, {"capture-go-5x5"}))
def test_turns_say_what_the_whole_circuit_says(name: str) -> None:
    lanes = Lanes(compile_game(find_game(name)), seed=1)
    for _ in range(24):
        if not lanes.advance():
            break
    assert lanes.step >= 2


def turn_facts(name: str) -> list[list[str]]:
    circuit = build(ground(find_game(name)))
    order = find_turn_order(circuit)
    return [
        [
            to_kif(circuit.fluents[fluent])
            for fluent, value in zip(order.fluents, values, strict=True)
            if value
        ]
        for values in order.values
    ]


def test_turns_are_found_where_they_follow_each_other_whatever_is_moved() -> None:
    assert turn_facts("tictactoe") == [["(control x)"], ["(control o)"]]
    assert turn_facts("three") == [["(turn a)"], ["(turn b)"], ["(turn c)"]]
    assert turn_facts("rock-paper-scissors") == [[]]
    assert turn_facts("english-draughts") == [[]]  # another jump is another turn


def test_what_others_could_do_drops_out() -> None:
    statistics = compile_game(load("breakthrough")).statistics
    assert statistics.turns == 2
    assert statistics.gates_per_turn < 0.5 * statistics.gates


def test_lines_of_who_has_not_moved_are_not_looked_for() -> None:
    circuit = build(ground(find_game("lines")))
    order = find_turn_order(circuit)
    plain = [make_turn_circuit(circuit, order, turn) for turn in range(2)]
    quiet = make_turn_circuits(circuit, order)
    for one, other in zip(plain, quiet, strict=True):
        assert other.circuit.graph.gates < 0.7 * one.circuit.graph.gates
