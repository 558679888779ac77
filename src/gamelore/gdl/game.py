"""The rules of one game, read and checked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from gamelore.errors import GdlError
from gamelore.gdl.checks import check
from gamelore.gdl.reader import read_rules, read_text
from gamelore.gdl.rules import Rule
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
    def from_kif(cls, text: str, name: str = "unnamed", source: str = "") -> Game:
        """Read and check rule text; raise `GdlError` with every error in it."""
        rules, problems = read_rules(text, source=source or name)
        problems = [*problems, *check(rules, text, source=source or name)]
        errors = [problem for problem in problems if problem.severity == "error"]
        if errors:
            raise GdlError(sorted(errors, key=lambda problem: problem.span))
        roles = tuple(str(r.head.arguments[0]) for r in rules if r.head.relation == "role")
        return cls(name, roles, tuple(rules), source)

    @classmethod
    def from_file(cls, path: str | Path) -> Game:
        """Read and check a rule sheet."""
        path = Path(path)
        return cls.from_kif(read_text(path), name=path.stem, source=str(path))

    def to_kif(self) -> str:
        """The rules as text, one to a line; `from_kif` reads the same game back."""
        return "".join(f"{rule}\n" for rule in self.rules)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the rules, the same whatever their layout and comments."""
        return hashlib.sha256(self.to_kif().encode()).hexdigest()
