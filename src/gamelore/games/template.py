"""Rule sheets with a size: plain GDL, plus comments that stand for its size's facts.

A comment that starts with `;@` holds facts, with integer expressions in braces, and may
repeat them over ranges of integers, both ends included:

    ;@ (row {r})                        for r in 1..rows
    ;@ (far-row white {rows})
    ;@ (init (cell {r} {c} white))      for r in 1..2 for c in 1..columns
    ;@ (init (heap {i} {heap[i-1]}))    for i in 1..heaps

Expansion puts the facts in the comment's place; all other text is kept as it is. An
expression has integers, parameters, range names, `+ - *`, parentheses, and `/`, which
drops the remainder.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

Parameters: TypeAlias = Mapping[str, int | tuple[int, ...]]

_BRACES = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"\s+for\s+(\w+)\s+in\s+(\S+?)\.\.(\S+)")

_OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
}


def expand(template: str, parameters: Parameters) -> str:
    """The rules of one size; a damaged directive is a `ValueError`."""
    lines: list[str] = []
    for line in template.splitlines():
        if line.startswith(";@"):
            lines.extend(_expand_directive(line.removeprefix(";@").strip(), parameters))
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def evaluate(expression: str, values: Parameters) -> int:
    """The value of an integer expression."""
    try:
        return _value(ast.parse(expression.strip(), mode="eval").body, values)
    except (SyntaxError, KeyError, IndexError, TypeError, ZeroDivisionError) as error:
        raise ValueError(f"cannot work out {expression!r}: {error}") from None


def _value(node: ast.expr, values: Parameters) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return _integer(values[name])
        case ast.Subscript(value=ast.Name(id=name), slice=index):
            return _tuple(values[name])[_value(index, values)]
        case ast.BinOp(left=left, op=operation, right=right):
            apply = _OPERATIONS[type(operation)]
            return apply(_value(left, values), _value(right, values))
    raise TypeError("not an integer expression")


def _integer(value: int | tuple[int, ...]) -> int:
    if isinstance(value, tuple):
        raise TypeError("a list without an index")
    return value


def _tuple(value: int | tuple[int, ...]) -> tuple[int, ...]:
    if isinstance(value, int):
        raise TypeError("an index without a list")
    return value


def _expand_directive(directive: str, parameters: Parameters) -> Iterator[str]:
    first = _RANGE.search(directive)
    facts = directive[: first.start()] if first else directive
    for values in _assignments(_RANGE.findall(directive), parameters):
        yield _fill(facts, values)


def _fill(facts: str, values: Parameters) -> str:
    return _BRACES.sub(lambda braces: str(evaluate(braces[1], values)), facts)


def _assignments(
    ranges: list[tuple[str, str, str]], values: Parameters
) -> Iterator[Parameters]:
    """Every choice of the range names, the last one varying fastest."""
    if not ranges:
        yield values
        return
    name, first, last = ranges[0]
    for value in range(evaluate(first, values), evaluate(last, values) + 1):
        yield from _assignments(ranges[1:], {**values, name: value})
