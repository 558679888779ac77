"""An order of rules, conditions and variables that depends on structure alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamelore.gdl.canonical.labelling import Budget
from gamelore.gdl.canonical.renaming import Renaming
from gamelore.gdl.rules import And, Atom, Condition, Not, Or, Rule
from gamelore.gdl.terms import Role, to_kif, variables

_HEADS = ("role", "init", "", "legal", "next", "terminal", "goal")


def sort_rules(rules: Sequence[Rule], roles: Sequence[Role]) -> tuple[Rule, ...]:
    """Return rules in order: roles first, as given; then by relation, then by text."""
    places = {role: place for place, role in enumerate(roles)}

    def key(rule: Rule) -> tuple[int, int, str]:
        head = rule.head
        group = _HEADS.index(head.relation if head.relation in _HEADS else "")
        place = places[str(head.arguments[0])] if head.relation == "role" else 0
        return group, place, str(rule)

    return tuple(sorted(rules, key=key))


def sort_conditions(rule: Rule) -> Rule:
    """Return a rule with its conditions in order, inside `or` and `and` too."""
    return Rule(rule.head, _sort(rule.body))


def order_variables(rule: Rule, budget: Budget) -> list[str] | None:
    """Return a rule's variables in an order that no renaming of them changes.

    `None` where conditions that are alike but for their variables leave it open, or
    where conditions are nested. Conditions are taken one by one, each time the least
    by its text with the variables met so far numbered and the others blank.
    """
    met: dict[str, str] = {}
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
        new = {variable for variable in least.variables if variable not in met}
        if new and sum(one.text == least.text for one in waiting) > 1:
            return None
        _meet(least.variables, met)
        waiting.remove(least)
        for one in waiting:
            if not new.isdisjoint(one.variables):
                one.text = one.blank(met)
    return list(met)


class _Waiting:
    """A condition that has no place in the order yet."""

    def __init__(
        self, sign: str, atom: Atom, unmet: list[str], met: Mapping[str, str]
    ) -> None:
        self.sign = sign
        self.atom = atom
        self.variables = unmet
        self.text = self.blank(met)

    def blank(self, met: Mapping[str, str]) -> str:
        """Return the text with variables that were not met left blank."""
        hidden = {variable: met.get(variable, "") for variable in self.variables}
        shown = Renaming({}, hidden).rename_atom(self.atom)
        arguments = " ".join(map(to_kif, shown.arguments))
        return f"{self.sign}{self.atom.relation} {arguments}"


def _variables(atom: Atom) -> list[str]:
    """Return the names of an atom's variables, left to right."""
    return [one.name for argument in atom.arguments for one in variables(argument)]


def _meet(unmet: list[str], met: dict[str, str]) -> None:
    for variable in unmet:
        met.setdefault(variable, f"v{len(met) + 1}")


def _sort(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    return tuple(sorted(map(_sort_inside, conditions), key=_order))


def _sort_inside(condition: Condition) -> Condition:
    match condition:
        case Atom():
            return condition
        case Not():
            return Not(_sort_inside(condition.condition))
        case Or():
            return Or(_sort(condition.options))
        case And():
            return And(_sort(condition.parts))


def _order(condition: Condition) -> tuple[int, str]:
    """Rank what binds variables first, as in rules that people write."""
    match condition:
        case Atom():
            rank = 2 if condition.relation == "distinct" else 0
        case Not():
            rank = 3
        case _:
            rank = 1
    return rank, str(condition)
