"""Rules as a graph: what is a part of what, names left out.

Nodes are rules, conditions, compound terms, symbols, and each rule's variables. An edge
leads from a whole to a part; its label says which part, except where order has no
meaning: among the conditions of a body and the options of an `or`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from gamelore.gdl.canonical.labelling import seed
from gamelore.gdl.graph import reachable
from gamelore.gdl.rules import (
    ARITIES,
    HINTS,
    And,
    Atom,
    Condition,
    Not,
    Or,
    Rule,
    find_atoms,
)
from gamelore.gdl.terms import Role, Term, Variable

Kind: TypeAlias = Literal["r", "f", "c"]
"""Relation, functor or constant."""

_RELATION, _FUNCTOR, _HEAD, _PART, _ARGUMENT = range(5)


_PLAYED = ("role", "init", "legal", "next", "terminal", "goal", "sees")


def select_needed(
    rules: Sequence[Rule], relations: Sequence[str] = _PLAYED
) -> tuple[Rule, ...]:
    """Return the rules that some relations depend on: all that play has to do with."""
    asks: dict[str, set[str]] = {"": set(relations)}
    for rule in rules:
        inside = (atom for part in rule.body for atom, _ in find_atoms(part))
        asks.setdefault(rule.head.relation, set()).update(a.relation for a in inside)
    wanted = reachable(asks, "")
    return tuple(rule for rule in rules if rule.head.relation in wanted)


class RuleGraph:
    """The graph of some rules."""

    def __init__(
        self,
        rules: Sequence[Rule],
        roles: Sequence[Role],
        kept: Mapping[str, str] | None = None,
    ) -> None:
        """`kept`: symbols that are told apart by name, and those names; or all."""
        self.colours: list[int] = []
        """For each node a colour by what it is."""
        self.edges: list[int] = []
        """Whole, part and label of one edge after the other."""
        self.symbols: dict[str, int] = {}
        """The node of each symbol, in the order of the text."""
        self.symbols_of: list[tuple[str, ...]] = []
        """For each rule its symbols, in the order of the text."""
        self.variables: dict[Variable, int] = {}
        """The node of each variable of the last rule."""
        self._kept = kept
        self._places = {role: place for place, role in enumerate(roles)}
        self._relations: set[str] = set()
        self._functors: set[str] = set()
        self._met: list[str] = []
        for rule in rules:
            self._add_rule(rule)

    def kind(self, symbol: str) -> Kind:
        """Return what a symbol is used as."""
        if symbol in self._relations:
            return "r"
        return "f" if symbol in self._functors else "c"

    def _add_rule(self, rule: Rule) -> None:
        self.variables = {}
        self._met = []
        node = self._node("rule")
        self._join(node, self._atom(rule.head), _HEAD)
        for condition in rule.body:
            self._join(node, self._condition(condition), _PART)
        self.symbols_of.append(tuple(self._met))

    def _condition(self, condition: Condition) -> int:
        match condition:
            case Atom():
                return self._atom(condition)
            case Not():
                return self._whole("not", (condition.condition,))
            case Or():
                return self._whole("or", condition.options)
            case And():
                return self._whole("and", condition.parts)

    def _whole(self, what: str, inside: tuple[Condition, ...]) -> int:
        node = self._node(what)
        for part in inside:
            self._join(node, self._condition(part), _PART)
        return node

    def _atom(self, atom: Atom) -> int:
        if atom.relation in ARITIES and atom.relation not in HINTS:
            node = self._node(f"{atom.relation} of {len(atom.arguments)}")
        else:
            node = self._node(f"atom of {len(atom.arguments)}")
            self._relations.add(atom.relation)
            self._join(node, self._symbol(atom.relation), _RELATION)
        self._add_arguments(node, atom.arguments)
        return node

    def _term(self, term: Term) -> int:
        if isinstance(term, str):
            return self._symbol(term)
        if isinstance(term, Variable):
            if term not in self.variables:
                self.variables[term] = self._node("variable")
            return self.variables[term]
        node = self._node(f"term of {len(term.arguments)}")
        self._functors.add(term.functor)
        self._join(node, self._symbol(term.functor), _FUNCTOR)
        self._add_arguments(node, term.arguments)
        return node

    def _add_arguments(self, node: int, arguments: tuple[Term, ...]) -> None:
        for place, argument in enumerate(arguments):
            self._join(node, self._term(argument), _ARGUMENT + place)

    def _symbol(self, symbol: str) -> int:
        self._met.append(symbol)
        if symbol not in self.symbols:
            name = self._describe(symbol)
            place = self._places.get(symbol)
            role = "" if place is None else f" role {place}"
            self.symbols[symbol] = self._node(name + role)
        return self.symbols[symbol]

    def _describe(self, symbol: str) -> str:
        if self._kept is None:
            return f"named {symbol}"
        return f"named {self._kept[symbol]}" if symbol in self._kept else "symbol"

    def _node(self, what: str) -> int:
        self.colours.append(seed(what))
        return len(self.colours) - 1

    def _join(self, whole: int, part: int, label: int) -> None:
        self.edges += (whole, part, label)
