"""Ground rules to a circuit: an atom is the OR over its rules of the AND of a body.

Atoms that depend on themselves (positive recursion that survived grounding) become
*loop variables*: inputs of the graph whose values are found by repeating their updates
from all false until nothing changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gamelore.circuit.factors import conjoin_all
from gamelore.circuit.graph import FALSE, TRUE, Graph, GraphBuilder
from gamelore.gdl import Fact, Move, Role
from gamelore.ground import FALSE as NEVER
from gamelore.ground import TRUE as ALWAYS
from gamelore.ground import GroundFeature, GroundGame

Product: TypeAlias = tuple[int, tuple[int, ...]]
"""An output of the graph, and the loop variables it is ANDed with."""


@dataclass(frozen=True)
class Loop:
    """Variables that depend on each other, each with the OR that updates it."""

    variables: tuple[int, ...]
    """Input numbers."""
    updates: tuple[tuple[Product, ...], ...]
    """Per variable, the products whose OR it becomes."""


@dataclass(frozen=True)
class Circuit:
    """A game as a graph.

    Inputs are the fluents, then the moves of each role in turn, then loop variables.
    Outputs are, in this order: terminal; per role its goals; per role its legal moves;
    the next position; per view the atoms of its features; what the loops need.
    """

    roles: tuple[Role, ...]
    fluents: tuple[Fact, ...]
    initial: tuple[bool, ...]
    moves: tuple[tuple[Move, ...], ...]
    goal_values: tuple[tuple[int, ...], ...]
    features: tuple[tuple[GroundFeature, ...], ...]
    """Per view; the literals are those of the ground game."""
    loops: tuple[Loop, ...]
    """In an order in which each needs only those before it."""
    graph: Graph

    @property
    def move_count(self) -> int:
        return sum(map(len, self.moves))

    @property
    def goal_count(self) -> int:
        return sum(map(len, self.goal_values))

    @property
    def feature_atom_count(self) -> int:
        return sum(len(f.literals) for view in self.features for f in view)


def loops_in_order(circuit: Circuit) -> bool:
    """Return whether no loop's needs depend on the variables of it or of later loops.

    So it is when built; minimising could in principle undo it.
    """
    graph = circuit.graph
    latest = [-1] * (1 + graph.inputs)
    for number, loop in enumerate(circuit.loops):
        for variable in loop.variables:
            latest[1 + variable] = number
    if circuit.loops:
        for a, b in zip(graph.left.tolist(), graph.right.tolist(), strict=True):
            latest.append(max(latest[a >> 1], latest[b >> 1]))
    outputs = graph.outputs.tolist()
    return all(
        latest[outputs[leaf] >> 1] < number
        for number, loop in enumerate(circuit.loops)
        for products in loop.updates
        for leaf, _ in products
    )


def build(ground: GroundGame, *, gathered: bool = True) -> Circuit:
    """Return the circuit of a ground game, not minimised.

    `gathered`: gates that begin alike are next to each other, so that an OR joins them
    first; or else gates are in the order of the rules. What is smaller once it is
    minimised depends on the game.
    """
    return _Build(ground, gathered).circuit()


class _Build:
    """One pass over the ground rules."""

    def __init__(self, ground: GroundGame, gathered: bool) -> None:
        self.ground = ground
        self.gathered = gathered
        self.bodies = _bodies_by_head(ground)
        inputs = list(ground.fluent_atoms)
        for atoms in ground.move_atoms:
            inputs.extend(atoms)
        self.literal: dict[int, int] = {}
        components = list(_components(self.bodies, set(inputs), self._roots()))
        levels = list(self._levels(components))
        looping = [c for level in levels for c in level if self._is_loop(c)]
        variables = [atom for component in looping for atom in component]
        self.builder = GraphBuilder(len(inputs) + len(variables))
        for number, atom in enumerate([*inputs, *variables]):
            self.literal[atom] = self.builder.input(number)
        first = len(inputs)
        self.variable_number = {a: first + i for i, a in enumerate(variables)}
        self.leaves: dict[int, int] = {}
        self.loops: list[Loop] = []
        for level in levels:
            plain = [c[0] for c in level if c[0] not in self.variable_number]
            self._set_values(plain)
            for component in level:
                if component[0] in self.variable_number:
                    self.loops.append(self._loop(component))

    def circuit(self) -> Circuit:
        ground = self.ground
        outputs = [self._of(ground.terminal)]
        for goals in ground.goals:
            outputs += [self._of(literal) for _, literal in goals]
        for legal in ground.legal:
            outputs += map(self._of, legal)
        outputs += map(self._of, ground.next)
        outputs += map(self._of, self._feature_literals())
        first_leaf = len(outputs)
        outputs += self.leaves
        loops = tuple(_shift(loop, first_leaf) for loop in self.loops)
        return Circuit(
            roles=ground.roles,
            fluents=ground.fluents,
            initial=ground.initial,
            moves=ground.moves,
            goal_values=tuple(tuple(v for v, _ in goals) for goals in ground.goals),
            features=ground.features,
            loops=loops,
            graph=self.builder.finish(outputs),
        )

    def _roots(self) -> Iterator[int]:
        ground = self.ground
        literals = [ground.terminal, *ground.next]
        for goals in ground.goals:
            literals += [literal for _, literal in goals]
        for legal in ground.legal:
            literals += legal
        literals += self._feature_literals()
        return (abs(x) for x in literals if x not in (ALWAYS, NEVER))

    def _feature_literals(self) -> list[int]:
        views = self.ground.features
        return [x for view in views for feature in view for x in feature.literals]

    def _of(self, literal: int) -> int:
        """Return a ground literal as a literal of the graph."""
        if literal == ALWAYS:
            return TRUE
        if literal == NEVER:
            return FALSE
        value = self.literal.get(abs(literal), FALSE)
        return value if literal > 0 else value ^ 1

    def _levels(self, components: Sequence[list[int]]) -> Iterator[list[list[int]]]:
        """Return components by level, each as late as those that need it allow.

        What nothing else needs, as legal moves, is in the last level.
        """
        level: dict[int, int] = {}
        by_level: dict[int, list[list[int]]] = defaultdict(list)
        for component in reversed(components):
            own = max(level.get(atom, 0) for atom in component)
            by_level[own].append(component)
            for atom in component:
                for body in self.bodies.get(atom, ()):
                    for literal in body:
                        below = abs(literal)
                        if level.get(below, 0) <= own:
                            level[below] = own + 1
        for own in sorted(by_level, reverse=True):
            yield by_level[own][::-1]

    def _set_values(self, atoms: Iterable[int]) -> None:
        """Set the literals of atoms of which none needs another."""
        products: list[list[int]] = []
        ends = []
        for atom in atoms:
            for body in self.bodies.get(atom, ()):
                literals = self._product(body)
                if literals is not None:
                    products.append(literals)
            ends.append((atom, len(products)))
        values = conjoin_all(products, self.builder.both, gathered=self.gathered)
        first = 0
        for atom, end in ends:
            options = values[first:end]
            disjoin = self.builder.disjoin
            self.literal[atom] = options[0] if len(options) == 1 else disjoin(options)
            first = end

    def _product(self, body: Iterable[int]) -> list[int] | None:
        """Return the literals of a body; none if they contradict each other."""
        known = self.literal
        literals: dict[int, None] = {}
        for x in body:
            literal = known.get(x, FALSE) if x > 0 else known.get(-x, FALSE) ^ 1
            if literal == FALSE or literal ^ 1 in literals:
                return None
            if literal != TRUE:
                literals[literal] = None
        return list(literals) or [TRUE]

    def _is_loop(self, component: list[int]) -> bool:
        if len(component) > 1:
            return True
        atom = component[0]
        return any(atom in body for body in self.bodies.get(atom, ()))

    def _loop(self, component: list[int]) -> Loop:
        members = set(component)
        updates = []
        for atom in component:
            products: dict[tuple[int, tuple[int, ...]], None] = {}
            for body in self.bodies[atom]:
                inside = sorted(self.variable_number[x] for x in body if x in members)
                outside = self.builder.conjoin(
                    self._of(x) for x in body if x not in members
                )
                if outside != FALSE:
                    leaf = self.leaves.setdefault(outside, len(self.leaves))
                    products[leaf, tuple(inside)] = None
            updates.append(tuple(products))
        variables = tuple(self.variable_number[atom] for atom in component)
        return Loop(variables, tuple(updates))


def _shift(loop: Loop, first_leaf: int) -> Loop:
    """Number a loop's leaves as outputs of the whole graph."""
    updates = tuple(
        tuple((first_leaf + leaf, inside) for leaf, inside in products)
        for products in loop.updates
    )
    return Loop(loop.variables, updates)


def _bodies_by_head(ground: GroundGame) -> dict[int, list[list[int]]]:
    """Return rule bodies by head; common literals come first: beginnings are shared."""
    guards = np.array(sorted(ground.guards), dtype=np.int32)
    uses = np.bincount(np.abs(ground.bodies)) if len(ground.bodies) else np.zeros(1)
    keep = ~np.isin(ground.bodies, guards)
    kept_before = np.concatenate(([0], np.cumsum(keep)))
    ends = kept_before[ground.ends]
    starts = np.concatenate(([0], ends[:-1])) if len(ends) else ends
    literals = ground.bodies[keep]
    rule = np.repeat(np.arange(len(ends)), ends - starts)
    order = np.lexsort((literals, -uses[np.abs(literals)], rule))
    flat = literals[order].tolist()
    bodies: dict[int, list[list[int]]] = defaultdict(list)
    spans = zip(ground.heads.tolist(), starts.tolist(), ends.tolist(), strict=True)
    for head, start, end in spans:
        bodies[head].append(flat[start:end])
    return bodies


def _components(
    bodies: dict[int, list[list[int]]], inputs: set[int], roots: Iterable[int]
) -> Iterator[list[int]]:
    """Return strongly connected components, each after those it depends on (Tarjan)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    waiting: list[int] = []
    on_stack: set[int] = set()

    def needs(atom: int) -> Iterator[int]:
        return iter({abs(x) for body in bodies.get(atom, ()) for x in body} - inputs)

    for root in roots:
        if root in index or root in inputs:
            continue
        path: list[tuple[int, Iterator[int]]] = []

        def enter(atom: int, path: list[tuple[int, Iterator[int]]] = path) -> None:
            index[atom] = low[atom] = len(index)
            waiting.append(atom)
            on_stack.add(atom)
            path.append((atom, needs(atom)))

        enter(root)
        while path:
            atom, pending = path[-1]
            for below in pending:
                if below not in index:
                    enter(below)
                    break
                if below in on_stack:
                    low[atom] = min(low[atom], index[below])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[atom])
                if low[atom] == index[atom]:
                    component: list[int] = []
                    while not component or component[-1] != atom:
                        component.append(waiting.pop())
                        on_stack.discard(component[-1])
                    yield component[::-1]
