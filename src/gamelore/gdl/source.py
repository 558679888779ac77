"""Rule text with its lines, and the report of what is wrong with it."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from gamelore.gdl.problems import Problem, Severity, Span, printable

MAX_PROBLEMS = 1000  # of each severity: more help nobody, and cost time and memory

_LINE_END = re.compile(r"\r\n?|\n")
_SHOWN = 40  # characters of a culprit that a message repeats


class Source:
    """A text whose offsets can be turned into lines and columns, and back."""

    def __init__(self, text: str, name: str = "") -> None:
        self.text = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
        self.name = name
        self._lines: dict[int, str] = {}

    @cached_property
    def _starts(self) -> list[int]:
        """The offset at which each line starts."""
        return [0, *(end.end() for end in _LINE_END.finditer(self.text))]

    def span(self, start: int, stop: int) -> Span:
        """Return the place of `text[start:stop]`, as far as its first line goes."""
        line = bisect_right(self._starts, start)
        line_start = self._starts[line - 1]
        if line < len(self._starts) and stop >= self._starts[line]:
            stop = line_start + len(self.line(line))
        return Span(line, start - line_start + 1, max(1, stop - start))

    def offset(self, span: Span) -> int:
        """Return where in the text a span starts."""
        return self._starts[span.line - 1] + span.column - 1

    def line(self, number: int) -> str:
        """Return a line without its end; problems in one line share one string."""
        if number not in self._lines:
            start = self._starts[number - 1]
            stop = self._starts[number] if number < len(self._starts) else None
            self._lines[number] = self.text[start:stop].rstrip("\r\n")
        return self._lines[number]

    def breaks_line(self, start: int, stop: int) -> bool:
        """Return whether a line ends between two offsets."""
        return _LINE_END.search(self.text, start, stop) is not None

    def column(self, offset: int) -> int:
        """Return the 1-based column of an offset."""
        return offset - self._starts[bisect_right(self._starts, offset) - 1] + 1


class ProblemReport:
    """The problems found in one source so far; takes so many and no more."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self._counts: dict[Severity, int] = {"error": 0, "warning": 0}

    @property
    def is_full(self) -> bool:
        """Whether there are so many errors that looking for more is pointless."""
        return self._counts["error"] >= MAX_PROBLEMS

    def clear(self) -> None:
        """Forget every problem."""
        self.problems.clear()
        self._counts = {"error": 0, "warning": 0}

    def error(self, code: str, message: str, span: Span) -> None:
        """Add what makes the rules unusable."""
        self._add("error", code, message, span)

    def warning(self, code: str, message: str, span: Span) -> None:
        """Add what is probably a mistake, but has a meaning."""
        self._add("warning", code, message, span)

    def _add(self, severity: Severity, code: str, message: str, span: Span) -> None:
        if self._counts[severity] >= MAX_PROBLEMS:
            return
        self._counts[severity] += 1
        line = self.source.line(span.line)
        self.problems.append(
            Problem(severity, code, message, span, line, self.source.name)
        )


def quote(culprit: object) -> str:
    """Return a culprit as a message shows it: in backquotes, cut if it is long."""
    text = str(culprit)
    shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
    return f"`{printable(shown)}`"
