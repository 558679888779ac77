"""Rules of GDL: atoms, the conditions built from them, and rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from gamelore.gdl.problems import Span
from gamelore.gdl.terms import Term, Variable, to_kif, variables

NOWHERE = Span(0, 0, 0)

ARITIES = {
    "role": 1,
    "init": 1,
    "true": 1,
    "next": 1,
    "legal": 2,
    "does": 2,
    "goal": 2,
    "terminal": 0,
    "distinct": 2,
    "base": 1,
    "input": 2,
    "sees": 2,
}
"""GDL's own relations, and how many arguments each takes."""

HINTS = frozenset(("base", "input"))
"""Relations that only say what there may be; rules play the same without them."""

CONNECTIVES = frozenset(("not", "or", "and"))

NEVER_HEADS = {
    "true": "facts become true by `init` and `next`",
    "does": "moves are made by the players",
    "distinct": "terms differ or they do not",
}
"""What the rules cannot derive, and why."""

NEVER_CONDITIONS = {
    "init": "it says what is true at the start: ask for `true`",
    "next": "what is next is not known before the moves are made: ask for `true`",
}
"""What the rules cannot ask for, and why."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation applied to terms: `(cell 1 1 ?m)`, `(distinct ?x ?y)`, `terminal`.

    GDL's own words (`true`, `does`, `next`, `distinct`, …) are kept in lower case.
    """

    relation: str
    arguments: tuple[Term, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        if not self.arguments:
            return self.relation
        return f"({self.relation} {' '.join(map(to_kif, self.arguments))})"


@dataclass(frozen=True, slots=True)
class Not:
    """Negation as failure."""

    condition: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return f"(not {self.condition})"


@dataclass(frozen=True, slots=True)
class Or:
    """True if one of the options is."""

    options: tuple[Condition, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return f"(or {' '.join(map(str, self.options))})"


@dataclass(frozen=True, slots=True)
class And:
    """True if all of the parts are; not in GDL's standard, but found in use."""

    parts: tuple[Condition, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return f"(and {' '.join(map(str, self.parts))})"


Condition: TypeAlias = Atom | Not | Or | And


@dataclass(frozen=True, slots=True)
class Rule:
    """`head` holds if every condition of `body` does; a fact has an empty body."""

    head: Atom
    body: tuple[Condition, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        if not self.body:
            return str(self.head)
        return f"(<= {self.head} {' '.join(map(str, self.body))})"


def find_atoms(
    condition: Condition, positive: bool = True
) -> Iterator[tuple[Atom, bool]]:
    """Return the atoms of a condition, each with whether it stands under no `not`."""
    match condition:
        case Atom():
            yield condition, positive
        case Not():
            yield from find_atoms(condition.condition, False)
        case Or():
            for option in condition.options:
                yield from find_atoms(option, positive)
        case And():
            for part in condition.parts:
                yield from find_atoms(part, positive)


def find_variables(condition: Condition) -> frozenset[Variable]:
    """Return all variables that occur in a condition."""
    return frozenset(
        variable
        for atom, _ in find_atoms(condition)
        for argument in atom.arguments
        for variable in variables(argument)
    )
