"""Rules whose head has a variable that their body does not bind.

GDL forbids them, yet rule sheets in use have them:

    (<= (differs ?x ?y) (distinct ?x ?y))      (<= (legal ?r noop) (true (turn ?s)))

A prover answers them because the question binds the variable. Grounding has no
questions, so the variable gets a guard: the terms that other rules ask the relation
for. In `legal` and `goal`, roles are what is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gamelore.gdl import Atom, Term, variables
from gamelore.ground.normal import (
    GUARD,
    Literal,
    NormalRule,
    RelationMaker,
    bound_variables,
)


def bind_heads(rules: Sequence[NormalRule], maker: RelationMaker) -> list[NormalRule]:
    """Return the same rules with every head variable bound."""
    result = []
    places: set[tuple[str, int]] = set()
    for rule in map(_without_idle_tests, rules):
        guards = []
        for place, atom in _unbound_places(rule):
            places.add((rule.head.relation, place))
            guards.append(Literal(atom))
        result.append(NormalRule(rule.head, (*rule.body, *guards)))
    for rule in list(result):
        result += _demands(rule, places, maker)
    return result


def _without_idle_tests(rule: NormalRule) -> NormalRule:
    """Leave out tests on variables that no condition binds, as provers do."""
    bound = bound_variables(rule.body)
    body = [lit for lit in rule.body if lit.binds or lit.variables <= bound]
    return NormalRule(rule.head, tuple(body))


def _unbound_places(rule: NormalRule) -> Iterator[tuple[int, Atom]]:
    """Return the arguments of the head that need a guard, each with its guard."""
    bound = set(bound_variables(rule.body))
    for place, argument in enumerate(rule.head.arguments):
        if not set(variables(argument)) <= bound:
            if place == 0 and rule.head.relation in ("legal", "goal"):
                yield place, Atom("role", (argument,))
            else:
                yield place, _demand(rule.head.relation, place, argument)
            bound.update(variables(argument))


def _demand(relation: str, place: int, argument: Term) -> Atom:
    return Atom(f"{GUARD}{place} {relation}", (argument,))


def _demands(
    rule: NormalRule, places: set[tuple[str, int]], maker: RelationMaker
) -> Iterator[NormalRule]:
    """Return what a rule asks of the places that need guards."""
    for literal in rule.body:
        for place, argument in enumerate(literal.atom.arguments):
            if (literal.atom.relation, place) in places:
                others = [other for other in rule.body if other is not literal]
                guards = maker.guard(frozenset(variables(argument)), others)
                head = _demand(literal.atom.relation, place, argument)
                yield NormalRule(head, tuple(guards))
