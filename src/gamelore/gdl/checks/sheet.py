"""A rule sheet as the checks see it: rules, atoms, and where to report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from gamelore.gdl.checks.places import Places
from gamelore.gdl.rules import Atom, Rule, find_atoms
from gamelore.gdl.source import ProblemReport


class AtomUse(NamedTuple):
    """An atom in the body of a rule, and whether it stands under no `not`."""

    atom: Atom
    positive: bool
    rule: Rule


class Sheet:
    """The rules that could be read, with what all the checks share."""

    def __init__(
        self,
        rules: Sequence[Rule],
        report: ProblemReport,
        damaged: set[str] | None = None,
    ) -> None:
        self.rules = rules
        self.report = report
        self.places = Places(report.source)
        self.damaged = {word.lower() for word in damaged or ()}

    @cached_property
    def uses(self) -> list[AtomUse]:
        """All atoms in bodies, in the order of the text."""
        return [
            AtomUse(atom, positive, rule)
            for rule in self.rules
            for condition in rule.body
            for atom, positive in find_atoms(condition)
        ]

    @cached_property
    def derived(self) -> set[str]:
        """The relations that are the head of some rule."""
        return {rule.head.relation for rule in self.rules}

    def atoms(self) -> Iterator[Atom]:
        """Return all atoms: heads first, then bodies."""
        yield from (rule.head for rule in self.rules)
        yield from (use.atom for use in self.uses)

    def is_damaged(self, word: str) -> bool:
        """Return whether a name stands in what could not be read."""
        return word.lower() in self.damaged
