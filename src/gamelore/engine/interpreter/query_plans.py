"""Clauses written out as Python functions, one for every way of asking.

A *shape* says how a relation is asked: its arguments, with a mode at every leaf.
`(true (cell 1 ?y ?m))`, where ?y has a value and ?m is not used again, asks `true` with

    (Compound("cell", (BOUND, BOUND, ANY)),)

The values at the bound leaves are the *key*, those at the free leaves an *answer*.
A clause becomes nested loops over the answers of its literals, in an order chosen so
that every test runs as soon as its variables have values:

    def rule(add, k0):
        for (v1,) in t0[k0,]:
            if not t1[v1, 'b']: continue
            add((v1,))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple, Protocol, TypeAlias

from gamelore.engine.interpreter.clauses import (
    DISTINCT,
    Clause,
    ClauseLiteral,
    Signature,
)
from gamelore.errors import GdlError
from gamelore.gdl import Compound, Problem, Term, Variable, variables

Shape: TypeAlias = tuple[Term, ...]
Key: TypeAlias = tuple[Term, ...]
Answer: TypeAlias = tuple[Term, ...]
RuleFunction: TypeAlias = Callable[..., bool | None]
FillFunction: TypeAlias = Callable[[Iterable[tuple[Term, ...]], Any], None]

BOUND, FREE, ANY = "bound", "free", "any"


class Answers(Protocol):
    """What a plan must know of the answers to a literal."""

    def fan_out(self) -> float:
        """About how many answers there are to one key."""


Lookup: TypeAlias = Callable[[Signature, Shape], Answers]


class _Ask(NamedTuple):
    """A way of asking a literal; `distinct` has no table."""

    shape: Shape
    table: Answers | None
    cost: float


def leaves(shape: Iterable[Term]) -> Iterator[str]:
    """The modes of a shape, left to right."""
    for part in shape:
        if isinstance(part, Compound):
            yield from leaves(part.arguments)
        else:
            yield str(part)


def plan_rule(
    clause: Clause,
    shape: Shape,
    lookup: Lookup,
    demands: Mapping[Signature, frozenset[int]],
) -> RuleFunction | None:
    """`rule(add, *key)`: adds every answer, or where none is asked for, returns truth.

    None where the head cannot match the shape.
    """
    special = _specialise(clause, shape)
    if special is None:
        return None
    return _RuleWriter(special, shape, lookup, demands).function()


def plan_facts(shape: Shape) -> FillFunction:
    """`fill(rows, table)`: puts the rows that match the shape under their keys."""
    writer = _Writer()
    names = [writer.new_name() for _ in shape]
    writer.open("def fill(rows, table):")
    writer.open(f"for {_tuple(names)} in rows:", loop=True)
    keys: list[str] = []
    outputs: list[str] = []
    for part, name in zip(shape, names, strict=True):
        writer.take_apart(part, name, keys, outputs)
    if FREE in leaves(shape):
        writer.line(f"table.setdefault({_tuple(keys)}, set()).add({_tuple(outputs)})")
    else:
        writer.line(f"table[{_tuple(keys)}] = True")
    fill: FillFunction = writer.build("fill")
    return fill


class _Writer:
    """Lines of Python, and the names they use."""

    def __init__(self) -> None:
        self.namespace: dict[str, object] = {
            "Compound": Compound,
            # skips the argument handling of Compound(...)
            "make": tuple.__new__,
        }
        self._lines: list[str] = []
        self._depth = 0
        self._fail = "return"
        self._numbers = count()

    def new_name(self, letter: str = "v") -> str:
        return f"{letter}{next(self._numbers)}"

    def share(self, value: object, letter: str) -> str:
        """A name under which the function sees the value."""
        name = self.new_name(letter)
        self.namespace[name] = value
        return name

    def line(self, text: str) -> None:
        self._lines.append(" " * self._depth + text)

    def open(self, text: str, loop: bool = False) -> None:
        self.line(text)
        self._depth += 1
        if loop:
            self._fail = "continue"

    def fail_if(self, test: str) -> None:
        self.line(f"if {test}: {self._fail}")

    def take_apart(
        self, part: Term, value: str, keys: list[str], outputs: list[str]
    ) -> None:
        """Match a value with a part of a shape; name what is at its leaves."""
        if isinstance(part, Compound):
            names = self.split(part, value)
            for inner, name in zip(part.arguments, names, strict=True):
                self.take_apart(inner, name, keys, outputs)
        elif part == BOUND:
            keys.append(value)
        elif part == FREE:
            outputs.append(value)

    def split(self, pattern: Compound, value: str) -> list[str]:
        """Names for the arguments of a value that must be like the pattern."""
        names = [self.new_name() for _ in pattern.arguments]
        self.fail_if(
            f"{value}.__class__ is not Compound or {value}[0] != {pattern.functor!r}"
            f" or len({value}[1]) != {len(names)}"
        )
        self.line(f"{_tuple(names)} = {value}[1]")
        return names

    def build(self, name: str) -> Any:
        source = "\n".join(self._lines)
        exec(compile(source, f"<{name}>", "exec"), self.namespace)
        return self.namespace[name]


class _RuleWriter(_Writer):
    """Writes one clause, already specialised, for one shape."""

    def __init__(
        self,
        clause: Clause,
        shape: Shape,
        lookup: Lookup,
        demands: Mapping[Signature, frozenset[int]],
    ) -> None:
        super().__init__()
        self._clause = clause
        self._lookup = lookup
        self._demands = demands
        self._values: dict[Variable, str] = {}
        self._keys: list[Term] = []
        self._outputs: list[Term] = []
        for part, term in zip(shape, clause.head.arguments, strict=True):
            _collect(part, term, self._keys, self._outputs)
        self._produces = FREE in leaves(shape)

    def function(self) -> RuleFunction:
        names = [f"k{i}" for i in range(len(self._keys))]
        self.open(f"def rule({', '.join(['add', *names])}):")
        for term, name in zip(self._keys, names, strict=True):
            self._match(term, name)
        self._write_body()
        if self._produces:
            self.line(f"add({_tuple([self._text(term) for term in self._outputs])})")
        else:
            self.line("return True")
        rule: RuleFunction = self.build("rule")
        return rule

    def _match(self, pattern: Term, value: str) -> None:
        """Bind the variables of a pattern to what stands there in the value."""
        if isinstance(pattern, Compound):
            names = self.split(pattern, value)
            for sub, name in zip(pattern.arguments, names, strict=True):
                self._match(sub, name)
        elif isinstance(pattern, Variable) and pattern not in self._values:
            self._values[pattern] = value
        else:
            self.fail_if(f"{value} != {self._text(pattern)}")

    def _write_body(self) -> None:
        remaining = list(self._clause.body)
        while remaining:
            ready = [lit for lit in remaining if self._is_ready(lit, remaining)]
            if not ready:
                raise self._unsafe(v for lit in remaining for v in lit.variables())
            asked = [(self._ask(literal, remaining), literal) for literal in ready]
            ask, literal = min(asked, key=lambda pair: pair[0].cost)
            remaining.remove(literal)
            self._write_literal(literal, ask)

    def _is_ready(
        self, literal: ClauseLiteral, remaining: Sequence[ClauseLiteral]
    ) -> bool:
        """Whether everything has a value that must have one before the literal."""
        if literal.signature == DISTINCT:
            must = set(literal.variables())
        elif literal.positive:
            demanded = self._demands.get(literal.signature, ())
            must = {v for i in demanded for v in variables(literal.arguments[i])}
        else:
            binding = (o for o in remaining if o.positive and o.signature != DISTINCT)
            later = {v for other in binding for v in other.variables()}
            must = later.intersection(literal.variables())
        return must <= self._values.keys()

    def _ask(self, literal: ClauseLiteral, remaining: Sequence[ClauseLiteral]) -> _Ask:
        """How to ask a literal, given what has a value and what is wanted later."""
        if literal.signature == DISTINCT:
            return _Ask((), None, 0.0)
        wanted: set[Variable] = set()
        if literal.positive:
            own = list(literal.variables())
            wanted.update(v for v in own if own.count(v) > 1)
            wanted.update(v for term in self._outputs for v in variables(term))
            others = (other for other in remaining if other is not literal)
            wanted.update(v for other in others for v in other.variables())
        shape = tuple(self._modes(argument, wanted) for argument in literal.arguments)
        table = self._lookup(literal.signature, shape)
        return _Ask(shape, table, table.fan_out())

    def _modes(self, term: Term, wanted: set[Variable]) -> Term:
        if isinstance(term, Compound):
            inner = tuple(self._modes(sub, wanted) for sub in term.arguments)
            return Compound(term.functor, inner)
        if not isinstance(term, Variable) or term in self._values:
            return BOUND
        return FREE if term in wanted else ANY

    def _write_literal(self, literal: ClauseLiteral, ask: _Ask) -> None:
        if ask.table is None:
            left, right = map(self._text, literal.arguments)
            self.fail_if(f"{left} == {right}")
            return
        keys: list[Term] = []
        outputs: list[Term] = []
        for part, argument in zip(ask.shape, literal.arguments, strict=True):
            _collect(part, argument, keys, outputs)
        key = _tuple([self._text(term) for term in keys])
        table = self.share(ask.table, "t")
        if not literal.positive:
            self.fail_if(f"{table}.evaluated({key})")
            return
        answers = f"{table}[{key}]"
        if outputs:
            names = [self.new_name() for _ in outputs]
            self.open(f"for {_tuple(names)} in {answers}:", loop=True)
            for variable, name in zip(outputs, names, strict=True):
                self._match(variable, name)
        else:
            self.fail_if(f"not {answers}")

    def _text(self, term: Term) -> str:
        """Python for a term whose variables have values."""
        if isinstance(term, Variable):
            if term not in self._values:
                raise self._unsafe([term])
            return self._values[term]
        if not isinstance(term, Compound):
            return repr(term)
        if not any(True for _ in variables(term)):
            return self.share(term, "c")
        inner = _tuple([self._text(sub) for sub in term.arguments])
        return f"make(Compound, ({term.functor!r}, {inner}))"

    def _unsafe(self, found: Iterable[Variable]) -> GdlError:
        missing = next(variable for variable in found if variable not in self._values)
        name = self._clause.head.signature.name
        message = f"{missing} has no value in a rule for {name}"
        return GdlError([Problem("error", "unsafe", message, self._clause.span)])


def _specialise(clause: Clause, shape: Shape) -> Clause | None:
    """The clause with its head as detailed as the shape; None if they never match."""
    known: dict[Variable, Term] = {}
    pairs = list(zip(shape, clause.head.arguments, strict=True))
    while pairs:
        part, term = pairs.pop()
        if not isinstance(part, Compound):
            continue
        if isinstance(term, Variable):
            # no name in a rule sheet holds a space, so these are new
            inner = (Variable(f"{term.name} {i}") for i in range(len(part.arguments)))
            term = known.setdefault(term, Compound(part.functor, tuple(inner)))
        if not isinstance(term, Compound) or term.functor != part.functor:
            return None
        if len(term.arguments) != len(part.arguments):
            return None
        pairs.extend(zip(part.arguments, term.arguments, strict=True))
    if not known:
        return clause
    head, *body = (
        replace(lit, arguments=tuple(_substitute(a, known) for a in lit.arguments))
        for lit in (clause.head, *clause.body)
    )
    return Clause(head, tuple(body), clause.span)


def _substitute(term: Term, known: Mapping[Variable, Term]) -> Term:
    if isinstance(term, Variable):
        return _substitute(known[term], known) if term in known else term
    if isinstance(term, Compound):
        inner = tuple(_substitute(argument, known) for argument in term.arguments)
        return Compound(term.functor, inner)
    return term


def _collect(part: Term, term: Term, keys: list[Term], outputs: list[Term]) -> None:
    """The terms at the bound and at the free leaves of a shape."""
    if isinstance(part, Compound):
        assert isinstance(term, Compound)
        for inner, sub in zip(part.arguments, term.arguments, strict=True):
            _collect(inner, sub, keys, outputs)
    elif part == BOUND:
        keys.append(term)
    elif part == FREE:
        outputs.append(term)


def _tuple(texts: Sequence[str]) -> str:
    return f"({''.join(f'{text}, ' for text in texts)})"
