"""Rules in normal form: every body a plain list of literals.

`or` becomes a relation of its own, negation is pushed down to atoms, and variables that
occur only under a `not` are projected away (`not p(?x)` with a free `?x` means that no
instance is true). Where a new relation lacks a variable's binding it gets a *guard*, a
relation that only says over which terms the variable can range: the grounder needs it,
the circuit drops it, since whoever uses the new relation holds what the guard says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gamelore.gdl import And, Atom, Condition, Not, Or, Rule, Variable, variables

GUARD = "guard "
"""Relations made here have spaces in their names, which no KIF token can have; the last
word is the relation of the sheet that they were made for."""


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom or its negation; `distinct` is a literal like any other."""

    atom: Atom
    positive: bool = True

    @property
    def binds(self) -> bool:
        """Whether it can bind its variables."""
        return self.positive and self.atom.relation != "distinct"

    @property
    def variables(self) -> frozenset[Variable]:
        return atom_variables(self.atom)


@dataclass(frozen=True, slots=True)
class NormalRule:
    """`head` holds if every literal of `body` does."""

    head: Atom
    body: tuple[Literal, ...] = ()


def atom_variables(atom: Atom) -> frozenset[Variable]:
    """Return the variables of an atom."""
    return frozenset(v for argument in atom.arguments for v in variables(argument))


def bound_variables(literals: Iterable[Literal]) -> frozenset[Variable]:
    """Return the variables that some literal binds."""
    return frozenset(v for lit in literals if lit.binds for v in lit.variables)


def all_variables(literals: Iterable[Literal]) -> frozenset[Variable]:
    """Return the variables that occur in some literal."""
    return frozenset(v for literal in literals for v in literal.variables)


def made_for(relation: str) -> str:
    """Return the relation of the sheet that a relation was made for, or itself."""
    return relation.rpartition(" ")[2]


class RelationMaker:
    """Names new relations, and makes the guards that rules over them need."""

    def __init__(self) -> None:
        self._made = 0
        self._guards: dict[tuple[Atom, tuple[Variable, ...]], Atom] = {}
        self.guard_rules: list[NormalRule] = []

    def relation(self, kind: str, over: Iterable[Variable], of: Atom) -> Atom:
        """Return a new relation over variables, made for a rule with the head `of`."""
        self._made += 1
        name = f"{kind} {self._made} {made_for(of.relation)}"
        return Atom(name, tuple(sorted(over)))

    def guard(
        self, missing: frozenset[Variable], context: Sequence[Literal]
    ) -> list[Literal]:
        """Return literals that bind the missing variables the way the context does."""
        guards = []
        while missing:
            best = max(
                (literal for literal in context if literal.binds),
                key=lambda literal: len(literal.variables & missing),
                default=None,
            )
            if best is None or not best.variables & missing:
                break  # an unsafe rule; the grounder will say so
            covered = tuple(sorted(best.variables & missing))
            key = (best.atom, covered)
            if key not in self._guards:
                self._guards[key] = self.relation(GUARD, covered, best.atom)
                self.guard_rules.append(NormalRule(self._guards[key], (best,)))
            guards.append(Literal(self._guards[key]))
            missing -= frozenset(covered)
        return guards


def normalise(rules: Iterable[Rule], maker: RelationMaker) -> Iterator[NormalRule]:
    """Return the same rules in normal form, with the relations that this takes."""
    for rule in rules:
        yield from _normalise_rule(rule, maker)


def _normalise_rule(rule: Rule, maker: RelationMaker) -> Iterator[NormalRule]:
    literals: list[Literal] = []
    choices: list[tuple[Condition, ...]] = []
    for condition in rule.body:
        _flatten(condition, True, literals, choices)
    head_variables = atom_variables(rule.head)
    while choices:
        options = choices.pop()
        others = literals + [lit for rest in choices for lit in _flat_literals(rest)]
        outside = head_variables | all_variables(others)
        shared = all_variables(_flat_literals(options)) & outside
        either = maker.relation("or", shared, rule.head)
        for option in options:
            missing = shared - _certainly_bound(option)
            body = (option, *(g.atom for g in maker.guard(missing, others)))
            yield from _normalise_rule(Rule(either, body), maker)
        literals.append(Literal(either))
    bound = bound_variables(literals)
    body_literals = []
    for literal in literals:
        free = literal.variables - bound - head_variables
        if free and not literal.positive and literal.atom.relation != "distinct":
            some = maker.relation("some", literal.variables - free, literal.atom)
            guards = maker.guard(literal.variables - free, literals)
            yield NormalRule(some, (Literal(literal.atom), *guards))
            literal = Literal(some, positive=False)
        body_literals.append(literal)
    yield NormalRule(rule.head, tuple(dict.fromkeys(body_literals)))


def _flatten(
    condition: Condition,
    positive: bool,
    literals: list[Literal],
    choices: list[tuple[Condition, ...]],
) -> None:
    """Add what a condition demands: literals, and choices of which one must hold."""
    match condition:
        case Atom():
            literals.append(Literal(condition, positive))
        case Not():
            _flatten(condition.condition, not positive, literals, choices)
        case And(parts) | Or(parts):
            if isinstance(condition, And) == positive or len(parts) == 1:
                for part in parts:
                    _flatten(part, positive, literals, choices)
            elif positive:
                choices.append(parts)
            else:
                choices.append(tuple(Not(part) for part in parts))


def _flat_literals(options: Iterable[Condition]) -> list[Literal]:
    """Return every literal anywhere below, signs included."""
    literals: list[Literal] = []
    choices: list[tuple[Condition, ...]] = []
    for option in options:
        _flatten(option, True, literals, choices)
    while choices:
        for option in choices.pop():
            _flatten(option, True, literals, choices)
    return literals


def _certainly_bound(option: Condition) -> frozenset[Variable]:
    literals: list[Literal] = []
    choices: list[tuple[Condition, ...]] = []
    _flatten(option, True, literals, choices)
    bound = bound_variables(literals)
    for options in choices:
        bound |= frozenset.intersection(*(_certainly_bound(o) for o in options))
    return bound
