"""Problems found in rule text, each with its place."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import Literal

WINDOW = 96  # how much of a long line is drawn, in terminal columns

Severity = Literal["error", "warning"]


@dataclass(frozen=True, order=True)
class Span:
    """Where something stands in a text: 1-based line and column, and its length."""

    line: int
    column: int
    length: int = 1


@dataclass(frozen=True)
class Problem:
    """One mistake in a rule sheet; `line_text` is the source line it stands in."""

    severity: Severity
    code: str
    message: str
    span: Span
    line_text: str = field(default="", repr=False)
    source: str = ""

    def __str__(self) -> str:
        place = f"{self.source or '<text>'}:{self.span.line}:{self.span.column}"
        headline = f"{place}: {self.severity}: {self.message}"
        if not self.line_text:
            return headline
        line, carets = draw(self.line_text, self.span.column - 1, self.span.length)
        return f"{headline}\n  {line}\n  {carets}"

    def to_json(self) -> dict[str, str | int]:
        """Return the problem as plain values, for machines."""
        return {
            "file": self.source,
            "line": self.span.line,
            "column": self.span.column,
            "length": self.span.length,
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
        }


def draw(line: str, start: int, length: int) -> tuple[str, str]:
    """Return the line around `line[start:start + length]`, and carets under that."""
    left, right = _window(line, start, length)
    before = "…" * (left > 0) + printable(line[left:start])
    culprit = printable(line[start : min(start + length, right)])
    after = printable(line[start + len(culprit) : right]) + "…" * (right < len(line))
    carets = "^" * max(1, _width(culprit))
    return (before + culprit + after).rstrip(), " " * _width(before) + carets


def _window(line: str, start: int, length: int) -> tuple[int, int]:
    """Return what is drawn: all of a short line, or what is around the culprit."""
    if len(line) <= WINDOW:
        return 0, len(line)
    left = max(0, min(start - WINDOW // 4, len(line) - WINDOW))
    return left, min(len(line), left + WINDOW)


def printable(text: str) -> str:
    """Return the text, one visible character for each; tabs become spaces."""
    return "".join(
        " " if c.isspace() else c if c.isprintable() else "\N{REPLACEMENT CHARACTER}"
        for c in text
    )


def _width(text: str) -> int:
    """Return how many terminal columns the text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if _is_wide(c) else 1 for c in text)


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in ("W", "F")
