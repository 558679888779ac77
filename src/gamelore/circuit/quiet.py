"""Ends of a match that cannot just have come about, so that a turn need not look for.

A match that goes on was not over one step before. Whoever has just moved has perhaps
made a line; but lines of the other role's stones were not there before, and no move of
this one has changed them. What must be false for a match to go on, and is a function
of the position before that was false there, is *quiet*: false in that turn.

Wherever a playout begins the match is not over, so the same holds there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from gamelore.circuit.build import Circuit
from gamelore.circuit.graph import FALSE, TRUE, Graph, GraphBuilder
from gamelore.circuit.move_groups import TurnCircuit


def find_quiet(
    circuit: Circuit,
    before: TurnCircuit,
    known_before: Mapping[int, bool],
    known: Mapping[int, bool],
) -> dict[int, int]:
    """Return nodes of a circuit's graph whose values are known in a turn.

    `before`: what is left of the circuit one turn earlier; `known_before` and `known`:
    the fluents whose values are known then and now.
    """
    cone = _Cone(circuit)
    builder = GraphBuilder(before.circuit.graph.inputs)
    fluents = [2 * (1 + fluent) for fluent in range(len(circuit.fluents))]
    present = cone.evaluate(builder, fluents, known_before, frozenset())
    facts = cone.list_facts()
    true = {
        value ^ (fact & 1)
        for fact in facts
        if (value := present.get(fact >> 1)) is not None
    }
    true |= {part for literal in true for part in builder.parts(literal)}
    later = cone.evaluate(builder, _find_next(before, builder), known, true)
    return {
        fact >> 1: 1 - (fact & 1)
        for fact in facts
        if later.get(fact >> 1) == TRUE ^ (fact & 1)
    }


def _find_next(turn: TurnCircuit, builder: GraphBuilder) -> list[int]:
    """Return the literals of the position after a turn, over its inputs."""
    graph, count = turn.circuit.graph, len(turn.circuit.fluents)
    meaning = [2 * node for node in range(1 + graph.inputs)]
    for a, b in zip(graph.left.tolist(), graph.right.tolist(), strict=True):
        one, other = meaning[a >> 1] ^ (a & 1), meaning[b >> 1] ^ (b & 1)
        meaning.append(builder.both(one, other))
    first = 1 + turn.circuit.goal_count + turn.circuit.move_count
    outputs = graph.outputs[first : first + count].tolist()
    return [meaning[literal >> 1] ^ (literal & 1) for literal in outputs]


class _Cone:
    """The gates that say whether a match is over."""

    def __init__(self, circuit: Circuit) -> None:
        graph: Graph = circuit.graph
        self.first_gate = 1 + graph.inputs
        self.left, self.right = graph.left.tolist(), graph.right.tolist()
        self.terminal = int(graph.outputs[0])
        self.nodes = _list_cone(
            self.terminal >> 1, self.left, self.right, self.first_gate
        )

    def list_facts(self) -> list[int]:
        """Return literals that are true while a match goes on."""
        return _list_facts(self.terminal, self.left, self.right, self.first_gate)

    def evaluate(
        self,
        builder: GraphBuilder,
        fluents: Sequence[int],
        known: Mapping[int, bool],
        true: AbstractSet[int],
    ) -> dict[int, int]:
        """Return nodes as literals of `builder`, where they depend on fluents alone.

        `true`: literals that are taken to be true
        """
        values = {0: FALSE}
        for fluent, literal in enumerate(fluents):
            values[1 + fluent] = int(known.get(fluent, literal))
        for node in self.nodes:
            a, b = self.left[node - self.first_gate], self.right[node - self.first_gate]
            if a >> 1 in values and b >> 1 in values:
                one, other = values[a >> 1] ^ (a & 1), values[b >> 1] ^ (b & 1)
                value = builder.both(one, other)
                values[node] = value
                if value in true:
                    values[node] = TRUE
                elif value ^ 1 in true:
                    values[node] = FALSE
        return values


def _list_facts(
    terminal: int, left: Sequence[int], right: Sequence[int], first_gate: int
) -> list[int]:
    """Return literals that are true while a match goes on: it is over if one is not."""
    facts = []
    waiting, seen = [terminal ^ 1], set()
    while waiting:
        literal = waiting.pop()
        if literal in seen:
            continue
        seen.add(literal)
        facts.append(literal)
        gate = (literal >> 1) - first_gate
        if not literal & 1 and gate >= 0:
            waiting += [left[gate], right[gate]]
    return facts


def _list_cone(
    root: int, left: Sequence[int], right: Sequence[int], first_gate: int
) -> list[int]:
    """Return the gates that a node needs, and itself, in order."""
    waiting, cone = [root], set()
    while waiting:
        node = waiting.pop()
        if node >= first_gate and node not in cone:
            cone.add(node)
            gate = node - first_gate
            waiting += [left[gate] >> 1, right[gate] >> 1]
    return sorted(cone)
