"""How many terms can stand where: a rough count, used to choose how to split rules.

Each argument position of each relation (and of each functor below it) collects the
constants that rules can put there, ignoring that arguments depend on each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from gamelore.gdl import Atom, Compound, Term, Variable
from gamelore.ground.normal import NormalRule

Place: TypeAlias = tuple[str | int, ...]
"""A relation, then argument numbers and functors down to a place in its terms."""

_DEEPEST = 12
_MOST_PLACES = 50_000  # beyond it nothing new is noted: counts stay rough, time bounded
_SAME_PLACES = {"next": "true", "init": "true", "legal": "does"}
"""What is `next` or `init` can be `true`; what is `legal` can be done."""


class Domains:
    """The contents of every place, as far as the rules can fill them."""

    def __init__(self, rules: Sequence[NormalRule]) -> None:
        self._constants: dict[Place, set[str]] = defaultdict(set)
        self._functors: dict[Place, set[tuple[str, int]]] = defaultdict(set)
        pending = True
        while pending:
            pending = False
            for rule in rules:
                pending |= self._apply(rule)

    def size(self, variable: Variable, atoms: Iterable[Atom]) -> int:
        """Return how many terms a variable in these atoms can be at most."""
        sizes = [self._size(p) for atom in atoms for p in _places(atom, variable)]
        return max(1, min(sizes, default=1))

    def _size(self, place: Place) -> int:
        total = len(self._constants[place])
        for functor, arity in self._functors[place]:
            product = 1
            for i in range(arity):
                product *= max(1, self._size((*place, functor, i)))
            total += product
        return total

    def _apply(self, rule: NormalRule) -> bool:
        """Let the rule fill the places of its head; say whether anything was new."""
        atoms = [literal.atom for literal in rule.body if literal.binds]
        changed = False
        relation = _SAME_PLACES.get(rule.head.relation, rule.head.relation)
        for i, argument in enumerate(rule.head.arguments):
            changed |= self._fill((relation, i), argument, atoms)
        return changed

    def _fill(self, place: Place, term: Term, atoms: Sequence[Atom]) -> bool:
        if self._is_beyond(place):
            return False
        if isinstance(term, Compound):
            arity = len(term.arguments)
            changed = _add(self._functors[place], (term.functor, arity))
            for i, argument in enumerate(term.arguments):
                changed |= self._fill((*place, term.functor, i), argument, atoms)
            return changed
        if isinstance(term, Variable):
            sources = [p for atom in atoms for p in _places(atom, term)]
            return bool(sources) and self._copy(sources, place)
        return _add(self._constants[place], term)

    def _is_beyond(self, place: Place) -> bool:
        return len(place) > _DEEPEST or len(self._constants) > _MOST_PLACES

    def _copy(self, sources: Sequence[Place], place: Place) -> bool:
        """Add to a place what all the sources have in common."""
        if self._is_beyond(place):
            return False
        constants = set.intersection(*(self._constants[s] for s in sources))
        changed = not constants <= self._constants[place]
        self._constants[place] |= constants
        for functor, arity in set.intersection(*(self._functors[s] for s in sources)):
            changed |= _add(self._functors[place], (functor, arity))
            for i in range(arity):
                below = [(*source, functor, i) for source in sources]
                changed |= self._copy(below, (*place, functor, i))
        return changed


def _add(collection: set, item: object) -> bool:  # type: ignore[type-arg]
    new = item not in collection
    collection.add(item)
    return new


def _places(atom: Atom, variable: Variable) -> Iterable[Place]:
    def below(place: Place, term: Term) -> Iterable[Place]:
        if term == variable:
            yield place
        elif isinstance(term, Compound):
            for i, argument in enumerate(term.arguments):
                yield from below((*place, term.functor, i), argument)

    for i, argument in enumerate(atom.arguments):
        yield from below((atom.relation, i), argument)
