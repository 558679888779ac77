"""Circuits of turns for playouts that see one move ahead.

A role that can win at once does so, and makes no move that lets another role win at
once, unless all its moves do (Teytaud and Teytaud: decisive and anti-decisive moves).
That is a part of a turn's circuit, so that kernels play such turns as all others.

Where two players share a constant sum, their match ends as soon as one of them can win
at once, or must let the other one do so: then it counts as terminal, with these goals.
Ends that only a winning move leads to are no part of such a circuit. With other goals,
only winning moves are legal where there are some, and they are made.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from gamelore.circuit.build import Circuit
from gamelore.circuit.compiled import CompiledGame
from gamelore.circuit.evaluation import Evaluation
from gamelore.circuit.graph import FALSE, TRUE
from gamelore.circuit.minimise import minimise
from gamelore.circuit.program import Program, Turns
from gamelore.circuit.restore import restore_circuit
from gamelore.circuit.store import LookaheadStore
from gamelore.circuit.turn_program import lay_out_turns
from gamelore.circuit.turns import (
    TurnCircuit,
    TurnOrder,
    find_known_moves,
    find_turn_order,
    group_moves,
    make_turn_circuit,
)
from gamelore.circuit.wins import ConstantSum as ConstantSum
from gamelore.circuit.wins import Parts, Reply, TooLargeError, TurnWins
from gamelore.gdl import Game

_QUICK = 0.2  # seconds: what takes longer is kept
_MOST_WORK = 1_000_000  # gates that are evaluated to compose them, 2 µs each
_MOST_COST = 6  # times as long a turn as without lookahead
_REST = 1000  # gates that take as long as all else in a turn: choosing moves, and so on
_MOST_MINIMISED = 10_000  # gates: of more, passes take seconds
_PASSES = 4  # over all gates; those after the first two save little


def find_lookahead(
    game: Game, compiled: CompiledGame, constant: ConstantSum | None
) -> tuple[Program, Turns] | None:
    """Return the circuits of turns with lookahead, from the cache if they are there.

    None where they would be large, where the circuit has loops, and where it is not
    minimised, since a better one is to come. What took long is kept with the compiled
    game.
    """
    if compiled.statistics.effort == "least":
        return None
    store = LookaheadStore(game, compiled.program, repr(constant))
    stored = store.load()
    if stored is not None:
        return None if stored == "none" else stored
    began = time.process_time()
    circuit = restore_circuit(compiled, game.roles)
    made = None if circuit is None else add_lookahead(circuit, constant)
    if time.process_time() - began > _QUICK:
        store.save(made)
    return made


def add_lookahead(
    circuit: Circuit, constant: ConstantSum | None
) -> tuple[Program, Turns] | None:
    """Lay out the circuits of all turns with lookahead; None where they are large."""
    order = find_turn_order(circuit)
    turns = range(len(order.values))
    try:
        found = _compose(circuit, order, constant)
    except TooLargeError:
        return None
    plain = [make_turn_circuit(circuit, order, turn) for turn in turns]
    ahead = [_minimised(one) for one in found]
    if _cost(ahead) > _MOST_COST * _cost(plain):
        return None
    return lay_out_turns(order, ahead)


def _cost(turns: Sequence[TurnCircuit]) -> int:
    """Return what a move in each turn takes, in gates."""
    return sum(_REST + one.circuit.graph.gates for one in turns)


def _compose(
    circuit: Circuit, order: TurnOrder, constant: ConstantSum | None
) -> list[TurnCircuit]:
    """Return the circuits of turns, not minimised."""
    parts = Parts(circuit, constant)
    turns = range(len(order.values))
    wins = [TurnWins(parts, order, t, _MOST_WORK // len(turns)) for t in turns]
    for turn, one in enumerate(wins):
        one.find_wins(wins[turn - 1])
    if all(literal == FALSE for one in wins for literal in one.wins):
        raise TooLargeError
    return [_Turn(wins, turn).circuit() for turn in turns]


def _minimised(turn: TurnCircuit) -> TurnCircuit:
    graph = turn.circuit.graph
    if graph.gates <= _MOST_MINIMISED:
        graph = minimise(graph, "quick", visits=_PASSES * graph.gates).graph
    return replace(turn, circuit=replace(turn.circuit, graph=graph))


class _Turn:
    """One turn, when the wins of all turns are known."""

    def __init__(self, wins: Sequence[TurnWins], turn: int) -> None:
        self.wins = wins[turn]
        self.before = wins[turn - 1]
        self.after = wins[(turn + 1) % len(wins)]
        self.parts = self.wins.parts
        self.constant = self.parts.constant
        self.builder = self.wins.builder
        self.roles = range(len(self.parts.circuit.roles))

    def circuit(self) -> TurnCircuit:
        legal = list(self.wins.legal)
        ends: list[tuple[int, int]] = []
        """Literals that end the match, and the role that has won then."""
        threats = self._find_threats()
        for role in self.roles:
            replies = self.wins.replies[role]
            if not replies:
                continue
            safe = self._find_safe(role, replies, threats)
            some = self.builder.disjoin(safe.values())
            if self.constant is None:
                self._restrict(role, legal, safe, some)
                continue
            ends.append((self.wins.wins[role], role))
            guard = self.wins.guards[role]
            assert guard is not None
            if any(safe[r.move] != r.legal for r in replies):
                lost = self.builder.both(guard, some ^ 1)
                ends.append((lost, self.constant.other(role)))
                for reply in replies:
                    legal[reply.move] = self._choose(
                        guard, safe[reply.move], legal[reply.move]
                    )
        following = self._find_next(legal)
        outputs = [*self._end(ends), *legal, *following]
        return group_moves(self.parts.circuit, self.builder, outputs)

    # ── moves ───────────────────────────────────────────────────────────────────────

    def _find_threats(self) -> Evaluation:
        """Return the wins of the next turn, over the fluents of this one."""
        wanted = [
            literal if self.parts.is_player(role) else FALSE
            for role, literal in enumerate(self.after.wins)
        ]
        graph = self.after.builder.finish(wanted)
        inputs = self.wins.later.values[1 : 1 + self.parts.fluents]
        self.wins.count_work(graph.gates)
        return Evaluation(self.builder, graph, [*inputs, *[FALSE] * self.parts.moves])

    def _find_safe(
        self, role: int, replies: Sequence[Reply], threats: Evaluation
    ) -> dict[int, int]:
        """Return a literal per move: legal, and no other role wins at once after it."""
        if self._lets_others_win(role):
            return {reply.move: reply.legal for reply in replies}
        builder = self.builder
        safe = {}
        for reply in replies:
            before = threats.work
            changed = threats.change(reply.changes)
            self.wins.count_work(threats.work - before)
            lost = builder.disjoin(
                threats.output(other, changed) for other in self.roles if other != role
            )
            mistake = builder.both(lost, reply.ends ^ 1)
            safe[reply.move] = builder.both(reply.legal, mistake ^ 1)
        return safe

    def _find_next(self, legal: Sequence[int]) -> list[int]:
        """Return the next position, if only these moves are made."""
        fluents, moves = self.parts.fluents, self.parts.moves
        step = self.wins.step
        known = find_known_moves(self.parts.circuit, legal)
        changed = step.change(known)
        return [step.output(moves + f, changed) for f in range(fluents)]

    def _lets_others_win(self, role: int) -> bool:
        """Return whether letting another role win is no mistake: both may win."""
        players = [one for one in self.roles if self.parts.is_player(one)]
        return self.constant is None and len(players) == 2

    def _choose(self, condition: int, one: int, other: int) -> int:
        """Return one literal where a condition holds, another one elsewhere."""
        if condition == TRUE:
            return one
        both = self.builder.both
        return both(both(condition, one) ^ 1, both(condition ^ 1, other) ^ 1) ^ 1

    def _restrict(
        self, role: int, legal: list[int], safe: dict[int, int], some: int
    ) -> None:
        """Let only winning moves be legal, or only safe ones, where there are such."""
        guard = self.wins.guards[role]
        assert guard is not None
        wins = self.wins.wins[role]
        for reply in self.wins.replies[role]:
            move = reply.move
            allowed = self._choose(some, safe[move], legal[move])
            allowed = self._choose(wins, reply.wins, allowed)
            legal[move] = self._choose(guard, allowed, legal[move])

    # ── ends ────────────────────────────────────────────────────────────────────────

    def _end(self, ends: Sequence[tuple[int, int]]) -> list[int]:
        """Return terminal and all goals as literals, where some end the match."""
        builder, circuit = self.builder, self.parts.circuit
        present = self._present()
        goals = [present.output(i) for i in range(1 + circuit.goal_count)]
        if not ends:
            return goals
        assert self.constant is not None
        some = builder.disjoin(literal for literal, _ in ends)
        result = [builder.disjoin([goals[0], some])]
        some = builder.both(some, goals[0] ^ 1)  # it says nothing where it has ended
        for role in self.roles:
            for i, value in enumerate(circuit.goal_values[role]):
                reached = goals[self.parts.first_goal[role] + i]
                if role in (self.constant.first, self.constant.second):
                    won = builder.disjoin(
                        literal
                        for literal, winner in ends
                        if self._goal_after(role, winner) == value
                    )
                    reached = self._choose(some, won, reached)
                result.append(reached)
        return result

    def _goal_after(self, role: int, winner: int) -> int:
        """Return what a role gets if one of the two players wins."""
        assert self.constant is not None
        best = max(self.parts.circuit.goal_values[winner])
        return best if role == winner else self.constant.total - best

    def _present(self) -> Evaluation:
        """Return terminal and goals without ends that playouts do not come to."""
        ends, wins = self.parts.ends, self.wins
        reached = self.before.evaluate_ends(self.before.following)
        dropped = {
            node: value
            for node, value in self.parts.quiet.items()
            if node != ends.outputs[0] >> 1
            and (reached.values[node] == value or self._is_won(node, value))
        }
        inputs = [*wins.fluents_at_first, *[FALSE] * self.parts.moves]
        with self.builder.without_assumptions():
            return Evaluation(self.builder, ends, inputs, dropped)

    def _is_won(self, node: int, value: int) -> bool:
        """Return whether a role has won that makes a node differ from its value.

        Then it had done so at once, and the match had ended before.
        """
        before = self.before
        movers = [r for r in self.roles if before.replies[r]]
        if self.constant is None or len(movers) != 1:
            return False
        (mover,) = movers
        if before.guards[mover] != TRUE:
            return False
        with self.builder.without_assumptions():
            changed = self.wins.present.change({node: value ^ 1})
        goals = self.parts.winning_goals(mover)
        return goals is not None and all(
            self.wins.present.output(goal, changed) == TRUE for goal in goals
        )
