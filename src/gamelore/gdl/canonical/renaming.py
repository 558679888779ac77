"""New names for the symbols of a game, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from gamelore.gdl.game import Game
from gamelore.gdl.rules import ARITIES, HINTS, And, Atom, Condition, Not, Or, Rule
from gamelore.gdl.terms import Compound, Role, Term, Variable

_MARK = "~"


@dataclass(frozen=True)
class Renaming:
    """A one-to-one mapping of symbols, applied to whatever is built from them.

    GDL's own relations keep their names, except `base` and `input`, which mean nothing
    to play and which some managers rename like any other. A symbol that the mapping
    lacks keeps its name too, unless something else gets that name: then it is marked
    with `~`, so that it is not taken for the other, and the inverse removes the mark.
    """

    names: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The new name of each symbol."""
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The new name of each variable that gets one, without question marks."""

    @cached_property
    def inverse(self) -> Renaming:
        """The renaming that leads back."""
        return Renaming(_invert(self.names), _invert(self.variables))

    def then(self, other: Renaming) -> Renaming:
        """Return this renaming followed by another one."""
        names = {old: other.rename_symbol(new) for old, new in self.names.items()}
        for old, new in other.names.items():
            names.setdefault(self.inverse.rename_symbol(old), new)
        variables = {
            old: other.variables.get(new, new) for old, new in self.variables.items()
        }
        return Renaming(names, {**other.variables, **variables})

    def rename_symbol(self, symbol: str) -> str:
        """Return the new name of a constant, functor or relation of the game."""
        new = self.names.get(symbol)
        if new is not None:
            return new
        if symbol in self._taken:
            return _MARK + symbol
        unmarked = symbol.removeprefix(_MARK)
        return unmarked if unmarked in self.names else symbol

    def rename_role(self, role: Role) -> Role:
        """Return the new name of a role."""
        return self.rename_symbol(role)

    def rename(self, term: Term) -> Term:
        """Return a term (a fact, a move) under the new names."""
        if isinstance(term, str):
            return self.rename_symbol(term)
        if isinstance(term, Variable):
            return Variable(self.variables.get(term.name, term.name))
        arguments = tuple(map(self.rename, term.arguments))
        return Compound(self.rename_symbol(term.functor), arguments)

    def rename_atom(self, atom: Atom) -> Atom:
        """Return an atom under the new names."""
        relation = atom.relation
        if relation not in ARITIES or relation in HINTS:
            relation = self.rename_symbol(relation)
        return Atom(relation, tuple(map(self.rename, atom.arguments)))

    def rename_condition(self, condition: Condition) -> Condition:
        """Return a condition under the new names, its parts in the same order."""
        match condition:
            case Atom():
                return self.rename_atom(condition)
            case Not():
                return Not(self.rename_condition(condition.condition))
            case Or():
                return Or(tuple(map(self.rename_condition, condition.options)))
            case And():
                return And(tuple(map(self.rename_condition, condition.parts)))

    def rename_rule(self, rule: Rule) -> Rule:
        """Return a rule under the new names, its conditions in the same order."""
        body = map(self.rename_condition, rule.body)
        return Rule(self.rename_atom(rule.head), tuple(body))

    def rename_game(self, game: Game) -> Game:
        """Return a game under the new names, which no drawing knows."""
        return replace(
            game,
            roles=tuple(map(self.rename_role, game.roles)),
            rules=tuple(map(self.rename_rule, game.rules)),
            source="",
            renderer=None,
        )

    @cached_property
    def _taken(self) -> frozenset[str]:
        return frozenset(self.names.values())


def _invert(names: Mapping[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}
