"""What GDL demands of rules: the checks that look at one rule or name at a time."""

from __future__ import annotations

import re
from collections.abc import Callable

from gamelore.gdl.checks.dependencies import check_dependencies
from gamelore.gdl.checks.recursion import check_recursion
from gamelore.gdl.checks.safety import check_safety
from gamelore.gdl.checks.sheet import Sheet
from gamelore.gdl.checks.vocabulary import check_vocabulary
from gamelore.gdl.limits import ReaderLimits
from gamelore.gdl.problems import Problem, Span
from gamelore.gdl.reader import DEFAULT_LIMITS, ParsedRules, read_source
from gamelore.gdl.rules import ARITIES, NEVER_CONDITIONS, NEVER_HEADS, Atom, Rule
from gamelore.gdl.source import ProblemReport, Source, quote
from gamelore.gdl.terms import Compound, parts

_FEW = 8  # problems; an empty sheet has four
_RULE = re.compile(r"\(\s*(role|init|legal|next|goal|<=)\s", re.IGNORECASE)
_GOAL_VALUES = frozenset(map(str, range(101)))


def check_text(
    text: str, source: str = "", limits: ReaderLimits = DEFAULT_LIMITS
) -> list[Problem]:
    """Return every error and warning in rule text, by place."""
    report = ProblemReport(Source(text, source))
    check_parsed(read_source(report, limits), report)
    return in_order(report.problems)


def check_parsed(parsed: ParsedRules, report: ProblemReport) -> None:
    """Report whatever GDL does not allow in rules that could be read."""
    sheet = Sheet(parsed.rules, report, parsed.damaged)
    for check in _CHECKS:
        check(sheet)
    if len(report.problems) > _FEW and not _RULE.search(report.source.text):
        report.clear()
        message = "this is no rule sheet: it holds no rule of GDL"
        report.error("no-rules", message, report.source.span(0, 0))


def in_order(problems: list[Problem]) -> list[Problem]:
    """Return the problems by place, errors first where there are several."""
    return sorted(problems, key=lambda problem: (problem.span, problem.severity))


def check_keyword_arities(sheet: Sheet) -> None:
    """Report GDL's own relations with other numbers of arguments than GDL's."""
    for atom in sheet.atoms():
        wanted = ARITIES.get(atom.relation)
        if wanted is not None and len(atom.arguments) != wanted:
            sheet.report.error(
                "arity",
                f"`{atom.relation}` takes {_arguments(wanted)}, "
                f"not {len(atom.arguments) or 'none'}",
                atom.span,
            )


def check_arities(sheet: Sheet) -> None:
    """Report names that have different numbers of arguments in two places."""
    relations: dict[str, tuple[int, Span]] = {}
    functors: dict[str, tuple[int, Span]] = {}
    for atom in sheet.atoms():
        if atom.relation not in ARITIES:
            arity = len(atom.arguments)
            first = relations.setdefault(atom.relation, (arity, atom.span))
            if first[0] != arity:
                _report_arity(sheet, atom.relation, arity, first, atom.span)
        for argument in atom.arguments:
            for part in parts(argument):
                if isinstance(part, Compound):
                    _check_functor(sheet, functors, atom, part)


def _check_functor(
    sheet: Sheet, functors: dict[str, tuple[int, Span]], atom: Atom, term: Compound
) -> None:
    arity = len(term.arguments)
    first = functors.setdefault(term.functor, (arity, atom.span))
    if first[0] != arity:
        place = sheet.places.compound(atom, term.functor, arity)
        _report_arity(sheet, term.functor, arity, first, place)


def _report_arity(
    sheet: Sheet, name: str, arity: int, first: tuple[int, Span], place: Span
) -> None:
    sheet.report.error(
        "arity",
        f"{quote(name)} has {_arguments(arity)} here, "
        f"but {first[0] or 'none'} in line {first[1].line}",
        place,
    )


def _arguments(count: int) -> str:
    return f"{count or 'no'} argument{'s' * (count != 1)}"


def check_positions(sheet: Sheet) -> None:
    """Report GDL's own relations where GDL does not allow them."""
    for rule in sheet.rules:
        reason = NEVER_HEADS.get(rule.head.relation)
        if reason:
            message = f"`{rule.head.relation}` cannot be the head of a rule: {reason}"
            sheet.report.error("head", message, rule.head.span)
    for use in sheet.uses:
        reason = NEVER_CONDITIONS.get(use.atom.relation)
        if reason:
            message = f"`{use.atom.relation}` cannot be a condition: {reason}"
            sheet.report.error("condition", message, use.atom.span)


def check_roles(sheet: Sheet) -> None:
    """Report roles that no fact names plainly; chance is called `random`."""
    for rule in sheet.rules:
        if rule.head.relation != "role" or len(rule.head.arguments) != 1:
            continue
        if rule.body:
            message = "`role` must be a fact, not a rule with conditions"
            sheet.report.error("role", message, rule.head.span)
        elif isinstance(rule.head.arguments[0], Compound):
            message = "a role must be a plain name"
            sheet.report.error("role", message, rule.head.span)
        else:
            _check_chance(sheet, rule.head)


def _check_chance(sheet: Sheet, head: Atom) -> None:
    name = str(head.arguments[0])
    if name.lower() == "random" and name != "random":
        message = f"{quote(name)} is a player like others: chance is called `random`"
        sheet.report.warning("role", message, sheet.places.last(head))


def check_presence(sheet: Sheet) -> None:
    """Report rules without roles, moves, an end, or goals."""
    demands = {
        "role": "no role: nobody plays",
        "legal": "no `legal`: no role ever has a move",
        "terminal": "no `terminal`: a match would never end",
        "goal": "no `goal`: no role can win or lose",
    }
    start = sheet.report.source.span(0, 0)
    for relation, message in demands.items():
        if relation not in sheet.derived and not sheet.is_damaged(relation):
            sheet.report.error("missing", message, start)


def check_goal_values(sheet: Sheet) -> None:
    """Report goals that are not whole numbers from 0 to 100."""
    for rule in sheet.rules:
        if rule.head.relation != "goal" or len(rule.head.arguments) != 2:
            continue
        value = rule.head.arguments[1]
        if isinstance(value, Compound) or (
            isinstance(value, str) and value not in _GOAL_VALUES
        ):
            message = "a goal should be a whole number from 0 to 100"
            sheet.report.warning("goal", message, sheet.places.last(rule.head))


def check_duplicates(sheet: Sheet) -> None:
    """Report rules that stand there twice."""
    first: dict[Rule, Span] = {}
    for rule in sheet.rules:
        place = first.setdefault(rule, rule.span)
        if place != rule.span:
            message = f"the same rule as in line {place.line}"
            sheet.report.warning("duplicate", message, rule.span)


_CHECKS: tuple[Callable[[Sheet], None], ...] = (
    check_presence,
    check_roles,
    check_positions,
    check_keyword_arities,
    check_arities,
    check_safety,
    check_dependencies,
    check_recursion,
    check_goal_values,
    check_duplicates,
    check_vocabulary,
)
