"""How the paper may be read, where its words and equations leave room.

A slow learner in plain numpy with a switch for each reading, to see which of them let
self-play succeed. With all of them off it learns like the fast one, and a test holds it
to the same weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
import numpy.typing as npt

from gamelore.atlas import Atlas
from gamelore.experiments.abalearn2003.run import (
    meet,
    score,
    simulator_of,
)
from gamelore.experiments.abalearn2003.settings import (
    DISCOUNT,
    EXPLORATION,
    METHOD_II,
    SHAPING,
    STEP_SIZE,
    TRACE_DECAY,
    Abalearn2003Settings,
    plan_of,
)
from gamelore.experiments.parallel import run_tasks, seed_for
from gamelore.experiments.side_by_side import FeatureJudge
from gamelore.experiments.statistics import Floats
from gamelore.gdl import to_kif
from gamelore.learn import ValueFunction
from gamelore.learn.functions import Weights
from gamelore.simulate import Rows

FEATURES = "abalearn3"
GAMES = 300
"""Games of self-play by each reading."""
AGENTS = 4
RISKS = (0.0, -0.8, -1.0)


@dataclass(frozen=True)
class Reading:
    """What is done otherwise; by default, nothing."""

    counts_rewards: bool = False
    """Moves are chosen by their reward and the value of what they lead to."""
    traces_ahead: bool = False
    """As Equation 5 is printed, the position that an error was found at learns from it
    too, not only those before it."""
    scales_inputs: bool = False
    """Inputs are shares of the fourteen stones, not numbers of stones."""

    def __str__(self) -> str:
        on = [f.name.replace("_", " ") for f in fields(self) if getattr(self, f.name)]
        return " and ".join(on) or "as in the fast learner"


READINGS = (
    Reading(),
    Reading(traces_ahead=True),
    Reading(scales_inputs=True),
    Reading(counts_rewards=True),
    Reading(counts_rewards=True, scales_inputs=True),
)


class SlowAgent:
    """Plays and learns both sides; it is a judge of positions too."""

    def __init__(
        self, reading: Reading, settings: Abalearn2003Settings, risk: float, seed: int
    ) -> None:
        self.reading = reading
        self.risk = risk
        self.simulator = simulator_of(settings.game, FEATURES)
        plan = plan_of(METHOD_II[0.0], "self", settings, seed)
        assert plan.function is not None
        function = ValueFunction(Atlas(self.simulator), plan.function, seed=seed)
        self.load(function.weights())
        self.random = np.random.default_rng(seed)
        names = [to_kif(name) for name in self.simulator.feature_names]
        self._shaping = np.zeros(len(names))
        for name, reward in SHAPING:
            self._shaping[names.index(name)] = reward

    def load(self, weights: Weights) -> None:
        """Take these weights."""
        self.hidden = weights["hidden"].astype(np.float64)
        self.out = weights["out"].astype(np.float64)

    # ── judging ─────────────────────────────────────────────────────────────────────

    def values(self, rows: Rows, role: int) -> Floats:
        counts = self._counts(rows, role)
        hidden = _squash(self._inputs(counts) @ self.hidden)
        values = _squash(hidden @ self.out[:-1] + self.out[-1])
        if self.reading.counts_rewards:
            # What the stones were before the move is the same for all moves.
            values = values + counts @ self._shaping
        return np.asarray(values)

    def rewards(self, goals: npt.NDArray[np.int16], role: int) -> Floats:
        stakes = 10.0 if self.reading.counts_rewards else 1.0
        return np.asarray(stakes * (goals / 50.0 - 1.0))

    def _counts(self, rows: Rows, role: int) -> Floats:
        return self.simulator.feature_counts(rows, role).astype(np.float64)

    def _inputs(self, counts: Floats) -> Floats:
        scale = 1 / 14 if self.reading.scales_inputs else 1.0
        return np.hstack([scale * counts, np.ones((len(counts), 1))])

    # ── playing and learning ────────────────────────────────────────────────────────

    def play(self, epsilon: float) -> Rows:
        """uint64 [n, K]: the positions of a game against itself."""
        rows = [self.simulator.initial_row()]
        while not self.simulator.terminal(rows[-1][None])[0]:
            role = (len(rows) - 1) % 2
            children = self.simulator.expand(rows[-1][None]).successors
            if self.random.random() < epsilon:
                rows.append(children[self.random.integers(len(children))])
                continue
            worth = self.values(children, role)
            ended = self.simulator.terminal(children)
            if ended.any():
                goals = self.simulator.goals(children[ended])[:, role]
                worth[ended] = self.rewards(goals, role)
            best = np.flatnonzero(worth == worth.max())
            rows.append(children[self.random.choice(best)])
        return np.stack(rows)

    def learn(self, rows: Rows, role: int) -> None:
        """TD(λ) over what a role's moves led to, one update a move."""
        places = rows[1 + role :: 2]
        if self.simulator.terminal(places[-1:])[0]:
            places = places[:-1]
        counts = self._counts(np.concatenate([places, rows[-1:]]), role)
        inputs = self._inputs(counts)
        earned = np.diff(counts @ self._shaping)
        earned[-1] += self.simulator.goals(rows[-1:])[0, role] / 50.0 - 1.0
        last = len(places) - 1
        traces = [np.zeros_like(self.hidden), np.zeros_like(self.out)]
        for t in range(len(places)):
            value, *slopes = self._slopes(inputs[t])
            following = 0.0 if t == last else self._slopes(inputs[t + 1])[0]
            error = earned[t] + DISCOUNT * following - value
            error *= 1 - self.risk if error > 0 else 1 + self.risk
            if self.reading.traces_ahead:
                if t == 0:
                    traces = list(slopes)
                slopes = list(self._slopes(inputs[t + 1])[1:])
            for trace, slope in zip(traces, slopes, strict=True):
                trace *= TRACE_DECAY
                trace += slope
            self.hidden += STEP_SIZE * error * traces[0]
            self.out += STEP_SIZE * error * traces[1]

    def _slopes(self, inputs: Floats) -> tuple[float, Floats, Floats]:
        """The value of a position, and its slopes by the weights."""
        hidden = _squash(inputs @ self.hidden)
        value = float(_squash(hidden @ self.out[:-1] + self.out[-1]))
        slope = value * (1 - value)
        inner = np.outer(inputs, slope * self.out[:-1] * hidden * (1 - hidden))
        return value, inner, slope * np.append(hidden, 1.0)


def _squash(sums: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(sums, -60, 60))))


# ── all readings ────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Trial:
    """One agent by one reading."""

    reading: Reading
    risk: float
    number: int


@dataclass(frozen=True)
class Tried:
    """What became of all agents by one reading."""

    reading: Reading
    risk: float
    scores: Floats
    """float64 [agents, 5]: at the end, against the heuristic player"""


def try_readings(
    settings: Abalearn2003Settings,
    jobs: int = 1,
    advance: Callable[[int], None] = lambda games: None,
) -> list[Tried]:
    """Self-play by every reading."""
    trials = [
        Trial(reading, risk, number)
        for reading in READINGS
        for risk in RISKS
        for number in range(AGENTS)
    ]
    games = settings.scaled(GAMES)
    found = run_tasks(
        partial(_try_once, settings=settings), trials, jobs, lambda _: advance(games)
    )
    return [
        Tried(trials[i].reading, trials[i].risk, np.stack(found[i : i + AGENTS]))
        for i in range(0, len(trials), AGENTS)
    ]


def matches_of_readings(settings: Abalearn2003Settings) -> int:
    """How many games that takes."""
    return len(READINGS) * len(RISKS) * AGENTS * settings.scaled(GAMES)


def _try_once(trial: Trial, settings: Abalearn2003Settings) -> Floats:
    seed = seed_for(settings.seed, "reading", trial.number)
    agent = SlowAgent(trial.reading, settings, trial.risk, seed)
    for epsilon in EXPLORATION(np.arange(settings.scaled(GAMES))):
        rows = agent.play(float(epsilon))
        for role in (0, 1):
            agent.learn(rows, role)
    heuristic = FeatureJudge(simulator_of(settings.game, "heuristic"))
    return score(agent.simulator, meet(agent, heuristic, settings, seed))
