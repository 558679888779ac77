"""Rules under other names, their conditions in an order that depends on names alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gamelore.gdl.canonical.labelling import Budget
from gamelore.gdl.rules import And, Atom, Condition, Not, Or, Rule
from gamelore.gdl.terms import Compound, Term, Variable, to_kif, variables

Names = Mapping[str, str]
Variables = Mapping[Variable, Variable]


def renamed(
    term: Term, name: Callable[[str], str], of_variables: Variables | None = None
) -> Term:
    """A term with every symbol, and perhaps every variable, replaced."""
    if isinstance(term, str):
        return name(term)
    if isinstance(term, Variable):
        return of_variables.get(term, term) if of_variables is not None else term
    arguments = tuple(renamed(one, name, of_variables) for one in term.arguments)
    return Compound(name(term.functor), arguments)


def rewritten(rule: Rule, names: Names, of_variables: Variables) -> Rule:
    """A rule under new names, the conditions of its body in order."""
    head = _atom(rule.head, names, of_variables)
    body = [_condition(part, names, of_variables) for part in rule.body]
    return Rule(head, tuple(sorted(body, key=_order)))


def order_of_variables(rule: Rule, budget: Budget) -> list[Variable] | None:
    """A rule's variables in an order that no renaming of them changes.

    `None` where conditions that are alike but for their variables leave it open, or
    where conditions are nested. Conditions are taken one by one, each time the least
    by its text with the variables met so far numbered and the others blank.
    """
    met: dict[Variable, Variable] = {}
    _meet(_variables(rule.head), met)
    waiting: list[_Waiting] = []
    for condition in rule.body:
        sign = ""
        if isinstance(condition, Not):
            condition, sign = condition.condition, "not "
        if not isinstance(condition, Atom):
            return None
        if unmet := _variables(condition):
            waiting.append(_Waiting(sign, condition, unmet, met))
    while waiting:
        budget.spend(len(waiting))
        least = min(waiting, key=lambda one: one.text)
        fresh = {variable for variable in least.variables if variable not in met}
        if fresh and sum(one.text == least.text for one in waiting) > 1:
            return None
        _meet(least.variables, met)
        waiting.remove(least)
        for one in waiting:
            if not fresh.isdisjoint(one.variables):
                one.text = one.blank(met)
    return list(met)


class _Waiting:
    """A condition whose turn has not come."""

    def __init__(
        self, sign: str, atom: Atom, unmet: list[Variable], met: Variables
    ) -> None:
        self.sign = sign
        self.atom = atom
        self.variables = unmet
        self.text = self.blank(met)

    def blank(self, met: Variables) -> str:
        """The text with the variables that were not met left blank."""
        hidden = {variable: met.get(variable, _BLANK) for variable in self.variables}
        shown = (to_kif(renamed(one, str, hidden)) for one in self.atom.arguments)
        return f"{self.sign}{self.atom.relation} {' '.join(shown)}"


_BLANK = Variable("")


def _variables(atom: Atom) -> list[Variable]:
    """The variables of an atom, left to right."""
    return [one for argument in atom.arguments for one in variables(argument)]


def _meet(unmet: list[Variable], met: dict[Variable, Variable]) -> None:
    for variable in unmet:
        met.setdefault(variable, Variable(f"v{len(met) + 1}"))


def _condition(
    condition: Condition, names: Names, of_variables: Variables
) -> Condition:
    match condition:
        case Atom():
            return _atom(condition, names, of_variables)
        case Not():
            return Not(_condition(condition.condition, names, of_variables))
        case Or():
            options = (
                _condition(one, names, of_variables) for one in condition.options
            )
            return Or(tuple(sorted(options, key=_order)))
        case And():
            parts = (_condition(one, names, of_variables) for one in condition.parts)
            return And(tuple(sorted(parts, key=_order)))


def _atom(atom: Atom, names: Names, of_variables: Variables) -> Atom:
    return Atom(
        names.get(atom.relation, atom.relation),
        tuple(renamed(one, names.__getitem__, of_variables) for one in atom.arguments),
    )


def _order(condition: Condition) -> tuple[int, str]:
    """What binds variables comes first, as in rules that people write."""
    match condition:
        case Atom():
            rank = 2 if condition.relation == "distinct" else 0
        case Not():
            rank = 3
        case _:
            rank = 1
    return rank, str(condition)
