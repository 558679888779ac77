"""Families of fluents: facts with the same functor, and what their arguments can be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from gamelore.board.domains import Place, find_domains
from gamelore.board.order import Axis, Orders
from gamelore.gdl import Compound, Fact, Game, Move, Rule, Term, find_atoms, to_kif

Words: TypeAlias = tuple[str, ...]
"""A fact's arguments as KIF text."""


@dataclass(frozen=True)
class Family:
    """The facts of one functor and number of arguments."""

    functor: str
    arity: int
    domains: tuple[frozenset[str], ...]
    """By argument, what can stand there."""
    axes: tuple[Axis | None, ...]
    """By argument, its constants in order, if they have one."""
    initial: tuple[Words, ...]
    """Facts of the initial position."""
    known: frozenset[Words] | None
    """Every fact that can be true, where the ground game is known."""
    declared: frozenset[Words] | None = None
    """Every fact that rules declare as possible, where they do."""

    @property
    def key(self) -> str:
        return f"{self.functor}/{self.arity}"

    def is_unique(self, facts: Iterable[Words], places: Sequence[int]) -> bool:
        """Whether no two of the facts agree in these arguments."""
        seen: set[Words] = set()
        for words in facts:
            part = tuple(words[i] for i in places)
            if part in seen:
                return False
            seen.add(part)
        return True

    def covers(self, places: Sequence[int]) -> bool:
        """Whether each combination of these arguments has one fact at the start.

        A few may be left out, as the corners of some boards are.
        """
        if not self.initial or not self.is_unique(self.initial, places):
            return False
        size = 1
        for i in places:
            size *= len(self.domains[i])
        return 0.8 * size <= len(self.initial) and size > 1

    @cached_property
    def combinations(self) -> frozenset[Words]:
        """The facts that are known to be possible, or those of the start."""
        return self.known if self.known is not None else frozenset(self.initial)

    @property
    def possible(self) -> frozenset[Words] | None:
        """The facts that can be true as far as anything says so."""
        return self.known if self.known is not None else self.declared


def split_fact(fact: Fact) -> tuple[str, Words]:
    """Return a fact's functor with its arity, and its arguments as text."""
    if isinstance(fact, Compound):
        words = tuple(map(to_kif, fact.arguments))
        return f"{fact.functor}/{len(words)}", words
    return f"{fact}/0", ()


def find_families(
    game: Game,
    orders: Orders,
    initial: Iterable[Term],
    fluents: Iterable[Fact] | None,
    declared: Iterable[Term] = (),
) -> dict[str, Family]:
    """Return the families of a game's fluents, by functor and arity."""
    at_start = _group(initial)
    bases = _group(declared)
    for key in [
        key for key in bases if not set(bases[key]) >= set(at_start.get(key, ()))
    ]:
        del bases[key]  # a fact of the start was not declared
    known = _group(fluents) if fluents is not None else {}
    for key in known.keys() & bases.keys():
        known[key] = sorted(set(known[key]) & set(bases[key])) or known[key]
    domains = (
        _list_domains(known)
        if known
        else {**_estimate_domains(game.rules), **_list_domains(bases)}
    )
    for key, facts in at_start.items():
        columns = domains.setdefault(key, [set() for _ in facts[0]])
        for words in facts:
            for column, word in zip(columns, words, strict=True):
                column.add(word)
    families = {}
    for key, columns in domains.items():
        if key not in known:
            columns = _trust_start(columns, at_start.get(key, []), orders)
        functor, _, arity = key.rpartition("/")
        families[key] = Family(
            functor=functor,
            arity=int(arity),
            domains=tuple(map(frozenset, columns)),
            axes=tuple(orders.axis(column) for column in columns),
            initial=tuple(at_start.get(key, ())),
            known=frozenset(known[key]) if key in known else None,
            declared=frozenset(bases[key]) if key in bases else None,
        )
    return families


def find_move_domains(
    game: Game, moves: Iterable[Move] | None = None
) -> list[frozenset[str]]:
    """Return what can stand at each argument of each move, those of one name left out.

    Without the moves that can be made, it is estimated from the rules.
    """
    if moves is None:
        found = find_domains(game.rules)
        columns = [found[place] for place in found if place[0] == "does" and place[1]]
    else:
        columns = [c for own in _list_domains(_group(moves)).values() for c in own]
    return [frozenset(column) for column in columns if len(column) > 1]


def _trust_start(
    columns: list[set[str]], facts: Sequence[Words], orders: Orders
) -> list[set[str]]:
    """Return estimated domains, with those of the start where only they have an order.

    Rules that swap two arguments make the estimate of both the union of two axes.
    """
    if len(facts) < 9:
        return columns
    seen = [set(column) for column in zip(*facts, strict=True)]
    return [
        own if orders.axis(column) is None and orders.axis(own) is not None else column
        for own, column in zip(seen, columns, strict=True)
    ]


def _group(facts: Iterable[Fact]) -> dict[str, list[Words]]:
    grouped: dict[str, list[Words]] = defaultdict(list)
    for fact in facts:
        key, words = split_fact(fact)
        grouped[key].append(words)
    return dict(grouped)


def _list_domains(known: dict[str, list[Words]]) -> dict[str, list[set[str]]]:
    return {
        key: [set(column) for column in zip(*facts, strict=True)]
        for key, facts in known.items()
    }


def _estimate_domains(rules: Iterable[Rule]) -> dict[str, list[set[str]]]:
    """Return what rules can put into each argument of each fluent."""
    rules = list(rules)
    found: dict[Place, set[str]] = find_domains(rules)
    keys: dict[str, int] = {}
    for rule in rules:
        heads = [rule.head]
        heads += [a for part in rule.body for a, _ in find_atoms(part)]
        for atom in heads:
            if atom.relation in ("init", "next", "true", "base"):
                term = atom.arguments[0]
                if isinstance(term, Compound):
                    keys[f"{term.functor}/{len(term.arguments)}"] = len(term.arguments)
                elif isinstance(term, str):
                    keys[f"{term}/0"] = 0
    return {
        key: [set(found.get(("true", key, i), ())) for i in range(arity)]
        for key, arity in keys.items()
    }
