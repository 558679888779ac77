"""Which moves win at once, and which let another role win: gates of one turn.

A move wins if it leads to a terminal position with the best goal of the role that makes
it. With the move put in place, the next position is a function of the present one, and
so are whether it is terminal and its goals. Only what a move changes is composed; what
is the same in both positions is shared with the present one, of which it is known that
it is not terminal.

What is found is exact where all roles but one have a single legal move, and that is a
part of it, so that nothing is said about positions where several roles choose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from gamelore.circuit.build import Circuit
from gamelore.circuit.evaluation import AssumingBuilder, Evaluation, imply_in
from gamelore.circuit.graph import FALSE, TRUE, Graph, prune
from gamelore.circuit.turns import TurnOrder, find_known_moves

MOST_GROWTH = 12
"""Times as many gates as the game's circuit has, before composing ends."""


class TooLargeError(Exception):
    """The wins of a game are not told by a small circuit."""


@dataclass(frozen=True)
class ConstantSum:
    """Two players whose goals always have the same sum."""

    total: int
    first: int
    second: int

    def other(self, role: int) -> int:
        return self.second if role == self.first else self.first


class Parts:
    """A circuit in parts: what tells of ends, and what tells of moves."""

    def __init__(self, circuit: Circuit, constant: ConstantSum | None = None) -> None:
        self.circuit = circuit
        self.constant = constant
        self.fluents, self.moves = len(circuit.fluents), circuit.move_count
        outputs = circuit.graph.outputs
        goals = 1 + circuit.goal_count
        self.ends = _part(circuit.graph, outputs[:goals])
        """Terminal, and all goals."""
        self.step = _part(circuit.graph, outputs[goals:])
        """Legal moves, and the next position."""
        self.quiet = imply_in(self.ends, int(self.ends.outputs[0]) ^ 1)
        """Nodes of `ends` that are constants where a position is not terminal."""
        self.first_goal = [1]
        self.first_move = [0]
        for values, moves in zip(circuit.goal_values, circuit.moves, strict=True):
            self.first_goal.append(self.first_goal[-1] + len(values))
            self.first_move.append(self.first_move[-1] + len(moves))

    def winning_goals(self, role: int) -> list[int] | None:
        """Return which outputs of `ends` are true if a role wins; None if it cannot.

        They are its best goal and, where the sum is constant, what is left to the other
        player: goals of another sum are no win, whatever playouts have shown.
        """
        best = max(self.circuit.goal_values[role])
        wanted = {role: best}
        if self.constant is not None:
            wanted[self.constant.other(role)] = self.constant.total - best
        found = []
        for one, value in wanted.items():
            if value not in self.circuit.goal_values[one]:
                return None
            place = self.circuit.goal_values[one].index(value)
            found.append(self.first_goal[one] + place)
        return found

    def is_player(self, role: int) -> bool:
        """Return whether a role chooses for a goal, and can get more than one."""
        return (
            self.circuit.roles[role] != "random"
            and len(self.circuit.goal_values[role]) > 1
        )


def _part(graph: Graph, outputs: npt.NDArray[np.int32]) -> Graph:
    return prune(replace(graph, outputs=outputs))


class Reply:
    """A move of the present position, and what comes after it if it is legal."""

    def __init__(self, move: int, legal: int, changes: dict[int, int]) -> None:
        self.move = move
        self.legal = legal
        """Literal: this is legal, and no other role has a choice."""
        self.changes = changes
        """By node of `ends`: fluents that differ from the present position's."""
        self.ends = FALSE
        """Literal: the next position is terminal."""
        self.wins = FALSE
        """Literal: the move is legal and wins."""


class TurnWins:
    """The gates of one turn that tell which moves win at once."""

    def __init__(
        self, parts: Parts, order: TurnOrder, turn: int, most_work: int
    ) -> None:
        self.parts, self.order, self.turn = parts, order, turn
        self.builder = AssumingBuilder(parts.fluents + parts.moves)
        self.work = 0
        """Gates that were evaluated so far."""
        self._most_work = most_work
        self._most_gates = MOST_GROWTH * parts.circuit.graph.gates + 2000
        self.fluents_at_first = self._fluents_in(turn)
        self.fluents = self.fluents_at_first
        self.present = self.evaluate_ends(self.fluents)
        self.builder.assume(self.present.output(0) ^ 1)
        self.fluents = [self.builder.simplify(literal) for literal in self.fluents]
        self.step = self._find_step()
        self.legal = [self.step.output(i) for i in range(parts.moves)]
        self.following = [
            self.step.output(parts.moves + f) for f in range(parts.fluents)
        ]
        self.chosen = self._find_chosen()
        self.idle = [self._find_idle(role) for role in range(len(self.chosen))]
        """Per role, a literal that says that it has a single move; that move."""

    def find_wins(self, before: TurnWins) -> None:
        """Compose what moves lead to; `before` is the turn before this one."""
        after_next = (self.turn + 1) % len(self.order.values)
        self._assume_quiet(before, after_next)
        self.later = self.evaluate_ends(self._fluents_in(after_next))
        """Ends of the present position, if it were the next turn's."""
        self.guards = [self._find_guard(role) for role in range(len(self.chosen))]
        self.replies = [self._find_replies(role) for role in range(len(self.chosen))]
        self.wins = [
            self.builder.disjoin(reply.wins for reply in replies)
            for replies in self.replies
        ]
        """Per role, a literal: it can win at once."""

    def _assume_quiet(self, before: TurnWins, turn: int) -> None:
        """Take ends of another turn to be none of this position, where that is known.

        The position before was not terminal. What it says of the ends in `turn`, and
        what no move changes, still holds.
        """
        known = dict(zip(self.order.fluents, self.order.values[turn], strict=True))
        moved = [
            int(known[f]) if f in known else literal
            for f, literal in enumerate(before.following)
        ]
        reached = before.evaluate_ends(moved)
        present = self.evaluate_ends(self._fluents_in(turn))
        for node, value in self.parts.quiet.items():
            if reached.values[node] == value and present.values[node] > 1:
                self.builder.assume(present.values[node] ^ value ^ 1)

    def evaluate_ends(self, fluents: Sequence[int]) -> Evaluation:
        """Return the literals of terminal and goals of a position given by literals."""
        return self._evaluate(self.parts.ends, [*fluents, *[FALSE] * self.parts.moves])

    def _evaluate(self, graph: Graph, inputs: Sequence[int]) -> Evaluation:
        self.count_work(graph.gates)
        return Evaluation(self.builder, graph, inputs)

    def count_work(self, gates: int) -> None:
        """Add to the work that was done; `TooLargeError` where it is too much."""
        self.work += gates
        if self.work > self._most_work or self.builder.gates > self._most_gates:
            raise TooLargeError

    def _fluents_in(self, turn: int) -> list[int]:
        """Return the present fluents, but those of the order as in another turn."""
        known = dict(zip(self.order.fluents, self.order.values[turn], strict=True))
        return [
            int(known[f]) if f in known else self.builder.input(f)
            for f in range(self.parts.fluents)
        ]

    # ── moves ───────────────────────────────────────────────────────────────────────

    def _find_step(self) -> Evaluation:
        """Return legal moves and the next position, by the moves that may be made."""
        parts, builder = self.parts, self.builder
        moves = [builder.input(parts.fluents + i) for i in range(parts.moves)]
        step = self._evaluate(parts.step, [*self.fluents, *moves])
        legal = [step.output(i) for i in range(parts.moves)]
        known = find_known_moves(parts.circuit, legal)
        moves = [known.get(literal >> 1, literal) for literal in moves]
        return self._evaluate(parts.step, [*self.fluents, *moves])

    def _find_chosen(self) -> list[list[int]]:
        """Return for each role the moves that it may make."""
        ends = self.parts.first_move
        return [
            [m for m in range(first, end) if self.legal[m] != FALSE]
            for first, end in pairwise(ends)
        ]

    def _find_idle(self, role: int) -> tuple[int, int] | None:
        """Return a literal, true only where a role has one legal move, and the move.

        Such a literal is implied by all its other moves not being legal.
        """
        moves = self.chosen[role]
        if len(moves) == 1 and self.legal[moves[0]] == TRUE:
            return TRUE, moves[0]
        for waiting in moves:
            literal = self.legal[waiting] ^ 1
            if literal < 2:
                continue
            others = [m for m in moves if m != waiting]
            if others and all(
                self.builder.imply(self.legal[m]).get(literal & ~1) == 1 - (literal & 1)
                for m in others
            ):
                return literal ^ 1, waiting
        return None

    def _find_guard(self, role: int) -> int | None:
        """Return a literal: all others have one legal move; None if unknown."""
        others = [idle for other, idle in enumerate(self.idle) if other != role]
        if not self.parts.is_player(role) or None in others:
            return None
        return self.builder.conjoin(idle[0] for idle in others if idle is not None)

    def _find_replies(self, role: int) -> list[Reply]:
        """Return what comes of each move of a role."""
        guard = self.guards[role]
        if guard is None or guard == FALSE or len(self.chosen[role]) == 0:
            return []
        parts = self.parts
        moves = [FALSE] * parts.moves
        for other, idle in enumerate(self.idle):
            if other != role and idle is not None:
                moves[idle[1]] = TRUE
        still = self._evaluate(parts.step, [*self.fluents, *moves])
        return [self._reply(role, move, still) for move in self.chosen[role]]

    def _reply(self, role: int, move: int, still: Evaluation) -> Reply:
        parts, builder = self.parts, self.builder
        legal = self.legal[move]
        guard = self.guards[role]
        assert guard is not None
        made = 1 + parts.fluents + move
        before = still.work
        plain = still.change({made: TRUE})
        known = still.change({**builder.input_values([legal, guard]), made: TRUE})
        self.count_work(still.work - before)
        changes = {}
        for f in range(parts.fluents):
            # What stays the same keeps its literal, known or not: it is shared.
            if still.output(parts.moves + f, plain) != self.later.values[1 + f]:
                changes[1 + f] = still.output(parts.moves + f, known)
        reply = Reply(move, builder.both(guard, legal), changes)
        before = self.later.work
        after = self.later.change(changes)
        self.count_work(self.later.work - before)
        reply.ends = self.later.output(0, after)
        goals = parts.winning_goals(role)
        if reply.ends != FALSE and goals is not None:
            literals = [self.later.output(goal, after) for goal in goals]
            won = literals[0]
            for literal in [reply.ends, *literals[1:]]:
                if not builder.implies(won, literal):
                    won = builder.both(won, literal)
            reply.wins = builder.both(reply.legal, won)
        return reply
