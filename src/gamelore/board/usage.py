"""How rules use fluents: what they share with moves, and what variables are called."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gamelore.board.statics import Statics
from gamelore.gdl import Atom, Compound, Game, Rule, Term, Variable, find_atoms
from gamelore.gdl.terms import parts


@dataclass
class Usage:
    """What a pass over the rules found."""

    links: dict[tuple[str, int], Counter[tuple[str, int]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """By a move's functor and argument, the fluents' arguments it shares variables
    with."""
    names: dict[tuple[str, int], Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """By a fluent's argument, the names of variables that stand there."""
    companions: dict[str, Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """By constant, the roles that occur alone beside it in a rule."""
    steps: set[str] = field(default_factory=set)
    """Fluents that follow from themselves whatever is moved: counters of steps."""
    asked: Counter[str] = field(default_factory=Counter)
    """By fluent, how often rules of legal moves ask for it."""
    turns: Counter[str] = field(default_factory=Counter)
    """By fluent, how often its first argument is the role that may move."""
    lines: dict[tuple[str, int], set[tuple[str, ...]]] = field(
        default_factory=lambda: defaultdict(set)
    )
    """By a fluent's argument, three or more constants that stand there in the facts of
    one condition: `(true (x a))`, `(true (x b))` and `(true (x c))`."""
    flows: set[tuple[str, str]] = field(default_factory=set)
    """Fluents without arguments, with those that a move leads to from them; without
    such moves, with those that follow by themselves."""


def find_usage(game: Game, statics: Statics) -> Usage:
    """Return how the rules of a game use its fluents."""
    usage = Usage()
    roles = frozenset(game.roles)
    following: dict[str, list[Rule]] = defaultdict(list)
    for rule in game.rules:
        atoms = [rule.head, *_body_atoms(rule)]
        _note_companions(atoms, roles, usage)
        fluents = [*_fluents(atoms)]
        for key, arguments in fluents:
            for i, argument in enumerate(arguments):
                if isinstance(argument, Variable):
                    usage.names[key, i][argument.name.lower()] += 1
        for key, arguments in _moves(atoms):
            for i, argument in enumerate(arguments):
                if isinstance(argument, Variable):
                    for fluent, own in fluents:
                        for j, other in enumerate(own):
                            usage.links[key, i][fluent, j] += other == argument
        _note_lines(rule, usage)
        if rule.head.relation == "next":
            following[_key(rule.head.arguments[0])].append(rule)
        if rule.head.relation == "legal":
            usage.asked.update({key for key, _ in _fluents(atoms[1:])})
            if isinstance(rule.head.arguments[1], Compound):
                role = rule.head.arguments[0]
                usage.turns.update(
                    {key for key, own in _fluents(atoms[1:]) if own and own[0] == role}
                )
    usage.flows = _find_flows(game.rules)
    usage.steps = {
        key for key, rules in following.items() if _is_clock(key, rules, statics)
    }
    return usage


def _body_atoms(rule: Rule) -> list[Atom]:
    return [atom for condition in rule.body for atom, _ in find_atoms(condition)]


def _key(term: Term) -> str:
    if isinstance(term, Compound):
        return f"{term.functor}/{len(term.arguments)}"
    return f"{term}/0"


def _fluents(atoms: Iterable[Atom]) -> Iterator[tuple[str, tuple[Term, ...]]]:
    for atom in atoms:
        if atom.relation in ("true", "next", "init"):
            term = atom.arguments[0]
            if isinstance(term, Compound):
                yield _key(term), term.arguments
            elif isinstance(term, str):
                yield _key(term), ()


def _moves(atoms: Iterable[Atom]) -> Iterator[tuple[str, tuple[Term, ...]]]:
    for atom in atoms:
        if atom.relation in ("legal", "does") and isinstance(
            atom.arguments[-1], Compound
        ):
            yield _key(atom.arguments[-1]), atom.arguments[-1].arguments


def _note_lines(rule: Rule, usage: Usage) -> None:
    facts: dict[str, list[tuple[Term, ...]]] = defaultdict(list)
    for key, arguments in _fluents(_body_atoms(rule)):
        facts[key].append(arguments)
    for key, rows in facts.items():
        if len(rows) < 3:
            continue
        for i, column in enumerate(zip(*rows, strict=True)):
            words = tuple(word for word in column if isinstance(word, str))
            if len(words) == len(rows) == len(set(words)):
                usage.lines[key, i].add(words)


def _find_flows(rules: Iterable[Rule]) -> set[tuple[str, str]]:
    moved: set[tuple[str, str]] = set()
    alone: set[tuple[str, str]] = set()
    for rule in rules:
        if rule.head.relation != "next" or not isinstance(rule.head.arguments[0], str):
            continue
        atoms = [a for part in rule.body for a, yes in find_atoms(part) if yes]
        before = [a.arguments[0] for a in atoms if a.relation == "true"]
        found = moved if any(a.relation == "does" for a in atoms) else alone
        pairs = {(f, rule.head.arguments[0]) for f in before if isinstance(f, str)}
        found |= pairs
    return moved or alone


def _note_companions(
    atoms: Sequence[Atom], roles: frozenset[str], usage: Usage
) -> None:
    """Note every constant of a rule under the only role that the rule names."""
    constants = {
        part
        for atom in atoms
        for argument in atom.arguments
        for part in parts(argument)
        if isinstance(part, str)
    }
    own = constants & roles
    if len(own) == 1:
        role = next(iter(own))
        constants |= _results(atoms)
        for constant in constants - roles:
            usage.companions[constant][role] += 1


def _results(atoms: Sequence[Atom]) -> set[str]:
    """Return the functor of what a rule of a move makes true."""
    term = atoms[0].arguments[0] if atoms[0].relation == "next" else ""
    by_move = any(atom.relation == "does" for atom in atoms)
    return {term.functor} if by_move and isinstance(term, Compound) else set()


def _is_clock(key: str, rules: Iterable[Rule], statics: Statics) -> bool:
    """Whether a fluent of one argument changes with every step, and by itself."""
    if not key.endswith("/1"):
        return False
    advancing = False
    for rule in rules:
        relations = {atom.relation for atom in _body_atoms(rule)}
        asked = {fluent for fluent, _ in _fluents(_body_atoms(rule))}
        head = rule.head.arguments[0]
        kept = isinstance(head, Compound) and any(
            argument in own
            for argument in head.arguments
            for fluent, own in _fluents(_body_atoms(rule))
            if fluent == key
        )
        changing = {name for name in relations if not statics.is_static(name)}
        if not changing <= {"true"} or kept or not asked <= {key}:
            return False
        advancing |= key in asked
    return advancing
