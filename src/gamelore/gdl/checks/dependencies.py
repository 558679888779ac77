"""What depends on what: negation in circles, and relations that know too much."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from gamelore.gdl.checks.sheet import AtomUse, Sheet
from gamelore.gdl.graph import components, path, reachable
from gamelore.gdl.rules import NEVER_CONDITIONS, Atom, Rule
from gamelore.gdl.source import quote
from gamelore.gdl.terms import Compound, Term, Variable

# Which of GDL's relations may not depend on which, through any number of rules.
FORBIDDEN = {
    "init": ("true", "does"),
    "base": ("true", "does"),
    "input": ("true", "does"),
    "legal": ("does",),
    "terminal": ("does",),
    "goal": ("does",),
}

_MAX_PAIRS = 200_000  # of atoms and heads, looked at to tell whether circles are real
_NAMED_CYCLES = 50  # finding a cycle costs a search; later ones are not spelled out

RelationGraph = Mapping[str, set[str]]


def check_dependencies(sheet: Sheet) -> None:
    """Report negation in circles, and dependencies that GDL forbids."""
    graph: dict[str, set[str]] = {relation: set() for relation in sheet.derived}
    for use in sheet.uses:
        if use.atom.relation not in NEVER_CONDITIONS:
            graph[use.rule.head.relation].add(use.atom.relation)
    check_forbidden(sheet, graph)
    check_negation(sheet, graph)


def check_forbidden(sheet: Sheet, graph: RelationGraph) -> None:
    """Report what must be known early and depends on what is known only later."""
    reported: set[int] = set()
    for relation, unknown in FORBIDDEN.items():
        if relation not in graph:
            continue
        origin = reachable(graph, relation)
        for use in sheet.uses:
            if (
                use.atom.relation in unknown
                and use.rule.head.relation in origin
                and id(use.atom) not in reported
            ):
                reported.add(id(use.atom))
                way = path(origin, use.rule.head.relation)
                message = f"`{relation}` cannot depend on `{use.atom.relation}`"
                if len(way) > 1:
                    message += f": {_show_way([*way, use.atom.relation])}"
                sheet.report.error("dependency", message, use.atom.span)


def check_negation(sheet: Sheet, graph: RelationGraph) -> None:
    """Report atoms that depend on their own negation."""
    circle = components(graph)
    inner = [u for u in sheet.uses if circle[_head(u)] == circle.get(_asked(u))]
    suspects = [use for use in inner if not use.positive]
    if not suspects:
        return
    circles = {circle[_asked(use)] for use in suspects}
    rules = _DependencyGraph([use for use in inner if circle[_asked(use)] in circles])
    for number, use in enumerate(suspects):
        if not rules.has_cycle(use):
            sheet.report.warning(
                "unstratified",
                f"{quote(_head(use))} depends on a negation of itself, though with "
                "other arguments: strictly, GDL does not allow that",
                use.atom.span,
            )
            continue
        message = f"{quote(_head(use))} depends on its own negation"
        if number < _NAMED_CYCLES:
            back = path(reachable(graph, _asked(use)), _head(use))
            message += f": {_show_way([_head(use), *back])}"
        sheet.report.error("unstratified", message, use.atom.span)


def _head(use: AtomUse) -> str:
    return use.rule.head.relation


def _asked(use: AtomUse) -> str:
    return use.atom.relation


class _DependencyGraph:
    """Which rules use which in circles of relations: arguments may break a circle."""

    def __init__(self, uses: Sequence[AtomUse]) -> None:
        rules = {id(use.rule): use.rule for use in uses}
        self._by_relation: dict[str, list[Rule]] = defaultdict(list)
        for rule in rules.values():
            self._by_relation[rule.head.relation].append(rule)
        pairs = sum(len(self._by_relation[_asked(use)]) for use in uses)
        self._circle: dict[int, int] | None = None
        if pairs <= _MAX_PAIRS:
            graph: dict[int, set[int]] = {number: set() for number in rules}
            for use in uses:
                graph[id(use.rule)].update(map(id, self._answers(use.atom)))
            self._circle = components(graph)

    def has_cycle(self, use: AtomUse) -> bool:
        """Return whether the use leads back to its own rule, as far as can be told."""
        if self._circle is None:
            return True
        here = self._circle[id(use.rule)]
        return any(self._circle[id(r)] == here for r in self._answers(use.atom))

    def _answers(self, atom: Atom) -> list[Rule]:
        """Return the rules that may derive an atom."""
        rules = self._by_relation[atom.relation]
        return [rule for rule in rules if _may_match(atom, rule.head)]


def _may_match(one: Atom, other: Atom) -> bool:
    """Return whether two atoms of one relation can be the same."""
    return len(one.arguments) == len(other.arguments) and all(
        map(_may_equal, one.arguments, other.arguments)
    )


def _may_equal(one: Term, other: Term) -> bool:
    if isinstance(one, Variable) or isinstance(other, Variable):
        return True
    if isinstance(one, Compound) and isinstance(other, Compound):
        return (
            one.functor == other.functor
            and len(one.arguments) == len(other.arguments)
            and all(map(_may_equal, one.arguments, other.arguments))
        )
    return one == other


def _show_way(way: Sequence[str]) -> str:
    """Return a way through relations, its middle left out if it is long."""
    shown = list(way) if len(way) <= 8 else [*way[:5], "…", *way[-2:]]
    return " → ".join(name if name == "…" else quote(name) for name in shown)
