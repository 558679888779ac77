"""What the rules say of every position: relations that depend on no position.

Small ones are derived by joining their rules, within a budget of steps: neighbours,
directions, the initial position. What goes beyond the budget counts as unknown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from gamelore.gdl import (
    And,
    Atom,
    Compound,
    Condition,
    Not,
    Or,
    Rule,
    Term,
    Variable,
    find_atoms,
)
from gamelore.gdl.graph import components, reachable

Arguments: TypeAlias = tuple[Term, ...]
Binding: TypeAlias = dict[Variable, Term]

CHANGING = frozenset(("true", "does", "next", "legal", "goal", "terminal", "sees"))
"""Relations that depend on the position."""

MOST_STEPS = 2_500
"""Tuples tried for one relation and those it depends on, if not already derived."""
MOST_STEPS_TOGETHER = 4_000
"""Tuples tried for all relations together, the initial position not counted."""
MOST_STEPS_DECLARED = 7_000
"""Tuples tried for all facts that are declared as possible."""
MOST_ARGUMENTS = 6
"""Arguments of a fact whose declaration is read: four coordinates, and a content."""
MOST_STEPS_AT_START = 20_000
"""Tuples tried for the initial position."""


class _ExhaustedError(Exception):
    """The budget of steps is used up."""


class Statics:
    """The static relations of a game, derived when they are asked for."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules: dict[str, list[Rule]] = defaultdict(list)
        for rule in rules:
            self._rules[rule.head.relation].append(rule)
        self._graph = {
            name: {
                atom.relation
                for rule in own
                for condition in rule.body
                for atom, _ in find_atoms(condition)
            }
            for name, own in self._rules.items()
        }
        self._tuples: dict[str, frozenset[Arguments]] = {}
        self._index: dict[tuple[str, int], dict[Term, list[Arguments]]] = {}
        self._left = 0
        self._spent = 0

    @property
    def names(self) -> list[str]:
        """The relations that no position changes, GDL's own left out."""
        own = CHANGING | {"init", "base", "input", "role", "distinct"}
        return [name for name in self._rules if name not in own and self._fixed(name)]

    def tuples(self, relation: str) -> frozenset[Arguments]:
        """Return the arguments for which a static relation holds; none if unknown."""
        if relation not in self._tuples:
            self._left = min(MOST_STEPS, MOST_STEPS_TOGETHER - self._spent)
            before = self._left
            self._derive_within(relation)
            self._spent += before - self._left
        return self._tuples[relation]

    def initial(self) -> list[Term]:
        """Return the facts of the initial position, as far as they are derived.

        Those that the sheet lists come first, in its order.
        """
        self._left = MOST_STEPS_AT_START
        self._derive_within("init")
        written = dict.fromkeys(self.written("init"))
        derived = sorted(self._tuples["init"] - written.keys(), key=str)
        return [arguments[0] for arguments in (*written, *derived)]

    def declared(self) -> list[Term]:
        """Return the facts that `base` declares, those of one functor all or none."""
        found: dict[str, set[Term]] = defaultdict(set)
        unknown: set[str] = set()
        left = MOST_STEPS_DECLARED
        for rule in self.find_rules("base"):
            term = rule.head.arguments[0]
            functor = term.functor if isinstance(term, Compound) else ""
            if isinstance(term, Compound) and len(term.arguments) > MOST_ARGUMENTS:
                unknown.add(functor)
            heads = self.solve(rule, left) if functor not in unknown else None
            left = max(0, self._left)
            if heads is None:
                unknown.add(functor)
            else:
                found[functor] |= {arguments[0] for arguments in heads}
        known = found.keys() - unknown
        return [fact for functor in sorted(known) for fact in found[functor]]

    def solve(self, rule: Rule, most: int = MOST_STEPS) -> set[Arguments] | None:
        """Return the heads of a rule for which its static conditions hold.

        Conditions that depend on the position are left out. None if that takes more
        steps than `most`.
        """
        fixed = [part for part in rule.body if self._is_fixed(part)]
        before = set(self._tuples)
        self._left = most
        try:
            for name in {a.relation for part in fixed for a, _ in find_atoms(part)}:
                if name != "distinct" and name not in self._tuples:
                    self._derive(name)
            return {
                tuple(substitute(term, binding) for term in rule.head.arguments)
                for binding in self._solve(fixed, {})
            }
        except _ExhaustedError:
            for name in self._tuples.keys() - before:
                del self._tuples[name]  # some of it is missing
                self._forget_index(name)
            return None

    def _is_fixed(self, condition: Condition) -> bool:
        return all(self.is_static(atom.relation) for atom, _ in find_atoms(condition))

    def find_rules(self, relation: str) -> list[Rule]:
        """Return the rules with a relation as their head."""
        return self._rules.get(relation, [])

    def written(self, relation: str) -> list[Arguments]:
        """Return the arguments of a relation that the sheet lists as facts."""
        return [r.head.arguments for r in self._rules.get(relation, ()) if not r.body]

    def arity(self, relation: str) -> int:
        """Return how many arguments a relation has."""
        return len(self._rules[relation][0].head.arguments)

    def effort(self, relation: str) -> int:
        """Return how many conditions a relation depends on: cheap ones come first."""
        return sum(
            len(rule.body)
            for name in reachable(self._graph, relation)
            for rule in self._rules.get(name, ())
        )

    def is_static(self, relation: str) -> bool:
        """Whether no position changes what a relation says."""
        return relation not in CHANGING and (
            relation not in self._rules or self._fixed(relation)
        )

    def _fixed(self, relation: str) -> bool:
        found: dict[str, str] = reachable(self._graph, relation)
        return not CHANGING & found.keys()

    def _derive_within(self, relation: str) -> None:
        """Derive a relation with the steps that are left; it is empty if they end."""
        try:
            self._derive(relation)
        except _ExhaustedError:
            self._tuples[relation] = frozenset()

    def _derive(self, relation: str) -> None:
        """Derive a relation after those that it depends on."""
        below = {
            name: self._graph.get(name, set())
            for name in reachable(self._graph, relation)
        }
        if CHANGING & set(below):
            raise _ExhaustedError
        groups: dict[int, list[str]] = defaultdict(list)
        for name, number in components(below).items():
            groups[number].append(name)
        for number in sorted(groups):
            names = [name for name in groups[number] if name not in self._tuples]
            self._derive_together(names)

    def _derive_together(self, names: Sequence[str]) -> None:
        found: dict[str, set[Arguments]] = {name: set() for name in names}
        growing = bool(names)
        while growing:
            growing = False
            for name in names:
                self._tuples[name] = frozenset(found[name])
                self._forget_index(name)
            for name in names:
                new = {
                    head
                    for rule in self._rules.get(name, ())
                    for head in self._heads(rule)
                }
                growing |= not new <= found[name]
                found[name] |= new
            if len(names) == 1 and names[0] not in self._graph.get(names[0], ()):
                growing = False
        for name in names:
            self._tuples[name] = frozenset(found[name])
            self._forget_index(name)

    def _forget_index(self, name: str) -> None:
        for key in [key for key in self._index if key[0] == name]:
            del self._index[key]

    def _heads(self, rule: Rule) -> Iterator[Arguments]:
        for binding in self._solve(list(rule.body), {}):
            yield tuple(substitute(term, binding) for term in rule.head.arguments)

    def _solve(self, body: list[Condition], binding: Binding) -> Iterator[Binding]:
        if not body:
            yield binding
            return
        number = next(
            (i for i, condition in enumerate(body) if _is_ready(condition, binding)), 0
        )
        condition = body[number]
        rest = body[:number] + body[number + 1 :]
        match condition:
            case And():
                yield from self._solve([*condition.parts, *rest], binding)
            case Or():
                for option in condition.options:
                    yield from self._solve([option, *rest], binding)
            case Not():
                if not any(True for _ in self._solve([condition.condition], binding)):
                    yield from self._solve(rest, binding)
            case Atom(relation="distinct"):
                left, right = (substitute(a, binding) for a in condition.arguments)
                if left != right:
                    yield from self._solve(rest, binding)
            case Atom():
                for arguments in self._candidates(condition, binding):
                    self._left -= 1
                    if self._left < 0:
                        raise _ExhaustedError
                    extended = match_terms(condition.arguments, arguments, binding)
                    if extended is not None:
                        yield from self._solve(rest, extended)

    def _candidates(self, atom: Atom, binding: Binding) -> Iterable[Arguments]:
        """The tuples that agree with the first argument that is known."""
        for i, argument in enumerate(atom.arguments):
            value = (
                binding.get(argument) if isinstance(argument, Variable) else argument
            )
            if isinstance(value, str):
                return self._indexed(atom.relation, i).get(value, ())
        return self._tuples.get(atom.relation, ())

    def _indexed(self, relation: str, place: int) -> dict[Term, list[Arguments]]:
        key = (relation, place)
        if key not in self._index:
            index: dict[Term, list[Arguments]] = defaultdict(list)
            for arguments in self._tuples.get(relation, ()):
                if place < len(arguments):
                    index[arguments[place]].append(arguments)
            self._index[key] = index
        return self._index[key]


def _is_ready(condition: Condition, binding: Binding) -> bool:
    """Whether a condition can be tried now: tests wait until variables are bound."""
    if isinstance(condition, Atom) and condition.relation != "distinct":
        return True
    if isinstance(condition, Not | Atom):
        atoms = [atom for atom, _ in find_atoms(condition)]
        return all(
            part in binding
            for atom in atoms
            for argument in atom.arguments
            for part in _variables(argument)
        )
    return True


def _variables(term: Term) -> Iterator[Variable]:
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, Compound):
        for argument in term.arguments:
            yield from _variables(argument)


def substitute(term: Term, binding: Binding) -> Term:
    """Return the term with its variables replaced by what they are bound to."""
    if isinstance(term, Variable):
        return binding.get(term, term)
    if isinstance(term, Compound):
        parts = tuple(substitute(argument, binding) for argument in term.arguments)
        return Compound(term.functor, parts)
    return term


def match_terms(
    patterns: Sequence[Term], terms: Sequence[Term], binding: Binding
) -> Binding | None:
    """Return the binding that makes the patterns equal to ground terms, if any."""
    if len(patterns) != len(terms):
        return None
    extended = dict(binding)
    pending = list(zip(patterns, terms, strict=True))
    while pending:
        pattern, term = pending.pop()
        if isinstance(pattern, Variable):
            if extended.setdefault(pattern, term) != term:
                return None
        elif isinstance(pattern, Compound):
            if (
                not isinstance(term, Compound)
                or term.functor != pattern.functor
                or len(term.arguments) != len(pattern.arguments)
            ):
                return None
            pending.extend(zip(pattern.arguments, term.arguments, strict=True))
        elif pattern != term:
            return None
    return extended
