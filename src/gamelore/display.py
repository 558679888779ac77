"""How objects show themselves in notebooks: tables in HTML and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

MOST_ROWS = 200
"""Rows of a table that are shown; of more, the first and the last half of so many."""


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in HTML; whatever is in it is text."""
    lines = [f"<tr>{_cells('th', head)}</tr>"]
    lines += [f"<tr>{_cells('td', row)}</tr>" for row in _shorten(rows, len(head))]
    return f"<table>{''.join(lines)}</table>"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown; columns of numbers are to the right."""
    shown = _shorten(rows, len(head))
    numeric = [
        all(isinstance(row[i], int | float) for row in shown) for i in range(len(head))
    ]
    lines = [_line(head), _line(["---:" if n else "---" for n in numeric])]
    return "\n".join([*lines, *map(_line, shown)])


def _cells(tag: str, values: Sequence[object]) -> str:
    return "".join(f"<{tag}>{escape(_text(value))}</{tag}>" for value in values)


def _line(values: Sequence[object]) -> str:
    return f"| {' | '.join(_text(value).replace('|', '&#124;') for value in values)} |"


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _shorten(rows: Iterable[Sequence[object]], columns: int) -> list[Sequence[object]]:
    every = [*rows]
    if len(every) <= MOST_ROWS:
        return every
    half = MOST_ROWS // 2
    return [*every[:half], ("…",) * columns, *every[-half:]]
