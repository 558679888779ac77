"""Answers to questions about a position, by tabled evaluation of the rules.

A table holds the answers of one relation asked in one shape, each key's computed when
first asked. Only what is asked is ever derived, so relations may be too large, or
endless, to be listed. Tables are dicts that compute what is missing, so that rules
read them at the speed of a dict.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable
from itertools import count
from typing import TypeAlias

from gamelore.engine.interpreter.clauses import (
    DOES,
    TRUE,
    Clause,
    ClauseProgram,
    Level,
    Signature,
)
from gamelore.engine.interpreter.query_plans import (
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
from gamelore.gdl import Fact, Move, Role, Rule, Term

Answers: TypeAlias = set[Answer] | bool

MAX_DEPTH = 100
"""Goals derived inside each other: Python's stack is small."""

MAX_STATIC_ANSWERS = 1_000_000
"""Keys of one table kept from position to position."""


class AnswerTable(dict[Key, Answers], ABC):
    """Answers by key: a set where the shape has free leaves, else True or False."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.free = list(leaves(shape)).count(FREE)

    def nothing(self) -> Answers:
        """The answer where nothing is derived."""
        return set() if self.free else False

    def evaluated(self, key: Key) -> Answers:
        """The final answers to a key, as a negation needs them."""
        return self[key]

    def forget(self) -> None:
        """Drop every answer: what they rest on has changed."""
        self.clear()

    @abstractmethod
    def fan_out(self) -> float:
        """About how many answers there are to one key."""


class TooDeep(Exception):  # noqa: N818 - it is no error: the goal is asked again
    """A goal that was met too deep inside the derivation of another."""

    def __init__(self, table: AnswerTable, key: Key) -> None:
        super().__init__()
        self.table = table
        self.key = key


class FactTable(AnswerTable):
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


class RuleTable(AnswerTable):
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
        prover = self._prover
        if prover.depth == MAX_DEPTH:
            raise TooDeep(self, key)
        prover.depth += 1
        try:
            return self._derive(key)
        finally:
            prover.depth -= 1

    def _derive(self, key: Key) -> Answers:
        if self._rules is None:
            self._rules = self._plan()
        if self.free:
            answers: set[Answer] = set()
            for rule in self._rules:
                rule(answers.add, *key)
            return answers
        return any(rule(None, *key) for rule in self._rules)

    def fan_out(self) -> float:
        if not self.free:
            return 0.5
        # equal for equal shapes, so that the order of the rule decides: authors mostly
        # write conditions in the order in which they can be computed
        return float(3**self.free)

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
        self.number = component.next_number()

    def __missing__(self, key: Key) -> Answers:
        return self._component.ask(self, key)

    def evaluated(self, key: Key) -> Answers:
        """The final answers, even if asked from within the component."""
        return self[key] if key in self else self._component.evaluate(self, key)


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
    """Relations that define each other, evaluated together to their fixed point."""

    def __init__(self) -> None:
        self.next_number = count().__next__
        self._run: Run | None = None

    def ask(self, table: RecursiveTable, key: Key) -> Answers:
        """The answers to a goal: final, or so far if a goal of the component asks."""
        if self._run is not None:
            return self._run.read(table, key)
        return self.evaluate(table, key)

    def evaluate(self, table: RecursiveTable, key: Key) -> Answers:
        """The final answers to a goal, from a run of its own.

        Under `not` only these will do. They do not depend on goals that are still
        open, or the goal would depend on its own negation.
        """
        outer, self._run = self._run, Run()
        try:
            return self._run.answer(table, key)
        finally:
            self._run = outer


class Run:
    """The evaluation of a goal and of all goals it leads to in its component.

    A goal that meets another reads the answers found so far, and is run again when
    they grow.
    """

    def __init__(self) -> None:
        self._goals: dict[int, dict[Key, Goal]] = defaultdict(dict)
        self._agenda: list[Goal] = []
        self._current: Goal | None = None

    def answer(self, table: RecursiveTable, key: Key) -> Answers:
        """Derive until nothing grows; then all answers are final."""
        first = self._add(table, key)
        while self._agenda:
            goal = self._current = self._agenda.pop()
            goal.waiting = False
            answers = goal.table.derive(goal.key)
            if answers != goal.answers:
                goal.answers = answers
                for reader in goal.readers:
                    self._schedule(reader)
        for goals in self._goals.values():
            for goal in goals.values():
                goal.table[goal.key] = goal.answers
        return first.answers

    def read(self, table: RecursiveTable, key: Key) -> Answers:
        """The answers so far, for the goal that is being derived."""
        goal = self._goals[table.number].get(key) or self._add(table, key)
        if self._current is not None:
            goal.readers.add(self._current)
        return goal.answers

    def _add(self, table: RecursiveTable, key: Key) -> Goal:
        goal = self._goals[table.number][key] = Goal(table, key)
        self._schedule(goal)
        return goal

    def _schedule(self, goal: Goal) -> None:
        if not goal.waiting and goal.answers is not True:
            goal.waiting = True
            self._agenda.append(goal)


class Prover:
    """Answers questions about one position at a time, and the moves made in it."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.program = ClauseProgram.from_rules(rules)
        self._tables: dict[tuple[Signature, Shape], AnswerTable] = {}
        self._by_level: dict[Level, list[AnswerTable]] = {level: [] for level in Level}
        self._components: dict[int, Component] = defaultdict(Component)
        self.depth = 0
        """How many goals are being derived inside each other."""
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
        return bool(self._answer(self.table(Signature(relation, 0), ()), ()))

    def values(self, relation: str, *key: Term) -> set[Term]:
        """The last arguments with which a relation is true, given the ones before."""
        shape = (*(BOUND for _ in key), FREE)
        answers = self._answer(self.table(Signature(relation, len(shape)), shape), key)
        return {answer[0] for answer in answers} if isinstance(answers, set) else set()

    def _answer(self, table: AnswerTable, key: Key) -> Answers:
        """The answers to a goal; those it meets too deep are answered before it."""
        waiting = [(table, key)]
        while True:
            table, key = waiting[-1]
            try:
                answers = table[key]
            except TooDeep as deep:
                waiting.append((deep.table, deep.key))
                continue
            waiting.pop()
            if not waiting:
                return answers

    def table(self, signature: Signature, shape: Shape) -> AnswerTable:
        """The table that answers a relation asked in a shape."""
        table = self._tables.get((signature, shape))
        if table is None:
            table = self._tables[signature, shape] = self._make(signature, shape)
            level = self.program.levels.get(signature, Level.STATIC)
            self._by_level[level].append(table)
        return table

    def _make(self, signature: Signature, shape: Shape) -> AnswerTable:
        if signature == TRUE:
            return FactTable(shape, self._true)
        if signature == DOES:
            return FactTable(shape, self._does)
        clauses = self.program.clauses.get(signature)
        if clauses is None:
            return FactTable(shape, self.program.facts.get(signature, []))
        component = self.program.recursive.get(signature)
        if component is None:
            return RuleTable(self, shape, clauses)
        return RecursiveTable(self, shape, clauses, self._components[component])
