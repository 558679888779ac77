"""Many matches at once between two players that judge positions.

What a learned function is worth is found out by thousands of matches, in which nothing
is learned. All of them make a move at a time, so that a whole step of all matches is a
few passes of the circuit: the successors of all positions, what they are worth, and the
best of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.engine import Rows, Simulator
from gamelore.experiments.statistics import Floats
from gamelore.values.functions import ValueFunction

Goals: TypeAlias = npt.NDArray[np.int16]

STAKES = 1e6
"""What a won match is worth beside features and mean goals."""


class Judge(Protocol):
    """Says what positions are worth to the role that has just moved."""

    def values(self, rows: Rows, role: int) -> Floats:
        """float64 [n]: of positions in which the match goes on"""

    def rewards(self, rows: Rows, goals: Goals, role: int) -> Floats:
        """float64 [n]: of ends of matches, by the goals that the role has there"""


class AnyMove:
    """All positions are worth the same: the random player."""

    def values(self, rows: Rows, role: int) -> Floats:
        return np.zeros(len(rows))

    def rewards(self, rows: Rows, goals: Goals, role: int) -> Floats:
        return np.zeros(len(goals))


class FunctionJudge:
    """What a value function says, one move ahead."""

    def __init__(self, function: ValueFunction) -> None:
        self.function = function

    def values(self, rows: Rows, role: int) -> Floats:
        if self.function.settings.perspective == "current-player":
            return self.function.worth_of(rows, role)
        values = self.function.worth_of(rows)
        return values if role == 0 else -values

    def rewards(self, rows: Rows, goals: Goals, role: int) -> Floats:
        ends = self._ends(goals, role)
        if not self.function.settings.reward_in_selection:
            return ends
        if self.function.settings.perspective == "current-player":
            return ends + self.function.earned_by(rows, role)
        earned = self.function.earned_by(rows)
        return ends + (earned if role == 0 else -earned)

    def _ends(self, goals: Goals, role: int) -> Floats:
        """float64 [n]: the rewards of ends alone"""
        settings = self.function.settings
        known = self.function.graph.simulator.goal_values[role]
        share = (goals - min(known)) / (max(known) - min(known))
        low, high = settings.lowest_reward, settings.highest_reward
        if settings.perspective == "current-player" or role == 0:
            return np.asarray(low + (high - low) * share)
        # Of the first player's goals: the higher mine is, the lower is theirs.
        return np.asarray(-(high - (high - low) * share))


class FeatureJudge:
    """The sum of a position's features, such as a heuristic has."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator

    def values(self, rows: Rows, role: int) -> Floats:
        counts = self.simulator.feature_counts(rows, role)
        return np.asarray(counts.sum(axis=1, dtype=np.float64))

    def rewards(self, rows: Rows, goals: Goals, role: int) -> Floats:
        return STAKES * (goals / 50.0 - 1.0)


class PlayoutJudge:
    """The mean goal of so many random playouts from each position."""

    def __init__(self, simulator: Simulator, count: int, seed: int = 0) -> None:
        self.simulator = simulator
        self.count = count
        self._random = np.random.default_rng(seed)

    def values(self, rows: Rows, role: int) -> Floats:
        seed = int(self._random.integers(1 << 62))
        found = self.simulator.playouts(rows, self.count, seed=seed)
        return np.asarray(found.mean_goals[:, role])

    def rewards(self, rows: Rows, goals: Goals, role: int) -> Floats:
        return goals.astype(np.float64)


@dataclass(frozen=True)
class Outcomes:
    """How n matches ended."""

    rows: Rows
    """uint64 [n, K]: the last positions"""
    goals: npt.NDArray[np.int16]
    """int16 [n, R]"""
    lengths: npt.NDArray[np.int32]
    """int32 [n]: moves"""

    def wins(self, role: int) -> float:
        """The share of matches with a higher goal than the other role."""
        return float((self.goals[:, role] > self.goals[:, 1 - role]).mean())

    def score(self, role: int) -> float:
        """The same, a draw counting half."""
        drawn = float((self.goals[:, role] == self.goals[:, 1 - role]).mean())
        return self.wins(role) + drawn / 2


def play_side_by_side(
    simulator: Simulator,
    judges: Sequence[Judge],
    matches: int,
    *,
    seed: int = 0,
    opening: int = 0,
) -> Outcomes:
    """Play matches of a game in which two roles move in turn, the first of them first.

    `judges`: what each role goes by; it takes the best successor, by lot among equals.
    `opening`: so many moves at the start of every match are drawn by lot.
    """
    if len(simulator.roles) != 2:
        raise ValueError(f"two roles are wanted, got {len(simulator.roles)}")
    random = np.random.default_rng(seed)
    rows = np.repeat(simulator.initial_row()[None], matches, axis=0)
    lengths = np.zeros(matches, np.int32)
    going = np.arange(matches)
    step = 0
    while len(going):
        role = step % 2
        judge = AnyMove() if step < opening else judges[role]
        rows[going] = _advance(simulator, judge, rows[going], role, random)
        lengths[going] += 1
        going = going[~simulator.terminal(rows[going])]
        step += 1
    return Outcomes(rows, simulator.goals(rows), lengths)


def play_both_seats(
    simulator: Simulator,
    judge: Judge,
    other: Judge,
    matches: int,
    *,
    seed: int = 0,
    opening: int = 0,
) -> tuple[Outcomes, Outcomes]:
    """So many matches, half from each seat: those as the first role, and the second."""
    first, second = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    half = matches // 2
    return (
        play_side_by_side(
            simulator,
            (judge, other),
            matches - half,
            seed=int(first),
            opening=opening,
        ),
        play_side_by_side(
            simulator, (other, judge), half, seed=int(second), opening=opening
        ),
    )


def _advance(
    simulator: Simulator,
    judge: Judge,
    rows: Rows,
    role: int,
    random: np.random.Generator,
) -> Rows:
    """uint64 [n, K]: the successor of each position that is worth most to the role."""
    expansion = simulator.expand(rows)
    successors, parents = expansion.successors, expansion.parents
    values = np.zeros(len(successors))
    if not isinstance(judge, AnyMove):
        ended = simulator.terminal(successors)
        open_ones = successors[~ended]
        if len(open_ones):
            values[~ended] = judge.values(open_ones, role)
        if ended.any():
            goals = simulator.goals(successors[ended])[:, role]
            values[ended] = judge.rewards(successors[ended], goals, role)
    # The last of each parent in this order is its best; lots decide between equals.
    order = np.lexsort((random.random(len(values)), values, parents))
    best = order[np.searchsorted(parents[order], np.arange(len(rows)), "right") - 1]
    return np.asarray(successors[best])
