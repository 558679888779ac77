"""Groups of moves, in place of moves.

Exactly one move of a role is made, so that whatever a circuit computes of a role's
moves alone is a *group* of them: whether the move made is one of these. Groups are
inputs of a turn's circuit in place of moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gamelore.circuit.build import Circuit, Loop
from gamelore.circuit.graph import FALSE, TRUE, Graph, GraphBuilder
from gamelore.circuit.selectors import MoveCases, TooMuchWorkError, join_cases

_LANES = 512  # each of which joins the groups of one move in a step

Members = npt.NDArray[np.int32]


@dataclass(frozen=True)
class MoveProduct:
    """So many rows and so many columns, all of them outputs, in place of moves."""

    rows: int
    columns: int


@dataclass(frozen=True)
class TurnCircuit:
    """What is left of a circuit in one turn.

    Inputs are the fluents, then loop variables, then groups of moves. Of legal moves
    only those are outputs that a role chooses from: `circuit.moves`. Where there are
    products, rows and columns follow these moves as if they were moves, too.
    """

    circuit: Circuit
    moves: tuple[int, ...]
    """The numbers of these moves in the whole game, roles one after the other."""
    first_group: int
    """The input number of the first group."""
    groups: tuple[tuple[int, ...], ...]
    """Per move that can be chosen, or row or column, the groups it is in."""
    products: tuple[MoveProduct, ...] = ()
    """The rows of the first one, its columns, the rows of the second … are outputs."""


def group_moves(
    circuit: Circuit, builder: GraphBuilder, outputs: Sequence[int]
) -> TurnCircuit:
    """Return a turn's circuit from its outputs as literals, in the circuit's order."""
    return _Grouping(circuit, builder, outputs).turn_circuit()


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
        self.graph = _gather_moves(builder.finish(self.wanted), chosen)
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
        self.most = 2 * self.graph.gates + 4 * len(self.wanted) + len(chosen)
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
                self.value[first_gate + gate] = both(
                    self._translate(a), self._translate(b)
                )

    def _translate(self, literal: int) -> int:
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
        outputs = [self._translate(literal) for literal in self.graph.outputs.tolist()]
        graph = self.builder.finish(outputs)
        factored = self._factored(outputs)
        graphs = [graph] if factored is None else [graph, self.builder.finish(factored)]
        turns = [self._make_turn(self._read_groups(one), one) for one in graphs]
        return min(turns, key=_cost)

    def _make_turn(self, read: Sequence[int], graph: Graph) -> TurnCircuit:
        """Return the circuit of a graph that reads these groups."""
        graph = self._with_groups(read, graph)
        moves = tuple(node - 1 - self.fluents for node in self.chosen_nodes)
        groups = self._memberships(read)
        return TurnCircuit(self._turn(graph), moves, self.base - 1, groups)

    def _factored(self, outputs: Sequence[int]) -> list[int] | None:
        """Return outputs with the next position by selectors, if one role chooses."""
        choosing = [role for role, moves in enumerate(self.chosen) if moves]
        if len(choosing) != 1 or self.variables:
            return None
        (role,) = choosing
        moves = self.role_moves[role]
        inputs = {node: 2 * node for node in range(1, 1 + self.fluents)}
        first = 1 + self.circuit.goal_count + len(moves)
        following = self.graph.outputs[first : first + self.fluents].tolist()

        def group(members: int) -> int:
            if len(self.members) >= self.most:
                raise TooMuchWorkError
            return self._group(role, False, moves[_bits(members, len(moves))])

        try:
            cases = MoveCases(self.graph, self.builder, inputs, moves.tolist())
            found = [cases.of(literal) for literal in following]
            joined = join_cases(found, self.builder, group)
        except TooMuchWorkError:
            return None
        result = list(outputs)
        for number, literal in enumerate(joined, start=first):
            if literal is not None:
                result[number] = literal
        return result

    def _read_groups(self, graph: Graph) -> list[int]:
        """Return the numbers of the groups that a graph reads."""
        read = np.zeros(1 + graph.inputs, bool)
        for literals in (graph.left, graph.right, graph.outputs):
            nodes = literals >> 1
            read[nodes[nodes <= graph.inputs]] = True
        numbers: list[int] = np.flatnonzero(read[self.base :]).tolist()
        return numbers

    def _with_groups(self, read: Sequence[int], graph: Graph) -> Graph:
        """Return the graph with these groups for inputs alone, numbered anew."""
        number = np.arange(1 + graph.inputs + graph.gates, dtype=np.int32)
        number[[self.base + group for group in read]] = range(
            self.base, self.base + len(read)
        )
        number[1 + graph.inputs :] -= graph.inputs + 1 - self.base - len(read)

        def renumber(literals: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
            moved: npt.NDArray[np.int32] = 2 * number[literals >> 1] + (literals & 1)
            return moved

        return Graph(
            self.base - 1 + len(read),
            renumber(graph.left),
            renumber(graph.right),
            renumber(graph.outputs),
        )

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

    def _memberships(self, read: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Return per move that can be chosen which of the groups read it is in."""
        of_move: dict[int, list[int]] = {move: [] for move in self.chosen_nodes}
        for number, group in enumerate(read):
            for move in self.members[group].tolist():
                of_move[move].append(number)
        return tuple(tuple(of_move[move]) for move in self.chosen_nodes)


def _cost(turn: TurnCircuit) -> float:
    """Return about how long a step takes, in gates, work on groups included."""
    graph, moves = turn.circuit.graph, len(turn.moves)
    joined = sum(map(len, turn.groups)) * min(1, _LANES / 2 / max(1, moves))
    return graph.gates + joined + (graph.inputs - turn.first_group) / 4


def _bits(number: int, count: int) -> npt.NDArray[np.bool_]:
    """Return the bits of a number as an array of so many, the lowest first."""
    data = np.frombuffer(number.to_bytes(-(-count // 8), "little"), np.uint8)
    return np.unpackbits(data, count=count, bitorder="little").astype(bool)


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


def _gather_moves(graph: Graph, moves: Sequence[int]) -> Graph:
    """Return the graph with the moves of every AND next to each other.

    An AND of several literals is a tree of gates, in whatever order. Here those that
    depend on moves alone become the first of them, so that they can be one group.

    `moves`: their nodes
    """
    first = 1 + graph.inputs
    left, right = graph.left.tolist(), graph.right.tolist()
    is_pure = [False] * (first + graph.gates)
    for move in moves:
        is_pure[move] = True
    readers = [0] * (first + graph.gates)
    for literal in (*left, *right):
        readers[literal >> 1] += 1 + (literal & 1)
    for literal in graph.outputs.tolist():
        readers[literal >> 1] += 2
    builder = GraphBuilder(graph.inputs)
    both = builder.both
    meaning = [2 * node for node in range(first)]
    parts: dict[int, tuple[int, int]] = {}

    def split(literal: int) -> tuple[int, int]:
        """Return the pure part of a literal, and the rest."""
        node = literal >> 1
        if node in parts:
            return parts.pop(node)
        value = meaning[node] ^ (literal & 1)
        return (value, TRUE) if is_pure[node] else (TRUE, value)

    for node, (a, b) in enumerate(zip(left, right, strict=True), start=first):
        one, rest = split(a)
        other, more = split(b)
        pure, mixed = both(one, other), both(rest, more)
        is_pure[node] = mixed == TRUE
        if pure != TRUE and mixed != TRUE and readers[node] == 1:
            parts[node] = pure, mixed
            meaning.append(FALSE)  # never read
        else:
            meaning.append(both(pure, mixed))
    return builder.finish(meaning[o >> 1] ^ (o & 1) for o in graph.outputs.tolist())
