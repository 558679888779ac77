"""Values of deep tree patterns, composed from those of shallow ones.

The pattern of four plies under an afterstate is one of two plies whose open leaves are
afterstates again, each with a pattern of two plies of its own. No deeper search is
needed for it: the patterns of leaves that occurred in play are known, the others stay
open. The value of a deep pattern follows from those of the shallow ones and a model of
how the opponent chooses:

- the learner takes the best of its moves;
- the opponent takes each of its moves with a probability that falls with the learner's
  value, `exp(-inverse_temperature * value)` (softmax). A large inverse temperature is
  minimax, 0 is uniform choice, and a large negative one is maxmax;
- the inverse temperature is fitted: it is the one that best explains the estimated
  values of shallow patterns from the outcomes in them. So is a shrinkage factor, since
  values estimated from few matches lie nearer to the middle.

An estimate stands where there is one; only elsewhere is a value composed.
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
from gamelore.transfer._kernels import Composition
from gamelore.transfer.initialisation import (
    Floats,
    make_target_index,
    map_values,
)
from gamelore.transfer.knowledge import Knowledge, SourceResult
from gamelore.transfer.reward_map import RewardMap
from gamelore.transfer.tree_pattern import TreePattern

_LARGEST = 20.0
_CANDIDATES = np.linspace(-_LARGEST, _LARGEST, 161)
_MIDDLE = 0.5


@dataclass(frozen=True)
class OpponentModel:
    """How an opponent chooses, where the learner's loss counts 0 and its win 1."""

    inverse_temperature: float
    """Above 0 it prefers what is bad for the learner, below 0 what is good."""
    shrinkage: float
    """The factor on differences from the middle, from 0 to 1."""

    def __post_init__(self) -> None:
        if not np.isfinite(self.inverse_temperature):
            raise ValueError(
                f"inverse_temperature must be finite, got {self.inverse_temperature}"
            )
        if not 0 <= self.shrinkage <= 1:
            raise ValueError(f"shrinkage must be in [0, 1], got {self.shrinkage}")

    def mix(self, values: Iterable[float]) -> float:
        """Return the value of an opponent's position from those it can move to."""
        below = np.array(list(values))
        exponents = -self.inverse_temperature * below
        weights = np.exp(exponents - exponents.max())
        mixed = float(weights @ below / weights.sum())
        return _MIDDLE + self.shrinkage * (mixed - _MIDDLE)

    def predict(self, pattern: TreePattern, rewards: Mapping[str, float]) -> float:
        """Return a pattern's value from the rewards of the outcomes in it."""

        def value(tree: Pattern, level: int) -> float:
            if isinstance(tree, str):
                return _MIDDLE if tree == OPEN_LEAF else rewards[tree]
            below = [value(part, level + 1) for part in tree]
            return max(below) if level % 2 else self.mix(below)

        return value(pattern.tree, 0)


def fit_opponent(knowledge: Knowledge) -> OpponentModel:
    """Return the model that fits the estimates best, each weighted by its visits."""
    cases = [
        (pattern, rewards, (estimate.value - low) / (high - low), estimate.visits)
        for result in knowledge.results
        for low, high in [(min(result.outcomes), max(result.outcomes))]
        if low < high
        for rewards in [_scale_rewards(result)]
        for pattern, estimate in result.patterns.items()
    ]
    if not cases:
        return OpponentModel(0.0, 0.0)
    weights = np.array([visits for *_, visits in cases], float)
    values = np.array([value for _, _, value, _ in cases]) - _MIDDLE
    best, model = np.inf, OpponentModel(0.0, 0.0)
    for inverse_temperature in sorted(_CANDIDATES, key=abs):
        unshrunk = OpponentModel(float(inverse_temperature), 1.0)
        predicted = [unshrunk.predict(one, rewards) for one, rewards, *_ in cases]
        shifted = np.array(predicted) - _MIDDLE
        spread = float(weights @ shifted**2) or 1.0
        slope = float(weights @ (shifted * values)) / spread
        shrinkage = min(1.0, max(0.0, slope))
        error = float(weights @ (values - shrinkage * shifted) ** 2)
        if error < best * (1 - 1e-9):
            best, model = error, OpponentModel(float(inverse_temperature), shrinkage)
    return model


class ComposedValues:
    """Initial values from tree patterns with more plies than those learned."""

    def __init__(
        self,
        graph: StateGraph,
        role: int,
        knowledge: Knowledge,
        turns: int = 1,
        reward_map: RewardMap | None = None,
    ) -> None:
        """`turns`: the number of turns of two plies on top of the learned patterns."""
        if turns < 1:
            raise ValueError(f"turns must be at least 1, got {turns}")
        depths = {result.depth for result in knowledge.results}
        if len(depths) > 1:
            shown = ", ".join(map(str, sorted(depths)))
            raise KnowledgeError(f"source results of one depth are wanted, got {shown}")
        self.knowledge = knowledge
        self.model = fit_opponent(knowledge)
        self.pattern_index = make_target_index(
            graph, role, knowledge, reward_map, deeper=2 * turns
        )
        outcomes = self.pattern_index.outcomes
        low, high = min(outcomes), max(outcomes)
        self.composition = Composition(
            values=map_values(knowledge.results, self.pattern_index, reward_map),
            rewards=np.array(
                [_mean_goal(outcomes, name) for name in self.pattern_index.names]
            ),
            depth=depths.pop(),
            head=2 * turns,
            inverse_temperature=self.model.inverse_temperature / max(high - low, 1),
            shrinkage=self.model.shrinkage,
            unknown=(low + high) / 2,
        )

    def values(self, nodes: npt.NDArray[np.int32]) -> Floats:
        """Return the initial values of nodes, int32 [n]: float64 [n]."""
        numbers, places = np.unique(
            self.pattern_index.numbers(nodes), return_inverse=True
        )
        values = np.array([self.compose(int(number)) for number in numbers], float)
        return values[places]

    def compose(self, number: int) -> float:
        """Return the initial value of a node with this (deep) pattern."""
        value = float("nan")
        while np.isnan(value):
            self.pattern_index.fit()
            value = _kernels.composed_value(
                self.pattern_index.shapes, self.composition, number
            )
        return value


def _scale_rewards(result: SourceResult) -> dict[str, float]:
    """Return the reward of each outcome of a source result, from 0 to 1."""
    low, high = min(result.outcomes), max(result.outcomes)
    return {
        name: (_mean_goal(result.outcomes, name) - low) / (high - low)
        for name in result.outcomes.values()
    }


def _mean_goal(outcomes: Mapping[int, str], name: str) -> float:
    return fmean(goal for goal, called in outcomes.items() if called == name)
