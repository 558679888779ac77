"""Terms of GDL: constants, variables and compound terms.

A constant is a plain `str`, so ground terms are cheap to make, hash and compare:

    "noop"                                   noop
    Compound("mark", ("1", "3"))             (mark 1 3)
    Compound("cell", ("1", Variable("x")))   (cell 1 ?x)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias


class Variable(NamedTuple):
    """A variable; its name is written without the question mark."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


class Compound(NamedTuple):
    """A functor applied to at least one argument."""

    functor: str
    arguments: tuple[Term, ...]

    def __str__(self) -> str:
        return to_kif(self)


Term: TypeAlias = str | Variable | Compound
Role: TypeAlias = str
Move: TypeAlias = Term  # always ground
Fact: TypeAlias = Term  # always ground


def to_kif(term: Term) -> str:
    """The term as KIF text, one space between tokens."""
    if isinstance(term, Compound):
        return f"({term.functor} {' '.join(map(to_kif, term.arguments))})"
    return str(term)


def variables(term: Term) -> Iterator[Variable]:
    """The variables of a term, left to right, repeats included."""
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, Compound):
        for argument in term.arguments:
            yield from variables(argument)
