"""Nested rollout policy adaptation of a compiled game of one player (Rosin, 2011).

Rollouts choose moves in proportion to weights, which are adapted to the best path that
was found. On the level above, the best path of many such adaptations adapts the weights
that each of them begins with. Several policies share the 512 lanes, each with many
rollouts between adaptations (Cazenave, Sevestre and Toulemont, 2020).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator
from gamelore.engine.compiled.buffers import allocate_aligned
from gamelore.engine.simulator import Row
from gamelore.kernels import direct
from gamelore.search.puzzle import _rollout_kernels
from gamelore.search.puzzle._layer_kernels import LANES
from gamelore.search.puzzle._rollout_kernels import (
    ANYWHERE,
    BY_MOVE,
    BY_STEP,
    CONTEXT,
    LIVE,
    WORK,
    ListedPath,
    Policies,
    Rollouts,
)
from gamelore.search.puzzle.path import BestPath

begin_rollouts = direct(_rollout_kernels.begin_rollouts)
roll_out = direct(_rollout_kernels.roll_out)
_adapt = direct(_rollout_kernels.adapt)

_GROUPS = 8  # policies at once
_ITERATIONS = (30, 12)  # adaptations on the lower and on the upper level
_RATE = 1.0
_PIECE = 4_000_000  # gates of one call, in lanes of 512
_MOST_CODES = 200_000
_TIE = 1e-4  # of a move, among paths with the same goal


@dataclass(frozen=True)
class _Variant:
    """What the weights belong to, and which paths of the same goal are better."""

    context: int
    tie: float


_VARIANTS = (
    _Variant(ANYWHERE, _TIE),
    _Variant(BY_STEP, -_TIE),
    _Variant(BY_MOVE, _TIE),
    _Variant(BY_STEP, _TIE),
    _Variant(ANYWHERE, -_TIE),
)


@dataclass(frozen=True)
class _Found:
    """The best path of a policy."""

    score: float
    listed: ListedPath


class RolloutAdaptation:
    """Searches by rollouts whose policy learns from the best of them."""

    over = False
    pause = 0.0
    nodes = 0

    def __init__(
        self,
        simulator: CircuitSimulator,
        best: BestPath,
        random: npt.NDArray[np.uint64],
        limit: int,
    ) -> None:
        """`limit`: moves of a rollout at most; `random`: uint64 [4], a stream."""
        self.simulator = simulator
        self.best = best
        moves = len(simulator.moves[0])
        self.begun = np.zeros(moves, np.int64)
        """int64 [M]: rollouts by their first move"""
        self.reached = np.full(moves, -1, np.int64)
        """int64 [M]: the best goal of those, -1 where there is none"""
        self.count = 0
        """Rollouts that have ended."""
        self.longest = 0
        """Moves of the longest of those."""
        self._program = simulator.program
        self._rows = np.tile(best.row, (LANES, 1))
        self._rollouts = make_rollouts(simulator, random, limit)
        self._steps = max(1, min(256, _PIECE // max(1, len(simulator.program.left))))
        self._number = -1
        self._next_variant()
        nothing = np.zeros(0, np.int32)
        empty = _Found(0.0, ListedPath(nothing, nothing, np.zeros(0, np.int64)))
        self._adapt(self._policies, 0, empty)  # so that it is compiled by now
        self._begin()
        roll_out(self._program, self._rollouts, self._policies, 0)  # likewise

    @property
    def work(self) -> int:
        """Moves of all rollouts so far."""
        return int(self._rollouts.state[WORK])

    def step(self, end: float) -> int:
        """Play on for some moves, or adapt a policy where all rollouts have ended."""
        before = self.work
        if self._rollouts.state[LIVE]:
            roll_out(self._program, self._rollouts, self._policies, self._steps)
            self._learning = 0
        elif self._learning < _GROUPS:
            self._learn(self._learning)
            self._learning += 1
        else:
            self._count()
            self._iterate()
            self._begin()
        return max(1, self.work - before)

    def stop(self) -> None:
        """Do nothing: no step goes on by itself."""

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _begin(self) -> None:
        self._learning = 0
        begin_rollouts(self._program, self._rollouts, self._rows)

    def _next_variant(self) -> None:
        """Begin anew, with weights of another kind."""
        self._number += 1
        self._variant = _VARIANTS[self._number % len(_VARIANTS)]
        moves = max(1, len(self.simulator.moves[0]))
        contexts = {
            ANYWHERE: 1,
            BY_STEP: self._rollouts.path.shape[1],
            BY_MOVE: moves + 1,
        }[self._variant.context]
        codes = moves * max(1, min(contexts, _MOST_CODES // moves))
        self._rollouts.state[CONTEXT] = self._variant.context
        self._policies = Policies(np.zeros((_GROUPS, codes)), np.ones((_GROUPS, codes)))
        self._upper = np.zeros(codes)
        self._upper_found: _Found | None = None
        self._found: list[_Found | None] = [None] * _GROUPS
        self._rounds = [0, 0]

    def _count(self) -> None:
        """Add up where rollouts led by their first moves."""
        rollouts = self._rollouts
        ended = rollouts.length > 0
        first = rollouts.path[ended, 0]
        np.add.at(self.begun, first, 1)
        np.maximum.at(self.reached, first, rollouts.goal[ended].astype(np.int64))
        self.count += LANES
        self.longest = max(self.longest, int(rollouts.length.max()))

    def _learn(self, group: int) -> None:
        """Adapt one policy to the best path that it has found."""
        rollouts = self._rollouts
        lanes = slice(group * (LANES // _GROUPS), (group + 1) * (LANES // _GROUPS))
        goals, lengths = rollouts.goal[lanes], rollouts.length[lanes]
        scores = goals + self._variant.tie * lengths
        place = int(scores.argmax())
        score = float(scores[place])
        lane, length = lanes.start + place, int(lengths[place])
        path = rollouts.path[lane, :length]
        found = self._found[group]
        if length and (found is None or score > found.score):
            found = self._found[group] = _Found(score, self._list(path))
        if goals[place] >= -1 and self.best.would_improve(int(goals[place]), length):
            self.best.offer(path.tolist())
        if found is not None:
            self._adapt(self._policies, group, found)

    def _adapt(self, policies: Policies, group: int, found: _Found) -> None:
        moves = len(self.simulator.moves[0])
        context = self._variant.context
        _adapt(policies, group, found.listed, _RATE, context, moves)

    def _iterate(self) -> None:
        """After enough adaptations, take the best path to the level above."""
        self._rounds[0] += 1
        if self._rounds[0] < _ITERATIONS[0]:
            return
        for found in self._found:
            if found is not None and (
                self._upper_found is None or found.score > self._upper_found.score
            ):
                self._upper_found = found
        if self._upper_found is not None:
            upper = Policies(self._upper[None], np.exp(self._upper)[None])
            self._adapt(upper, 0, self._upper_found)
        self._policies.weights[:] = self._upper
        self._policies.odds[:] = np.exp(self._upper)
        self._found = [None] * _GROUPS
        self._rounds = [0, self._rounds[1] + 1]
        if self._rounds[1] >= _ITERATIONS[1]:
            self._next_variant()

    def _list(self, path: npt.NDArray[np.int32]) -> ListedPath:
        """Return a path with the legal moves along it."""
        row: Row = self.best.row
        rows = np.empty((len(path), len(row)), np.uint64)
        for step, move in enumerate(path.tolist()):
            rows[step] = row
            row = self.simulator.advance_one(row, (move,))
        (legal,) = self.simulator.legal(rows, checked=False)
        owners, options = np.nonzero(legal)
        ends = np.cumsum(np.bincount(owners, minlength=len(path)))
        return ListedPath(path.copy(), options.astype(np.int32), ends)


def make_rollouts(
    simulator: CircuitSimulator, random: npt.NDArray[np.uint64], limit: int
) -> Rollouts:
    """Return arrays for rollouts of so many moves at most."""
    slots = simulator.program.slots
    bits = max(1, -(-len(simulator.program.legal) // 64))
    return Rollouts(
        words=allocate_aligned(8 * slots).reshape(slots, 8),
        legal=np.zeros((LANES, bits), np.uint64),
        path=np.zeros((LANES, limit), np.int32),
        length=np.zeros(LANES, np.int64),
        goal=np.zeros(LANES, np.int16),
        final=np.zeros((LANES, simulator.width), np.uint64),
        live=np.zeros(LANES, np.bool_),
        ended=np.zeros(8, np.uint64),
        goals=np.zeros(1, np.int16),
        block=np.zeros(64, np.uint64),
        random=random,
        state=np.zeros(4, np.int64),
    )
