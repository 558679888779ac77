"""A circuit for each turn, for playouts in which all lanes take turns in step.

In most games a few fluents say whose turn it is, and follow each other whatever is
moved. With their values known, what the other roles could do drops out of the circuit.
Exactly one move of a role is made, so that whatever a circuit computes of a role's
moves alone is a *group* of them: whether the move made is one of these. Groups are
inputs of a turn's circuit in place of moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import lcm

import numpy as np
import numpy.typing as npt

from gamelore.circuit.build import Circuit, Loop
from gamelore.circuit.graph import FALSE, TRUE, Graph, GraphBuilder

_LONGEST_PERIOD = 8
_LARGEST_CONE = 200  # gates that say how turns follow each other

Members = npt.NDArray[np.int32]


@dataclass(frozen=True)
class TurnOrder:
    """Fluents whose values depend on the number of moves made, modulo the turns."""

    fluents: tuple[int, ...]
    values: tuple[tuple[bool, ...], ...]
    """Per turn and fluent; the first turn is that of the initial position."""


@dataclass(frozen=True)
class TurnCircuit:
    """What is left of a circuit in one turn.

    Inputs are the fluents, then loop variables, then groups of moves. Of legal moves
    only those are outputs that a role chooses from: `circuit.moves`.
    """

    circuit: Circuit
    moves: tuple[int, ...]
    """The numbers of these moves in the whole game, roles one after the other."""
    first_group: int
    """The input number of the first group."""
    groups: tuple[tuple[int, ...], ...]
    """Per move that can be chosen, the groups it is in."""


def find_turn_order(circuit: Circuit) -> TurnOrder:
    """Return the fluents that follow each other in a short cycle; perhaps none.

    What follows depends on such fluents only, so it holds from any position in which
    they have the values of a turn.
    """
    count = len(circuit.fluents)
    first = 1 + circuit.goal_count + circuit.move_count
    cones = _Cones(circuit, circuit.graph.outputs[first : first + count].tolist())
    free = _closed(set(range(count)), cones.reads)
    state = {f: bool(circuit.initial[f]) for f in free}
    history = [state]
    while len(history) <= 2 * _LONGEST_PERIOD:
        history.append(cones.follow(history[-1]))
    periods = {f: _period([past[f] for past in history]) for f in free}
    cyclic = _closed({f for f, period in periods.items() if period}, cones.reads)
    turns = lcm(*(periods[f] for f in cyclic)) if cyclic else 1
    if turns > _LONGEST_PERIOD:
        return TurnOrder((), ((),))
    fluents = tuple(sorted(cyclic))
    return TurnOrder(
        fluents, tuple(tuple(history[t][f] for f in fluents) for t in range(turns))
    )


def _period(values: Sequence[bool]) -> int:
    """Return the number of steps after which values repeat; 0 if that is not seen."""
    for period in range(1, _LONGEST_PERIOD + 1):
        if all(values[i] == values[i - period] for i in range(period, len(values))):
            return period
    return 0


def _closed(fluents: set[int], reads: Sequence[frozenset[int] | None]) -> set[int]:
    """Return the largest subset of fluents whose next values depend on it alone."""
    while True:
        kept = {
            f for f in fluents if (read := reads[f]) is not None and read <= fluents
        }
        if kept == fluents:
            return kept
        fluents = kept


class _Cones:
    """The gates below the next values of fluents, where they are few."""

    def __init__(self, circuit: Circuit, following: Sequence[int]) -> None:
        self._left = circuit.graph.left
        self._right = circuit.graph.right
        self._first_gate = 1 + circuit.graph.inputs
        self._fluents = len(circuit.fluents)
        self._following = following
        self.reads = [self._find_reads(literal >> 1) for literal in following]
        """Per fluent, those that its next value depends on; none if more does."""

    def _find_reads(self, root: int) -> frozenset[int] | None:
        pending, seen, fluents = [root], {root}, set()
        while pending:
            node = pending.pop()
            if node >= self._first_gate:
                gate = node - self._first_gate
                below = {int(self._left[gate]) >> 1, int(self._right[gate]) >> 1}
                pending += below - seen
                seen |= below
                if len(seen) > _LARGEST_CONE:
                    return None
            elif node > self._fluents:
                return None  # a move, or a loop
            elif node:
                fluents.add(node - 1)
        return frozenset(fluents)

    def follow(self, state: dict[int, bool]) -> dict[int, bool]:
        """Return the values of fluents after those, none of which depends on others."""
        known = {0: False} | {1 + f: value for f, value in state.items()}

        def value(literal: int) -> bool:
            node = literal >> 1
            if node not in known:
                gate = node - self._first_gate
                known[node] = value(int(self._left[gate])) and value(
                    int(self._right[gate])
                )
            return known[node] ^ bool(literal & 1)

        return {f: value(self._following[f]) for f in state}


# ── the circuit of a turn ───────────────────────────────────────────────────────────


def make_turn_circuit(circuit: Circuit, order: TurnOrder, turn: int) -> TurnCircuit:
    """Return what is left of a circuit in one turn of an order."""
    known = {
        1 + fluent: int(value)
        for fluent, value in zip(order.fluents, order.values[turn], strict=True)
    }
    view = _Restriction(circuit, known)
    known |= find_known_moves(circuit, view.legal())
    restriction = _Restriction(circuit, known)
    return group_moves(circuit, restriction.builder, restriction.outputs())


def group_moves(
    circuit: Circuit, builder: GraphBuilder, outputs: Sequence[int]
) -> TurnCircuit:
    """Return a turn's circuit from its outputs as literals, in the circuit's order."""
    return _Grouping(circuit, builder, outputs).turn_circuit()


def find_known_moves(circuit: Circuit, legal: Sequence[int]) -> dict[int, int]:
    """Return the moves that are never made, and those of roles with one only."""
    known: dict[int, int] = {}
    first = 0
    for moves in circuit.moves:
        end = first + len(moves)
        possible = [m for m in range(first, end) if legal[m] != FALSE]
        for move in range(first, end):
            if legal[move] == FALSE:
                known[1 + len(circuit.fluents) + move] = FALSE
        if len(possible) == 1 and legal[possible[0]] == TRUE:
            known[1 + len(circuit.fluents) + possible[0]] = TRUE
        first = end
    return known


class _Restriction:
    """A graph in which some inputs are known: every node as a literal of another."""

    def __init__(self, circuit: Circuit, known: dict[int, int]) -> None:
        graph = circuit.graph
        self.circuit = circuit
        self.builder = GraphBuilder(graph.inputs)
        self.meaning = [known.get(n, 2 * n) for n in range(1 + graph.inputs)]
        self.meaning[0] = FALSE
        meaning, both = self.meaning, self.builder.both
        for a, b in zip(graph.left.tolist(), graph.right.tolist(), strict=True):
            meaning.append(both(meaning[a >> 1] ^ (a & 1), meaning[b >> 1] ^ (b & 1)))

    def outputs(self) -> list[int]:
        """Return the literals of all outputs."""
        meaning, outputs = self.meaning, self.circuit.graph.outputs.tolist()
        return [meaning[o >> 1] ^ (o & 1) for o in outputs]

    def legal(self) -> list[int]:
        """Return the literals of the legal moves."""
        first = 1 + self.circuit.goal_count
        return self.outputs()[first : first + self.circuit.move_count]


class _Grouping:
    """Replaces what depends on one role's moves alone by groups of moves."""

    def __init__(
        self, circuit: Circuit, builder: GraphBuilder, outputs: Sequence[int]
    ) -> None:
        self.circuit = circuit
        self.fluents = len(circuit.fluents)
        self.variables = sum(len(loop.variables) for loop in circuit.loops)
        self._cut_outputs(outputs)
        first_move = 1 + self.fluents
        chosen = [first_move + move for moves in self.chosen for move in moves]
        self.graph = builder.finish(self.wanted)
        self.role_moves = [
            np.array([first_move + m for m in moves], np.int32) for moves in self.chosen
        ]
        role_of = {
            int(move): role
            for role, moves in enumerate(self.role_moves)
            for move in moves
        }
        self.chosen_nodes = chosen
        self.found: dict[tuple[int, bytes], int] = {}
        self.members: list[Members] = []
        self.base = 1 + self.fluents + self.variables
        self.most = self.graph.gates + len(self.wanted) + len(chosen)
        self.builder = GraphBuilder(self.fluents + self.variables + self.most)
        self._rebuild(role_of)

    def _cut_outputs(self, outputs: Sequence[int]) -> None:
        """Sort out the outputs that the turn wants."""
        circuit = self.circuit
        goals = 1 + circuit.goal_count
        legal_end = goals + circuit.move_count
        next_end = legal_end + self.fluents
        legal = outputs[goals:legal_end]
        self.chosen: list[list[int]] = []
        first = 0
        for moves in circuit.moves:
            possible = [
                m for m in range(first, first + len(moves)) if legal[m] != FALSE
            ]
            settled = len(possible) == 1 and legal[possible[0]] == TRUE
            self.chosen.append([] if settled else possible)
            first += len(moves)
        self.wanted = [
            *outputs[:goals],
            *(legal[m] for moves in self.chosen for m in moves),
            *outputs[legal_end:next_end],
            *outputs[next_end + circuit.feature_atom_count :],
        ]

    def _rebuild(self, role_of: dict[int, int]) -> None:
        """Go over all gates; `value` of a node is a literal, `pure` a set of moves."""
        graph = self.graph
        self.value: dict[int, int] = {0: FALSE}
        pure: dict[int, tuple[int, bool, Members]] = {}
        for node in range(1, 1 + self.fluents):
            self.value[node] = 2 * node
        first_variable = 1 + self.fluents + self.circuit.move_count
        for v in range(self.variables):
            self.value[first_variable + v] = 2 * (1 + self.fluents + v)
        for move, role in role_of.items():
            pure[move] = role, False, np.array([move], np.int32)
        self.pure = pure
        first_gate = 1 + graph.inputs
        both = self.builder.both
        pairs = zip(graph.left.tolist(), graph.right.tolist(), strict=True)
        for gate, (a, b) in enumerate(pairs):
            one, other = pure.get(a >> 1), pure.get(b >> 1)
            if one is not None and other is not None and one[0] == other[0]:
                pure[first_gate + gate] = _intersect(one, a & 1, other, b & 1)
            else:
                self.value[first_gate + gate] = both(self._of(a), self._of(b))

    def _of(self, literal: int) -> int:
        """Return a literal of the old graph as one of the new."""
        node = literal >> 1
        value = self.value.get(node)
        if value is None:
            value = self.value[node] = self._group(*self.pure[node])
        return value ^ (literal & 1)

    def _group(self, role: int, inverted: bool, members: Members) -> int:
        """Return the literal of a set of a role's moves, by their smaller half."""
        every = self.role_moves[role]
        if 2 * len(members) > len(every):
            members = np.setdiff1d(every, members, assume_unique=True)
            inverted = not inverted
        if not len(members):
            return FALSE ^ inverted
        key = role, members.tobytes()
        number = self.found.setdefault(key, len(self.members))
        if number == len(self.members):
            self.members.append(members)
        return 2 * (self.base + number) ^ int(inverted)

    def turn_circuit(self) -> TurnCircuit:
        outputs = [self._of(literal) for literal in self.graph.outputs.tolist()]
        graph = self.builder.finish(outputs)
        spare = self.most - len(self.members)
        last_group = self.base + len(self.members)

        def renumber(literals: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
            moved: npt.NDArray[np.int32] = np.where(
                literals >> 1 >= last_group, literals - 2 * spare, literals
            ).astype(np.int32)
            return moved

        graph = replace(
            graph,
            inputs=graph.inputs - spare,
            left=renumber(graph.left),
            right=renumber(graph.right),
            outputs=renumber(graph.outputs),
        )
        moves = tuple(node - 1 - self.fluents for node in self.chosen_nodes)
        return TurnCircuit(self._turn(graph), moves, self.base - 1, self._memberships())

    def _turn(self, graph: Graph) -> Circuit:
        circuit = self.circuit
        names = [move for moves in circuit.moves for move in moves]
        moves = tuple(tuple(names[m] for m in chosen) for chosen in self.chosen)
        fewer = circuit.move_count - sum(map(len, moves))
        shift = fewer + circuit.feature_atom_count
        loops = tuple(
            Loop(
                tuple(v - circuit.move_count for v in loop.variables),
                tuple(
                    tuple(
                        (leaf - shift, tuple(v - circuit.move_count for v in inside))
                        for leaf, inside in products
                    )
                    for products in loop.updates
                ),
            )
            for loop in circuit.loops
        )
        return replace(circuit, moves=moves, features=(), loops=loops, graph=graph)

    def _memberships(self) -> tuple[tuple[int, ...], ...]:
        """Return for each move that can be chosen the numbers of its groups."""
        of_move: dict[int, list[int]] = {move: [] for move in self.chosen_nodes}
        for number, members in enumerate(self.members):
            for move in members.tolist():
                of_move[move].append(number)
        return tuple(tuple(of_move[move]) for move in self.chosen_nodes)


def _intersect(
    one: tuple[int, bool, Members],
    flip: int,
    other: tuple[int, bool, Members],
    flop: int,
) -> tuple[int, bool, Members]:
    """Return the moves in both of two sets, each inverted or not."""
    role, inverted, a = one
    _, other_inverted, b = other
    not_a, not_b = inverted ^ bool(flip), other_inverted ^ bool(flop)
    if not_a and not_b:
        return role, True, np.union1d(a, b)
    if not_a:
        return role, False, np.setdiff1d(b, a, assume_unique=True)
    if not_b:
        return role, False, np.setdiff1d(a, b, assume_unique=True)
    return role, False, np.intersect1d(a, b, assume_unique=True)
