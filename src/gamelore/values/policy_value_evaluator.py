"""A network of policy and value as an evaluator."""

from __future__ import annotations

from typing import Any

from gamelore.engine import CircuitSimulator, Rows, Simulator
from gamelore.errors import GameloreError
from gamelore.search.evaluator import Evaluator, Floats, GoalScale
from gamelore.values.policy_value import PolicyValueNetwork
from gamelore.values.policy_value_settings import PolicyValueSettings


class PolicyValueEvaluator(Evaluator):
    """Values in 0 to 1 from the lowest goal to the highest, and priors of moves."""

    def __init__(self, network: PolicyValueNetwork) -> None:
        self.network = network

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the weights; another process makes an engine of its own."""
        network = self.network
        made = network.simulator, network.settings, network.copy_weights()
        return _rebuild, made

    def prepare(self, played: Simulator) -> Simulator:
        """Return the simulator whose rows the network reads."""
        own = self.network.simulator
        if own.game != played.game:
            raise GameloreError(
                f"what was learned is about {own.game.name!r}, not {played.game.name!r}"
            )
        return own

    def evaluate(self, engine: Simulator, rows: Rows, mover: int, role: int) -> Floats:
        values: Floats = self.network.evaluate(rows)[:, role].astype(float)
        return values

    def priors(self, engine: Simulator, rows: Rows) -> list[Floats]:
        return [one.astype(float) for one in self.network.policy(rows)]

    def goal_scale(self, engine: Simulator, role: int) -> GoalScale:
        goals = engine.goal_values[role]
        low, high = min(goals, default=0), max(goals, default=100)
        factor = 1 / (high - low) if high > low else 0.0
        return GoalScale(factor, -factor * low)


def _rebuild(
    engine: CircuitSimulator, settings: PolicyValueSettings, weights: Any
) -> PolicyValueEvaluator:
    network = PolicyValueNetwork(engine, settings)
    network.load(weights)
    return PolicyValueEvaluator(network)
