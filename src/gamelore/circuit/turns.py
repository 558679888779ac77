"""A circuit for each turn, for playouts in which all lanes take turns in step.

In most games a few fluents say whose turn it is, and follow each other whatever is
moved. With their values known, what the other roles could do drops out of the circuit.
What is left is over groups of moves in place of moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import lcm

from gamelore.circuit.build import Circuit
from gamelore.circuit.graph import FALSE, TRUE, GraphBuilder
from gamelore.circuit.invariants import find_constants
from gamelore.circuit.move_groups import TurnCircuit as TurnCircuit
from gamelore.circuit.move_groups import group_moves as group_moves
from gamelore.circuit.quiet import find_quiet

_LONGEST_PERIOD = 8
_LARGEST_CONE = 200  # gates that say how turns follow each other
_NOTHING: Mapping[int, int] = {}


@dataclass(frozen=True)
class TurnOrder:
    """Fluents whose values depend on the number of moves made, modulo the turns."""

    fluents: tuple[int, ...]
    values: tuple[tuple[bool, ...], ...]
    """Per turn and fluent; the first turn is that of the initial position."""
    constants: tuple[dict[int, bool], ...] = ()
    """Per turn, what other fluents are in all positions that can be reached."""

    def known(self, turn: int) -> dict[int, bool]:
        """Return the fluents whose values are known in a turn."""
        values = dict(zip(self.fluents, self.values[turn], strict=True))
        return self.constants[turn] | values if self.constants else values


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
        return TurnOrder((), ((),), find_constants(circuit, 1))
    fluents = tuple(sorted(cyclic))
    values = tuple(tuple(history[t][f] for f in fluents) for t in range(turns))
    return TurnOrder(fluents, values, find_constants(circuit, turns))


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


def make_turn_circuits(circuit: Circuit, order: TurnOrder) -> list[TurnCircuit]:
    """Return what is left of a circuit in every turn, for matches that go on.

    Wherever it is used, the position before was not terminal, or this one is not.
    """
    turns = range(len(order.values))
    result = [make_turn_circuit(circuit, order, turn) for turn in turns]
    plain = list(result)
    for turn in turns:
        before = (turn - 1) % len(turns)
        known = order.known(before), order.known(turn)
        quiet = find_quiet(circuit, plain[before], *known)
        if quiet:
            result[turn] = make_turn_circuit(circuit, order, turn, quiet)
    return result


def make_turn_circuit(
    circuit: Circuit, order: TurnOrder, turn: int, quiet: Mapping[int, int] = _NOTHING
) -> TurnCircuit:
    """Return what is left of a circuit in one turn of an order.

    `quiet`: nodes of its graph whose values are known, too.
    """
    known = {1 + fluent: int(value) for fluent, value in order.known(turn).items()}
    known |= quiet
    view = _Restriction(circuit, known)
    known |= find_known_moves(circuit, view.legal())
    restriction = _Restriction(circuit, known)
    return group_moves(circuit, restriction.builder, restriction.outputs())


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
    """A graph in which some nodes are known: every node as a literal of another."""

    def __init__(self, circuit: Circuit, known: dict[int, int]) -> None:
        graph = circuit.graph
        self.circuit = circuit
        self.builder = GraphBuilder(graph.inputs)
        self.meaning = [known.get(n, 2 * n) for n in range(1 + graph.inputs)]
        self.meaning[0] = FALSE
        meaning, both = self.meaning, self.builder.both
        for a, b in zip(graph.left.tolist(), graph.right.tolist(), strict=True):
            meaning.append(both(meaning[a >> 1] ^ (a & 1), meaning[b >> 1] ^ (b & 1)))
            if (value := known.get(len(meaning) - 1)) is not None:
                meaning[-1] = value

    def outputs(self) -> list[int]:
        """Return the literals of all outputs."""
        meaning, outputs = self.meaning, self.circuit.graph.outputs.tolist()
        return [meaning[o >> 1] ^ (o & 1) for o in outputs]

    def legal(self) -> list[int]:
        """Return the literals of the legal moves."""
        first = 1 + self.circuit.goal_count
        return self.outputs()[first : first + self.circuit.move_count]
