"""Many matches in one batch between two evaluators that look one move ahead.

All matches make a move at a time. One step of all matches is a few passes of the
circuit: the successors of all positions, their values, and the best of each parent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamelore.engine import Rows, Simulator
from gamelore.search.evaluator import Evaluator, Goals, ZeroEvaluator


@dataclass(frozen=True)
class BatchResult:
    """How n matches ended."""

    rows: Rows
    """uint64 [n, K]: the last positions"""
    goals: Goals
    """int16 [n, R]"""
    lengths: npt.NDArray[np.int32]
    """int32 [n]: the number of moves"""

    def wins(self, role: int) -> float:
        """Return the share of matches with a higher goal than the other role."""
        return float((self.goals[:, role] > self.goals[:, 1 - role]).mean())

    def score(self, role: int) -> float:
        """Return the share of wins and half of the share of draws."""
        drawn = float((self.goals[:, role] == self.goals[:, 1 - role]).mean())
        return self.wins(role) + drawn / 2


def play_batch(
    simulator: Simulator,
    evaluators: Sequence[Evaluator],
    matches: int,
    *,
    seed: int = 0,
    opening: int = 0,
) -> BatchResult:
    """Play matches of a game in which two roles move in turn, the first of them first.

    `evaluators`: one for each role, which takes the successor with the highest value
    and chooses at random among equals. Those that need features of their own read the
    rows of their own simulators, which must have the same fluents. `opening`: how many
    moves at the start of every match are random.
    """
    if len(simulator.roles) != 2:
        raise ValueError(f"two roles are wanted, got {len(simulator.roles)}")
    engines = [_prepare(evaluator, simulator) for evaluator in evaluators]
    random = np.random.default_rng(seed)
    rows = np.repeat(simulator.initial_row()[None], matches, axis=0)
    lengths = np.zeros(matches, np.int32)
    going = np.arange(matches)
    step = 0
    while len(going):
        role = step % 2
        evaluator = ZeroEvaluator() if step < opening else evaluators[role]
        choice = _MoveChooser(simulator, evaluator, engines[role], role)
        rows[going] = choice.advance(rows[going], random)
        lengths[going] += 1
        going = going[~simulator.terminal(rows[going])]
        step += 1
    return BatchResult(rows, simulator.goals(rows), lengths)


def play_both_roles(
    simulator: Simulator,
    evaluator: Evaluator,
    other: Evaluator,
    matches: int,
    *,
    seed: int = 0,
    opening: int = 0,
) -> tuple[BatchResult, BatchResult]:
    """Play half of the matches in each role: those as the first, and as the second."""
    first, second = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    half = matches // 2
    return (
        play_batch(
            simulator,
            (evaluator, other),
            matches - half,
            seed=int(first),
            opening=opening,
        ),
        play_batch(
            simulator, (other, evaluator), half, seed=int(second), opening=opening
        ),
    )


@dataclass(frozen=True)
class _MoveChooser:
    """A role's choice in all matches: one move ahead, by an evaluator."""

    simulator: Simulator
    evaluator: Evaluator
    engine: Simulator
    """The evaluator's own."""
    role: int

    def advance(self, rows: Rows, random: np.random.Generator) -> Rows:
        """Return the best successor of each position, uint64 [n, K]."""
        expansion = self.simulator.expand(rows)
        successors, parents = expansion.successors, expansion.parents
        values = np.zeros(len(successors))
        if not isinstance(self.evaluator, ZeroEvaluator):
            self._evaluate(successors, values)
        # The last of each parent in this order is its best; equals are in random order.
        order = np.lexsort((random.random(len(values)), values, parents))
        best = order[np.searchsorted(parents[order], np.arange(len(rows)), "right") - 1]
        return np.asarray(successors[best])

    def _evaluate(self, rows: Rows, values: npt.NDArray[np.float64]) -> None:
        """Write the values of positions, uint64 [n, K], to `values`, float64 [n]."""
        role = self.role
        ended = self.simulator.terminal(rows)
        still_open = rows[~ended]
        if len(still_open):
            values[~ended] = self.evaluator.evaluate(
                self.engine, still_open, role, role
            )
        if ended.any():
            goals = self.simulator.goals(rows[ended])[:, role]
            values[ended] = self.evaluator.evaluate_terminal(
                self.engine, rows[ended], goals, role
            )


def _prepare(evaluator: Evaluator, simulator: Simulator) -> Simulator:
    """Return an evaluator's simulator, which must read the rows of this one."""
    engine = evaluator.prepare(simulator)
    if engine is not simulator:
        row = simulator.initial_row()
        if engine.width != simulator.width or engine.facts(row) != simulator.facts(row):
            raise ValueError(
                f"{type(evaluator).__name__} reads other rows than those of the match"
            )
    return engine
