"""What is demanded of a features file, beside rules that have passed their checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from gamelore.gdl.checks.dependencies import check_dependencies
from gamelore.gdl.checks.recursion import check_recursion
from gamelore.gdl.checks.rule_sheet import (
    check_duplicates,
    check_keyword_arities,
    in_order,
)
from gamelore.gdl.checks.safety import check_safety
from gamelore.gdl.checks.sheet import Sheet
from gamelore.gdl.checks.vocabulary import Suggestions, check_subjects, first_places
from gamelore.gdl.graph import path, reachable
from gamelore.gdl.limits import ReaderLimits
from gamelore.gdl.problems import Problem
from gamelore.gdl.reader import DEFAULT_LIMITS, ParsedRules, read_source
from gamelore.gdl.rules import ARITIES, NEVER_CONDITIONS, Atom, Rule, find_atoms
from gamelore.gdl.source import ProblemReport, Source, quote
from gamelore.gdl.terms import Compound, Term, Variable, parts

COUNT, WEIGHTED, AVERAGE = "feature", "weighted", "average"
KINDS = {COUNT: 1, WEIGHTED: 2, AVERAGE: 2}
"""The relations that make features, and how many arguments each takes at least."""

VIEWER = "me"

_NUMBER = re.compile(r"([-+]?[0-9]+(?:\.[0-9]+)?)(?:/([1-9][0-9]*))?")


class FeatureRuleSheet(Sheet):
    """The rules of a features file, with those of the game beside them."""

    def __init__(
        self, parsed: ParsedRules, game: Sequence[Rule], report: ProblemReport
    ) -> None:
        super().__init__(parsed.rules, report, parsed.damaged)
        self.game = game

    @cached_property
    def of_game(self) -> set[str]:
        """The relations that the game derives."""
        return {rule.head.relation for rule in self.game}

    @cached_property
    def features(self) -> list[Atom]:
        """The heads that make features and have the arguments they need."""
        heads = (rule.head for rule in self.rules)
        return [h for h in heads if len(h.arguments) >= KINDS.get(h.relation, 1 << 30)]


def check_features(
    text: str,
    game: Sequence[Rule],
    source: str = "",
    limits: ReaderLimits = DEFAULT_LIMITS,
) -> list[Problem]:
    """Return every error and warning in a features file of a game with these rules."""
    report = ProblemReport(Source(text, source))
    check_parsed(read_source(report, limits), game, report)
    return in_order(report.problems)


def check_parsed(
    parsed: ParsedRules, game: Sequence[Rule], report: ProblemReport
) -> None:
    """Report whatever a features file must not say."""
    sheet = FeatureRuleSheet(parsed, game, report)
    for check in _CHECKS:
        check(sheet)


def check_presence(sheet: FeatureRuleSheet) -> None:
    """Report a file without a feature."""
    if not sheet.derived & KINDS.keys() and not any(map(sheet.is_damaged, KINDS)):
        message = "no `feature`, `weighted` or `average`: there is nothing to count"
        sheet.report.error("missing", message, sheet.report.source.span(0, 0))


def check_heads(sheet: FeatureRuleSheet) -> None:
    """Report rules that would change the game instead of adding to it."""
    for rule in sheet.rules:
        head = rule.head
        if head.relation in ARITIES:
            message = f"a features file cannot say what is `{head.relation}`"
        elif head.relation == VIEWER:
            message = f"`{VIEWER}` is the role from whose side features are seen"
        elif head.relation in KINDS and head.relation not in sheet.of_game:
            continue
        elif head.relation in sheet.of_game:
            message = f"{quote(head.relation)} is a relation of the game: choose a name"
        else:
            continue
        sheet.report.error("head", message, head.span)


def check_conditions(sheet: FeatureRuleSheet) -> None:
    """Report features that ask for moves or for each other."""
    graph = _dependencies(sheet.game)
    for use in sheet.uses:
        relation = use.atom.relation
        if relation in KINDS:
            message = f"`{relation}` cannot be a condition: it is for counting"
        elif relation in NEVER_CONDITIONS:
            message = (
                f"`{relation}` cannot be a condition: {NEVER_CONDITIONS[relation]}"
            )
        elif relation == "does":
            message = "`does` cannot be a condition: features are of positions"
        elif relation in graph and "does" in (way := reachable(graph, relation)):
            names = " → ".join(map(quote, path(way, "does")))
            message = f"features cannot depend on what is done: {names}"
        else:
            continue
        sheet.report.error("condition", message, use.atom.span)


def check_arities(sheet: FeatureRuleSheet) -> None:
    """Report names with other numbers of arguments than in game or file."""
    known: dict[tuple[bool, str], tuple[int, str]] = {(True, VIEWER): (1, "GDL")}
    for rule in sheet.game:
        for atom in _atoms(rule):
            for is_relation, name, arity in _names(atom):
                known.setdefault((is_relation, name), (arity, "the rules of the game"))
    for atom in sheet.atoms():
        for is_relation, name, arity in _names(atom):
            place = f"line {atom.span.line}"
            first = known.setdefault((is_relation, name), (arity, place))
            if first[0] == arity:
                continue
            if name == VIEWER:
                message = f"`{VIEWER}` takes 1 argument, not {arity or 'none'}"
            else:
                message = (
                    f"{quote(name)} has {arity or 'no'} argument{'s' * (arity != 1)} "
                    f"here, but {first[0] or 'none'} in {first[1]}"
                )
            span = (
                atom.span if is_relation else sheet.places.compound(atom, name, arity)
            )
            sheet.report.error("arity", message, span)


def check_kinds(sheet: FeatureRuleSheet) -> None:
    """Report features without names or numbers, or of several kinds."""
    for rule in sheet.rules:
        wanted = KINDS.get(rule.head.relation, 0)
        if len(rule.head.arguments) < wanted:
            needs = "a name" if wanted == 1 else "a name and a number"
            message = f"`{rule.head.relation}` needs {needs}"
            sheet.report.error("feature", message, rule.head.span)
    averaged: dict[str, bool] = {}
    for head in sheet.features:
        name = head.arguments[0]
        if isinstance(name, Variable):
            continue
        word = name.functor if isinstance(name, Compound) else name
        if averaged.setdefault(word, head.relation == AVERAGE) != (
            head.relation == AVERAGE
        ):
            message = f"{quote(word)} cannot be an average and a sum"
            sheet.report.error("feature", message, head.span)
    for head in sheet.features:
        number = head.arguments[1] if head.relation != COUNT else "1"
        if not isinstance(number, Variable) and read_number(number) is None:
            message = f"{quote(number)} is not a number"
            sheet.report.error("feature", message, head.span)


def check_vocabulary(sheet: FeatureRuleSheet) -> None:
    """Warn of names that nothing makes or nothing asks for: most are misspelt."""
    suggestions = Suggestions()
    made = sheet.of_game | sheet.derived | {VIEWER}
    own = made - ARITIES.keys()
    asked = first_places(use.atom for use in sheet.uses)
    for name, place in asked.items():
        if name not in made and name not in ARITIES and not sheet.is_damaged(name):
            message = f"{quote(name)} is never derived{suggestions.like(name, own)}"
            sheet.report.warning("underived", message, place)
    for name, place in first_places(rule.head for rule in sheet.rules).items():
        if name not in asked and name not in KINDS and name not in ARITIES:
            message = f"{quote(name)} is never used"
            sheet.report.warning("unused", message, place)
    heads = (r.head for r in sheet.game if r.head.relation in ("init", "next"))
    facts = (use.atom for use in sheet.uses if use.atom.relation == "true")
    reason = "is never true: no `init` or `next` of the game makes it"
    check_subjects(sheet, heads, facts, reason, suggestions)


def _atoms(rule: Rule) -> Iterator[Atom]:
    yield rule.head
    for condition in rule.body:
        yield from (atom for atom, _ in find_atoms(condition))


def _names(atom: Atom) -> Iterator[tuple[bool, str, int]]:
    """Return the names in an atom: relation or not, and how many arguments.

    Those of features are apart: `(lost own)` may count what `(lost black 3)` says.
    """
    if atom.relation not in ARITIES and atom.relation not in KINDS:
        yield True, atom.relation, len(atom.arguments)
    for argument in atom.arguments[atom.relation in KINDS :]:
        for part in parts(argument):
            if isinstance(part, Compound):
                yield False, part.functor, len(part.arguments)


def _dependencies(rules: Iterable[Rule]) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {}
    for rule in rules:
        asked = graph.setdefault(rule.head.relation, set())
        for condition in rule.body:
            asked.update(atom.relation for atom, _ in find_atoms(condition))
    return graph


def read_number(term: Term) -> float | None:
    """Return the number a term writes, `3`, `-0.5` or `1/14`, or None."""
    match = _NUMBER.fullmatch(term) if isinstance(term, str) else None
    if match is None:
        return None
    return float(match[1]) / int(match[2] or 1)


_CHECKS: tuple[Callable[[FeatureRuleSheet], None], ...] = (
    check_presence,
    check_heads,
    check_conditions,
    check_keyword_arities,
    check_arities,
    check_kinds,
    check_safety,
    check_dependencies,
    check_recursion,
    check_duplicates,
    check_vocabulary,
)
