"""Recursion that hands its result on unchanged, run forwards from where it begins.

    (<= (stones ?n) (count 1 0 ?n))
    (<= (count ?cell ?m ?n) (step ?cell ?m ?next ?more) (count ?next ?more ?n))
    (<= (count last ?m ?n) (step last ?m end ?n))

Read as it stands, `count` relates every cell and every number to every result. But it
is asked for one cell and one number, and hands results on. So what is asked for can be
a relation of its own, and the result is found where asking ends:

    asked(1, 0)              asked(?next, ?more) ← asked(?cell, ?m), step(…)
    answer(?n) ← asked(last, ?m), step(last, ?m, end, ?n)

In databases this is known as factoring right-linear recursion (Naughton, Ramakrishnan,
Sagiv and Ullman, 1989).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from gamelore.gdl import Atom, Term, Variable, variables
from gamelore.ground.domains import Domains
from gamelore.ground.normal import (
    Literal,
    NormalRule,
    all_variables,
    atom_variables,
    bound_variables,
)
from gamelore.ground.unfold import LARGE


@dataclass(frozen=True)
class _Recursion:
    """A relation that can be run forwards."""

    relation: str
    passed: frozenset[int]
    """The arguments that are handed on."""
    begin: tuple[Term, ...]
    """What all others are where it is asked for."""

    def _divide(self, atom: Atom) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        """Return the arguments that say what is asked for, and those handed on."""
        numbered = list(enumerate(atom.arguments))
        asked = tuple(term for i, term in numbered if i not in self.passed)
        return asked, tuple(term for i, term in numbered if i in self.passed)

    def asked(self, atom: Atom) -> Atom:
        return Atom(f"asked {self.relation}", self._divide(atom)[0])

    def answer(self, atom: Atom) -> Atom:
        return Atom(f"answer {self.relation}", self._divide(atom)[1])

    def rewrite(self, rule: NormalRule) -> NormalRule:
        """Return what takes the place of a rule."""
        inside = [lit for lit in rule.body if lit.atom.relation == self.relation]
        if rule.head.relation != self.relation:
            body = [
                Literal(self.answer(lit.atom), lit.positive) if lit in inside else lit
                for lit in rule.body
            ]
            return NormalRule(rule.head, tuple(body))
        here = Literal(self.asked(rule.head))
        if not inside:
            return NormalRule(self.answer(rule.head), (here, *rule.body))
        rest = [literal for literal in rule.body if literal not in inside]
        return NormalRule(self.asked(inside[0].atom), (here, *rest))


def run_forwards(rules: Sequence[NormalRule]) -> list[NormalRule]:
    """Return the same rules, with large recursions that allow it run forwards."""
    result = list(rules)
    for relation in sorted({rule.head.relation for rule in rules}):
        found = _find_recursion(relation, result)
        if found is not None and _count_instances(found, result) >= LARGE:
            begin = Atom(f"asked {relation}", found.begin)
            result = [NormalRule(begin), *map(found.rewrite, result)]
    return result


def _count_instances(recursion: _Recursion, rules: Sequence[NormalRule]) -> int:
    """Return how many instances the rules of a recursion have, by a rough count."""
    domains = Domains(rules)
    total = 0
    for rule in rules:
        if rule.head.relation == recursion.relation:
            atoms = [literal.atom for literal in rule.body if literal.binds]
            names = all_variables(rule.body) | atom_variables(rule.head)
            total += prod(domains.size(name, atoms) for name in names)
    return total


def _find_recursion(relation: str, rules: Sequence[NormalRule]) -> _Recursion | None:
    """Return how a relation is asked for and handed on, if it can be run forwards."""
    own = [rule for rule in rules if rule.head.relation == relation]
    calls = [(rule, _calls(rule, relation)) for rule in own]
    recursive = [(rule, inside[0]) for rule, inside in calls if inside]
    if not recursive or any(
        len(inside) > 1 or not all(literal.positive for literal in inside)
        for _, inside in calls
    ):
        return None
    passed = frozenset(range(len(own[0].head.arguments)))
    for rule, literal in recursive:
        passed &= frozenset(_find_passed(rule, literal))
    uses = {
        tuple(t for i, t in enumerate(literal.atom.arguments) if i not in passed)
        for rule in rules
        if rule.head.relation != relation
        for literal in _calls(rule, relation)
    }
    if not passed or len(uses) != 1:
        return None
    found = _Recursion(relation, passed, uses.pop())
    if not found.begin or any(any(variables(term)) for term in found.begin):
        return None
    rewritten = [found.rewrite(rule) for rule in own]
    return found if all(map(_is_safe, rewritten)) else None


def _calls(rule: NormalRule, relation: str) -> list[Literal]:
    return [literal for literal in rule.body if literal.atom.relation == relation]


def _find_passed(rule: NormalRule, literal: Literal) -> Iterator[int]:
    """Return the arguments that a rule hands on from its recursive literal."""
    others = all_variables(other for other in rule.body if other != literal)
    pairs = zip(rule.head.arguments, literal.atom.arguments, strict=True)
    for number, (term, same) in enumerate(pairs):
        if isinstance(term, Variable) and term == same and term not in others:
            uses = [*rule.head.arguments, *literal.atom.arguments]
            if sum(term in set(variables(use)) for use in uses) == 2:
                yield number


def _is_safe(rule: NormalRule) -> bool:
    """Return whether the body binds every variable of a rule."""
    used = all_variables(rule.body) | atom_variables(rule.head)
    return used <= bound_variables(rule.body)
