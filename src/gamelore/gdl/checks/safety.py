"""Safety: every variable gets its values from a condition that can give them.

A relation may leave arguments to whoever asks for it, as in

    (<= (different ?x ?y) (distinct ?x ?y))

That has a meaning wherever the one who asks has values for them: it is a warning then,
and an error otherwise. Likewise the role in the head of `legal` or `goal`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from gamelore.gdl.checks.bindings import Bindings, Demands, atom_variables, find_demands
from gamelore.gdl.checks.sheet import Sheet
from gamelore.gdl.rules import ARITIES, And, Atom, Condition, Not, Or, Rule, find_atoms
from gamelore.gdl.source import quote
from gamelore.gdl.terms import Variable

MAX_VARIABLES = 1000  # in one rule: no set of variables grows larger


def check_safety(sheet: Sheet) -> None:
    """Report the variables of heads, `not` and `distinct` that nothing binds."""
    rules = [rule for rule in sheet.rules if _is_small_enough(sheet, rule)]
    demands = find_demands(rules)
    unmet: dict[str, Atom] = {}
    for rule in rules:
        for atom in _BodyCheck(sheet, rule, demands).run():
            unmet.setdefault(atom.relation, atom)
    asked = {use.atom.relation for use in sheet.uses}
    for rule in rules:
        _check_head(sheet, rule, demands, unmet, asked)


def _is_small_enough(sheet: Sheet, rule: Rule) -> bool:
    atoms = [rule.head, *_atoms(rule.body)]
    if len({v for atom in atoms for v in atom_variables(atom)}) <= MAX_VARIABLES:
        return True
    message = f"more than {MAX_VARIABLES:,} variables in a rule"
    sheet.report.error("too-large", message, rule.span)
    return False


def _check_head(
    sheet: Sheet,
    rule: Rule,
    demands: Demands,
    unmet: dict[str, Atom],
    asked: Collection[str],
) -> None:
    """Report the variables of the head that the body does not bind."""
    head = rule.head
    bound = Bindings(demands).of_all(rule.body)
    left = set(atom_variables(head)) - bound
    if not left:
        return
    given = set(atom_variables(head, only=demands.get(head.relation, ())))
    for variable in sorted(left):
        message = f"{quote(variable)} in the head is bound by no positive condition"
        place = sheet.places.variable(head, variable)
        if variable not in given:
            sheet.report.error("unsafe", message, place)
        elif head.relation in ARITIES:
            sheet.report.warning("unsafe", f"{message}: taken for any role", place)
        elif head.relation in unmet:
            line = unmet[head.relation].span.line
            message += f", nor by who asks for it in line {line}"
            sheet.report.error("unsafe", message, place)
        elif head.relation in asked or _is_test(rule):
            message += ", only by who asks for it"
            sheet.report.warning("unsafe", message, place)
        else:
            sheet.report.error("unsafe", message, place)


def _is_test(rule: Rule) -> bool:
    """Return whether a rule has conditions, but none that could bind a variable."""
    positive = {atom.relation for atom in _atoms(rule.body, negated=False)}
    return bool(rule.body) and positive <= {"distinct"}


def _atoms(body: Iterable[Condition], negated: bool = True) -> Iterator[Atom]:
    """Return the atoms of a body, with or without those under a `not`."""
    return (a for c in body for a, positive in find_atoms(c) if positive or negated)


class _BodyCheck:
    """Walks through one body, knowing which variables are bound around each part."""

    def __init__(self, sheet: Sheet, rule: Rule, demands: Demands) -> None:
        self.sheet = sheet
        self.rule = rule
        self.demands = demands
        self.bindings = Bindings(demands)
        self.scope: Counter[Variable] = Counter()  # by how many of the parts around
        self.reported: set[Variable] = set()

    def run(self) -> Iterator[Atom]:
        """Check every `not` and `distinct`; yield atoms that lack what they ask for."""
        if not self.rule.body:
            return
        head = self.rule.head
        given = self.demands.get(head.relation, ())
        self.scope.update(set(atom_variables(head, only=given)))
        for condition in self.rule.body:
            self.scope.update(self.bindings.of(condition))
        for condition in self.rule.body:
            yield from self._walk(condition)

    def _walk(self, condition: Condition) -> Iterator[Atom]:
        match condition:
            case Atom(relation="distinct"):
                self._check(condition, "`distinct`")
            case Atom():
                needed = self.demands.get(condition.relation)
                if needed and any(self._unbound(condition, needed)):
                    yield condition
            case Not():
                for atom, _ in find_atoms(condition.condition):
                    self._check(atom, "`not`")
                yield from self._walk_inside(condition.condition)
            case And():
                for part in condition.parts:
                    yield from self._walk(part)
            case Or():
                for option in condition.options:
                    yield from self._walk_inside(option)

    def _walk_inside(self, condition: Condition) -> Iterator[Atom]:
        """Walk through what may have variables of its own."""
        own = self.bindings.of(condition)
        self.scope.update(own)
        yield from self._walk(condition)
        self.scope.subtract(own)

    def _unbound(
        self, atom: Atom, only: Collection[int] | None = None
    ) -> Iterator[Variable]:
        return (v for v in atom_variables(atom, only) if self.scope[v] <= 0)

    def _check(self, atom: Atom, place: str) -> None:
        """Report the variables of an atom that have no value there."""
        for variable in self._unbound(atom):
            if variable not in self.reported:
                self.reported.add(variable)
                self.sheet.report.error(
                    "unsafe",
                    f"{quote(variable)} in {place} is bound by no positive condition",
                    self.sheet.places.variable(atom, variable),
                )
