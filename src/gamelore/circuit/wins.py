"""A circuit that also tells which moves win at once, for playouts that see them.

A move wins if it leads to a terminal position with the best goal of the role that
makes it. With the move put in place, the next position is a function of the present
one, and so are whether it is terminal and its goals: those gates are composed, once for
each move. What comes out is small where a win has simple reasons (a line, a far row),
and as large as the whole circuit for each move where it has not (a majority of stones).

All roles but one are taken to have one legal move, as in games played in turns.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from gamelore.circuit.build import Circuit
from gamelore.circuit.compiled import CompiledGame
from gamelore.circuit.graph import FALSE, TRUE, GraphBuilder
from gamelore.circuit.minimise import minimise
from gamelore.circuit.program import (
    GATES,
    GOALS,
    LEGAL,
    NEXT,
    SHARED,
    TERMINAL,
    Program,
)
from gamelore.circuit.schedule import schedule
from gamelore.ground import GroundFeature

_MOST_WORK = 500_000  # moves times gates: composing them all takes seconds
_MOST_GROWTH = 12  # times as many gates, before minimising
_MOST_COST = 6  # times as many gates to run in a step, after it


class _TooLargeError(Exception):
    """The wins of a game are not told by a small circuit."""


def add_wins(compiled: CompiledGame, roles: tuple[str, ...]) -> Program | None:
    """Return the program with a literal for each move, set where the move wins at once.

    They are `features` of the program, moves of all roles in order. There is no such
    program where it would be large, or where the circuit has loops.
    """
    program = compiled.program
    work = len(program.legal) * len(program.left)
    if len(program.runs) or work > _MOST_WORK:
        return None
    try:
        return _Composition(compiled, roles).program()
    except _TooLargeError:
        return None


class _Composition:
    def __init__(self, compiled: CompiledGame, roles: tuple[str, ...]) -> None:
        self.compiled = compiled
        self.roles = roles
        self.base = compiled.program
        self.fluents = len(compiled.fluents)
        self.moves = len(self.base.legal)
        self.builder = GraphBuilder(self.fluents + self.moves)
        self.most = _MOST_GROWTH * len(self.base.left) + 1000

    def program(self) -> Program | None:
        base, builder = self.base, self.builder
        fluents = [builder.input(i) for i in range(self.fluents)]
        moves = [builder.input(self.fluents + i) for i in range(self.moves)]
        values = self._inputs(fluents, moves)
        shared = self._run(SHARED, dict(values))
        terminal = self._run(TERMINAL, dict(values))
        ended = self._literal(base.terminal, terminal)
        reached = self._run(GOALS, dict(terminal))
        goals = [self._literal(literal, reached) for literal in base.goals.tolist()]
        known = self._run(LEGAL, shared)
        legal = [self._literal(literal, known) for literal in base.legal.tolist()]
        after = self._run(NEXT, dict(known))
        following = [self._literal(literal, after) for literal in base.next.tolist()]
        wins = self._wins(fluents, legal)
        outputs = [ended, *goals, *legal, *following, *wins]
        circuit = Circuit(
            roles=self.roles,
            fluents=self.compiled.fluents,
            initial=self.compiled.initial,
            moves=self.compiled.moves,
            goal_values=self._goal_values(),
            features=((GroundFeature("wins", False, (), tuple(wins)),),),
            loops=(),
            graph=builder.finish(outputs),
        )
        circuit = replace(circuit, graph=minimise(circuit.graph).graph)
        program = schedule(circuit)
        if len(program.left) > _MOST_COST * len(base.left):
            return None
        return program

    def _wins(self, fluents: list[int], legal: list[int]) -> list[int]:
        """For each move, the literal of its winning at once."""
        base = self.base
        wins = []
        first = 0
        for role, end in enumerate(base.move_ends.tolist()):
            for move in range(first, end):
                if self.roles[role] == "random" or legal[move] == FALSE:
                    wins.append(FALSE)
                    continue
                made = list(legal)  # of the others, what is legal: one move each
                made[first:end] = [FALSE] * (end - first)
                made[move] = TRUE
                wins.append(self._win(fluents, made, role, legal[move]))
            first = end
        return wins

    def _win(self, fluents: list[int], made: list[int], role: int, legal: int) -> int:
        base = self.base
        known = self._run(LEGAL, self._run(SHARED, self._inputs(fluents, made)))
        after = self._run(NEXT, known)
        following = [self._literal(literal, after) for literal in base.next.tolist()]
        values = self._run(TERMINAL, self._inputs(following, [FALSE] * self.moves))
        ended = self._literal(base.terminal, values)
        if ended == FALSE:
            return FALSE
        reached = self._run(GOALS, values)
        first = int(base.goal_ends[role - 1]) if role else 0
        own = range(first, int(base.goal_ends[role]))
        best = max(own, key=lambda g: int(base.goal_values[g]))
        goal = self._literal(int(base.goals[best]), reached)
        return self.builder.conjoin([legal, ended, goal])

    def _inputs(self, fluents: list[int], moves: list[int]) -> dict[int, int]:
        """What slots hold at first: literals of the graph."""
        values = {0: FALSE}
        values |= {1 + i: literal for i, literal in enumerate(fluents)}
        first = self.base.first_move
        values |= {first + i: literal for i, literal in enumerate(moves)}
        return values

    def _literal(self, literal: int, values: dict[int, int]) -> int:
        return values.get(literal >> 1, FALSE) ^ (literal & 1)

    def _run(self, phase: int, values: dict[int, int]) -> dict[int, int]:
        """Run a phase over literals in place of bits; changes and returns `values`."""
        base, both = self.base, self.builder.both
        for segment in range(*base.phases[phase]):
            kind, first, end = base.segments[segment].tolist()
            assert kind == GATES
            span = slice(first, end)
            columns = base.left[span], base.right[span], base.slot[span]
            for left, right, slot in zip(*(c.tolist() for c in columns), strict=True):
                one = values.get(left >> 1, FALSE) ^ (left & 1)
                other = values.get(right >> 1, FALSE) ^ (right & 1)
                values[slot] = both(one, other)
        if self.builder.gates > self.most:
            raise _TooLargeError
        return values

    def _goal_values(self) -> tuple[tuple[int, ...], ...]:
        ends = [0, *self.base.goal_ends.tolist()]
        values = self.base.goal_values.tolist()
        return tuple(tuple(values[a:b]) for a, b in pairwise(ends))
