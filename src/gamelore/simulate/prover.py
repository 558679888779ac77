"""Answers to questions about a position, by tabled evaluation of the rules.

A table holds the answers of one relation asked in one shape, each key's computed when
first asked. Only what is asked is ever derived, so relations may be too large, or
endless, to be listed. Tables are dicts that compute what is missing, so that rules
read them at the speed of a dict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeAlias

from gamelore.gdl import Fact, Move, Role, Rule, Term
from gamelore.simulate.clauses import DOES, TRUE, Clause, Level, Program, Signature
from gamelore.simulate.plans import (
    BOUND,
    FREE,
    Answer,
    Key,
    RuleFunction,
    Shape,
    leaves,
    plan_facts,
    plan_rule,
)

Answers: TypeAlias = set[Answer] | bool

MAX_STATIC_ANSWERS = 1_000_000
"""Keys of one table kept from position to position."""


class Table(dict[Key, Answers]):
    """Answers by key: a set where the shape has free leaves, else True or False."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        modes = list(leaves(shape))
        self.free = modes.count(FREE)
        self.bound = modes.count(BOUND)

    def nothing(self) -> Answers:
        """The answer where nothing is derived."""
        return set() if self.free else False

    def forget(self) -> None:
        """Drop every answer: what they rest on has changed."""
        self.clear()

    def fan_out(self) -> float:
        """About how many answers there are to one key."""
        raise NotImplementedError


class FactTable(Table):
    """Answers of a relation given by its rows."""

    def __init__(self, shape: Shape, rows: list[tuple[Term, ...]]) -> None:
        super().__init__(shape)
        self._rows = rows
        self._fill = plan_facts(shape)
        self._filled = False

    def __missing__(self, key: Key) -> Answers:
        self._ensure_filled()
        return self.setdefault(key, self.nothing())

    def forget(self) -> None:
        self.clear()
        self._filled = False

    def fan_out(self) -> float:
        self._ensure_filled()
        if not self.free:
            return 0.1
        sizes = [len(answers) for answers in self.values() if isinstance(answers, set)]
        return max(1.0, sum(sizes) / max(1, len(sizes)))

    def _ensure_filled(self) -> None:
        if not self._filled:
            self._filled = True
            self._fill(self._rows, self)


class RuleTable(Table):
    """Answers derived by clauses."""

    def __init__(self, prover: Prover, shape: Shape, clauses: list[Clause]) -> None:
        super().__init__(shape)
        self._prover = prover
        self._shape = shape
        self._clauses = clauses
        self._rules: list[RuleFunction] | None = None

    def __missing__(self, key: Key) -> Answers:
        answers = self[key] = self.derive(key)
        return answers

    def derive(self, key: Key) -> Answers:
        """Run the rules for one key."""
        if self._rules is None:
            self._rules = self._plan()
        if not self.free:
            return any(rule(None, *key) for rule in self._rules)
        answers: set[Answer] = set()
        for rule in self._rules:
            rule(answers.add, *key)
        return answers

    def fan_out(self) -> float:
        if not self.free:
            return 0.5
        return float(3**self.free) * (1 if self.bound else 10)

    def _plan(self) -> list[RuleFunction]:
        prover = self._prover
        planned = (
            plan_rule(clause, self._shape, prover.table, prover.program.demands)
            for clause in self._clauses
        )
        return [rule for rule in planned if rule is not None]


class RecursiveTable(RuleTable):
    """Answers of a relation that is defined by way of itself."""

    def __init__(
        self, prover: Prover, shape: Shape, clauses: list[Clause], component: Component
    ) -> None:
        super().__init__(prover, shape, clauses)
        self._component = component
        self.goals: dict[Key, Goal] = {}
        """What is being answered, while its component runs."""

    def __missing__(self, key: Key) -> Answers:
        return self._component.ask(self, key)


class Goal:
    """A key of a recursive table, its answers so far, and who has read them."""

    __slots__ = ("answers", "key", "readers", "table", "waiting")

    def __init__(self, table: RecursiveTable, key: Key) -> None:
        self.table = table
        self.key = key
        self.answers = table.nothing()
        self.readers: set[Goal] = set()
        self.waiting = False


class Component:
    """Relations that define each other, evaluated together to their fixed point.

    While one goal is being answered, the goals it meets in the same component give the
    answers found so far; whoever read them is run again when they grow.
    """

    def __init__(self) -> None:
        self._goals: list[Goal] = []
        self._agenda: list[Goal] = []
        self._running: Goal | None = None

    def ask(self, table: RecursiveTable, key: Key) -> Answers:
        """The answers to a goal: final, or so far if asked from within the component."""
        if self._running is None:
            try:
                return self._run(self._goal(table, key))
            finally:
                self._finish()
        goal = table.goals.get(key) or self._goal(table, key)
        goal.readers.add(self._running)
        return goal.answers

    def _goal(self, table: RecursiveTable, key: Key) -> Goal:
        goal = table.goals[key] = Goal(table, key)
        self._goals.append(goal)
        self._schedule(goal)
        return goal

    def _schedule(self, goal: Goal) -> None:
        if not goal.waiting and goal.answers is not True:
            goal.waiting = True
            self._agenda.append(goal)

    def _run(self, first: Goal) -> Answers:
        while self._agenda:
            goal = self._running = self._agenda.pop()
            goal.waiting = False
            answers = goal.table.derive(goal.key)
            if answers != goal.answers:
                goal.answers = answers
                for reader in goal.readers:
                    self._schedule(reader)
        for goal in self._goals:
            goal.table[goal.key] = goal.answers
        return first.answers

    def _finish(self) -> None:
        for goal in self._goals:
            goal.table.goals.clear()
        self._goals.clear()
        self._agenda.clear()
        self._running = None


class Prover:
    """Answers questions about one position at a time, and the moves made in it."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.program = Program.from_rules(rules)
        self._tables: dict[tuple[Signature, Shape], Table] = {}
        self._by_level: dict[Level, list[Table]] = {level: [] for level in Level}
        self._components: dict[int, Component] = defaultdict(Component)
        self._true: list[tuple[Term, ...]] = []
        self._does: list[tuple[Term, ...]] = []

    def set_position(self, facts: Iterable[Fact]) -> None:
        """Ask about this position from now on; no moves are made in it yet."""
        self._true[:] = [(fact,) for fact in facts]
        for table in self._by_level[Level.POSITION]:
            table.forget()
        for table in self._by_level[Level.STATIC]:
            if len(table) > MAX_STATIC_ANSWERS:
                table.forget()
        self.set_moves(())

    def set_moves(self, moves: Iterable[tuple[Role, Move]]) -> None:
        """Ask about these moves from now on, made in the same position."""
        self._does[:] = moves
        for table in self._by_level[Level.MOVES]:
            table.forget()

    def holds(self, relation: str) -> bool:
        """Whether a relation without arguments is true."""
        return bool(self.table(Signature(relation, 0), ())[()])

    def values(self, relation: str, *key: Term) -> set[Term]:
        """The last arguments with which a relation is true, given the ones before."""
        shape = (*(BOUND for _ in key), FREE)
        answers = self.table(Signature(relation, len(shape)), shape)[key]
        return {answer[0] for answer in answers} if isinstance(answers, set) else set()

    def table(self, signature: Signature, shape: Shape) -> Table:
        """The table that answers a relation asked in a shape."""
        table = self._tables.get((signature, shape))
        if table is None:
            table = self._tables[signature, shape] = self._make(signature, shape)
            level = self.program.levels.get(signature, Level.STATIC)
            self._by_level[level].append(table)
        return table

    def _make(self, signature: Signature, shape: Shape) -> Table:
        if signature == TRUE:
            return FactTable(shape, self._true)
        if signature == DOES:
            return FactTable(shape, self._does)
        clauses = self.program.clauses.get(signature)
        if clauses is None:
            return FactTable(shape, self.program.facts.get(signature, []))
        component = self.program.components.get(signature)
        if component is None:
            return RuleTable(self, shape, clauses)
        return RecursiveTable(self, shape, clauses, self._components[component])
