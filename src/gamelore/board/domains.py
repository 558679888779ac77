"""Which constants can stand where, read off the rules.

A place is a relation, or a functor below `true` or `does`, with an argument's number. A
variable takes what all places that bind it in a rule have in common, so arguments are
considered one by one: a rough answer, never too small, and fast.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from gamelore.gdl import Atom, Compound, Condition, Or, Rule, Term, Variable, find_atoms

Place: TypeAlias = tuple[str, str, int]
"""Relation, functor (empty for the relation's own arguments), argument's number."""

_SAME = {"next": "true", "init": "true", "base": "true", "legal": "does"}
_MOST_ROUNDS = 40


def places(atom: Atom) -> Iterator[tuple[Place, Term]]:
    """Return the places of an atom's arguments, those of its terms included."""
    relation = _SAME.get(atom.relation, atom.relation)
    if atom.relation == "input":
        relation = "does"
    for i, argument in enumerate(atom.arguments):
        if isinstance(argument, Compound):
            yield (relation, "", i), f"{argument.functor}/{len(argument.arguments)}"
            key = f"{argument.functor}/{len(argument.arguments)}"
            for j, part in enumerate(argument.arguments):
                yield (relation, key, j), part
        else:
            yield (relation, "", i), argument


def find_domains(rules: Iterable[Rule]) -> dict[Place, set[str]]:
    """Return the constants of every place, terms below functors of terms left out."""
    domains: dict[Place, set[str]] = defaultdict(set)
    flows: list[tuple[Place, list[list[Place]]]] = []
    for rule in rules:
        sources = _sources(rule.body)
        for place, term in places(rule.head):
            if isinstance(term, str):
                domains[place].add(term)
            elif isinstance(term, Variable) and term in sources:
                flows.append((place, sources[term]))
    for _ in range(_MOST_ROUNDS):
        changed = False
        for place, groups in flows:
            common: set[str] | None = None
            for group in groups:
                values = set().union(*(domains[source] for source in group))
                common = values if common is None else common & values
            if common and not common <= domains[place]:
                domains[place] |= common
                changed = True
        if not changed:
            break
    return domains


def _sources(body: Iterable[Condition]) -> dict[Variable, list[list[Place]]]:
    """Return for each variable the groups of places that bind it.

    What is bound in one of several options counts as one group.
    """
    found: dict[Variable, list[list[Place]]] = defaultdict(list)
    for condition in body:
        here: dict[Variable, list[Place]] = defaultdict(list)
        for atom, positive in find_atoms(condition):
            if not positive or atom.relation == "distinct":
                continue
            for place, term in places(atom):
                if isinstance(term, Variable):
                    here[term].append(place)
        for variable, group in here.items():
            if isinstance(condition, Or):
                found[variable].append(group)
            else:
                found[variable].extend([place] for place in group)
    return found
