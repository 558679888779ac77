"""The rules of one game, read and checked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from gamelore.errors import GdlError
from gamelore.gdl.checks.rule_sheet import check_parsed, in_order
from gamelore.gdl.limits import ReaderLimits
from gamelore.gdl.reader import DEFAULT_LIMITS, read_source, read_text
from gamelore.gdl.rules import Rule
from gamelore.gdl.source import ProblemReport, Source
from gamelore.gdl.terms import Fact, Role


@dataclass(frozen=True)
class Game:
    """The rules of one game, read and checked; knows nothing of simulation."""

    name: str
    roles: tuple[Role, ...]
    rules: tuple[Rule, ...]
    source: str = field(default="", compare=False)
    """What loads this game again: a library name or a path; empty if it was text."""
    renderer: Callable[[Iterable[Fact]], str] | None = field(
        default=None, compare=False, repr=False
    )
    """Draws the facts of a position as text, where a board is known."""

    @classmethod
    def from_kif(
        cls,
        text: str,
        name: str = "unnamed",
        source: str = "",
        limits: ReaderLimits = DEFAULT_LIMITS,
    ) -> Game:
        """Read and check rule text; raise `GdlError` with every error in it."""
        report = ProblemReport(Source(text, source or name))
        parsed = read_source(report, limits)
        check_parsed(parsed, report)
        errors = [p for p in report.problems if p.severity == "error"]
        if errors:
            raise GdlError(in_order(errors))
        return cls(name, _roles(parsed.rules), tuple(parsed.rules), source)

    @classmethod
    def from_file(cls, path: str | Path, limits: ReaderLimits = DEFAULT_LIMITS) -> Game:
        """Read and check a rule sheet."""
        path = Path(path)
        text = read_text(path, limits)
        return cls.from_kif(text, name=path.stem, source=str(path), limits=limits)

    def to_kif(self) -> str:
        """Return the rules as text, one to a line; `from_kif` reads it back."""
        return "".join(f"{rule}\n" for rule in self.rules)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the rules, the same whatever their layout and comments."""
        return hashlib.sha256(self.to_kif().encode()).hexdigest()


def _roles(rules: Iterable[Rule]) -> tuple[Role, ...]:
    """Return the roles in the order of the rules, each once."""
    heads = (rule.head for rule in rules if rule.head.relation == "role")
    return tuple(dict.fromkeys(str(head.arguments[0]) for head in heads))
