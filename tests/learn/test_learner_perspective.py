"""Values of the learner's goals, κ in the mover's sign, and updates during play."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from gamelore.agents.random_player import RandomPlayer
from gamelore.engine import CircuitSimulator, Rows, simulator
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.function_matches import FunctionMatches
from gamelore.learn.learners import Episode, ValueLearner
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.match.batch import play_both_roles
from gamelore.match.match import play_match
from gamelore.search.policies import PlayerSettings
from gamelore.settings import SettingError
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.functions import ValueFunction
from gamelore.values.settings import LinearSettings, NetworkSettings

Floats = npt.NDArray[np.float64]

NETWORK = NetworkSettings(
    hidden=5, initial_range=0.5, perspective="learner", lowest_reward=-1.0
)
LINEAR = LinearSettings(perspective="learner", lowest_reward=-1.0)
RULE = TDSettings(step_size=0.3, discount=0.9, trace_decay=0.6)


def tictactoe() -> CircuitSimulator:
    sim = simulator(load("tictactoe"))
    assert isinstance(sim, CircuitSimulator)
    return sim


def random_match(sim: CircuitSimulator, seed: int) -> Episode:
    players = {r: RandomPlayer(seed + i) for i, r in enumerate(sim.roles)}
    return Episode.of(sim, play_match(sim, players))


def make_trainer(
    function: NetworkSettings | LinearSettings,
    risk: float = 0.0,
    epsilon: float = 0.1,
    **changes: Any,
) -> Trainer:
    """Return a trainer by self-play, in either role in turn."""
    config = TrainConfig(
        replace(RULE, risk=risk),
        SelfPlay(),
        role="alternate",
        schedule=Fixed(epsilon),
        function=function,
        seed=4,
    )
    return Trainer(StateGraph(tictactoe()), replace(config, **changes))


def get_function(trainer: Trainer) -> ValueFunction:
    assert trainer.function is not None
    return trainer.function


# ── κ in the mover's sign ───────────────────────────────────────────────────────────

X_WINS = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)]
O_WINS = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 3), (3, 2)]


def make_episode(sim: CircuitSimulator, cells: list[tuple[int, int]]) -> Episode:
    """Return a match of tic-tac-toe in which these cells are marked in turn."""
    rows, moves = [sim.initial_row()], []
    for column, row in cells:
        expansion = sim.expand(rows[-1][None])
        texts = [
            [str(sim.moves[r][n]) for r, n in enumerate(joint)]
            for joint in expansion.moves
        ]
        wanted = str(sim.moves[0][0]).replace("1 1", f"{column} {row}")
        taken = next(i for i, joint in enumerate(texts) if wanted in joint)
        rows.append(expansion.successors[taken])
        moves.append(expansion.moves[taken])
    return Episode(np.stack(rows), np.array(moves, np.int32))


@pytest.mark.parametrize(
    ("cells", "role", "side", "error"),
    [
        (X_WINS, 0, "mover", 1.5),  # its own gain, on its own move
        (X_WINS, 1, "mover", -1.5),  # the other's gain, on the other's move
        (O_WINS, 0, "mover", -1.5),
        (O_WINS, 1, "mover", 1.5),
        (X_WINS, 0, "values", 1.5),
        (X_WINS, 1, "values", -0.5),  # its own loss
        (O_WINS, 0, "values", -0.5),
        (O_WINS, 1, "values", 1.5),
    ],
)
def test_risk_by_hand(
    cells: list[tuple[int, int]], role: int, side: str, error: float
) -> None:
    """All values are 0 at first, so only the last move counts: κ = −0.5, λ = 0."""
    settings = replace(LINEAR, risk_side=side)  # type: ignore[arg-type]
    rule = TDSettings(step_size=0.25, discount=1.0, trace_decay=0.0, risk=-0.5)
    trainer = make_trainer(settings, learner=rule)
    sim = tictactoe()
    episode = make_episode(sim, cells)
    assert sim.terminal(episode.rows).tolist() == [False] * len(cells) + [True]
    ValueLearner(trainer.values(role)).learn(episode)
    function = get_function(trainer)
    inputs = function.encode(episode.rows[-2:-1], role)[0]
    assert function.weights()["direct"] == pytest.approx(0.25 * error * inputs)


@dataclass
class SlowLearner:
    """A network and TD(λ) by their definitions, in numpy; an update a move."""

    function: ValueFunction
    rule: TDSettings
    hidden: Floats = field(init=False)
    out: Floats = field(init=False)

    def __post_init__(self) -> None:
        weights = self.function.weights()
        self.hidden = weights["hidden"].astype(np.float64)
        self.out = weights["out"].astype(np.float64)

    def slopes(self, inputs: Floats) -> tuple[float, list[Floats]]:
        """Return a value, and its slopes by the weights."""
        levels = 1 / (1 + np.exp(-(inputs @ self.hidden)))
        value = float(1 / (1 + np.exp(-(levels @ self.out[:-1] + self.out[-1]))))
        slope = value * (1 - value)
        inner = np.outer(inputs, slope * self.out[:-1] * levels * (1 - levels))
        return value, [inner, slope * np.append(levels, 1.0)]

    def evaluate(self, rows: Rows, role: int) -> Floats:
        """Return the values of positions to a role."""
        inputs = self.function.encode(rows, role)
        return np.array([self.slopes(one)[0] for one in inputs])

    def learn_step(
        self, traces: list[Floats], rows: Rows, role: int, reward: float | None
    ) -> None:
        """Update by a step between two positions; `reward`: of a terminal one."""
        inputs = self.function.encode(rows, role)
        value, slopes = self.slopes(inputs[0])
        target = reward
        if target is None:
            target = self.rule.discount * self.slopes(inputs[1])[0]
        error = target - value
        sign = self.sign(rows[0], role)
        weighed = sign * error
        weighed *= 1 - self.rule.risk if weighed > 0 else 1 + self.rule.risk
        for trace, slope in zip(traces, slopes, strict=True):
            trace *= self.rule.trace_decay
            trace += slope
        self.hidden += self.rule.step_size * sign * weighed * traces[0]
        self.out += self.rule.step_size * sign * weighed * traces[1]

    def sign(self, row: npt.NDArray[np.uint64], role: int) -> int:
        """Return −1 on the other's moves, if errors are weighed as the mover's."""
        if self.function.settings.risk_side == "values":
            return 1
        legal = self.function.graph.simulator.legal(row[None])
        return 1 if legal[role].sum() > 1 or legal[1 - role].sum() <= 1 else -1

    def reward(self, row: npt.NDArray[np.uint64], role: int) -> float:
        goal = self.function.graph.simulator.goals(row[None])[0, role]
        return float(goal) / 50 - 1

    def no_trace(self) -> list[Floats]:
        return [np.zeros_like(self.hidden), np.zeros_like(self.out)]

    def learn(self, rows: Rows, role: int) -> None:
        """Learn from all moves of a match."""
        traces = self.no_trace()
        for t in range(1, len(rows) - 1):
            last = t + 2 == len(rows)
            reward = self.reward(rows[-1], role) if last else None
            self.learn_step(traces, rows[t : t + 2], role, reward)


def odd_matches(sim: CircuitSimulator) -> Iterator[Episode]:
    """Yield random matches whose last mover has a choice: they end before all is full.

    The slow learner sees from the choices who moves.
    """
    for seed in range(40):
        episode = random_match(sim, seed)
        if len(episode.moves) < 8:
            yield episode


@pytest.mark.parametrize("side", ["mover", "values"])
@pytest.mark.parametrize(("risk", "role"), [(0.0, 1), (-0.8, 0), (-0.8, 1), (0.4, 1)])
def test_learning_beside_the_slow_twin(side: str, risk: float, role: int) -> None:
    settings = replace(NETWORK, risk_side=side)  # type: ignore[arg-type]
    trainer = make_trainer(settings, risk)
    rule = trainer.config.learner
    assert isinstance(rule, TDSettings)
    slow = SlowLearner(get_function(trainer), rule)
    first = get_function(trainer).weights()
    for episode in odd_matches(tictactoe()):
        slow.learn(episode.rows, role)
        ValueLearner(trainer.values(role)).learn(episode)
    learned = get_function(trainer).weights()
    assert slow.hidden == pytest.approx(learned["hidden"], abs=1e-4)
    assert slow.out == pytest.approx(learned["out"], abs=1e-4)
    assert np.abs(learned["out"] - first["out"]).max() > 0.05


def test_the_sign_matters_but_for_neutral_learners() -> None:
    """Bit for bit the same weights with κ = 0, from whole matches of self-play."""
    found = {}
    for risk in (0.0, -0.5):
        for side in ("values", "mover"):
            trainer = make_trainer(replace(NETWORK, risk_side=side), risk)
            trainer.run(60)
            found[risk, side] = get_function(trainer).weights()
    for name, array in found[0.0, "values"].items():
        assert (array == found[0.0, "mover"][name]).all()
    assert (found[-0.5, "values"]["out"] != found[-0.5, "mover"]["out"]).any()


def test_the_mover_needs_every_move() -> None:
    with pytest.raises(SettingError, match="risk_side mover is for values"):
        NetworkSettings(perspective="current-player", risk_side="mover")


# ── the learner's values ────────────────────────────────────────────────────────────


@pytest.mark.parametrize("function", [NETWORK, replace(LINEAR, initial_value=0.01)])
@pytest.mark.parametrize("opponent", ["self", "copy", "random"])
def test_bulk_and_open_path_are_one(
    function: NetworkSettings | LinearSettings, opponent: str
) -> None:
    rivals: dict[str, SelfPlay | PlayerSettings] = {
        "self": SelfPlay(),
        "copy": SelfPlay(opponent_refresh=7, epsilon=0.2),
        "random": PlayerSettings("random"),
    }
    function = replace(function, risk_side="mover")
    config = TrainConfig(
        replace(RULE, step_size=0.02, risk=-0.5),
        rivals[opponent],
        role="alternate",
        schedule=Fixed(0.3),
        function=function,
    )
    graph = StateGraph(tictactoe())
    fast, slow = Trainer(graph, config), MatchTrainer(graph, config)
    one, other = fast.run(40), slow.run(40)
    assert (one.rewards == other.rewards).all()
    assert (one.lengths == other.lengths).all()
    for name, array in fast.state().weights.items():
        assert (array == slow.state().weights[name]).all()


def test_the_other_self_minimises() -> None:
    """What both choose without exploring is what values of one side say."""
    trainer = make_trainer(NETWORK, epsilon=0.0, learner=TDSettings(step_size=1e-12))
    function, sim = get_function(trainer), tictactoe()
    for number in range(2):  # the first match as x, the second as o
        row = sim.initial_row()
        length = 0
        while not sim.terminal(row[None])[0]:
            children = sim.expand(row[None]).successors
            values = function.evaluate(children, number)
            ended = sim.terminal(children)
            goals = sim.goals(children)[:, number]
            values[ended] = goals[ended] / 50.0 - 1.0
            row = children[values.argmax() if length % 2 == number else values.argmin()]
            length += 1
        found = trainer.run(1)
        assert found.lengths.tolist() == [length]
        assert found.rewards[0] == sim.goals(row[None])[0, number]


# ── updates during play ─────────────────────────────────────────────────────────────

PERSPECTIVES = ["first", "learner", "current-player"]


@pytest.mark.parametrize("perspective", PERSPECTIVES)
@pytest.mark.parametrize("linear", [False, True])
def test_random_moves_update_the_same_during_play(
    perspective: str, linear: bool
) -> None:
    """Where no move depends on values it makes no difference when weights change."""
    base = replace(LINEAR, output="tanh") if linear else NETWORK
    learned = []
    for updates in ("online", "during-play"):
        settings = replace(base, perspective=perspective, updates=updates)  # type: ignore[arg-type]
        opponent = PlayerSettings("random") if perspective != "learner" else SelfPlay()
        trainer = make_trainer(settings, -0.4, epsilon=1.0, opponent=opponent)
        trainer.run(25)
        learned.append(trainer.state().weights)
    for name, array in learned[0].items():
        assert learned[1][name] == pytest.approx(array, abs=2e-5)
        assert np.abs(array).max() > 0.05


@pytest.mark.parametrize("perspective", ["learner", "current-player"])
def test_moves_are_chosen_with_the_weights_of_the_moment(perspective: str) -> None:
    settings = replace(NETWORK, perspective=perspective, updates="during-play")  # type: ignore[arg-type]
    trainer = make_trainer(settings, -0.4, epsilon=0.0)
    rule = trainer.config.learner
    assert isinstance(rule, TDSettings)
    slow = SlowLearner(get_function(trainer), rule)
    for number in range(12):
        length = slow_match(slow, number % 2)
        assert trainer.run(1).lengths.tolist() == [length]
    learned = get_function(trainer).weights()
    assert slow.hidden == pytest.approx(learned["hidden"], abs=1e-4)
    assert slow.out == pytest.approx(learned["out"], abs=1e-4)


def slow_match(slow: SlowLearner, role: int) -> int:
    """Play a match and learn move by move; return its length."""
    sim = slow.function.graph.simulator
    shared = slow.function.settings.perspective == "learner"
    rows, mover = [sim.initial_row()], 0
    last: dict[int, npt.NDArray[np.uint64]] = {}
    traces = {0: slow.no_trace(), 1: slow.no_trace()}
    while not sim.terminal(rows[-1][None])[0]:
        children = sim.expand(rows[-1][None]).successors
        viewer = role if shared else mover
        values = slow.evaluate(children, viewer)
        for i in np.flatnonzero(sim.terminal(children)):
            values[i] = slow.reward(children[i], viewer)
        best = values.argmax() if viewer == mover else values.argmin()
        rows.append(children[best])
        if not sim.terminal(rows[-1][None])[0]:
            if viewer in last:
                step = np.stack([last[viewer], rows[-1]])
                slow.learn_step(traces[viewer], step, viewer, None)
            last[viewer] = rows[-1]
        mover = 1 - mover
    for viewer in [role] if shared else [1 - role, role]:
        step = np.stack([last[viewer], rows[-1]])
        slow.learn_step(traces[viewer], step, viewer, slow.reward(rows[-1], viewer))
    return len(rows) - 1


def test_a_match_that_must_be_played_again_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = replace(NETWORK, updates="during-play")
    config = make_trainer(settings).config
    graph = StateGraph(simulator(load("abalone")))
    roomy = Trainer(graph, config)
    roomy.run(2)
    monkeypatch.setattr("gamelore.learn.trainer._WORKING_NODES", 1)
    tight = Trainer(graph, config)
    before = len(tight.graph.nodes.rows)
    tight.run(2)
    assert len(tight.graph.nodes.rows) > before  # a kernel had to stop
    for name, array in roomy.state().weights.items():
        assert (array == tight.state().weights[name]).all()


def test_what_cannot_be_updated_during_play_is_refused() -> None:
    settings = replace(NETWORK, updates="during-play")
    with pytest.raises(GameloreError, match="Q-learning updates no weights during"):
        make_trainer(settings, learner=QSettings())
    with pytest.raises(GameloreError, match="terminal target `reward`"):
        make_trainer(replace(settings, terminal_target="both"))
    config = make_trainer(settings).config
    with pytest.raises(GameloreError, match="need an opponent that plays in kernels"):
        MatchTrainer(StateGraph(tictactoe()), config)


# ── matches between functions ───────────────────────────────────────────────────────


@pytest.mark.parametrize("perspective", PERSPECTIVES)
@pytest.mark.parametrize("other", PERSPECTIVES)
def test_matches_are_those_of_the_batch(perspective: str, other: str) -> None:
    """Without equal values nothing is random, so all matches are the same."""
    graph = StateGraph(tictactoe())
    one, two = (
        ValueFunction(graph, replace(NETWORK, perspective=side), seed=seed)  # type: ignore[arg-type]
        for seed, side in ((1, perspective), (2, other))
    )
    found = FunctionMatches.between(one, two).play_both_roles(4, seed=3)
    evaluators = ValueFunctionEvaluator(one), ValueFunctionEvaluator(two)
    expected = play_both_roles(tictactoe(), *evaluators, 4, seed=3)
    for mine, theirs in zip(found, expected, strict=True):
        assert (mine.rows == theirs.rows).all()
        assert (mine.goals == theirs.goals).all()
        assert (mine.lengths == theirs.lengths).all()


def test_nothing_is_learned_in_them() -> None:
    graph = StateGraph(tictactoe())
    other = ValueFunction(graph, NETWORK, seed=2)
    found = []
    for updates in ("online", "during-play"):
        settings = replace(NETWORK, updates=updates)
        function = ValueFunction(graph, settings, seed=1)
        matches = FunctionMatches.between(function, other)
        found.append(matches.play(0, 20, seed=5, opening=1).rows)
        for name, array in function.weights().items():
            assert (matches.function.weights()[name] == array).all()
    assert (found[0] == found[1]).all()


def test_openings_are_random() -> None:
    graph = StateGraph(tictactoe())
    one, two = (ValueFunction(graph, NETWORK, seed=seed) for seed in (1, 2))
    matches = FunctionMatches.between(one, two)
    first, again, other = (
        matches.play(0, 30, seed=seed, opening=2) for seed in (5, 5, 6)
    )
    assert (first.rows == again.rows).all()
    assert len(np.unique(first.rows, axis=0)) > 4
    assert (first.rows != other.rows).any()
    assert len(np.unique(matches.play(0, 5).rows, axis=0)) == 1
