"""Fewer variables per rule: a rule that joins many becomes several that join few.

One variable at a time is eliminated: the literals that mention it move into a rule of
their own, whose head keeps only the variables that the rest still needs. The order is
greedy, cheapest join first, where the cost of a join is how many ground instances its
variables can have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod

from gamelore.gdl import Variable
from gamelore.ground.domains import Domains
from gamelore.ground.normal import (
    Literal,
    NormalRule,
    RelationMaker,
    all_variables,
    atom_variables,
    bound_variables,
)


def split(
    rules: Sequence[NormalRule], domains: Domains, maker: RelationMaker
) -> Iterator[NormalRule]:
    """Return the same rules, each joining as few variables as elimination can reach."""
    for rule in rules:
        yield from _split_rule(rule, domains, maker)


def _split_rule(
    rule: NormalRule, domains: Domains, maker: RelationMaker
) -> Iterator[NormalRule]:
    atoms = [literal.atom for literal in rule.body if literal.binds]
    sizes = {v: domains.size(v, atoms) for v in all_variables(rule.body)}
    needed = atom_variables(rule.head)
    literals = list(rule.body)
    removable = set(sizes) - needed
    while removable:
        joins = [(_cost(v, literals, sizes), v) for v in removable]
        variable = min(joins)[1]
        joined = [literal for literal in literals if variable in literal.variables]
        rest = [literal for literal in literals if variable not in literal.variables]
        if all_variables(joined) >= all_variables(rest) | needed:
            break  # the join has everything the rule has: nothing to gain
        gone = _only_in(joined, rest, needed)
        kept = all_variables(joined) - gone
        missing = all_variables(joined) - bound_variables(joined)
        head = maker.relation("join", kept, rule.head)
        yield NormalRule(head, (*joined, *maker.guard(missing, rest)))
        literals = [*rest, Literal(head)]
        removable -= gone
    yield NormalRule(rule.head, tuple(literals))


def _cost(
    variable: Variable, literals: Iterable[Literal], sizes: dict[Variable, int]
) -> int:
    joined = [literal for literal in literals if variable in literal.variables]
    return prod(sizes[v] for v in all_variables(joined))


def _only_in(
    joined: Sequence[Literal], rest: Iterable[Literal], needed: frozenset[Variable]
) -> frozenset[Variable]:
    """Return the variables of the joined literals that nothing else mentions."""
    return all_variables(joined) - all_variables(rest) - needed
