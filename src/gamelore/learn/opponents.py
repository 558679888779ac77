"""Opponents of a learner that evaluate positions by features."""

from __future__ import annotations

from dataclasses import dataclass

from gamelore.engine import Simulator
from gamelore.graph import StateGraph
from gamelore.search.evaluator import STAKES, FeatureEvaluator
from gamelore.settings import check, setting
from gamelore.values.functions import ValueFunction
from gamelore.values.settings import LinearSettings


@dataclass(frozen=True)
class FeaturePlayer:
    """Takes the move that leads to the highest sum of features.

    It plays as alpha-beta of depth 1 over these features does, with random numbers of
    its own.
    """

    features: str = "heuristic"
    """Features that the opponent `features` goes by: by name, or a features file."""
    epsilon: float = setting(0.0, least=0, most=1)
    """Share of its moves that are random."""

    def __post_init__(self) -> None:
        check(self)

    @property
    def name(self) -> str:
        """The name of such an opponent."""
        return "features"


def make_function(player: FeaturePlayer, played: Simulator) -> ValueFunction:
    """Return the sum of features of such a player, for the game of a simulator."""
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
