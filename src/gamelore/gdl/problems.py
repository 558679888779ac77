"""Problems found in rule text, each with its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, order=True)
class Span:
    """Where something stands in a text: 1-based line and column, and its length."""

    line: int
    column: int
    length: int = 1


@dataclass(frozen=True)
class Problem:
    """One mistake in a rule sheet; `line_text` is the source line it stands in."""

    severity: Literal["error", "warning"]
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
        visible = self.line_text.expandtabs(1)[: self.span.column + 120]
        room = max(1, len(visible) - self.span.column + 1)
        carets = "^" * max(1, min(self.span.length, room))
        return f"{headline}\n  {visible}\n  {' ' * (self.span.column - 1)}{carets}"
