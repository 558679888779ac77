"""Value functions with weights, beside slow definitions of what they do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import numpy.typing as npt
import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import CircuitSimulator, Interpreter, Simulator, simulator
from gamelore.errors import DivergenceError, GameloreError
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.graph import StateGraph
from gamelore.learn._function_match_kernels import evaluate_moves
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig
from gamelore.learn.files import load_checkpoint, save_checkpoint
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.learn.learners import Episode, ValueLearner
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.match.match import play_match
from gamelore.search._alpha_beta_kernels import LeafBatch
from gamelore.search.alpha_beta import AlphaBetaPlayer
from gamelore.search.policies import PlayerSettings
from gamelore.values._unit_kernels import SIGMOID, TANH, activate, fast_tanh
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import ValueFunction
from gamelore.values.settings import FunctionSettings, LinearSettings, NetworkSettings

Floats = npt.NDArray[np.float64]

EXPLORING = Fixed(0.1)
SMALL = NetworkSettings(hidden=5, initial_range=None)
LINEAR = LinearSettings()
CAREFUL = TDSettings(step_size=0.01)


def load_engine(name: str) -> Simulator:
    return simulator(load(name))


def random_match(sim: Simulator, seed: int) -> Episode:
    players = {r: RandomPlayer(seed + i) for i, r in enumerate(sim.roles)}
    return Episode.of(sim, play_match(sim, players))


def learned(config: TrainConfig, sim: Simulator, episode: Episode) -> Trainer:
    """A trainer that has learned from one match."""
    trainer = Trainer(StateGraph(sim), config)
    ValueLearner(trainer.values(0)).learn(episode)
    return trainer


def get_function(trainer: Trainer) -> ValueFunction:
    assert trainer.function is not None
    return trainer.function


# ── slow twins ──────────────────────────────────────────────────────────────────────


class SlowNetwork:
    """A network by its definition, with weights as one vector."""

    def __init__(self, function: ValueFunction) -> None:
        weights = function.weights()
        self.shape = weights["hidden"].shape
        self.w = np.concatenate([weights["hidden"].ravel(), weights["out"]])
        self.w = self.w.astype(np.float64)

    def value(self, x: Floats, w: Floats) -> float:
        inputs, units = self.shape
        hidden = w[: inputs * units].reshape(self.shape)
        out = w[inputs * units :]
        levels = 1 / (1 + np.exp(-(x @ hidden)))
        return float(1 / (1 + np.exp(-(levels @ out[:-1] + out[-1]))))

    def gradient(self, x: Floats, w: Floats) -> Floats:
        """By finite differences."""
        found = np.zeros_like(w)
        for i in range(len(w)):
            step = np.zeros_like(w)
            step[i] = 1e-5
            found[i] = (self.value(x, w + step) - self.value(x, w - step)) / 2e-5
        return found


def td_lambda(
    network: SlowNetwork,
    inputs: Floats,
    goal: float,
    config: TrainConfig,
) -> Floats:
    """Equation 5 of Campos and Langlois (2003), as it is written: the weights after."""
    rule, function = config.learner, config.value_function
    assert isinstance(rule, TDSettings)
    assert function is not None
    length = len(inputs) if function.terminal_target == "bootstrap" else len(inputs) - 1
    w, total, trace = network.w, np.zeros_like(network.w), np.zeros_like(network.w)
    for t in range(length):
        prediction = network.value(inputs[t], w)
        trace = rule.trace_decay * trace + network.gradient(inputs[t], w)
        target = goal if t + 1 == length else 0.0
        if t + 1 < length + (function.terminal_target == "both"):
            target += rule.discount * network.value(inputs[t + 1], w)
        error = target - prediction
        error *= 1 - rule.risk if error > 0 else 1 + rule.risk
        total = total + rule.step_size * error * trace
        if function.updates == "online":
            w = network.w + total
    return np.asarray(network.w + total)


@pytest.mark.parametrize("risk", [0.0, -0.8])
@pytest.mark.parametrize("target", ["reward", "bootstrap", "both"])
@pytest.mark.parametrize("updates", ["online", "offline"])
def test_a_network_learns_as_defined(updates: str, target: str, risk: float) -> None:
    sim = load_engine("tictactoe")
    settings = replace(SMALL, updates=updates, terminal_target=target)  # type: ignore[arg-type]
    config = TrainConfig(
        TDSettings(step_size=0.5, discount=0.9, trace_decay=0.6, risk=risk),
        SelfPlay(),
        function=settings,
    )
    episode = random_match(sim, 3)
    initial = get_function(Trainer(StateGraph(sim), config))
    goal = sim.goals(episode.rows[-1:])[0, 0] / 100
    inputs = initial.encode(episode.rows[1:])
    expected = td_lambda(SlowNetwork(initial), inputs, goal, config)
    found = SlowNetwork(get_function(learned(config, sim, episode))).w
    assert found == pytest.approx(expected, abs=1e-6)
    assert np.abs(found - SlowNetwork(initial).w).max() > 1e-3


@pytest.mark.parametrize("role", [0, 1])
def test_each_player_learns_as_defined_from_its_own_moves(role: int) -> None:
    sim = load_engine("tictactoe")
    config = TrainConfig(
        TDSettings(step_size=0.5, discount=0.9, trace_decay=0.6),
        SelfPlay(),
        function=replace(SMALL, perspective="current-player"),
    )
    episode = random_match(sim, 3)
    trainer = Trainer(StateGraph(sim), config)
    slow = SlowNetwork(get_function(trainer))
    goal = sim.goals(episode.rows[-1:])[0, role] / 100
    after = episode.rows[1 + role :: 2]
    if not sim.terminal(after[-1:])[0]:
        after = np.concatenate([after, episode.rows[-1:]])
    inputs = get_function(trainer).encode(after, role)
    expected = td_lambda(slow, inputs, goal, config)
    ValueLearner(trainer.values(role)).learn(episode)
    found = SlowNetwork(get_function(trainer)).w
    assert found == pytest.approx(expected, abs=1e-6)
    assert np.abs(found - slow.w).max() > 1e-3


@pytest.mark.parametrize("decay", [0.0, 1.0])
def test_one_step_and_monte_carlo_have_closed_forms(decay: float) -> None:
    """λ = 0 and λ = 1 of a linear function, offline, without a discount."""
    sim = load_engine("connect-3")
    rule = TDSettings(step_size=0.1, trace_decay=decay)
    settings = LinearSettings(updates="offline", initial_value=0.02)
    config = TrainConfig(rule, SelfPlay(), function=settings)
    episode = random_match(sim, 8)
    trainer = Trainer(StateGraph(sim), config)
    x = get_function(trainer).encode(episode.rows[1:-1])
    before = get_function(trainer).weights()["direct"]
    values = x @ before
    goal = sim.goals(episode.rows[-1:])[0, 0] / 100
    # each prediction goes towards the next one, or each towards the reward
    targets = np.append(values[1:], goal) if decay == 0.0 else goal
    errors = targets - values
    ValueLearner(trainer.values(0)).learn(episode)
    after = get_function(trainer).weights()["direct"]
    assert after == pytest.approx(before + 0.1 * errors @ x, abs=1e-12)


CHAIN = """
(role a) (role b)
(init (at 7 a))
(other a b) (other b a)
(<= (legal ?r (take 1)) (true (at ?n ?r)))
(<= (legal ?r (take 2)) (true (at ?n ?r)) (less ?m ?n) (less ?k ?m))
(<= (legal ?r noop) (role ?r) (true (at ?n ?s)) (distinct ?r ?s))
(<= (next (at ?m ?s)) (does ?r (take 1)) (true (at ?n ?r)) (less ?m ?n) (other ?r ?s))
(<= (next (at ?k ?s)) (does ?r (take 2)) (true (at ?n ?r)) (less ?m ?n) (less ?k ?m)
    (other ?r ?s))
(less 0 1) (less 1 2) (less 2 3) (less 3 4) (less 4 5) (less 5 6) (less 6 7)
(<= terminal (true (at 0 ?r)))
(<= (goal ?s 100) (true (at 0 ?r)) (other ?r ?s))
(<= (goal ?r 0) (true (at 0 ?r)))
(<= (goal ?r 50) (role ?r) (not terminal))
"""
"""Take 1 or 2; who takes the last one wins. A position is a single fluent."""


@pytest.mark.parametrize("risk", [0.0, 0.4])
def test_one_input_per_position_is_a_table(risk: float) -> None:
    """The same matches and the same values, bit for bit."""
    sim = simulator(Game.from_kif(CHAIN, name="chain"))
    rule = TDSettings(discount=0.9, risk=risk, terminal_lookahead=False)
    table = Trainer(
        StateGraph(sim), TrainConfig(rule, SelfPlay(), schedule=EXPLORING, seed=2)
    )
    linear = LinearSettings(
        bias=False,
        terminal_target="bootstrap",
        terminal_lookahead=False,
        lowest_reward=0,
        highest_reward=100,
        initial_value=50.0,
    )
    function = Trainer(StateGraph(sim), replace(table.config, function=linear))
    rewards = table.run(200).rewards
    assert (function.run(200).rewards == rewards).all()
    assert 0 < rewards.mean() < 100
    for cell in table.table:
        value = get_function(function).evaluate(cell.row[None])[0]
        assert value == cell.value


def test_no_risk_is_plain() -> None:
    """κ = 0 changes nothing, and κ ≠ 0 something, for every kind of values."""
    for function in (None, LINEAR, SMALL):
        totals = []
        for risk in (0.0, -0.5):
            rule = replace(CAREFUL, risk=risk)
            config = TrainConfig(rule, SelfPlay(), function=function)
            trainer = Trainer(StateGraph(load_engine("tictactoe")), config)
            trainer.run(30)
            parts = [trainer.table.values, *trainer.state().weights.values()]
            totals.append(sum(float(part.sum()) for part in parts))
        assert totals[0] != totals[1]


# ── evaluating ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "function", [SMALL, replace(SMALL, hidden=24), LinearSettings()]
)
@pytest.mark.parametrize("name", ["connect-four", "breakthrough-6x6"])
def test_changed_inputs_give_the_same_values(
    name: str, function: FunctionSettings
) -> None:
    """Carried from position to position, and from a position to all after it."""
    config = TrainConfig(CAREFUL, SelfPlay(), function=function)
    trainer = Trainer(StateGraph(load_engine(name)), config)
    trainer.run(200)
    values, found = trainer.values(0), get_function(trainer)
    graph = trainer.graph
    compared = 0
    values.begin_match()
    for row in random_match(graph.simulator, 5).rows[:-1]:
        node = graph.number(row)
        edges = graph.edges(node)
        handle = values.function_handle
        evaluate_moves(graph.graph, handle, node, 0)
        rows = np.stack([graph.row(edge.child) for edge in edges])
        expected = found.evaluate(rows)
        found_values = handle.function.workspace.move_values
        for i, edge in enumerate(edges):
            if graph.is_terminal(edge.child):
                assert found_values[i] == graph.goals(edge.child)[0] / 100
            else:
                assert found_values[i] == pytest.approx(expected[i], abs=2e-5)
                compared += 1
    assert compared > 30


CONFIGS = {
    "network": ("tictactoe", TrainConfig(opponent=SelfPlay(), function=SMALL)),
    "network-second": (
        "connect-3",
        TrainConfig(opponent=PlayerSettings("novice"), role="second", function=SMALL),
    ),
    "network-copy": (
        "tictactoe",
        TrainConfig(
            opponent=SelfPlay(opponent_refresh=7), role="alternate", function=SMALL
        ),
    ),
    "network-own": (
        "tictactoe",
        TrainConfig(
            opponent=SelfPlay(), function=replace(SMALL, perspective="current-player")
        ),
    ),
    "linear": ("connect-3", TrainConfig(CAREFUL, SelfPlay(), function=LINEAR)),
    "linear-minimax": (
        "tictactoe",
        TrainConfig(CAREFUL, PlayerSettings("minimax"), function=LINEAR),
    ),
}


def assert_same(one: Trainer, other: Trainer) -> None:
    mine, theirs = one.state(), other.state()
    assert mine.weights.keys() == theirs.weights.keys()
    for name, array in mine.weights.items():
        assert array.tobytes() == theirs.weights[name].tobytes()
    for name, array in mine.copied_weights.items():
        assert array.tobytes() == theirs.copied_weights[name].tobytes()
    assert (mine.streams == theirs.streams).all()


@pytest.mark.parametrize("case", CONFIGS)
def test_bulk_and_open_path_are_one(case: str) -> None:
    name, config = CONFIGS[case]
    config = replace(config, schedule=EXPLORING)
    bulk = Trainer(StateGraph(load_engine(name)), config)
    opened = MatchTrainer(StateGraph(load_engine(name)), config)
    record, other = bulk.run(25), opened.run(25)
    assert (record.rewards == other.rewards).all()
    assert (record.lengths == other.lengths).all()
    assert_same(bulk, opened)
    assert opened.faults == []


@pytest.mark.parametrize("case", ["network-copy", "linear"])
def test_a_run_goes_on_from_a_checkpoint(case: str, tmp_path: Path) -> None:
    name, config = CONFIGS[case]
    config = replace(config, schedule=EXPLORING)
    whole, part = (Trainer(StateGraph(load_engine(name)), config) for _ in range(2))
    rewards = whole.run(30).rewards
    checkpoint = Checkpoint.of(part, part.run(17).rewards)
    save_checkpoint(checkpoint, tmp_path / "a.ckpt")
    for found in (load_checkpoint(tmp_path / "a.ckpt"), checkpoint):
        later = found.trainer(StateGraph(load_engine(name)))
        assert (later.run(13).rewards == rewards[17:]).all()
        assert_same(whole, later)


def test_an_graph_that_is_emptied_changes_nothing() -> None:
    """Connect Four fills the working memory again and again; its size is no matter."""
    config = TrainConfig(opponent=SelfPlay(), function=SMALL, schedule=EXPLORING)
    small, large = (
        Trainer(StateGraph(load_engine("connect-four")), config) for _ in range(2)
    )
    for _ in range(3):
        large.graph.grow()
    rewards = small.run(1500).rewards
    assert (large.run(1500).rewards == rewards).all()
    assert len(large.graph) > len(small.graph.nodes.rows)
    assert_same(small, large)


def test_weights_that_run_away_are_given_up() -> None:
    config = TrainConfig(
        TDSettings(step_size=1.0),
        SelfPlay(),
        schedule=EXPLORING,
        function=LinearSettings(highest_reward=100.0),
    )
    trainer = Trainer(StateGraph(load_engine("connect-four")), config)
    with pytest.raises(DivergenceError, match="lower the step size"):
        trainer.run(10_000)
    assert 0 < trainer.matches < 10_000
    weights = trainer.state().weights["direct"]
    assert np.isfinite(weights).all()
    initial = Trainer(StateGraph(load_engine("connect-four")), config)
    initial.run(trainer.matches)
    assert_same(trainer, initial)


def test_what_cannot_be_is_refused() -> None:
    graph = StateGraph(load_engine("tictactoe"))
    with pytest.raises(GameloreError, match="need 'tictactoe' compiled"):
        ValueFunction(StateGraph(Interpreter(load("tictactoe"))), SMALL)
    with pytest.raises(GameloreError, match="needs fluents or features"):
        ValueFunction(graph, replace(SMALL, fluents=False))
    with pytest.raises(ValueError, match=r"weights must have hidden \[21, 5\]"):
        ValueFunction(graph, SMALL).load({})
    wrong: dict[str, object] = {
        "updates": "never",
        "terminal_target": "all",
        "perspective": "bird",
        "hidden": 0,
        "activation": "relu",
        "output": "step",
        "initial_range": -1.0,
        "lowest_reward": 2.0,
    }
    for name, value in wrong.items():
        with pytest.raises(ValueError, match=name):
            replace(SMALL, **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "function", [SMALL, replace(SMALL, perspective="current-player"), LINEAR]
)
def test_searches_ask_the_same_values(function: FunctionSettings) -> None:
    """Kernels and Python give the same values, for both roles and movers."""
    trainer = Trainer(
        StateGraph(load_engine("tictactoe")), TrainConfig(CAREFUL, function=function)
    )
    trainer.run(300)
    evaluator = ValueFunctionEvaluator(get_function(trainer))
    sim = evaluator.prepare(load_engine("tictactoe"))
    assert isinstance(sim, CircuitSimulator)
    parent = random_match(sim, 2).rows[3]
    rows = sim.expand(parent[None]).successors
    for role, mover in ((0, 0), (0, 1), (1, 0), (1, 1)):
        kernel = evaluator.kernel(sim, role)
        batch = LeafBatch(np.zeros(0, np.uint64), parent, rows, np.zeros(len(rows)))
        call_kernel(kernel.function, sim.program, kernel.data, batch, mover, role)
        expected = evaluator.evaluate(sim, rows, mover, role)
        assert batch.values == pytest.approx(expected, abs=1e-5)
    scale = evaluator.goal_scale(sim, 0)
    assert (scale.value(0), scale.value(100)) == (0.0, 1.0)
    with pytest.raises(GameloreError, match="is about 'tictactoe', not 'nim'"):
        evaluator.prepare(load_engine("nim"))


@numba.njit
def call_kernel(function, program, data, batch, mover, role):  # type: ignore[no-untyped-def]
    function(program, data, batch, batch.rows.shape[0], mover, role)


def test_a_search_finds_more_than_a_look_ahead() -> None:
    config = TrainConfig(CAREFUL, SelfPlay(), function=SMALL, schedule=EXPLORING)
    trainer = Trainer(StateGraph(load_engine("connect-3")), config)
    trainer.run(500)
    sim = trainer.graph.simulator
    player = AlphaBetaPlayer(ValueFunctionEvaluator(get_function(trainer)), depth=4)
    goals = [
        play_match(sim, {sim.roles[0]: player, sim.roles[1]: RandomPlayer(seed)}).goals
        for seed in range(10)
    ]
    assert np.mean([goal[0] or 0 for goal in goals]) == 100


def test_players_use_functions() -> None:
    config = TrainConfig(opponent=SelfPlay(), function=SMALL, schedule=EXPLORING)
    trainer = Trainer(StateGraph(load_engine("tictactoe")), config)
    trainer.run(3000)
    sim = trainer.graph.simulator
    player = GreedyPlayer(trainer.values(1))
    goals = [
        play_match(sim, {"x": RandomPlayer(seed), "o": player}).goals[1] or 0
        for seed in range(40)
    ]
    assert np.mean(goals) > 60


def test_units_are_close_to_what_they_stand_for() -> None:
    """The quotient of polynomials in the place of tanh."""
    x = np.linspace(-20, 20, 4001).astype(np.float32)
    found = np.array([fast_tanh.py_func(one) for one in x])  # type: ignore[attr-defined]
    assert np.abs(found - np.tanh(x.astype(np.float64))).max() < 1e-6


def test_outputs_are_exact_near_their_limits() -> None:
    """Where values sink to 0, what tells moves apart is a small part of them."""
    x = np.linspace(-40, 40, 801)
    units = {
        SIGMOID: (1 / (1 + np.exp(-x)), 1 / (2 + np.exp(x) + np.exp(-x))),
        TANH: (np.tanh(x), 1 / np.cosh(x) ** 2),
    }
    for unit, wanted in units.items():
        found = np.array([activate.py_func(unit, one) for one in x])  # type: ignore[attr-defined]
        np.testing.assert_allclose(found.T, wanted, rtol=1e-12)


def test_moves_are_told_apart_where_all_values_are_near_zero() -> None:
    graph = StateGraph(simulator(load("tictactoe")))
    config = TrainConfig(function=NetworkSettings(initial_range=1.0))
    trainer = Trainer(graph, config)
    assert trainer.function is not None
    weights = trainer.function.weights()
    weights["out"][-1] = -20.0  # the bias of the output
    trainer.function.load(weights)
    graph = trainer.graph
    children = np.stack([graph.row(child) for _, child in graph.moves(graph.root)])
    exact = trainer.function.selection_values(children, 0)
    handle = trainer.values(0).function_handle
    evaluate_moves(graph.graph, handle, graph.root, 0)
    found = handle.function.workspace.move_values[: len(children)]
    assert exact.max() < 1e-6
    np.testing.assert_allclose(found, exact, rtol=1e-4)
