"""Constants told apart by where they stand: the 1 of a row is not the 1 of a column.

Places are arguments of relations and functors. Those that a variable or a `distinct`
joins hold constants of one *kind*; constants of different kinds are never compared, so
each may be renamed on its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from gamelore.gdl.rules import And, Atom, Condition, Not, Or, Rule
from gamelore.gdl.terms import Compound, Term, Variable

_FACTS = ("true.0", "next.0", "init.0", "base.0")
_ROLES = ("role.0", "legal.0", "does.0", "input.0", "goal.0", "sees.0")
_MOVES = ("legal.1", "does.1", "input.1")
_UNMARKED = ("role.0", "goal.1")
_MARK = " "  # which no symbol of GDL has


class Kinds:
    """The kinds of constants in some rules.

    A constant is marked with its kind, unless it is of that of roles or goals.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._parent: dict[str, str] = {}
        for places in (_FACTS, _ROLES, _MOVES):
            for place in places:
                self._join(places[0], place)
        for number, rule in enumerate(rules):
            for condition in (rule.head, *rule.body):
                self._meet(condition, str(number))
        self._unmarked = {self._root(place) for place in _UNMARKED}

    def mark(self, rule: Rule) -> Rule:
        """Return a rule with its constants marked."""
        head = self._marked_atom(rule.head)
        return Rule(head, tuple(self._marked(part) for part in rule.body))

    def mark_fact(self, fact: Term) -> Term:
        """Return a fact of a position, marked."""
        return self._marked_term(fact, _FACTS[0])

    def mark_move(self, move: Term) -> Term:
        """Return a move, marked."""
        return self._marked_term(move, _MOVES[0])

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _root(self, place: str) -> str:
        while (parent := self._parent.get(place, place)) != place:
            place = parent
        return place

    def _join(self, one: str, other: str) -> None:
        self._parent[self._root(other)] = self._root(one)

    def _meet(self, condition: Condition, rule: str) -> None:
        match condition:
            case Atom("distinct", (one, other)):
                for term in (one, other):
                    self._meet_term(term, f"distinct {rule}", rule)
            case Atom(relation, arguments):
                for place, term in enumerate(arguments):
                    self._meet_term(term, f"{relation}.{place}", rule)
            case Not():
                self._meet(condition.condition, rule)
            case Or(inside) | And(inside):
                for part in inside:
                    self._meet(part, rule)

    def _meet_term(self, term: Term, place: str, rule: str) -> None:
        if isinstance(term, Variable):
            self._join(place, f"{term} {rule}")
        elif isinstance(term, Compound):
            for inner, argument in enumerate(term.arguments):
                self._meet_term(argument, _inner_place(term, inner), rule)

    def _marked(self, condition: Condition) -> Condition:
        match condition:
            case Atom():
                return self._marked_atom(condition)
            case Not():
                return Not(self._marked(condition.condition))
            case Or(options):
                return Or(tuple(map(self._marked, options)))
            case And(inside):
                return And(tuple(map(self._marked, inside)))

    def _marked_atom(self, atom: Atom) -> Atom:
        places = (f"{atom.relation}.{i}" for i in range(len(atom.arguments)))
        arguments = map(self._marked_term, atom.arguments, places)
        return Atom(atom.relation, tuple(arguments))

    def _marked_term(self, term: Term, place: str) -> Term:
        if isinstance(term, Variable):
            return term
        if isinstance(term, Compound):
            places = (_inner_place(term, i) for i in range(len(term.arguments)))
            arguments = map(self._marked_term, term.arguments, places)
            return Compound(term.functor, tuple(arguments))
        kind = self._root(place)
        return term if kind in self._unmarked else term + _MARK + kind


def _inner_place(term: Compound, number: int) -> str:
    return f"({term.functor} {len(term.arguments)}).{number}"


def is_marked(symbol: str) -> bool:
    """Return whether a symbol is a constant with the mark of its kind."""
    return _MARK in symbol


def unmark(term: Term) -> Term:
    """Return a term as the rules have it."""
    if isinstance(term, Compound):
        return Compound(term.functor, tuple(map(unmark, term.arguments)))
    return term if isinstance(term, Variable) else term.partition(_MARK)[0]
