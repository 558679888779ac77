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
    """Return the term as KIF text, one space between tokens."""
    if not isinstance(term, Compound):
        return str(term)
    pieces: list[str] = []
    waiting: list[Term] = [term]
    while waiting:  # not recursive: terms that a match builds may be deep
        part = waiting.pop()
        if isinstance(part, Compound):
            pieces.append(f"({part.functor}")
            waiting.append(")")
            waiting.extend(reversed(part.arguments))
        else:
            pieces.append(str(part))
    return " ".join(pieces).replace(" )", ")")


def parts(term: Term) -> Iterator[Term]:
    """Return the term and all terms inside it, left to right, outer ones first."""
    waiting = [term]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, Compound):
            waiting.extend(reversed(part.arguments))


def variables(term: Term) -> Iterator[Variable]:
    """Return the variables of a term, left to right, repeats included."""
    return (part for part in parts(term) if isinstance(part, Variable))
