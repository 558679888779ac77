"""How agents learn and choose, in every variant, beside a slow learner in numpy.

It has its own gradients, traces and rewards; only what features count is not its own.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.marks import mark_half_slow

from gamelore.engine import Rows
from gamelore.experiments.abalearn2003.run import load_simulator
from gamelore.experiments.abalearn2003.settings import (
    DISCOUNT,
    METHOD_II,
    SHAPING,
    STEP_SIZE,
    TRACE_DECAY,
    VALUE_ALONE,
    Abalearn2003Settings,
    apply_reading,
    make_config,
)
from gamelore.experiments.abalearn2003.variants import (
    VARIANTS,
    count_variant_games,
    run_variants,
)
from gamelore.experiments.statistics import Floats
from gamelore.experiments.sweep import Sweep
from gamelore.gdl import to_kif
from gamelore.graph import StateGraph
from gamelore.learn._function_match_kernels import evaluate_moves
from gamelore.learn.learners import Episode, ValueLearner
from gamelore.learn.role_values import Values, empty_table
from gamelore.values.functions import ValueFunction

FEATURES = "abalearn3"


class SlowAgent:
    """Sees positions from the side of who has moved, and learns from its moves."""

    def __init__(self, settings: Abalearn2003Settings, function: ValueFunction) -> None:
        self.settings = settings
        self.simulator = function.graph.simulator
        weights = function.weights()
        self.hidden = weights["hidden"].astype(np.float64)
        self.out = weights["out"].astype(np.float64)
        names = [to_kif(name) for name in self.simulator.feature_names]
        self.shaping = np.zeros(len(names))
        for name, reward in SHAPING:
            self.shaping[names.index(name)] = reward
        self.scale = np.ones(len(names))
        if settings.inputs == "shares":
            far = [name.startswith("(distance") for name in names]
            self.scale = np.where(far, 1 / 4, 1 / 14)

    def counts(self, rows: Rows, role: int) -> Floats:
        return self.simulator.feature_counts(rows, role).astype(np.float64)

    def inputs(self, counts: Floats) -> Floats:
        return np.hstack([self.scale * counts, np.ones((len(counts), 1))])

    def evaluate_moves(self, row: Rows, children: Rows, role: int) -> Floats:
        """Return what moves are chosen by, where no child is terminal."""
        before, after = self.counts(row, role), self.counts(children, role)
        values = np.array([self.slopes(x)[0] for x in self.inputs(after)])
        if not self.settings.reward_in_selection:
            return values
        earned: Floats = (after - before) @ self.shaping
        return earned + DISCOUNT * values

    def learn(self, rows: Rows, role: int, risk: float) -> None:
        """TD(λ) over what a role's moves led to, one update a move."""
        places = rows[1 + role :: 2]
        if self.simulator.terminal(places[-1:])[0]:
            places = places[:-1]
        counts = self.counts(np.concatenate([places, rows[-1:]]), role)
        inputs = self.inputs(counts)
        earned = np.diff(counts @ self.shaping)
        earned[-1] += self.simulator.goals(rows[-1:])[0, role] / 50.0 - 1.0
        last = len(places) - 1
        traces = [np.zeros_like(self.hidden), np.zeros_like(self.out)]
        for t in range(len(places)):
            value, *slopes = self.slopes(inputs[t])
            following = 0.0 if t == last else self.slopes(inputs[t + 1])[0]
            error = earned[t] + DISCOUNT * following - value
            error *= 1 - risk if error > 0 else 1 + risk
            if self.settings.trace_includes == "successor":
                if t == 0:
                    traces = list(slopes)
                slopes = list(self.slopes(inputs[t + 1])[1:])
            for trace, slope in zip(traces, slopes, strict=True):
                trace *= TRACE_DECAY
                trace += slope
            self.hidden += STEP_SIZE * error * traces[0]
            self.out += STEP_SIZE * error * traces[1]

    def slopes(self, inputs: Floats) -> tuple[float, Floats, Floats]:
        """The value of a position, and its slopes by the weights."""
        hidden = _squash(inputs @ self.hidden)
        value = float(_squash(hidden @ self.out[:-1] + self.out[-1]))
        slope = value * (1 - value)
        inner = np.outer(inputs, slope * self.out[:-1] * hidden * (1 - hidden))
        return value, inner, slope * np.append(hidden, 1.0)


def _squash(sums: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-sums)))


def random_match(seed: int) -> Rows:
    """Return the positions of a random match: uint64 [n, K]."""
    sim = load_simulator(SHORT.game, FEATURES)
    random = np.random.default_rng(seed)
    rows = [sim.initial_row()]
    while not sim.terminal(rows[-1][None])[0]:
        children = sim.expand(rows[-1][None]).successors
        rows.append(children[random.integers(len(children))])
    return np.stack(rows)


def find_moves(graph: StateGraph, rows: Rows) -> np.ndarray:
    """int32 [n, 2]: the joint moves between positions."""
    moves = []
    for before, after in pairwise(rows):
        expansion = graph.simulator.expand(before[None])
        (taken,) = np.flatnonzero((expansion.successors == after).all(axis=1))[:1]
        moves.append(expansion.moves[taken])
    return np.stack(moves)


SHORT = apply_reading(VALUE_ALONE, Abalearn2003Settings(move_limit=100))
"""Both sides learn from their own moves; the learner's values have tests elsewhere."""


def make_agents(seed: int, **changes: Any) -> tuple[SlowAgent, ValueFunction]:
    """Return an agent of changed settings, slow and fast."""
    settings = replace(SHORT, **changes)
    graph = StateGraph(load_simulator(settings.game, FEATURES))
    config = make_config(METHOD_II[0.0], "self", settings, seed)
    assert config.value_function is not None
    function = ValueFunction(
        graph,
        config.value_function,
        seed=seed,
        discount=DISCOUNT,
        shaping=config.shaping,
    )
    random = np.random.default_rng(seed)
    spread = 0.02 if settings.inputs == "numbers" else 0.3
    shapes = {name: array.shape for name, array in function.weights().items()}
    function.load(
        {
            "hidden": random.normal(0, spread, shapes["hidden"]).astype(np.float32),
            "out": random.normal(0, 1, shapes["out"]).astype(np.float32),
        }
    )
    return SlowAgent(settings, function), function


@pytest.mark.parametrize(
    ("trace", "inputs", "case"),
    mark_half_slow(
        ("current", "successor"), ("numbers", "shares"), ((0.0, 0), (-0.8, 1))
    ),
)
def test_the_slow_learner_learns_like_the_fast_one(
    trace: str, inputs: str, case: tuple[float, int]
) -> None:
    risk, role = case
    agent, function = make_agents(5, trace_includes=trace, inputs=inputs)
    learner = make_config(METHOD_II[risk], "self", SHORT, 5).value_learner
    table = empty_table(function.graph, learner)
    values = Values(function.graph, role, learner, table, function=function)
    first = function.weights()
    for seed in range(3):
        rows = random_match(seed)
        agent.learn(rows, role, risk)
        ValueLearner(values).learn(Episode(rows, find_moves(function.graph, rows)))
    learned = function.weights()
    assert agent.hidden == pytest.approx(learned["hidden"], abs=1e-4)
    assert agent.out == pytest.approx(learned["out"], abs=1e-4)
    for name, array in learned.items():
        assert np.abs(array - first[name]).max() > 0.005


@pytest.mark.parametrize(
    ("reward", "inputs", "role"),
    mark_half_slow((False, True), ("numbers", "shares"), (0, 1)),
)
def test_the_slow_learner_chooses_like_the_fast_one(
    reward: bool, inputs: str, role: int
) -> None:
    agent, function = make_agents(3, reward_in_selection=reward, inputs=inputs)
    graph = function.graph
    learner = make_config(METHOD_II[0.0], "self", SHORT, 5).value_learner
    values = Values(
        graph, role, learner, empty_table(graph, learner), function=function
    )
    pushes = 0
    for row in random_match(4)[role:-2:2]:
        values.begin_match()
        node = graph.number(row)
        children = np.stack([graph.row(edge.child) for edge in graph.edges(node)])
        handle = values.function_handle
        evaluate_moves(graph.graph, handle, node, role)
        expected = agent.evaluate_moves(row[None], children, role)
        found = handle.function.workspace.move_values[: len(children)]
        assert found == pytest.approx(expected, abs=1e-4)
        lead = function.selection_values(children, role)
        assert lead - lead[0] == pytest.approx(expected - expected[0], abs=1e-4)
        pushes += bool(np.ptp(agent.counts(children, role) @ agent.shaping))
    assert pushes


@pytest.mark.slow
def test_all_variants_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamelore.experiments.abalearn2003.variants.RISKS", (-1.0,))
    monkeypatch.setattr("gamelore.experiments.abalearn2003.variants.RUNS", 2)
    settings = Abalearn2003Settings(scale=0.004, tests=2, move_limit=20)
    found = run_variants(settings, Sweep())
    assert {result.case.variant for result in found} == set(VARIANTS)
    assert all(result.scores.shape == (2, 5) for result in found)
    assert count_variant_games(settings) == len(VARIANTS) * 1 * 2 * 1
