"""Recursion that builds ever deeper terms, and so may never end.

A recursive rule does no harm if the terms of its head are no deeper than those it was
given. A variable's value is as deep as the atom that binds it allows, so what counts is
how much deeper the variable stands in the head than in that atom. Conditions outside
the circle bind variables to values that are there already. As in GDL's own definition,
a recursive condition is bounded if each of its arguments stands in the head or in such
a condition as it is.

Facts are a circle of their own: `next` makes what is `true` one step later, `legal`
what a role `does`. Facts that grow from step to step are no mistake in a single
position, but no finite circuit can hold them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from gamelore.gdl.checks.sheet import AtomUse, Sheet
from gamelore.gdl.graph import components
from gamelore.gdl.rules import And, Atom, Condition, Rule
from gamelore.gdl.source import quote
from gamelore.gdl.terms import Compound, Term, Variable, variables

_MAX_WORK = 1_000_000  # spent on telling whether a circle of several relations grows

# How a fact that one relation makes is asked for.
_ASKED_FOR = {"init": "true", "next": "true", "legal": "does"}


class RecursionStep(NamedTuple):
    """From a condition to a head that holds its variable deeper by `growth`."""

    head: str
    condition: str
    growth: int
    variable: Variable
    rule: Rule


def check_recursion(sheet: Sheet) -> None:
    """Report rules by which terms grow without end, within a position or over time."""
    for step in _growing(_steps(sheet, _relation)):
        sheet.report.error(
            "recursion",
            f"recursion may never end: {quote(step.variable)} stands deeper here than "
            f"in {quote(step.condition)}, and nothing else bounds it",
            sheet.places.variable(step.rule.head, step.variable),
        )
    for step in _growing(_steps(sheet, _fact)):
        if step.rule.head.relation in _ASKED_FOR:
            sheet.report.warning(
                "growth",
                f"facts may grow without end: {quote(step.variable)} stands deeper "
                "here than where it comes from, and nothing else bounds it",
                sheet.places.variable(step.rule.head, step.variable),
            )


def _relation(atom: Atom) -> str:
    return atom.relation


def _fact(atom: Atom) -> str:
    """Return a relation, or the fact or move that it is about."""
    relation = _ASKED_FOR.get(atom.relation, atom.relation)
    if relation not in ("true", "does") or not atom.arguments:
        return relation
    subject = atom.arguments[-1]
    name = subject.functor if isinstance(subject, Compound) else str(subject)
    return f"({relation} {name})"


def _steps(sheet: Sheet, name: Callable[[Atom], str]) -> dict[int, list[RecursionStep]]:
    """Return the steps within each circle; `name` says what an atom is about."""
    graph: dict[str, set[str]] = {name(rule.head): set() for rule in sheet.rules}
    for use in sheet.uses:
        if use.positive:
            graph[name(use.rule.head)].add(name(use.atom))
    circle = components(graph)
    recursive: dict[int, list[AtomUse]] = defaultdict(list)  # by the rule they stand in
    for use in sheet.uses:
        if use.positive and circle[name(use.atom)] == circle[name(use.rule.head)]:
            recursive[id(use.rule)].append(use)
    steps: dict[int, list[RecursionStep]] = defaultdict(list)
    for uses in recursive.values():
        rule = uses[0].rule
        steps[circle[name(rule.head)]].extend(_find_steps(rule, uses, name))
    return steps


def _find_steps(
    rule: Rule, uses: Sequence[AtomUse], name: Callable[[Atom], str]
) -> Iterator[RecursionStep]:
    """Return the steps of one rule from the conditions in its own circle."""
    inside = {id(use.atom) for use in uses}
    free = _depths(rule.head)
    bounds = set(rule.head.arguments)
    for atom in _certain_atoms(rule.body):
        if id(atom) not in inside and atom.relation != "distinct":
            bounds.update(atom.arguments)
            for variable in _depths(atom):
                free.pop(variable, None)
    for use in uses:
        given = _depths(use.atom)
        growths = [(free[v] - given[v], v) for v in given.keys() & free.keys()]
        if growths:
            growth, variable = max(growths)
            if all(t in bounds or _is_ground(t) for t in use.atom.arguments):
                growth = min(growth, 0)
            head, condition = name(rule.head), name(use.atom)
            yield RecursionStep(head, condition, growth, variable, rule)


def _is_ground(term: Term) -> bool:
    return not any(True for _ in variables(term))


def _certain_atoms(conditions: Iterable[Condition]) -> Iterator[Atom]:
    """Return the atoms that hold wherever all conditions do."""
    for condition in conditions:
        if isinstance(condition, Atom):
            yield condition
        elif isinstance(condition, And):
            yield from _certain_atoms(condition.parts)


def _depths(atom: Atom) -> dict[Variable, int]:
    """Return the variables of an atom, each with the depth of its deepest place."""
    depths: dict[Variable, int] = {}
    # a role is a plain name, however deep it is put
    skipped = 1 if atom.relation in ("does", "legal", "goal") else 0
    waiting: list[tuple[Term, int]] = [(t, 0) for t in atom.arguments[skipped:]]
    while waiting:
        term, depth = waiting.pop()
        if isinstance(term, Variable):
            depths[term] = max(depth, depths.get(term, 0))
        elif isinstance(term, Compound):
            waiting.extend((argument, depth + 1) for argument in term.arguments)
    return depths


def _growing(circles: dict[int, list[RecursionStep]]) -> Iterator[RecursionStep]:
    """Return the steps that grow, in circles that grow each time round."""
    for steps in circles.values():
        growing = [step for step in steps if step.growth > 0]
        if growing and _grows_each_round(steps):
            yield from {id(step.rule): step for step in growing}.values()


def _grows_each_round(steps: Sequence[RecursionStep]) -> bool:
    """Return whether a way round has a positive sum (Bellman and Ford)."""
    if any(step.growth > 0 and step.head == step.condition for step in steps):
        return True
    depth = {name: 0 for step in steps for name in (step.head, step.condition)}
    if len(depth) * len(steps) > _MAX_WORK:
        return True
    for _ in depth:
        changed = False
        for step in steps:
            reached = depth[step.condition] + step.growth
            if reached > depth[step.head]:
                depth[step.head] = reached
                changed = True
        if not changed:
            return False
    return True
