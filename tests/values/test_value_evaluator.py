"""A search over a learned value function values leaves as the function does."""

from __future__ import annotations

import numpy as np
import pytest

from gamelore.engine import CircuitSimulator, Row, Simulator, simulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.games import load, load_features
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.learn.settings import TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.player import Briefing, Clock
from gamelore.search.alpha_beta import AlphaBetaPlayer
from gamelore.search.compiled_alpha_beta import CircuitSearch
from gamelore.search.plain_alpha_beta import PlainSearch, ResumableSearch, SearchResult
from gamelore.search.policies import PlayerSettings
from gamelore.values.evaluator import ValueFunctionEvaluator
from gamelore.values.ntuple.settings import NTupleSettings
from gamelore.values.settings import FunctionSettings, LinearSettings, NetworkSettings

FUNCTIONS: list[FunctionSettings] = [
    LinearSettings(lowest_reward=-1.0),
    LinearSettings(output="sigmoid", perspective="current-player"),
    NetworkSettings(hidden=12, initial_range=None),
    NetworkSettings(
        hidden=5, perspective="current-player", activation="tanh", initial_range=None
    ),
]


def trained(
    game: str,
    function: FunctionSettings,
    features: str | None = None,
    shaping: tuple[tuple[str, float], ...] = (),
) -> Trainer:
    rules = load(game)
    counted = load_features(features, rules) if features else None
    engine = simulator(rules, "circuit", features=counted)
    config = TrainConfig(
        learner=TDSettings(step_size=0.02),
        function=function,
        opponent=PlayerSettings("random"),
        longest_match=500,
        seed=3,
        shaping=shaping,
    )
    trainer = Trainer(StateGraph(engine), config)
    trainer.run(2 if game == "abalone" else 300)
    return trainer


def build_evaluator(trainer: Trainer) -> ValueFunctionEvaluator:
    assert trainer.function is not None
    return ValueFunctionEvaluator(trainer.function)


def sample_rows(engine: Simulator, count: int) -> list[Row]:
    generator = np.random.default_rng(8)
    rows: list[Row] = []
    while len(rows) < count:
        row = engine.initial_row()
        for _ in range(int(generator.integers(8))):
            children = engine.expand(row[None]).successors
            following = children[int(generator.integers(len(children)))]
            if engine.terminal(following[None])[0]:
                break
            row = following
        rows.append(row)
    return rows


def find(search: ResumableSearch, row: Row, depth: int) -> SearchResult:
    search.begin(row, depth)
    found = search.search(1 << 40)
    assert found is not None
    return found


@pytest.mark.parametrize("function", FUNCTIONS, ids=range(len(FUNCTIONS)))
def test_kernels_and_python_agree(function: FunctionSettings) -> None:
    trainer = trained("tictactoe", function)
    evaluator = build_evaluator(trainer)
    engine = trainer.graph.simulator
    assert isinstance(engine, CircuitSimulator)
    for role in range(2):
        fast = CircuitSearch(engine, evaluator, role)
        plain = PlainSearch(engine, evaluator, role)
        for row in sample_rows(engine, 6):
            for depth in (1, 2, 3):
                found, expected = find(fast, row, depth), find(plain, row, depth)
                assert found.value == pytest.approx(expected.value, abs=2e-5)


@pytest.mark.parametrize("exchange", [False, True])
@pytest.mark.parametrize("game", ["connect-four-4x4", "othello-4x4"])
def test_places_of_tuples_follow_the_search(game: str, exchange: bool) -> None:
    """One search goes from position to position, near and far, and counts from each."""
    settings = NTupleSettings(tuples=12, tuple_length=4, exchange=exchange)
    evaluator = build_evaluator(trained(game, settings))
    engine = evaluator.function.graph.simulator
    assert isinstance(engine, CircuitSimulator)
    fast = CircuitSearch(engine, evaluator, 0, entries=4)
    plain = PlainSearch(engine, evaluator, 0)
    for row in sample_rows(engine, 8):
        for depth in (3, 1, 2):
            found, expected = find(fast, row, depth), find(plain, row, depth)
            assert found.value == pytest.approx(expected.value, abs=2e-5)


@pytest.mark.parametrize("reward_in_selection", [False, True])
def test_features_are_inputs_of_a_search(reward_in_selection: bool) -> None:
    settings = NetworkSettings(
        hidden=8,
        perspective="current-player",
        initial_range=None,
        lowest_reward=-1.0,
        scaling=(("(in centre own)", 0.25), ("(distance own)", 2.0)),
        reward_in_selection=reward_in_selection,
    )
    shaping = (("(in centre own)", 0.5), ("(in centre other)", -0.5))
    trainer = trained("abalone", settings, "abalearn3", shaping)
    evaluator = build_evaluator(trainer)
    engine = trainer.graph.simulator
    assert isinstance(engine, CircuitSimulator)
    for role in range(2):
        fast = CircuitSearch(engine, evaluator, role)
        plain = PlainSearch(engine, evaluator, role)
        for row in sample_rows(engine, 2):
            found, expected = find(fast, row, 2), find(plain, row, 2)
            assert found.value == pytest.approx(expected.value, abs=5e-5)


@pytest.mark.parametrize("function", FUNCTIONS, ids=range(len(FUNCTIONS)))
def test_one_move_ahead_it_is_the_greedy_player(function: FunctionSettings) -> None:
    trainer = trained("tictactoe", function)
    engine = trainer.graph.simulator
    assert isinstance(engine, CircuitSimulator)
    for role, name in enumerate(engine.roles):
        greedy = GreedyPlayer(trainer.values(role))
        search = CircuitSearch(engine, build_evaluator(trainer), role)
        greedy.start(Briefing(engine, name), Clock())
        for row in sample_rows(engine, 8):
            position = Position.from_row(engine, row)
            if len(position.legal_moves(name)) == 1:
                continue
            found = find(search, row, 1)
            chosen = position.advance(greedy.choose(position, Clock()))
            values = build_evaluator(trainer).evaluate(
                engine, chosen.row[None], role, role
            )
            if not chosen.is_terminal:
                assert float(values[0]) == pytest.approx(found.value, abs=2e-5)


def test_what_is_learned_later_does_not_change_a_search() -> None:
    trainer = trained("tictactoe", FUNCTIONS[2])
    engine = trainer.graph.simulator
    assert isinstance(engine, CircuitSimulator)
    search = CircuitSearch(engine, build_evaluator(trainer), 0)
    rows = sample_rows(engine, 4)
    before = [find(search, row, 1) for row in rows]
    trainer.run(50)
    assert [find(search, row, 1) for row in rows] == before


def test_it_plays_matches_of_the_interpreter() -> None:
    trainer = trained("tictactoe", FUNCTIONS[2])
    played = Interpreter(load("tictactoe"))
    board = "(cell 1 1 x) (cell 1 2 x) (cell 2 1 o) (cell 2 2 o) (control x)"
    player = AlphaBetaPlayer(build_evaluator(trainer), depth=3)
    player.start(Briefing(played, "x"), Clock())
    position = Position(played, board)
    assert position.advance(player.choose(position, Clock())).goal("x") == 100


def test_other_games_are_refused() -> None:
    evaluator = build_evaluator(trained("tictactoe", FUNCTIONS[0]))
    with pytest.raises(GameloreError, match="'tictactoe', not 'connect-3'"):
        evaluator.prepare(simulator(load("connect-3"), "circuit"))
