"""The plain engine: Python over the parsed rules, slow and independent.

It needs no grounding, so it plays every game that can be read, and shares nothing with
the compiled engine, so it is the oracle that engine is tested against.

Rows are one word wide and hold the number of the position in a table of this
interpreter; they mean nothing to another one. Moves get their numbers when they are
first seen to be legal, so `moves` grows, and `legal` with it; so do features when one
of their atoms is first seen to be true, and facts when `fact_matrix` first meets them.
"""

from __future__ import annotations

import math
import operator
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from random import Random
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from gamelore.engine.checks import check_row
from gamelore.engine.fair_lock import FairLock
from gamelore.engine.interpreter.prover import Prover
from gamelore.engine.one_by_one import make_fact_matrix, tally_playouts
from gamelore.engine.simulator import NO_GOAL, Playouts, Row, Rows, Simulator
from gamelore.errors import (
    ArgumentError,
    IllegalMoveError,
    PositionError,
    StuckError,
)
from gamelore.gdl import Fact, Game, Move, Rule, Term, to_kif, variables
from gamelore.gdl.features import FeatureRules, feature_atom

VIEWS_KEPT = 10_000
"""Positions whose legal moves and goals are remembered."""


MAX_DIGITS = 4
"""Of goals, which fit in an int16 then."""


class View(NamedTuple):
    """What the rules say of one position."""

    terminal: bool
    legal: tuple[tuple[Move, ...], ...]
    """Per role, sorted by KIF text."""
    goals: tuple[int, ...]


class Interpreter(Simulator):
    """Plays a game by deriving what its rules say, position by position."""

    engine: ClassVar[str] = "interpreter"
    portable: ClassVar[bool] = False

    def __init__(
        self,
        game: Game,
        features: FeatureRules | None = None,
        *,
        rules: Sequence[Rule] | None = None,
    ) -> None:
        """`rules`: those of the game in another order, in which they are derived."""
        super().__init__(game, features)
        added = features.rules_for(game.roles) if features else ()
        self._prover = Prover([*(game.rules if rules is None else rules), *added])
        self._feature_numbers: dict[Term, int] = {}
        self._fluent_numbers: dict[Fact, int] = {}
        self._lock = FairLock()
        self._positions: list[frozenset[Fact]] = []
        self._numbers: dict[frozenset[Fact], int] = {}
        self._moves: tuple[list[Move], ...] = tuple([] for _ in self.roles)
        self._move_numbers: tuple[dict[Move, int], ...] = tuple({} for _ in self.roles)
        self._view = lru_cache(VIEWS_KEPT)(self._derive_view)

    @property
    def width(self) -> int:
        return 1

    @property
    def moves(self) -> Sequence[Sequence[Move]]:
        return self._moves

    def move_number(self, role: int, move: Move) -> int:
        number = self._move_numbers[role].get(move)
        if number is None:
            raise IllegalMoveError(
                f"{to_kif(move)} has not been a legal move of {self.roles[role]}"
                f" in {self.game.name} so far"
            )
        return number

    def initial_row(self) -> Row:
        with self._lock:
            return self._row(self._initial_facts())

    def facts(self, row: Row) -> frozenset[Fact]:
        row = check_row(row, self.width)
        self._check_range(row[None])
        return self._positions[int(row[0])]

    def encode(self, facts: Iterable[Fact]) -> Row:
        facts = frozenset(facts)
        for fact in facts:
            if any(True for _ in variables(fact)):
                raise PositionError(f"not a fact: {to_kif(fact)} has a variable in it")
        with self._lock:
            return self._row(facts)

    @property
    def fluents(self) -> Sequence[Fact]:
        return tuple(self._fluent_numbers)

    @property
    def feature_names(self) -> Sequence[Term]:
        return tuple(self._feature_numbers)

    # ── many positions ──────────────────────────────────────────────────────────────

    def _check_range(self, positions: Rows) -> None:
        known = len(self._positions)
        if len(positions) and positions.max() >= known:
            row = int((positions[:, 0] >= known).nonzero()[0][0])
            raise ArgumentError(
                f"positions[{row}] must be the number of a position that this"
                f" interpreter has met, below {known:,}, got {positions[row, 0]}"
            )

    def _legal(self, positions: Rows) -> tuple[npt.NDArray[np.bool_], ...]:
        views = self._views(positions)
        arrays = []
        for role, numbers in enumerate(self._move_numbers):
            array = np.zeros((len(views), len(numbers)), dtype=np.bool_)
            for n, view in enumerate(views):
                array[n, [numbers[move] for move in view.legal[role]]] = True
            arrays.append(array)
        return tuple(arrays)

    def _terminal(self, positions: Rows) -> npt.NDArray[np.bool_]:
        views = self._views(positions)
        return np.array([view.terminal for view in views], dtype=np.bool_)

    def _goals(self, positions: Rows) -> npt.NDArray[np.int16]:
        goals = [view.goals for view in self._views(positions)]
        return np.array(goals, dtype=np.int16).reshape(len(goals), len(self.roles))

    def _advance(
        self, positions: Rows, moves: npt.NDArray[np.int32]
    ) -> tuple[Rows, int]:
        after = np.empty((len(positions), 1), dtype=np.uint64)
        illegal = -1
        for n, (row, numbers) in enumerate(zip(positions, moves, strict=True)):
            with self._lock:
                facts = self._positions[int(row[0])]
                legal = self._view(facts).legal  # mostly known: somebody chose the move
                pairs = zip(self._moves, numbers.tolist(), strict=True)
                joint = [names[i] for names, i in pairs if 0 <= i < len(names)]
                if len(joint) < len(numbers):
                    return after, n
                if illegal < 0 and not all(map(operator.contains, legal, joint)):
                    illegal = n
                after[n] = self._row(self._next_facts(facts, joint))
        return after, illegal

    def _fact_matrix(self, positions: Rows) -> npt.NDArray[np.bool_]:
        found = [self._positions[int(row[0])] for row in positions]
        with self._lock:
            return make_fact_matrix(found, self._fluent_numbers)

    def _feature_counts(self, positions: Rows, role: int) -> npt.NDArray[np.float32]:
        values = []
        for row in positions:
            with self._lock:
                facts = self._positions[int(row[0])]
                values.append(self._feature_values(facts, role))
        counts = np.zeros((len(values), len(self._feature_numbers)), np.float32)
        for n, found in enumerate(values):
            for name, value in found.items():
                counts[n, self._feature_numbers[name]] = value
        return counts

    def _feature_values(self, facts: frozenset[Fact], role: int) -> dict[Term, float]:
        """The features of one position that have true atoms."""
        if self.features is None:
            raise ValueError(f"{self.game.name!r} is played without features")
        views = self.features.views(self.roles)
        self._prover.set_position(facts)
        terms = self._prover.values(views[role if len(views) > 1 else 0])
        sums: dict[Term, float] = defaultdict(float)
        counts: Counter[Term] = Counter()
        for term in sorted(terms, key=to_kif):
            name, weight, averaged = feature_atom(term)
            self._feature_numbers.setdefault(name, len(self._feature_numbers))
            sums[name] += weight
            counts[name] += averaged
        return {name: total / max(1, counts[name]) for name, total in sums.items()}

    def playouts_until(
        self, positions: Rows, count: int, seed: int, move_limit: int, end: float
    ) -> Playouts:
        """Return `playouts`, where those are cut off that are under way at a time.

        end: of `time.monotonic`
        """
        starts = [self._positions[int(row[0])] for row in positions]
        return tally_playouts(
            lambda n, random: self._play_out(starts[n], random, move_limit, end),
            (len(starts), len(self.roles)),
            count,
            seed,
        )

    def _playouts(
        self, positions: Rows, count: int, seed: int, threads: int, move_limit: int
    ) -> Playouts:
        return self.playouts_until(positions, count, seed, move_limit, math.inf)

    def _play_out(
        self, facts: frozenset[Fact], random: Random, move_limit: int, end: float
    ) -> tuple[tuple[int, ...] | None, int]:
        """The goals one random match ends with, None if cut off, and its length."""
        for length in range(move_limit + 1):
            with self._lock:
                view = self._view(facts)
                if view.terminal:
                    return view.goals, length
                if length == move_limit or time.monotonic() >= end:
                    break
                joint = [random.choice(moves) for moves in self._choices(view)]
                facts = self._next_facts(facts, joint)
        return None, length

    def _choices(self, view: View) -> tuple[tuple[Move, ...], ...]:
        for role, moves in zip(self.roles, view.legal, strict=True):
            if not moves:
                raise StuckError(f"{role} has no legal move in {self.game.name}")
        return view.legal

    def _views(self, positions: Rows) -> list[View]:
        views = []
        for row in positions:
            with self._lock:  # for each, so that others need not wait for all
                views.append(self._view(self._positions[int(row[0])]))
        return views

    def _derive_view(self, facts: frozenset[Fact]) -> View:
        prover = self._prover
        prover.set_position(facts)
        legal = tuple(
            tuple(sorted(prover.values("legal", role), key=to_kif))
            for role in self.roles
        )
        for role, moves in enumerate(legal):
            numbers = self._move_numbers[role]
            for move in moves:
                if move not in numbers:
                    numbers[move] = len(numbers)
                    self._moves[role].append(move)
        goals = tuple(_goal(prover.values("goal", role)) for role in self.roles)
        return View(prover.holds("terminal"), legal, goals)

    def _initial_facts(self) -> frozenset[Fact]:
        self._prover.set_position(())
        return frozenset(self._prover.values("init"))

    def _next_facts(
        self, facts: frozenset[Fact], joint: Iterable[Move]
    ) -> frozenset[Fact]:
        self._prover.set_position(facts)
        self._prover.set_moves(zip(self.roles, joint, strict=True))
        return frozenset(self._prover.values("next"))

    def _row(self, facts: frozenset[Fact]) -> Row:
        """The row of a position, which gets a number if it has none."""
        number = self._numbers.setdefault(facts, len(self._positions))
        if number == len(self._positions):
            self._positions.append(facts)
        return np.array([number], dtype=np.uint64)


def _goal(values: set[Move]) -> int:
    """The one goal value derived, or `NO_GOAL`."""
    if len(values) != 1:
        return NO_GOAL
    text = to_kif(values.pop())
    return int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else NO_GOAL
