"""One game whatever its spelling: rules renamed and ordered by structure alone.

The same rules reach a player in many forms: symbols replaced by random words or written
in capitals, variables renamed, rules and conditions in another order. All of them have
the same canonical game, and games that differ otherwise have different ones.

Names that mean something are kept: GDL's own words, whole numbers, and the role
`random`. So is the order of the roles.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from gamelore.gdl.canonical.labelling import (
    Budget,
    Colours,
    ExhaustedError,
    Graph,
    tell_apart,
)
from gamelore.gdl.canonical.renaming import order_of_variables, renamed, rewritten
from gamelore.gdl.canonical.rule_graph import RuleGraph
from gamelore.gdl.game import Game
from gamelore.gdl.rules import ARITIES, CONNECTIVES, Rule, atoms_of
from gamelore.gdl.terms import Compound, Term, Variable, parts

WORK = 20_000_000
"""How often an edge of the graph of the rules may be looked at: two or three seconds.
None of some two hundred public games needs a fortieth of it."""

CHANCE = "random"
_NUMBER = re.compile(r"-?[0-9]+")
_STRANGE = "~"  # before names that a game does not have; no canonical name has it
_HEADS = ("role", "base", "input", "init", "", "legal", "next", "terminal", "goal")


@dataclass(frozen=True)
class CanonicalForm:
    """A game under names that depend on structure only, and the way back."""

    game: Game
    """The same rules in canonical names and order, named by their fingerprint."""
    names: Mapping[str, str] = field(repr=False)
    """For each canonical name the spelling given."""
    exact: bool = True
    """Whether every other spelling gives the same game. If the rules have so many
    alike symbols that telling them apart was given up, names depend on the order of
    the text as well, and other spellings are recognised by luck only."""

    def to_canonical(self, term: Term) -> Term:
        """A term as given, in canonical names; a name the rules lack stays strange."""
        return renamed(term, lambda name: self._new.get(name, _STRANGE + name))

    def to_original(self, term: Term) -> Term:
        """A term of the canonical game, in the spelling given."""
        return renamed(
            term, lambda name: self.names.get(name, name.removeprefix(_STRANGE))
        )

    @cached_property
    def _new(self) -> dict[str, str]:
        return {given: canonical for canonical, given in self.names.items()}


def canonical_form(
    game: Game, work: int = WORK, fixed: Collection[str] = ()
) -> CanonicalForm:
    """The game of all spellings of these rules.

    `work`: how much may be done to tell alike symbols apart, see `exact`.
    `fixed`: symbols that keep their names, besides those with a meaning.
    """
    return _Naming(game, work, fixed).form()


def is_canonical(game: Game) -> bool:
    """Whether a game is one that `canonical_form` made, or is named like it."""
    return game.name == _name_of(game)


def _name_of(game: Game) -> str:
    return f"game-{game.fingerprint[:12]}"


class _Naming:
    """Finds canonical names for one game."""

    def __init__(self, game: Game, work: int, fixed: Collection[str]) -> None:
        self.game = game
        self.budget = Budget(work)
        self.kept = _kept_names(game) | {symbol: symbol for symbol in fixed}
        self.exact = True
        self._texts: dict[tuple[int, tuple[str, ...]], Rule] = {}
        self.graph = RuleGraph(game.rules, game.roles, self.kept)
        self.inner = Graph(self.graph.colours, self.graph.edges, self.budget)
        self.free = [symbol for symbol in self.graph.symbols if symbol not in self.kept]

    def form(self) -> CanonicalForm:
        targets = [self.graph.symbols[symbol] for symbol in self.free]
        try:
            colours = tell_apart(self.inner, targets, self._certify)
        except ExhaustedError:
            self.exact = False
            colours = self.inner.first
        names = self._names(colours)
        rules = self._rules(names)
        nameless = Game("", tuple(names[role] for role in self.game.roles), rules)
        game = replace(nameless, name=_name_of(nameless))
        given = {canonical: symbol for symbol, canonical in names.items()}
        return CanonicalForm(game, given, self.exact)

    def _certify(self, colours: Colours) -> bytes:
        rules = self._rules(self._names(colours))
        return hashlib.sha256("\n".join(map(str, rules)).encode()).digest()

    def _names(self, colours: Colours) -> dict[str, str]:
        """A name for every symbol: what it is, and its place among those."""
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

    def _rules(self, names: Mapping[str, str]) -> tuple[Rule, ...]:
        """All rules in canonical names, in canonical order."""
        rules = [self._rule(number, names) for number in range(len(self.game.rules))]
        roles = {names[role]: place for place, role in enumerate(self.game.roles)}
        return tuple(sorted(rules, key=lambda rule: _rule_order(rule, roles)))

    def _rule(self, number: int, names: Mapping[str, str]) -> Rule:
        """One rule; worked out once for the same names of its symbols."""
        symbols = self.graph.symbols_of[number]
        key = number, tuple(names[symbol] for symbol in symbols)
        if key not in self._texts:
            self._texts[key] = self._renamed_rule(self.game.rules[number], names)
        return self._texts[key]

    def _renamed_rule(self, rule: Rule, names: Mapping[str, str]) -> Rule:
        """One rule with its variables told apart and its conditions in order."""
        named = rewritten(rule, names, {})
        try:
            order = order_of_variables(named, self.budget)
            if order is None:
                order = self._hard_order(named)
        except ExhaustedError:
            self.exact = False
            order = list(RuleGraph([named], (), _SAME).variables)
        new = {old: Variable(f"v{i}") for i, old in enumerate(order, start=1)}
        return rewritten(named, _SAME, new)

    def _hard_order(self, rule: Rule) -> list[Variable]:
        """A rule's variables in order, where conditions are much alike."""
        graph = RuleGraph([rule], (), _SAME)
        nodes = graph.variables

        def ordered(colours: Colours) -> list[Variable]:
            return sorted(nodes, key=lambda variable: int(colours[nodes[variable]]))

        def certify(colours: Colours) -> bytes:
            order = enumerate(ordered(colours))
            new = {old: Variable(str(place)) for place, old in order}
            return str(rewritten(rule, _SAME, new)).encode()

        inner = Graph(graph.colours, graph.edges, self.budget)
        return ordered(tell_apart(inner, list(nodes.values()), certify))


class _Same(dict[str, str]):
    """Every name as it is."""

    def __missing__(self, name: str) -> str:
        return name

    def __contains__(self, name: object) -> bool:
        return True


_SAME = _Same()


def _kept_names(game: Game) -> dict[str, str]:
    """What each symbol with a meaning of its own is called in every spelling.

    Words in capitals are the same as in small letters, unless a game has both.
    """
    kept: dict[str, str] = {}
    for symbol in _symbols(game):
        lower = symbol.lower()
        if _NUMBER.fullmatch(symbol) or (lower in ARITIES or lower in CONNECTIVES):
            kept.setdefault(symbol, lower)
    chance = [role for role in game.roles if role.lower() == CHANCE]
    if chance:
        kept[CHANCE if CHANCE in chance else chance[0]] = CHANCE
    return _without_doubles(kept)


def _without_doubles(kept: Mapping[str, str]) -> dict[str, str]:
    """Of several symbols with one name only the one that is spelt so, or the first."""
    owners: dict[str, str] = {}
    for symbol, name in kept.items():
        if name not in owners or symbol == name:
            owners[name] = symbol
    return {symbol: name for name, symbol in owners.items()}


def _symbols(game: Game) -> Iterable[str]:
    """Every symbol inside the terms of a game."""
    for rule in game.rules:
        for condition in (rule.head, *rule.body):
            for atom, _ in atoms_of(condition):
                for argument in atom.arguments:
                    for part in parts(argument):
                        if isinstance(part, Compound):
                            yield part.functor
                        elif isinstance(part, str):
                            yield part


def _rule_order(rule: Rule, roles: Mapping[str, int]) -> tuple[int, int, str]:
    """Roles first, in their order; then as people order rules; then by text."""
    head = rule.head
    group = _HEADS.index(head.relation if head.relation in _HEADS else "")
    place = roles[str(head.arguments[0])] if head.relation == "role" else 0
    return group, place, str(rule)
