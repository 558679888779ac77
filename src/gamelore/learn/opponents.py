"""Opponents of a learner that judge by a function of their own."""

from __future__ import annotations

from dataclasses import dataclass

from gamelore.engine import Simulator
from gamelore.graph import StateGraph
from gamelore.search.evaluator import STAKES, FeatureEvaluator
from gamelore.values.functions import ValueFunction
from gamelore.values.settings import LinearSettings


@dataclass(frozen=True)
class FeaturePlayer:
    """Looks one move ahead and takes what has the highest sum of features.

    It plays as alpha-beta of depth 1 over these features does, with lots of its own.
    """

    features: str = "heuristic"
    """Those of a library game by name, or a features file."""
    epsilon: float = 0.0
    """How often it moves at random instead."""

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"epsilon must be in [0, 1], got {self.epsilon}")

    @property
    def name(self) -> str:
        """What such an opponent is called."""
        return "features"


def function_of(player: FeaturePlayer, played: Simulator) -> ValueFunction:
    """What such a player goes by in the game that a simulator plays."""
    settings = LinearSettings(
        perspective="current-player",
        fluents=False,
        bias=False,
        initial_value=1.0,
        lowest_reward=-STAKES,
        highest_reward=STAKES,
    )
    engine = FeatureEvaluator(player.features).prepare(played)
    return ValueFunction(StateGraph(engine), settings, longest_match=1)
