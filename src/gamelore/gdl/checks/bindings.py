"""Which conditions give values to which variables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from gamelore.gdl.rules import ARITIES, And, Atom, Condition, Not, Or, Rule, find_atoms
from gamelore.gdl.terms import Variable, variables

Demands: TypeAlias = Mapping[str, Collection[int]]
"""For each relation, the numbers of the arguments it leaves to whoever asks for it."""

# A role is always one of few: if nothing else, the game's roles are its values.
OF_ROLES: Demands = {"legal": {0}, "goal": {0}, "sees": {0}, "input": {0}}

_MAX_ROUNDS = 20  # in which what is left to others is passed on from rule to rule


def atom_variables(
    atom: Atom, only: Collection[int] | None = None
) -> Iterator[Variable]:
    """Return the variables of all or some arguments, in order, with repeats."""
    for i, argument in enumerate(atom.arguments):
        if isinstance(argument, str) or (only is not None and i not in only):
            continue
        yield from variables(argument)


class Bindings:
    """The variables that have values wherever a condition holds."""

    def __init__(self, demands: Demands) -> None:
        self._demands = demands
        self._known: dict[int, set[Variable]] = {}  # by the condition's identity

    def of_all(self, conditions: Iterable[Condition]) -> set[Variable]:
        """Return what several conditions bind between them."""
        return set().union(*map(self.of, conditions))

    def of(self, condition: Condition) -> set[Variable]:
        """Return what one condition binds."""
        if isinstance(condition, Atom):
            return self._of_atom(condition)
        if id(condition) not in self._known:
            self._known[id(condition)] = self._of_parts(condition)
        return self._known[id(condition)]

    def _of_atom(self, atom: Atom) -> set[Variable]:
        if atom.relation == "distinct":
            return set()
        left = self._demands.get(atom.relation)
        if not left or atom.relation in ARITIES:
            return set(atom_variables(atom))
        given = [i for i in range(len(atom.arguments)) if i not in left]
        return set(atom_variables(atom, only=given))

    def _of_parts(self, condition: Not | Or | And) -> set[Variable]:
        match condition:
            case Not():
                return set()
            case And():
                return self.of_all(condition.parts)
            case Or():
                return set.intersection(*map(self.of, condition.options))


def find_demands(rules: Sequence[Rule]) -> Demands:
    """Return which arguments each relation leaves to whoever asks for it."""
    demands: dict[str, set[int]] = defaultdict(set)
    users: dict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        for relation in {a.relation for c in rule.body for a, _ in find_atoms(c)}:
            users[relation].append(rule)
    waiting: Iterable[Rule] = rules
    for _ in range(_MAX_ROUNDS):
        changed = set()
        for rule in waiting:
            relation = rule.head.relation
            left = _positions_left(rule, demands) if relation not in ARITIES else set()
            if not left <= demands[relation]:
                demands[relation] |= left
                changed.add(relation)
        waiting = [rule for relation in sorted(changed) for rule in users[relation]]
    return {**demands, **OF_ROLES}


def _positions_left(rule: Rule, demands: Demands) -> set[int]:
    """Return the arguments of a head with variables that the body does not bind."""
    wanted = [set(variables(argument)) for argument in rule.head.arguments]
    if not any(wanted):
        return set()
    bound = Bindings(demands).of_all(rule.body)
    return {i for i, needed in enumerate(wanted) if not needed <= bound}
