"""Rules made plain for the interpreter: clauses of literals, and who depends on whom.

`or`, `and` and `not` over anything but an atom become relations of their own, so that
a clause is a head and a flat body of literals, each an atom or the negation of one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import count
from typing import NamedTuple

from gamelore.gdl import (
    And,
    Atom,
    Condition,
    Not,
    Or,
    Rule,
    Span,
    Term,
    Variable,
    find_variables,
    variables,
)
from gamelore.gdl.graph import components

MAX_LOOPS = 12
"""Literals with variables in one clause; Python nests at most 20 loops."""


class Signature(NamedTuple):
    """A relation: its name and its number of arguments."""

    name: str
    arity: int


TRUE = Signature("true", 1)
DOES = Signature("does", 2)
DISTINCT = Signature("distinct", 2)


class Level(IntEnum):
    """What a relation depends on, so when its answers grow stale."""

    STATIC = 0
    POSITION = 1
    MOVES = 2


@dataclass(frozen=True, slots=True)
class ClauseLiteral:
    """An atom or its negation."""

    signature: Signature
    arguments: tuple[Term, ...]
    positive: bool = True

    def variables(self) -> Iterator[Variable]:
        """The variables, left to right, repeats included."""
        for argument in self.arguments:
            yield from variables(argument)


@dataclass(frozen=True, slots=True)
class Clause:
    """The head holds if every literal of the body does."""

    head: ClauseLiteral
    body: tuple[ClauseLiteral, ...]
    span: Span


@dataclass
class ClauseProgram:
    """All clauses of a game."""

    clauses: dict[Signature, list[Clause]]
    facts: dict[Signature, list[tuple[Term, ...]]]
    """Ground arguments of the relations that are given by facts alone."""
    demands: dict[Signature, frozenset[int]]
    """Arguments that must be bound before a made-up relation is asked."""
    levels: dict[Signature, Level]
    recursive: dict[Signature, int]
    """The recursive relations; those with the same number define each other."""

    @classmethod
    def from_rules(cls, rules: Iterable[Rule]) -> ClauseProgram:
        """The clauses of the rules, with facts apart."""
        builder = _ClauseBuilder()
        for rule in rules:
            builder.add_rule(rule)
        clauses, facts = _separate_facts(builder.clauses)
        recursive, levels = _dependencies(clauses)
        return cls(clauses, facts, builder.demands, levels, recursive)


class _ClauseBuilder:
    """Turns rules into clauses, making up relations for the conditions between."""

    def __init__(self) -> None:
        self.clauses: dict[Signature, list[Clause]] = defaultdict(list)
        self.demands: dict[Signature, frozenset[int]] = {}
        self._numbers = count(1)

    def add_rule(self, rule: Rule) -> None:
        """Add the clause of a rule, without the tests that mean nothing.

        A `not` or `distinct` on a variable of the head that the body gives no value
        is no GDL; the reference prover leaves it out, and so its traces have it.
        """
        head = _literal(rule.head)
        body = self._literals(head, rule.body, rule.span)
        empty = set(head.variables()) - self._bound_by(body)
        kept = [lit for lit in body if _binds(lit) or empty.isdisjoint(lit.variables())]
        self._add_clause(head, kept, rule.span)

    def _literals(
        self, head: ClauseLiteral, body: Sequence[Condition], span: Span
    ) -> list[ClauseLiteral]:
        parts = [part for condition in body for part in _conjuncts(condition)]
        used = Counter(head.variables())
        for part in parts:
            used.update(find_variables(part))
        literals: list[ClauseLiteral] = []
        for part in parts:
            inside = find_variables(part)
            outside = {v for v in used if used[v] > (v in inside)}
            literals.append(self._flatten(part, outside, span))
        return literals

    def _flatten(
        self, part: Condition, outside: set[Variable], span: Span
    ) -> ClauseLiteral:
        """The part as one literal, by way of a relation of its own where needed."""
        match part:
            case Atom():
                return _literal(part)
            case Not(Atom() as atom) if not _is_test(atom, outside):
                return _literal(atom, positive=False)
            case Not(inner):
                made = self._make_up("not", [(inner,)], outside, span)
                return ClauseLiteral(made.signature, made.arguments, positive=False)
            case Or(options):
                return self._make_up("or", [(o,) for o in options], outside, span)
        return self._make_up("and", [(part,)], outside, span)

    def _make_up(
        self,
        word: str,
        bodies: Sequence[Sequence[Condition]],
        outside: set[Variable],
        span: Span,
    ) -> ClauseLiteral:
        """A relation over the variables shared with the outside, a clause per body."""
        inside = set().union(*(find_variables(c) for body in bodies for c in body))
        shared = sorted(inside & outside)
        # no name in a rule sheet holds a parenthesis, so this one is new
        signature = Signature(f"({word} {next(self._numbers)})", len(shared))
        head = ClauseLiteral(signature, tuple(shared))
        self.clauses[signature] = []
        for body in bodies:
            self._add_clause(head, self._literals(head, body, span), span)
        self._note_demands(signature, shared)
        return head

    def _note_demands(self, signature: Signature, shared: Sequence[Variable]) -> None:
        bound_by_all = set(shared)
        for clause in self.clauses[signature]:
            bound_by_all &= self._bound_by(clause.body)
        self.demands[signature] = frozenset(
            i for i, variable in enumerate(shared) if variable not in bound_by_all
        )

    def _bound_by(self, body: Iterable[ClauseLiteral]) -> set[Variable]:
        """The variables that the positive literals give values to."""
        bound: set[Variable] = set()
        for literal in body:
            if _binds(literal):
                demanded = self.demands.get(literal.signature, frozenset())
                for i, argument in enumerate(literal.arguments):
                    if i not in demanded:
                        bound.update(variables(argument))
        return bound

    def _add_clause(
        self, head: ClauseLiteral, body: Sequence[ClauseLiteral], span: Span
    ) -> None:
        """Add a clause; a long body goes on in a relation made up for its rest."""
        loops = [
            lit for lit in body if _binds(lit) and any(True for _ in lit.variables())
        ]
        if len(loops) > MAX_LOOPS:
            first = loops[: MAX_LOOPS - 1]
            rest = [literal for literal in body if literal not in first]
            outside = {v for literal in (head, *first) for v in literal.variables()}
            shared = sorted(outside & {v for lit in rest for v in lit.variables()})
            signature = Signature(f"(rest {next(self._numbers)})", len(shared))
            tail = ClauseLiteral(signature, tuple(shared))
            self._add_clause(tail, rest, span)
            self._note_demands(signature, shared)
            body = [*first, tail]
        self.clauses[head.signature].append(Clause(head, tuple(body), span))


def _literal(atom: Atom, positive: bool = True) -> ClauseLiteral:
    signature = Signature(atom.relation, len(atom.arguments))
    return ClauseLiteral(signature, atom.arguments, positive)


def _binds(literal: ClauseLiteral) -> bool:
    """Whether a literal gives values to its variables, rather than tests them."""
    return literal.positive and literal.signature != DISTINCT


def _conjuncts(condition: Condition) -> Iterator[Condition]:
    match condition:
        case And(parts):
            for part in parts:
                yield from _conjuncts(part)
        case _:
            yield condition


def _is_test(atom: Atom, outside: set[Variable]) -> bool:
    """Whether negating the atom takes more than asking its relation for any answer."""
    if atom.relation == "distinct":
        return True
    local = [v for v in _literal(atom).variables() if v not in outside]
    return len(local) != len(set(local))


def _separate_facts(
    clauses: dict[Signature, list[Clause]],
) -> tuple[dict[Signature, list[Clause]], dict[Signature, list[tuple[Term, ...]]]]:
    """Ground facts apart from clauses; where a relation has both, under a new name."""
    proper: dict[Signature, list[Clause]] = {}
    facts: dict[Signature, list[tuple[Term, ...]]] = {}
    for signature, group in clauses.items():
        rows = [c.head.arguments for c in group if _is_fact(c)]
        rest = [c for c in group if not _is_fact(c)]
        if rows and rest:
            given = Signature(f"({signature.name} facts)", signature.arity)
            arguments = tuple(Variable(str(i)) for i in range(signature.arity))
            head, body = (
                ClauseLiteral(signature, arguments),
                ClauseLiteral(given, arguments),
            )
            rest.insert(0, Clause(head, (body,), rest[0].span))
            facts[given] = rows
        elif rows:
            facts[signature] = rows
        if rest:
            proper[signature] = rest
    return proper, facts


def _is_fact(clause: Clause) -> bool:
    return not clause.body and not any(True for _ in clause.head.variables())


def _dependencies(
    clauses: dict[Signature, list[Clause]],
) -> tuple[dict[Signature, int], dict[Signature, Level]]:
    """The number of every recursive relation, and the level of every relation."""
    uses = {
        signature: {literal.signature for clause in group for literal in clause.body}
        for signature, group in clauses.items()
    }
    numbers = components(uses)
    members: dict[int, list[Signature]] = defaultdict(list)
    for signature, number in numbers.items():
        members[number].append(signature)
    recursive: dict[Signature, int] = {}
    levels = {TRUE: Level.POSITION, DOES: Level.MOVES}
    for number in sorted(members):  # what a component uses has a lower number
        group = members[number]
        used = set().union(*(uses.get(signature, set()) for signature in group))
        level = max((levels.get(u, Level.STATIC) for u in used), default=Level.STATIC)
        for signature in group:
            levels[signature] = max(level, levels.get(signature, Level.STATIC))
            if len(group) > 1 or signature in used:
                recursive[signature] = number
    return recursive, levels
