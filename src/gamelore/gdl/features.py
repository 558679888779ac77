"""Features of a position, written as rules beside those of its game.

    (<= (feature NAME ATOM…) …)        how many of its atoms are true
    (<= (weighted NAME N ATOM…) …)     the sum of the numbers N of those that are
    (<= (average NAME N ATOM…) …)      their mean, 0 if there is none

`(me ?p)` is true of the role from whose side features are seen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from gamelore.errors import GdlError, GroundingError
from gamelore.gdl.checks.feature_file import (
    AVERAGE,
    COUNT,
    KINDS,
    VIEWER,
    check_parsed,
    read_number,
)
from gamelore.gdl.checks.rule_sheet import in_order
from gamelore.gdl.game import Game
from gamelore.gdl.limits import ReaderLimits
from gamelore.gdl.reader import DEFAULT_LIMITS, read_source, read_text
from gamelore.gdl.rules import And, Atom, Condition, Not, Or, Rule, find_atoms
from gamelore.gdl.source import ProblemReport, Source
from gamelore.gdl.terms import Compound, Role, Term, Variable, to_kif


class FeatureAtom(NamedTuple):
    """What one true atom adds to a feature."""

    name: Term
    weight: float
    averaged: bool
    """Whether the feature is a mean, to which the atom adds its weight as a value."""


@dataclass(frozen=True)
class FeatureRules:
    """The rules of a features file, read and checked beside those of its game."""

    name: str
    rules: tuple[Rule, ...]
    source: str = field(default="", compare=False)

    @classmethod
    def from_kif(
        cls,
        text: str,
        game: Game,
        name: str = "unnamed",
        source: str = "",
        limits: ReaderLimits = DEFAULT_LIMITS,
    ) -> FeatureRules:
        """Read and check a features file; raise `GdlError` with every error in it."""
        report = ProblemReport(Source(text, source or name))
        parsed = read_source(report, limits)
        check_parsed(parsed, game.rules, report)
        errors = [p for p in report.problems if p.severity == "error"]
        if errors:
            raise GdlError(in_order(errors))
        return cls(name, tuple(parsed.rules), source)

    @classmethod
    def from_file(
        cls, path: str | Path, game: Game, limits: ReaderLimits = DEFAULT_LIMITS
    ) -> FeatureRules:
        """Read and check a features file."""
        path = Path(path)
        name = path.name.removesuffix(".kif").removesuffix(".features")
        text = read_text(path, limits)
        return cls.from_kif(text, game, name=name, source=str(path), limits=limits)

    def to_kif(self) -> str:
        """Return the rules as text, one to a line."""
        return "".join(f"{rule}\n" for rule in self.rules)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the rules, the same whatever their layout and comments."""
        return hashlib.sha256(self.to_kif().encode()).hexdigest()

    def views(self, roles: Sequence[Role]) -> tuple[str, ...]:
        """Return the relations that hold feature atoms: one a role, or one for all."""
        viewers = roles if VIEWER in self._seen_relations else ("all",)
        return tuple(f"{_prefix(viewer)}{COUNT}" for viewer in viewers)

    def rules_for(self, roles: Sequence[Role]) -> Iterator[Rule]:
        """Return the rules as engines take them.

        Every feature atom becomes an atom of its view's relation, whose one argument
        `feature_atom` reads. What depends on `me` is there once for each role.
        """
        depends = self._seen_relations | KINDS.keys()
        yield from (r for r in self.rules if r.head.relation not in depends)
        own = [r for r in self.rules if r.head.relation in depends]
        if VIEWER not in depends:
            yield from (_for_viewer(rule, "all", depends) for rule in own)
            return
        for role in roles:
            yield Rule(Atom(f"{_prefix(role)}{VIEWER}", (role,)))
            yield from (_for_viewer(rule, role, depends) for rule in own)

    @cached_property
    def patterns(self) -> tuple[Term, ...]:
        """The names of features as the file writes them, perhaps with variables."""
        heads = (rule.head for rule in self.rules if rule.head.relation in KINDS)
        return tuple(dict.fromkeys(head.arguments[0] for head in heads))

    def rank(self, name: Term) -> int:
        """Return a feature's place in the order in which the file first names them."""
        return self._first_named.get(_functor(name), len(self.rules))

    @cached_property
    def _first_named(self) -> dict[str, int]:
        order: dict[str, int] = {}
        for number, pattern in enumerate(self.patterns):
            order.setdefault(_functor(pattern), number)
        return order

    @cached_property
    def _seen_relations(self) -> frozenset[str]:
        """`me` and what depends on it; empty where nothing does."""
        found: set[str] = set()
        grown = {VIEWER}
        while grown:
            found |= grown
            grown = {
                rule.head.relation
                for rule in self.rules
                for condition in rule.body
                for atom, _ in find_atoms(condition)
                if atom.relation in found
            } - found
        return frozenset(found) if len(found) > 1 else frozenset()


def feature_atom(term: Term) -> FeatureAtom:
    """Return what the argument of an atom in a view's relation says."""
    assert isinstance(term, Compound)
    kind, name, number, _ = term.arguments
    weight = read_number(number)
    if weight is None:
        raise GroundingError(
            f"feature {to_kif(name)} has {to_kif(number)} where a number must stand"
        )
    return FeatureAtom(name, weight, kind == AVERAGE)


def fits(pattern: Term, term: Term) -> bool:
    """Return whether a ground term is an instance of a pattern.

    A variable may stand for different things in different places.
    """
    if isinstance(pattern, Variable):
        return True
    if not isinstance(pattern, Compound) or not isinstance(term, Compound):
        return pattern == term
    if (pattern.functor, len(pattern.arguments)) != (term.functor, len(term.arguments)):
        return False
    return all(map(fits, pattern.arguments, term.arguments))


def _prefix(viewer: str) -> str:
    """Return what marks one viewer's relations; no KIF token has a space."""
    return f"seen by {viewer} "


def _functor(name: Term) -> str:
    return name.functor if isinstance(name, Compound) else str(name)


def _for_viewer(rule: Rule, viewer: str, depends: frozenset[str]) -> Rule:
    """Return a rule with relations that depend on the viewer under own names."""
    head = rule.head
    if head.relation in KINDS:
        head = Atom(COUNT, (_argument(head),))
    renamed = Atom(f"{_prefix(viewer)}{head.relation}", head.arguments, head.span)
    body = tuple(_renamed(condition, viewer, depends) for condition in rule.body)
    return Rule(renamed, body, rule.span)


def _argument(head: Atom) -> Compound:
    name, *rest = head.arguments
    number = "1" if head.relation == COUNT else rest.pop(0)
    atom = Compound("atom", tuple(rest)) if rest else "atom"
    return Compound(COUNT, (head.relation, name, number, atom))


def _renamed(condition: Condition, viewer: str, depends: frozenset[str]) -> Condition:
    match condition:
        case Atom(relation, arguments, span):
            if relation not in depends:
                return condition
            return Atom(f"{_prefix(viewer)}{relation}", arguments, span)
        case Not(inner, span):
            return Not(_renamed(inner, viewer, depends), span)
        case Or(parts, span):
            return Or(tuple(_renamed(p, viewer, depends) for p in parts), span)
        case And(parts, span):
            return And(tuple(_renamed(p, viewer, depends) for p in parts), span)
