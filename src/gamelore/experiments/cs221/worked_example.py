"""The lecture's worked example, step by step, as our learner makes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gamelore.engine import CircuitSimulator, Row
from gamelore.gdl import Game, read_term
from gamelore.gdl.features import FeatureRules
from gamelore.graph import StateGraph
from gamelore.learn.learners import Episode, ValueLearner
from gamelore.learn.role_values import Values, empty_table
from gamelore.learn.settings import TDSettings
from gamelore.values.functions import ValueFunction
from gamelore.values.settings import LinearSettings

EPISODES = (("s1", "s4", "s8", "s9"), ("s1", "s2", "s6", "s10"))
"""The states of the two episodes; the first ends with utility 1, the second with 0."""

STEP_SIZE, DISCOUNT = 0.5, 1.0

RULES = """
; The states of the lecture's two episodes; the agent goes wherever there is an arrow.
(role agent)
(arrow s0 s1)
(arrow s1 s4) (arrow s4 s8) (arrow s8 s9)
(arrow s1 s2) (arrow s2 s6) (arrow s6 s10)
(last s9) (last s10)
(init (at s0))
(<= (legal agent (go ?t)) (true (at ?s)) (arrow ?s ?t))
(<= (next (at ?t)) (does agent (go ?t)))
(<= terminal (true (at ?s)) (last ?s))
(<= (goal agent 1) (true (at s9)))
(<= (goal agent 0) (not (true (at s9))))
"""

FEATURES = """
(phi s1 0 1) (phi s4 1 0) (phi s8 1 2) (phi s9 1 0)
(phi s2 1 0) (phi s6 0 0) (phi s10 1 0)
(<= (weighted one ?m) (true (at ?s)) (phi ?s ?m ?n))
(<= (weighted two ?n) (true (at ?s)) (phi ?s ?m ?n))
"""


@dataclass(frozen=True)
class Step:
    """A state of an episode, as the lecture writes it down."""

    episode: int
    state: str
    inputs: tuple[float, ...]
    """φ"""
    weights: tuple[float, ...]
    """w, before anything is learned from this state."""
    reward: float | None = None
    """r, of the step to the next state; the last state has none of what follows."""
    prediction: float | None = None
    target: float | None = None


def work_example() -> list[Step]:
    """Return all states of both episodes, in order, with the weights as they change."""
    return list(_Example().steps())


class _Example:
    """The two episodes, and a learner with a linear function."""

    def __init__(self) -> None:
        game = Game.from_kif(RULES, "worked-example")
        features = FeatureRules.from_kif(FEATURES, game, "worked-example")
        self.simulator = CircuitSimulator(game, features=features)
        self.graph = StateGraph(self.simulator)
        # The lecture values terminal states like all others, beside their reward.
        settings = LinearSettings(bias=False, terminal_target="both")
        self.function = ValueFunction(self.graph, settings)
        td = TDSettings(step_size=STEP_SIZE, discount=DISCOUNT, trace_decay=0.0)
        self.learner = ValueLearner(
            Values(
                self.graph, 0, td, empty_table(self.graph, td), function=self.function
            )
        )

    def steps(self) -> Iterator[Step]:
        for number, states in enumerate(EPISODES, start=1):
            before = "s0"
            for state, following in zip(states, (*states[1:], None), strict=True):
                yield self._step(number, state, following)
                if following is not None:
                    self._learn(before, state, following)
                before = state

    def _step(self, episode: int, state: str, following: str | None) -> Step:
        inputs = self.function.encode(self._row(state)[None])[0, :-1]
        weights = self.function.weights()["direct"][:-1]
        step = Step(episode, state, tuple(inputs.tolist()), tuple(weights.tolist()))
        if following is None:
            return step
        reward = float(self.simulator.goals(self._row(following)[None])[0, 0])
        target = reward + DISCOUNT * self._value(following)
        return Step(
            step.episode,
            state,
            step.inputs,
            step.weights,
            reward,
            self._value(state),
            target,
        )

    def _learn(self, before: str, state: str, following: str) -> None:
        """Learn from one transition, as if the match ended after it."""
        rows = np.stack([self._row(one) for one in (before, state, following)])
        go = self.simulator.move_number(0, read_term(f"(go {state})"))
        self.learner.learn(Episode(rows, np.array([[go]], np.int32)))

    def _value(self, state: str) -> float:
        return float(self.function.evaluate(self._row(state)[None])[0])

    def _row(self, state: str) -> Row:
        return self.simulator.encode([read_term(f"(at {state})")])
