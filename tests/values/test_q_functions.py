"""Value functions learned by Q-learning, beside a slow definition of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import Row, Rows, Simulator, simulator
from gamelore.errors import DivergenceError, GameloreError
from gamelore.games import load
from gamelore.gdl import Game, read_term
from gamelore.gdl.features import FeatureRules
from gamelore.graph import StateGraph
from gamelore.learn.arena import make_learned_participant
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.learn.learners import Episode, ValueLearner
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.snapshots import Snapshot
from gamelore.learn.trainer import Trainer
from gamelore.match.match import play_match
from gamelore.search.policies import PlayerSettings
from gamelore.values.functions import ValueFunction
from gamelore.values.settings import FunctionSettings, LinearSettings, NetworkSettings

Floats = npt.NDArray[np.float64]

EXPLORING = Fixed(0.1)
SMALL = NetworkSettings(hidden=5, initial_range=None)
LINEAR = LinearSettings(output="sigmoid")
RULE = QSettings(step_size=0.4, discount=0.9)


def load_engine(name: str) -> Simulator:
    return simulator(load(name))


def random_match(sim: Simulator, seed: int) -> Episode:
    players = {r: RandomPlayer(seed + i) for i, r in enumerate(sim.roles)}
    return Episode.of(sim, play_match(sim, players))


def get_function(trainer: Trainer) -> ValueFunction:
    assert trainer.function is not None
    return trainer.function


# ── the slow twin ───────────────────────────────────────────────────────────────────


def squashed(sums: Any, unit: str) -> Any:
    if unit == "sigmoid":
        return 1 / (1 + np.exp(-sums))
    return np.tanh(sums) if unit == "tanh" else sums


class SlowQ:
    """Q-learning as the lecture writes it, in plain numpy, weights as one vector."""

    def __init__(self, trainer: Trainer) -> None:
        function = get_function(trainer)
        self.graph = StateGraph(trainer.graph.simulator)
        self.rule, self.settings = trainer.config.value_learner, function.settings
        self.function = function  # asked for inputs only
        self.w = join_weights(function)

    def value(self, x: Floats, w: Floats) -> float:
        settings = self.settings
        if isinstance(settings, NetworkSettings):
            size = len(x) * settings.hidden
            hidden, out = w[:size].reshape(len(x), -1), w[size:]
            levels = squashed(x @ hidden, settings.activation)
            return float(squashed(levels @ out[:-1] + out[-1], settings.output))
        assert isinstance(settings, LinearSettings)
        return float(squashed(x @ w, settings.output))

    def gradient(self, x: Floats, w: Floats) -> Floats:
        """By finite differences."""
        steps = 1e-5 * np.eye(len(w))
        ends = [(self.value(x, w + s), self.value(x, w - s)) for s in steps]
        return np.array([(up - down) / 2e-5 for up, down in ends])

    def learn(self, episode: Episode, role: int) -> None:
        """w += α · (r + γ · max Q(s', a') − Q(s, a)) · ∇Q(s, a), move by move."""
        rule, w, total = self.rule, self.w, np.zeros_like(self.w)
        for row, target_of in self.updates(episode, role):
            x = self.inputs(row, role)
            error = target_of(w) - self.value(x, w)
            if rule.risk:
                error *= 1 - rule.risk if error > 0 else 1 + rule.risk
            total = total + rule.step_size * error * self.gradient(x, w)
            if self.settings.updates == "online":
                w = self.w + total
        self.w = self.w + total

    def updates(self, episode: Episode, role: int) -> Iterator[tuple[Row, Any]]:
        """Afterstates that learn, each with its target as a function of weights."""
        rows, end = episode.rows, len(episode.moves)
        shared = self.settings.perspective == "first"
        movers = [self.graph.mover(self.graph.number(row)) for row in rows[:-1]]
        turns = [t for t in range(end) if shared or movers[t] == role]
        for turn, following in zip(turns, [*turns[1:], end], strict=True):
            after = rows[turn + 1]
            if turn + 1 == end:
                continue
            if following == end:
                replies, best = rows[-1:], max
            elif self.graph.simulator.roles[movers[following]] == "random":
                replies, best = rows[following + 1 : following + 2], max
            else:
                replies = self.graph.simulator.expand(rows[following][None]).successors
                best = max if movers[following] == role else min
            yield (
                after,
                lambda w, after=after, replies=replies, best=best: best(
                    self.worth(after, reply, role, w) for reply in replies
                ),
            )
        if self.settings.terminal_target == "bootstrap":
            yield rows[-1], lambda w: self.reward(rows[-1], role)

    def worth(self, before: Row, after: Row, role: int, w: Floats) -> float:
        """What going on to an afterstate earns, and its value."""
        target, total = self.settings.terminal_target, 0.0
        names = self.function.features.names if self.function.features else ()
        for name, reward in self.function.shaping:
            place = [str(one) for one in names].index(name) - len(names) - 1
            counts = [self.inputs(row, role)[place] for row in (before, after)]
            total += reward * (counts[1] - counts[0])
        ended = bool(self.graph.simulator.terminal(after[None])[0])
        if ended and target != "bootstrap":
            total += self.reward(after, role)
        if not ended or target != "reward":
            total += self.rule.discount * self.value(self.inputs(after, role), w)
        return total

    def reward(self, end: Row, role: int) -> float:
        """Goals are 0 … 100, and rewards 0 … 1."""
        return float(self.graph.simulator.goals(end[None])[0, role]) / 100

    def inputs(self, row: Row, role: int) -> Floats:
        return np.asarray(self.function.encode(row[None], role)[0])


def join_weights(function: ValueFunction) -> Floats:
    parts = [part.ravel() for part in function.weights().values()]
    return np.concatenate(parts).astype(np.float64)


def assert_as_defined(
    sim: Simulator, config: TrainConfig, roles: tuple[int, ...], matches: int = 3
) -> None:
    """Kernels and the slow twin learn the same from the same matches."""
    trainer = Trainer(StateGraph(sim), config)
    slow = SlowQ(trainer)
    initial = slow.w
    for seed in range(matches):
        episode = random_match(sim, seed)
        for role in roles:
            slow.learn(episode, role)
            ValueLearner(trainer.values(role)).learn(episode)
    found = join_weights(get_function(trainer))
    assert found == pytest.approx(slow.w, abs=2e-6)
    assert np.abs(found - initial).max() > 1e-2


@pytest.mark.parametrize("function", [LINEAR, SMALL], ids=["linear", "network"])
@pytest.mark.parametrize("perspective", ["first", "current-player"])
@pytest.mark.parametrize("target", ["reward", "bootstrap", "both"])
@pytest.mark.parametrize("updates", ["online", "offline"])
def test_functions_learn_as_defined(
    function: FunctionSettings, perspective: str, target: str, updates: str
) -> None:
    settings = replace(
        function,
        perspective=perspective,  # type: ignore[arg-type]
        terminal_target=target,  # type: ignore[arg-type]
        updates=updates,  # type: ignore[arg-type]
    )
    roles = (0,) if perspective == "first" else (0, 1)
    for risk in (0.0, -0.8):
        config = TrainConfig(replace(RULE, risk=risk), SelfPlay(), function=settings)
        assert_as_defined(load_engine("tictactoe"), config, roles)


SIDES = """
(<= (feature mine ?m ?n) (me ?p) (true (cell ?m ?n ?p)))
(<= (feature theirs ?m ?n) (me ?p) (true (cell ?m ?n ?q)) (role ?q) (distinct ?p ?q))
(<= (feature (corner ?p) ?m ?n) (role ?p) (true (cell ?m ?n ?p)) (edge ?m) (edge ?n))
(edge 1) (edge 3)
"""


@pytest.mark.parametrize("function", [LINEAR, SMALL], ids=["linear", "network"])
@pytest.mark.parametrize("perspective", ["first", "current-player"])
def test_features_and_their_rewards(
    function: FunctionSettings, perspective: str
) -> None:
    game = load("tictactoe")
    sim = simulator(game, features=FeatureRules.from_kif(SIDES, game))
    shaping = (("mine", 0.1), ("(corner o)", -0.2))
    settings = replace(function, perspective=perspective, fluents=True)  # type: ignore[arg-type]
    config = TrainConfig(RULE, SelfPlay(), function=settings, shaping=shaping)
    assert_as_defined(sim, config, (0,) if perspective == "first" else (0, 1))


@pytest.mark.parametrize("function", [LINEAR, SMALL], ids=["linear", "network"])
def test_nobody_chooses_where_chance_moves(function: FunctionSettings) -> None:
    config = TrainConfig(replace(RULE, step_size=0.05), SelfPlay(), function=function)
    assert_as_defined(load_engine("pig"), config, (0,), matches=1)


# ── what is known exactly ───────────────────────────────────────────────────────────

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

ONE_INPUT = LinearSettings(bias=False)


def solve(sim: Simulator, row: Row, discount: float, mover: int = 0) -> float:
    """What a position is worth to the first player if both play their best."""
    if sim.terminal(row[None])[0]:
        return float(sim.goals(row[None])[0, 0]) / 100
    best = min if mover else max
    return best(
        worth if sim.terminal(after[None])[0] else discount * worth
        for after in sim.expand(row[None]).successors
        for worth in [solve(sim, after, discount, 1 - mover)]
    )


def positions(sim: Simulator, row: Row) -> Iterator[tuple[Row, int]]:
    """All open positions below the first, each with who moves there."""
    layer: Rows = row[None]
    mover = 0
    while len(layer):
        layer = sim.expand(layer).successors
        layer = np.unique(layer[~sim.terminal(layer)], axis=0)
        mover = 1 - mover
        for one in layer:
            yield one, mover


@pytest.mark.parametrize("updates", ["online", "offline"])
def test_one_input_per_position_finds_what_best_play_is_worth(updates: str) -> None:
    """Whatever is played meanwhile; TD learns what random play is worth."""
    sim = simulator(Game.from_kif(CHAIN, name="chain"))
    settings = replace(ONE_INPUT, updates=updates)  # type: ignore[arg-type]
    found = {}
    for rule in (QSettings(1.0, 0.9), TDSettings(1.0, 0.9, trace_decay=0.0)):
        config = TrainConfig(rule, SelfPlay(), schedule=Fixed(1.0), function=settings)
        trainer = Trainer(StateGraph(sim), config)
        trainer.run(500)
        known = list(positions(sim, sim.initial_row()))
        assert len(known) >= 11
        expected = [solve(sim, row, 0.9, mover) for row, mover in known]
        values = get_function(trainer).evaluate(np.stack([row for row, _ in known]))
        found[type(rule)] = np.abs(values - expected).max()
    assert found[QSettings] < 1e-12
    assert found[TDSettings] > 0.1


def test_each_role_finds_what_its_best_is_worth() -> None:
    """By its own moves: the first player of seven wins by leaving a multiple of 3."""
    sim = simulator(Game.from_kif(CHAIN, name="chain"))
    config = TrainConfig(
        QSettings(0.05, 1.0),
        SelfPlay(),
        schedule=Fixed(0.3),
        function=replace(ONE_INPUT, perspective="current-player"),
    )
    trainer = Trainer(StateGraph(sim), config)
    trainer.run(20_000)
    after = sim.expand(sim.initial_row()[None]).successors
    six = sim.encode([read_term("(at 6 b)")])
    values = get_function(trainer).evaluate(after)
    assert (after[int(values.argmax())] == six).all()
    assert values.max() > values.min() + 0.1


# ── training runs ─────────────────────────────────────────────────────────────────

OWN = replace(SMALL, perspective="current-player")
CONFIGS = {
    "network": ("tictactoe", TrainConfig(RULE, SelfPlay(), function=SMALL)),
    "network-second": (
        "connect-3",
        TrainConfig(RULE, PlayerSettings("novice"), "second", function=SMALL),
    ),
    "network-copy": (
        "tictactoe",
        TrainConfig(RULE, SelfPlay(opponent_refresh=7), "alternate", function=SMALL),
    ),
    "network-own": ("tictactoe", TrainConfig(RULE, SelfPlay(), function=OWN)),
    "linear": ("connect-3", TrainConfig(RULE, SelfPlay(), function=LINEAR)),
    "linear-dice": ("pig", TrainConfig(RULE, SelfPlay("own"), function=LINEAR)),
}


@pytest.mark.parametrize("case", CONFIGS)
def test_bulk_and_open_path_are_one(case: str) -> None:
    name, config = CONFIGS[case]
    config = replace(config, schedule=EXPLORING)
    bulk = Trainer(StateGraph(load_engine(name)), config)
    opened = MatchTrainer(StateGraph(load_engine(name)), config)
    record, other = bulk.run(20), opened.run(20)
    assert (record.rewards == other.rewards).all()
    assert_same(bulk, opened)
    assert opened.faults == []
    other_rule = replace(config, learner=TDSettings(0.4, 0.9, trace_decay=0.0))
    by_td = Trainer(StateGraph(load_engine(name)), other_rule)
    by_td.run(20)
    found, theirs = (join_weights(get_function(one)) for one in (bulk, by_td))
    assert found.tolist() != theirs.tolist()


def assert_same(one: Trainer, other: Trainer) -> None:
    mine, theirs = one.state(), other.state()
    for name, array in mine.weights.items():
        assert array.tobytes() == theirs.weights[name].tobytes()
    for name, array in mine.copied_weights.items():
        assert array.tobytes() == theirs.copied_weights[name].tobytes()
    assert (mine.streams == theirs.streams).all()


def test_players_use_what_was_learned() -> None:
    """Looking one move ahead, and in an arena as a snapshot."""
    rule = QSettings(step_size=0.3, discount=1.0)
    config = TrainConfig(rule, SelfPlay(), schedule=EXPLORING, function=SMALL)
    trainer = Trainer(StateGraph(load_engine("tictactoe")), config)
    checkpoint = Checkpoint.of(trainer, trainer.run(3000).rewards)
    sim = trainer.graph.simulator
    participant = make_learned_participant(
        Snapshot(checkpoint, "late"), StateGraph(sim), seed=1
    )
    for player in (GreedyPlayer(trainer.values(1)), participant.players["o"]):
        goals = [
            play_match(sim, {"x": RandomPlayer(seed), "o": player}).goals[1] or 0
            for seed in range(40)
        ]
        assert np.mean(goals) > 60


RUNAWAYS: list[FunctionSettings] = [
    LinearSettings(highest_reward=100.0),
    replace(SMALL, activation="tanh", output="identity"),
]


@pytest.mark.parametrize("function", RUNAWAYS, ids=["linear", "network"])
@pytest.mark.parametrize("updates", ["online", "offline"])
def test_weights_that_run_away_are_given_up(
    function: FunctionSettings, updates: str
) -> None:
    settings = replace(function, updates=updates)  # type: ignore[arg-type]
    config = TrainConfig(
        QSettings(1.0, 1.0), SelfPlay(), schedule=EXPLORING, function=settings
    )
    trainer = Trainer(StateGraph(load_engine("connect-four")), config)
    with pytest.raises(DivergenceError, match="lower the step size"):
        trainer.run(10_000)
    assert trainer.matches < 10_000
    weights = join_weights(get_function(trainer))
    assert np.isfinite(weights).all()
    initial = Trainer(StateGraph(load_engine("connect-four")), config)
    initial.run(trainer.matches)
    assert_same(trainer, initial)
    opened = MatchTrainer(StateGraph(load_engine("connect-four")), config)
    with pytest.raises(DivergenceError, match="lower the step size"):
        opened.run(trainer.matches + 1)
    assert join_weights(get_function(opened)).tolist() == weights.tolist()


def test_playouts_have_no_place() -> None:
    graph = StateGraph(load_engine("tictactoe"))
    config = TrainConfig(QSettings(playouts=3), SelfPlay(), function=SMALL)
    with pytest.raises(GameloreError, match="leave playouts and search_time out"):
        Trainer(graph, config)
    with pytest.raises(GameloreError, match=r"use SelfPlay\('own'\)"):
        Trainer(graph, replace(config, learner=QSettings(), function=None))
    arriving = replace(SMALL, trace_includes="successor")
    with pytest.raises(GameloreError, match="leave `trace_includes` out"):
        Trainer(graph, replace(config, learner=QSettings(), function=arriving))


@pytest.mark.slow
def test_tictactoe_is_learned_by_self_play() -> None:
    """Loses less than 2 % to random play in either role."""
    config = TrainConfig(
        QSettings(step_size=0.3, discount=1.0),
        SelfPlay(),
        schedule=Fixed(0.2),
        function=NetworkSettings(hidden=80, initial_range=None),
    )
    trainer = Trainer(StateGraph(load_engine("tictactoe")), config)
    trainer.run(400_000)
    for role in ("first", "second"):
        still = TrainConfig(
            QSettings(step_size=1e-12),
            PlayerSettings("random", epsilon=0.0),
            role,
            Fixed(0.0),
            function=config.function,
        )
        match = Trainer(trainer.graph, still)
        get_function(match).load(get_function(trainer).weights())
        assert (match.run(1000).rewards == 0).mean() < 0.02
