"""Training of a network of policy and value: searched self-play, and steps between.

A step makes a move in every match under way, and learns from samples of the window, so
often that each is learned from as often as the settings say. Matches are handed out in
the order in which they end; what is learned does not depend on how many are asked for
at once.
"""

from __future__ import annotations

import math
import time
from collections import deque

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator
from gamelore.errors import GameloreError
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.trainer import Record, State, Trainer
from gamelore.learn.zero._forest_kernels import SearchRule
from gamelore.learn.zero.self_play import SelfPlayLanes, make_rule
from gamelore.learn.zero.settings import ZeroSettings
from gamelore.learn.zero.window import ReplayWindow
from gamelore.values.policy_value import (
    Losses,
    LossRule,
    OptimiserRule,
    PolicyValueNetwork,
    PolicyValueOptimiser,
)
from gamelore.values.policy_value_settings import PolicyValueSettings

_MEAN_DECAY, _SQUARE_DECAY = 0.9, 0.999  # of Adam
_LONGEST_GRADIENT = 5.0
_FIRST_BATCHES = 8  # there must be as many samples before the first is learned from


class ZeroTrainer(Trainer):
    """Plays by search and learns from it, all roles at once."""

    network: PolicyValueNetwork

    def __init__(self, graph: StateGraph, config: TrainConfig) -> None:
        learner, function = config.learner, config.function
        assert isinstance(learner, ZeroSettings)
        assert isinstance(function, PolicyValueSettings)
        assert isinstance(config.opponent, SelfPlay)
        simulator = graph.simulator
        if not isinstance(simulator, CircuitSimulator):
            raise GameloreError(
                f"learning from search needs {simulator.game.name!r} compiled"
            )
        self.config = config
        self.graph = graph
        self.network = PolicyValueNetwork(simulator, function, config.seed)
        self.losses = Losses(math.nan, math.nan, math.nan)
        """Means over the latest batch."""
        self.features = {}
        self.matches = 0
        self._ended: deque[tuple[int, int]] = deque()
        self.players = self.network.players
        self.learner_roles = self.players[:1]
        self.side = None
        self.function = None
        self.copy = None
        self.opponent = None
        self.tables = {}
        self.copies = {}
        self._learner = learner
        self._optimiser = PolicyValueOptimiser(self.network, self._rule())
        self._loss = LossRule(learner.value_weight, 1.0, function.final_facts)
        seeds = np.random.SeedSequence(config.seed).spawn(1)[0]
        self._random = seeds.generate_state(4, np.uint64).astype(np.uint64)
        self._credit = 0.0
        self._lanes: SelfPlayLanes | None = None
        self._window: ReplayWindow | None = None

    @property
    def known_roles(self) -> list[int]:
        return self.players

    @property
    def positions(self) -> int:
        """Positions of self-play that were searched so far."""
        return 0 if self._lanes is None else self._lanes.samples

    def search_rule(self, simulations: int) -> SearchRule:
        """Return how to search without noise, in the way that self-play does."""
        return make_rule(self.network.simulator, self._learner, simulations, noise=0.0)

    def run(self, matches: int) -> Record:
        """Play and learn until so many matches more have ended."""
        return self.run_for(matches, math.inf)

    def run_for(self, matches: int, seconds: float) -> Record:
        """Do so, or as far as time goes."""
        end = time.monotonic() + seconds
        while len(self._ended) < matches:
            self._step()
            if seconds < math.inf and time.monotonic() >= end:
                break
        count = min(matches, len(self._ended))
        ended = [self._ended.popleft() for _ in range(count)]
        self.matches += count
        return Record(
            rewards=np.array([reward for reward, _ in ended], np.float64),
            lengths=np.array([length for _, length in ended], np.int32),
            cells=np.zeros(count, np.int64),
        )

    def _step(self) -> None:
        """Make a move in every match, and learn."""
        lanes, window = self._self_play()
        before = lanes.samples
        rewards, lengths = lanes.step(window)
        self._ended.extend(zip(rewards.tolist(), lengths.tolist(), strict=True))
        learner = self._learner
        if lanes.samples < min(_FIRST_BATCHES * learner.batch, window.size):
            return
        self._credit += learner.reuse * (lanes.samples - before)
        self._optimiser.rule = self._rule()
        while self._credit >= learner.batch:
            self._credit -= learner.batch
            picked = window.pick(learner.batch, self._random, lanes.samples)
            if picked is not None:
                self.losses = self._optimiser.learn(window.samples, picked, self._loss)

    def _self_play(self) -> tuple[SelfPlayLanes, ReplayWindow]:
        """Return matches and window, which are made when they are needed."""
        if self._lanes is None or self._window is None:
            self._lanes = SelfPlayLanes(
                self.network,
                self._learner,
                self.config.seed,
                self.config.longest_match,
            )
            self._window = ReplayWindow(self.network.simulator, self._learner.window)
        return self._lanes, self._window

    def _rule(self) -> OptimiserRule:
        steps = self.config.step_decay
        ended = self.matches + len(self._ended)  # the same however runs are divided
        share = 1.0 if steps is None else steps.share(ended)
        return OptimiserRule(
            step_size=self._learner.step_size * share,
            mean_decay=_MEAN_DECAY,
            square_decay=_SQUARE_DECAY,
            weight_decay=self._learner.weight_decay,
            longest=_LONGEST_GRADIENT,
        )

    # ── state ───────────────────────────────────────────────────────────────────────

    def state(self) -> State:
        return State(
            self.matches,
            np.zeros((3, 4), np.uint64),
            tables={},
            weights=self.network.copy_weights(),
            learner=self._learner_state(),
        )

    def _learner_state(self) -> dict[str, npt.NDArray[np.generic]]:
        """Return all but the weights that the next steps depend on, by name."""
        if self._lanes is None or self._window is None:
            return {}
        adam = self._optimiser.state
        parts = {
            "lanes": self._lanes.state(),
            "window": self._window.state(self._lanes.samples),
        }
        return {
            "adam.mean": adam.mean.copy(),
            "adam.square": adam.square.copy(),
            "adam.steps": adam.steps.copy(),
            "random": self._random.copy(),
            "credit": np.array([self._credit]),
            "ended": np.array(self._ended, np.int32).reshape(-1, 2),
            **{
                f"{part}.{name}": array
                for part, arrays in parts.items()
                for name, array in arrays.items()
            },
        }

    def restore(self, state: State) -> None:
        self.network.load(state.weights)
        self.matches = state.matches
        saved = state.learner
        if not saved:
            return
        lanes, window = self._self_play()
        adam = self._optimiser.state
        for name in ("mean", "square", "steps"):
            getattr(adam, name)[:] = saved[f"adam.{name}"]
        self._random[:] = saved["random"]
        self._credit = float(saved["credit"][0])
        self._ended = deque((int(one), int(other)) for one, other in saved["ended"])
        for part, owner in (("lanes.", lanes), ("window.", window)):
            owner.restore(
                {
                    name.removeprefix(part): array
                    for name, array in saved.items()
                    if name.startswith(part)
                }
            )
