"""Relations written into the rules that use them, where that makes joins smaller.

A relation over many variables has as many instances as the product of their domains,
whatever it is used for:

    (<= (set ?p ?q ?r ?s) (bit ?n ?p ?b) (bit ?n ?q ?b) (bit ?n ?r ?b) (bit ?n ?s ?b))
    (<= row (true (cell 1 ?y ?p)) … (true (cell 4 ?y ?s)) (set ?p ?q ?r ?s))

Written into the rule for `row`, its four pieces are eliminated one by one. How many
instances a relation has is known once it is grounded, so candidates are looked for
before, by a rough count, and unfolded if they turn out to be large.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import count
from math import prod

from gamelore.gdl import Atom, Compound, Term, Variable, variables
from gamelore.ground.domains import Domains
from gamelore.ground.normal import (
    GUARD,
    Literal,
    NormalRule,
    RelationMaker,
    all_variables,
)
from gamelore.ground.split import split

_KEYWORDS = frozenset(
    ("role", "init", "true", "does", "next", "legal", "goal", "terminal", "distinct")
)
_MOST_USES = 50

LARGE = 10_000
"""Instances that make a relation large."""


def find_candidates(rules: Sequence[NormalRule], domains: Domains) -> frozenset[str]:
    """Return the relations that, unfolded, may leave at most half of the instances."""
    by_head: dict[str, list[NormalRule]] = defaultdict(list)
    for rule in rules:
        by_head[rule.head.relation].append(rule)
    found = set()
    for relation, defining in by_head.items():
        if relation in _KEYWORDS or relation.startswith(GUARD) or len(defining) > 1:
            continue
        if _instances(defining[0], domains) >= LARGE:
            unfolded = unfold(rules, relation)
            old, new = _difference(rules, unfolded), _difference(unfolded, rules)
            if 2 * _cost(new, domains) <= _cost(old, domains):
                found.add(relation)
    return frozenset(found)


def _instances(rule: NormalRule, domains: Domains) -> int:
    """Return how many heads a rule can have, by a rough count; 0 if it is not plain."""
    arguments = rule.head.arguments
    names = {argument for argument in arguments if isinstance(argument, Variable)}
    if len(names) < len(arguments) or not rule.body:
        return 0
    atoms = [literal.atom for literal in rule.body if literal.binds]
    return prod(domains.size(name, atoms) for name in names)


def unfold(rules: Sequence[NormalRule], relation: str) -> list[NormalRule]:
    """Return the same rules with a relation written into those that use it.

    They are left as they are where some use of it must stay.
    """
    (definition,) = (rule for rule in rules if rule.head.relation == relation)
    uses = [lit for rule in rules for lit in rule.body if lit.atom.relation == relation]
    if not 0 < len(uses) <= _MOST_USES or not all(use.positive for use in uses):
        return list(rules)
    if any(literal.atom.relation == relation for literal in definition.body):
        return list(rules)
    fresh = count()
    result = []
    for rule in rules:
        if rule is not definition:
            body: list[Literal] = []
            for literal in rule.body:
                if literal.atom.relation == relation:
                    body += _instance(definition, literal.atom, next(fresh))
                else:
                    body.append(literal)
            result.append(NormalRule(rule.head, tuple(dict.fromkeys(body))))
    return result


def _instance(definition: NormalRule, use: Atom, number: int) -> list[Literal]:
    """Return a definition's body for a use's arguments, other variables new."""
    meaning: dict[Variable, Term] = {
        variable: Variable(f"{variable.name} {number} {use.relation}")
        for variable in all_variables(definition.body)
    }
    for parameter, argument in zip(
        definition.head.arguments, use.arguments, strict=True
    ):
        assert isinstance(parameter, Variable)
        meaning[parameter] = argument
    return [
        Literal(_substitute(literal.atom, meaning), literal.positive)
        for literal in definition.body
    ]


def _substitute(atom: Atom, meaning: Mapping[Variable, Term]) -> Atom:
    def replaced(term: Term) -> Term:
        if isinstance(term, Variable):
            return meaning.get(term, term)
        if isinstance(term, Compound) and any(variables(term)):
            return Compound(term.functor, tuple(map(replaced, term.arguments)))
        return term

    return Atom(atom.relation, tuple(map(replaced, atom.arguments)))


def _difference(
    rules: Sequence[NormalRule], others: Sequence[NormalRule]
) -> list[NormalRule]:
    """Return the rules that are not among others."""
    known = set(others)
    return [rule for rule in rules if rule not in known]


def _cost(rules: Sequence[NormalRule], domains: Domains) -> int:
    """Return how many instances rules have once they are split, by a rough count."""
    maker = RelationMaker()
    total = 0
    for rule in split(rules, domains, maker):
        atoms = [literal.atom for literal in rule.body if literal.binds]
        total += prod(domains.size(v, atoms) for v in all_variables(rule.body))
    return total
