"""Deep features from shallow ones: values that nobody had to learn.

The pattern of four plies under an afterstate is one of two plies whose open leaves are
afterstates again, each with a feature of two plies of its own. No deeper search is
needed for it: the features of leaves that were played are known from then, those of
others stay open. If the values of features are known, so is that of the whole, once one
knows how the opponent chooses:

- we take the best of what we can reach;
- the opponent takes each of its possibilities with a probability that falls with its
  value to us: `exp(-sharpness * value)`. That is minimax for a large sharpness, chance
  for none, and maxmax for a large negative one;
- how sharp it is, the shallow features themselves tell: it is what best explains their
  learned values from the outcomes in them. So is how much of such an explanation to
  believe: values that were learned in few matches lie nearer to the middle.

What was learned stands where it applies; only elsewhere is a value composed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import numpy.typing as npt

from gamelore.errors import KnowledgeError
from gamelore.graph import StateGraph
from gamelore.graph.pattern_index import OPEN_LEAF, Pattern
from gamelore.transfer import _kernels
from gamelore.transfer._kernels import Plan
from gamelore.transfer.knowledge import Knowledge, Lesson
from gamelore.transfer.reward_map import RewardMap
from gamelore.transfer.tree_pattern import TreePattern
from gamelore.transfer.valuation import Floats, pattern_values, target_index

_SHARPEST = 20.0
_CANDIDATES = np.linspace(-_SHARPEST, _SHARPEST, 161)
_MIDDLE = 0.5


@dataclass(frozen=True)
class OpponentModel:
    """How an opponent chooses, on a scale where a loss of ours is 0 and a win 1."""

    sharpness: float
    """Above 0 it prefers what is bad for us, below 0 what is good."""
    trust: float
    """How much of a difference from the middle to believe, from 0 to 1."""

    def __post_init__(self) -> None:
        if not np.isfinite(self.sharpness):
            raise ValueError(f"sharpness must be finite, got {self.sharpness}")
        if not 0 <= self.trust <= 1:
            raise ValueError(f"trust must be in [0, 1], got {self.trust}")

    def mix(self, values: Iterable[float]) -> float:
        """The value of a position of the opponent, from those it can move to."""
        below = np.array(list(values))
        exponents = -self.sharpness * below
        weights = np.exp(exponents - exponents.max())
        mixed = float(weights @ below / weights.sum())
        return _MIDDLE + self.trust * (mixed - _MIDDLE)

    def explain(self, pattern: TreePattern, worth: Mapping[str, float]) -> float:
        """A feature's value from the outcomes in it, each worth something."""

        def value(pattern: Pattern, level: int) -> float:
            if isinstance(pattern, str):
                return _MIDDLE if pattern == OPEN_LEAF else worth[pattern]
            below = [value(part, level + 1) for part in pattern]
            return max(below) if level % 2 else self.mix(below)

        return value(pattern.pattern, 0)


def fit_opponent(knowledge: Knowledge) -> OpponentModel:
    """The model that explains learned values best, each weighted by its visits."""
    cases = [
        (pattern, worth, (learned.value - low) / (high - low), learned.visits)
        for lesson in knowledge.lessons
        for low, high in [(min(lesson.outcomes), max(lesson.outcomes))]
        if low < high
        for worth in [_worth(lesson)]
        for pattern, learned in lesson.patterns.items()
    ]
    if not cases:
        return OpponentModel(0.0, 0.0)
    weights = np.array([visits for *_, visits in cases], float)
    values = np.array([value for _, _, value, _ in cases]) - _MIDDLE
    best, model = np.inf, OpponentModel(0.0, 0.0)
    for sharpness in sorted(_CANDIDATES, key=abs):
        certain = OpponentModel(float(sharpness), 1.0)
        told = np.array([certain.explain(f, worth) for f, worth, *_ in cases]) - _MIDDLE
        spread = float(weights @ told**2) or 1.0
        trust = min(1.0, max(0.0, float(weights @ (told * values)) / spread))
        error = float(weights @ (values - trust * told) ** 2)
        if error < best * (1 - 1e-9):
            best, model = error, OpponentModel(float(sharpness), trust)
    return model


class Hierarchy:
    """Initial values for a game from features of more plies than were learned."""

    def __init__(
        self,
        graph: StateGraph,
        role: int,
        knowledge: Knowledge,
        turns: int = 1,
        reward_map: RewardMap | None = None,
    ) -> None:
        """`turns`: how many turns of two plies to put on top of what was learned."""
        if turns < 1:
            raise ValueError(f"turns must be at least 1, got {turns}")
        depths = {lesson.depth for lesson in knowledge.lessons}
        if len(depths) > 1:
            shown = ", ".join(map(str, sorted(depths)))
            raise KnowledgeError(f"lessons of one depth are wanted, got {shown}")
        self.knowledge = knowledge
        self.model = fit_opponent(knowledge)
        self.pattern_index = target_index(
            graph, role, knowledge, reward_map, deeper=2 * turns
        )
        outcomes = self.pattern_index.outcomes
        low, high = min(outcomes), max(outcomes)
        self.plan = Plan(
            values=pattern_values(knowledge.lessons, self.pattern_index, reward_map),
            rewards=np.array(
                [_mean_goal(outcomes, name) for name in self.pattern_index.names]
            ),
            depth=depths.pop(),
            head=2 * turns,
            sharpness=self.model.sharpness / max(high - low, 1),
            trust=self.model.trust,
            unknown=(low + high) / 2,
        )
        """What kernels need to compose values: see `_kernels.hierarchical_value`."""

    def values(self, nodes: npt.NDArray[np.int32]) -> Floats:
        """float64 [n]: the initial values of nodes, int32 [n]."""
        numbers, places = np.unique(
            self.pattern_index.numbers(nodes), return_inverse=True
        )
        values = np.array([self.value_of(int(number)) for number in numbers], float)
        return values[places]

    def value_of(self, number: int) -> float:
        """The initial value of a node with this (deep) pattern."""
        value = float("nan")
        while np.isnan(value):
            self.pattern_index.fit()
            value = _kernels.hierarchical_value(
                self.pattern_index.shapes, self.plan, number
            )
        return value


def _worth(lesson: Lesson) -> dict[str, float]:
    """What each outcome of a lesson is worth, from 0 to 1."""
    low, high = min(lesson.outcomes), max(lesson.outcomes)
    return {
        name: (_mean_goal(lesson.outcomes, name) - low) / (high - low)
        for name in lesson.outcomes.values()
    }


def _mean_goal(outcomes: Mapping[int, str], name: str) -> float:
    return fmean(goal for goal, called in outcomes.items() if called == name)
