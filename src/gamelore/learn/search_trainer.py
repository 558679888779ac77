"""Self-play whose moves are searched: n-tuple values learn from alpha-beta over them.

A match is played by a search of so many nodes over the values of the moment, and each
position in which there is something to decide learns from the value of its search: the
target is (1 - λ) · search + λ · the target of the next such position, or the value of
the search alone where the move was made at random. A match ends as soon as a search
proves who gets the best goal.

Such a match takes as long as hundreds without search, and what it teaches is less
wrong where tactics decide. So a run begins with matches in kernels, and goes on with
searched ones.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator, Row
from gamelore.errors import DivergenceError, GameloreError, StuckError
from gamelore.learn.settings import SearchedPlay, TDSettings
from gamelore.learn.trainer import Record, Trainer
from gamelore.search.compiled_alpha_beta import CircuitSearch
from gamelore.search.forced import has_forced_moves
from gamelore.search.plain_alpha_beta import SearchResult
from gamelore.values.arrays import activate
from gamelore.values.evaluator import LiveEvaluator
from gamelore.values.functions import ValueFunction
from gamelore.values.ntuple.model import NTupleModel

_DEEPEST = 60
_UNLIMITED = 1 << 40
_ENTRIES = 1 << 16  # of the transposition table of a match
_LARGEST_SUM = 500.0  # of weights; what is beyond has diverged


@dataclass(frozen=True)
class Decision:
    """A position of a match in which there is something to decide."""

    row: Row
    value: float
    """What the search found, to the first player."""
    explored: bool
    """Whether a random move was made in the place of the best one."""


@dataclass(frozen=True)
class SearchedMatch:
    """A match, as far as it is learned from."""

    decisions: tuple[Decision, ...]
    goal: int
    """Of the first player: the one it ended with, or the one that was proven."""
    length: int

    def targets(self, result: float, trace_decay: float) -> npt.NDArray[np.float64]:
        """Return float64 [n]: what each position is to be worth.

        `result`: the value of the goal
        """
        found = np.zeros(len(self.decisions))
        target = result
        for t in range(len(found) - 1, -1, -1):
            one = self.decisions[t]
            kept = 0.0 if one.explored else trace_decay
            target = found[t] = one.value + kept * (target - one.value)
        return found


class SearchTrainer(Trainer):
    """Plays matches in kernels first, and then by search."""

    clock: Callable[[], float] = staticmethod(time.monotonic)

    def run(self, matches: int) -> Record:
        """Play and learn that many matches more."""
        return self.run_for(matches, math.inf)

    def run_for(self, matches: int, seconds: float) -> Record:
        """Do so, or as far as time goes."""
        end = self.clock() + seconds
        plain = min(matches, max(0, self._searched.after - self.matches))
        records = [super().run(plain)]
        for _ in range(matches - plain):
            records.append(self._run_searched())
            if self.clock() >= end:
                break
        parts = [(one.rewards, one.lengths, one.cells) for one in records]
        rewards, lengths, cells = map(np.concatenate, zip(*parts, strict=True))
        return Record(rewards, lengths, cells)

    def _run_searched(self) -> Record:
        """Play a match by search, and learn from it."""
        number = self.matches
        match = self.play_searched(number)
        self._learn(match)
        self.matches += 1
        goal, goals = match.goal, self._engine.goal_values[self.players[0]]
        if self.learner_roles[number % len(self.learner_roles)] != self.players[0]:
            goal = min(goals) + max(goals) - goal
        return Record(
            rewards=np.array([goal], np.float64),
            lengths=np.array([match.length], np.int32),
            cells=np.zeros(1, np.int64),
        )

    def _check_search(self) -> None:
        """Refuse nothing."""

    @property
    def _searched(self) -> SearchedPlay:
        assert self.config.search is not None
        return self.config.search

    @property
    def _engine(self) -> CircuitSimulator:
        simulator = self.graph.simulator
        assert isinstance(simulator, CircuitSimulator)
        return simulator

    @property
    def _function(self) -> ValueFunction:
        assert self.function is not None
        return self.function

    @cached_property
    def _evaluator(self) -> LiveEvaluator:
        return LiveEvaluator(self._function)

    # ── playing ─────────────────────────────────────────────────────────────────────

    def play_searched(self, number: int) -> SearchedMatch:
        """Return the match of a number, by the values as they are."""
        rng = np.random.default_rng(np.random.SeedSequence((self.config.seed, number)))
        epsilon = float(self.config.schedule(np.array([number]))[0])
        opening = int(rng.integers(self.config.opening + 1))
        search = self._new_search()
        decisions: list[Decision] = []
        row, length = self._engine.initial_row(), 0
        goal = self._end(row)
        while goal is None:
            legal = self._list_legal(row)
            moves = [int(rng.choice(one)) for one in legal]
            mover = self._find_mover(legal)
            if mover is not None and length >= opening:
                found = self._deepen(search, row, int(rng.integers(1 << 62)))
                explored = bool(rng.random() < epsilon)
                goal = self._proven_goals.get(found.value)
                if goal is None and not explored:
                    moves[mover] = found.move
                explored &= goal is None
                decisions.append(Decision(row, found.value, explored))
            if goal is None:
                row, length = self._engine.advance_one(row, moves), length + 1
                goal = self._end(row)
            if goal is None and length >= self.config.longest_match:
                raise GameloreError(
                    f"a match of {self._engine.game.name!r} took more than"
                    f" {self.config.longest_match} moves; raise `longest_match`"
                )
        self._function.begin()  # the search has used its working arrays
        return SearchedMatch(tuple(decisions), goal, length)

    @cached_property
    def _proven_goals(self) -> dict[float, int]:
        """Return the lowest and the highest goal by their values, which are proofs."""
        goals = self._engine.goal_values[self.players[0]]
        scale = self._evaluator.goal_scale(self._engine, self.players[0])
        return {scale.value(goal): goal for goal in (min(goals), max(goals))}

    def _new_search(self) -> CircuitSearch:
        return CircuitSearch(
            self._engine,
            self._evaluator,
            self.players[0],
            deepest=_DEEPEST,
            entries=_ENTRIES,
            selective=True,
            extending=has_forced_moves(self._engine),
        )

    def _deepen(self, search: CircuitSearch, row: Row, seed: int) -> SearchResult:
        """Return what the deepest search within the nodes found; depth 1 at least."""
        end = search.nodes + self._searched.nodes
        best: SearchResult | None = None
        for depth in range(1, _DEEPEST + 1):
            search.begin(row, depth, seed, -1 if best is None else best.move)
            found = search.search(_UNLIMITED if best is None else end - search.nodes)
            if found is None:
                break
            best = found
            if found.value in self._proven_goals or search.nodes >= end:
                break
        assert best is not None, "depth 1 has no limit"
        return best

    def _end(self, row: Row) -> int | None:
        """Return the first player's goal at the end of a match, None before."""
        view = self._engine.observe(row)
        return (view.goals[self.players[0]] or 0) if view.terminal else None

    def _list_legal(self, row: Row) -> list[npt.NDArray[np.intp]]:
        """Return per role the numbers of its legal moves."""
        legal = [np.flatnonzero(one[0]) for one in self._engine.legal(row[None])]
        if not all(map(len, legal)):
            raise StuckError(f"a role has no legal move in {self._engine.game.name!r}")
        return legal

    def _find_mover(self, legal: list[npt.NDArray[np.intp]]) -> int | None:
        """Return the first player that has a choice."""
        return next((r for r in self.players if len(legal[r]) > 1), None)

    # ── learning ────────────────────────────────────────────────────────────────────

    def _learn(self, match: SearchedMatch) -> None:
        """Have a match's positions take a step towards their targets, the last first.

        All of them do, or none.
        """
        model = self._function.model
        assert isinstance(model, NTupleModel)
        if not match.decisions:
            return
        learner = self._learner_at(self.matches)
        assert isinstance(learner, TDSettings)
        scale = self._evaluator.goal_scale(self._engine, self.players[0])
        targets = match.targets(scale.value(match.goal), learner.trace_decay)
        rows = np.array([one.row for one in match.decisions], np.uint64)
        places, signs = model.find_places(self._function.encode(rows))
        weights = model.arrays.tuples.weights
        sums = signs * weights[places].sum(axis=1, dtype=np.float64)
        if not np.abs(sums).max() < _LARGEST_SUM:
            raise DivergenceError(
                f"the weights diverged in match {self.matches + 1:,}; the last sound"
                " ones are kept: lower the step size"
            )
        share = 4.0 * learner.step_size / places.shape[1]
        for place, sign, target in zip(
            places[::-1], signs[::-1], targets[::-1], strict=True
        ):
            total = sign * weights[place].sum(dtype=np.float64)
            error = target - activate(np.array(total), "sigmoid")
            np.add.at(weights, place, np.float32(sign * share * error))
