"""One game whatever its names: rules renamed and ordered by structure alone.

The same rules reach a player in many forms: symbols replaced by random words or written
in capitals, variables renamed, rules and conditions in another order. All of them have
the same canonical game, and games that differ otherwise have different ones.

Names that mean something are kept: GDL's own words, whole numbers, and the role
`random`. So is the order of the roles. Rules that play has nothing to do with are left
out: `base`, `input` and what only they need, which managers may rename or leave out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gamelore.gdl.canonical.labelling import (
    Budget,
    ColouredGraph,
    Colours,
    ExhaustedError,
    tell_apart,
)
from gamelore.gdl.canonical.renaming import Renaming
from gamelore.gdl.canonical.rule_graph import RuleGraph, select_needed
from gamelore.gdl.canonical.rule_order import (
    order_variables,
    sort_conditions,
    sort_rules,
)
from gamelore.gdl.game import Game
from gamelore.gdl.rules import ARITIES, CONNECTIVES, HINTS, Rule, find_atoms
from gamelore.gdl.terms import Compound, Term, parts

WORK = 20_000_000
"""How often an edge of the graph of the rules may be looked at: two or three seconds.
None of some two hundred public games needs a fortieth of it."""

CHANCE = "random"
_KEPT = (ARITIES.keys() | CONNECTIVES) - HINTS
_NUMBER = re.compile(r"-?[0-9]+")


@dataclass(frozen=True)
class CanonicalForm:
    """A game under names that depend on structure only, and the way back."""

    game: Game
    """The same rules in canonical names and order, named by their fingerprint."""
    renaming: Renaming = field(repr=False)
    """From the names given to canonical ones; its inverse leads back."""
    rules_as_given: tuple[Rule, ...] = field(repr=False)
    """The rules in canonical names, but in the order of the text: authors mostly write
    conditions in the order in which they are derived fastest."""
    exact: bool = True
    """Whether every other renaming gives the same game. If the rules have so many
    alike symbols that telling them apart was given up, names depend on the order of
    the text as well, and the game under other names may not be recognised."""

    def to_canonical(self, term: Term) -> Term:
        """Return a term of the game given, in canonical names."""
        return self.renaming.rename(term)

    def to_original(self, term: Term) -> Term:
        """Return a term of the canonical game, in the names given."""
        return self.renaming.inverse.rename(term)


def canonical_form(
    game: Game, work: int = WORK, fixed: Collection[str] = ()
) -> CanonicalForm:
    """Return the form that these rules have under any names and in any order.

    `work`: how much may be done to tell alike symbols apart, see `exact`.
    `fixed`: symbols that keep their names, besides those with a meaning.
    """
    return _Naming(game, work, fixed).form()


def is_canonical(game: Game) -> bool:
    """Return whether `canonical_form` made a game, or a game is named like that."""
    return game.name == _name(game)


def _name(game: Game) -> str:
    return f"game-{game.fingerprint[:12]}"


class _Naming:
    """Finds canonical names for one game."""

    def __init__(self, game: Game, work: int, fixed: Collection[str]) -> None:
        self.game = replace(game, rules=select_needed(game.rules))
        self.budget = Budget(work)
        self.kept = _kept_names(self.game) | {symbol: symbol for symbol in fixed}
        self.exact = True
        self._texts: dict[tuple[int, tuple[str, ...]], Rule] = {}
        self.graph = RuleGraph(self.game.rules, game.roles, self.kept)
        self.inner = ColouredGraph(self.graph.colours, self.graph.edges, self.budget)
        self.free = [symbol for symbol in self.graph.symbols if symbol not in self.kept]

    def form(self) -> CanonicalForm:
        targets = [self.graph.symbols[symbol] for symbol in self.free]
        try:
            colours = tell_apart(self.inner, targets, self._certify)
        except ExhaustedError:
            self.exact = False
            colours = self.inner.first
        renaming = Renaming(self._names(colours))
        rules = self._rules(renaming)
        roles = tuple(map(renaming.rename_role, self.game.roles))
        nameless = Game("", roles, rules)
        game = replace(nameless, name=_name(nameless))
        as_given = tuple(map(renaming.rename_rule, self.game.rules))
        return CanonicalForm(game, renaming, as_given, self.exact)

    def _certify(self, colours: Colours) -> bytes:
        rules = self._rules(Renaming(self._names(colours)))
        return hashlib.sha256("\n".join(map(str, rules)).encode()).digest()

    def _names(self, colours: Colours) -> dict[str, str]:
        """Return a name for every symbol: what it is, and its place among those."""
        order = sorted(
            self.free, key=lambda symbol: int(colours[self.graph.symbols[symbol]])
        )
        counts = dict.fromkeys("rfc", 0)
        names = dict(self.kept)
        for symbol in order:
            kind = self.graph.kind(symbol)
            counts[kind] += 1
            names[symbol] = f"{kind}{counts[kind]}"
        return names

    def _rules(self, renaming: Renaming) -> tuple[Rule, ...]:
        """Return all rules in canonical names, in canonical order."""
        rules = [self._rule(number, renaming) for number in range(len(self.game.rules))]
        return sort_rules(rules, list(map(renaming.rename_role, self.game.roles)))

    def _rule(self, number: int, renaming: Renaming) -> Rule:
        """Return one rule; made once for the same names of its symbols."""
        symbols = self.graph.symbols_of[number]
        key = number, tuple(map(renaming.rename_symbol, symbols))
        if key not in self._texts:
            rule = renaming.rename_rule(self.game.rules[number])
            self._texts[key] = self._number_variables(sort_conditions(rule))
        return self._texts[key]

    def _number_variables(self, rule: Rule) -> Rule:
        """Return a rule with its variables told apart and its conditions in order."""
        try:
            order = order_variables(rule, self.budget)
            if order is None:
                order = self._hard_order(rule)
        except ExhaustedError:
            self.exact = False
            order = [one.name for one in RuleGraph([rule], ()).variables]
        return _with_variables(rule, order, "v")

    def _hard_order(self, rule: Rule) -> list[str]:
        """Return a rule's variables in order, where conditions are much alike."""
        graph = RuleGraph([rule], ())
        nodes = graph.variables

        def ordered(colours: Colours) -> list[str]:
            order = sorted(nodes, key=lambda variable: int(colours[nodes[variable]]))
            return [variable.name for variable in order]

        def certify(colours: Colours) -> bytes:
            return str(_with_variables(rule, ordered(colours))).encode()

        inner = ColouredGraph(graph.colours, graph.edges, self.budget)
        return ordered(tell_apart(inner, list(nodes.values()), certify))


def _with_variables(rule: Rule, order: Sequence[str], prefix: str = "") -> Rule:
    """Return a rule with variables numbered in this order and conditions sorted."""
    numbers = {old: f"{prefix}{place}" for place, old in enumerate(order, start=1)}
    return sort_conditions(Renaming({}, numbers).rename_rule(rule))


def _kept_names(game: Game) -> dict[str, str]:
    """Return what each symbol with a meaning of its own is called in every form.

    Words in capitals are the same as in small letters, unless a game has both.
    """
    kept: dict[str, str] = {}
    for symbol in _symbols(game):
        lower = symbol.lower()
        if _NUMBER.fullmatch(symbol) or lower in _KEPT:
            kept.setdefault(symbol, lower)
    chance = [role for role in game.roles if role.lower() == CHANCE]
    if chance:
        kept[CHANCE if CHANCE in chance else chance[0]] = CHANCE
    return _without_doubles(kept)


def _without_doubles(kept: Mapping[str, str]) -> dict[str, str]:
    """Return, of symbols with one name, only the one spelt so, or the first."""
    owners: dict[str, str] = {}
    for symbol, name in kept.items():
        if name not in owners or symbol == name:
            owners[name] = symbol
    return {symbol: name for name, symbol in owners.items()}


def _symbols(game: Game) -> Iterable[str]:
    """Return every symbol inside the terms of a game."""
    for rule in game.rules:
        for condition in (rule.head, *rule.body):
            for atom, _ in find_atoms(condition):
                for argument in atom.arguments:
                    for part in parts(argument):
                        if isinstance(part, Compound):
                            yield part.functor
                        elif isinstance(part, str):
                            yield part
