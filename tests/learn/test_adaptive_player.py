"""The player that learns while it plays: who chooses, and who may use which time."""

from __future__ import annotations

import pytest

from gamelore.engine import CircuitSimulator, simulator
from gamelore.engine.position import Position
from gamelore.errors import NotTurnTakingError
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn import adaptive_player
from gamelore.learn.adaptive_player import AdaptivePlayer
from gamelore.learn.presets import NTUPLES
from gamelore.learn.trainer import Trainer
from gamelore.player import Briefing, Clock
from gamelore.search.alpha_beta import AlphaBetaPlayer
from gamelore.search.evaluator import Evaluator
from gamelore.values.evaluator import ValueFunctionEvaluator


@pytest.fixture(scope="module")
def connect() -> CircuitSimulator:
    engine = simulator(load("connect-four"), "circuit")
    assert isinstance(engine, CircuitSimulator)
    return engine


@pytest.fixture(scope="module")
def learned(connect: CircuitSimulator) -> Evaluator:
    trainer = Trainer(StateGraph(connect), NTUPLES)
    trainer.run(20)
    assert trainer.function is not None
    return ValueFunctionEvaluator(trainer.function)


class Training:
    """Training in which nothing is learned but what it is told."""

    made: list[Training]

    def __init__(self, engine: CircuitSimulator, seed: int = 0) -> None:
        self.evaluator: Evaluator | None = None
        self.is_over = False
        self.calls: list[str] = []
        self.made.append(self)

    def __getattr__(self, name: str) -> object:
        if name in ("open", "close", "resume", "halt"):
            return lambda: self.calls.append(name)
        raise AttributeError(name)

    def abandon(self) -> None:
        self.is_over = True


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Training]:
    """All training that players begin, in order."""
    Training.made = []
    monkeypatch.setattr(adaptive_player, "BackgroundTraining", Training)
    return Training.made


def start(
    player: AdaptivePlayer, engine: CircuitSimulator, threads: int = 2
) -> Position:
    briefing = Briefing(engine, "red", 0.2, 0.2, ponders=True, threads=threads)
    player.start(briefing, Clock(0.2))
    return Position(engine)


def test_it_searches_a_tree_until_values_are_better(
    connect: CircuitSimulator, made: list[Training], learned: Evaluator
) -> None:
    player = AdaptivePlayer(1)
    position = start(player, connect)
    assert len(player._tree._trees) == 1  # the other thread trains
    player.choose(position, Clock(0.1))
    assert player.evaluator is None
    made[0].evaluator = learned
    by_tree = player._tree.last
    assert by_tree is not None
    assert player.choose(position, Clock(0.1)) in position.legal_moves("red")
    assert player.evaluator is learned
    assert player._tree.last is by_tree
    player.rest()
    assert made[0].calls[-1] == "close"


def test_values_are_kept_for_the_next_match(
    connect: CircuitSimulator, made: list[Training], learned: Evaluator
) -> None:
    player = AdaptivePlayer(1)
    start(player, connect)
    made[0].evaluator = learned
    player.rest()
    position = start(player, connect)
    assert player.evaluator is learned
    player.choose(position, Clock(0.1))
    player.rest()
    assert len(made) == 1


def test_the_tree_has_all_threads_once_nothing_more_is_learned(
    connect: CircuitSimulator, made: list[Training]
) -> None:
    player = AdaptivePlayer(1)
    position = start(player, connect, threads=3)
    assert len(player._tree._trees) == 2
    made[0].is_over = True
    player.choose(position, Clock(0.1))
    assert len(player._tree._trees) == 3
    assert player._tree._pondering.is_active
    player.rest()
    assert not player._tree._pondering.is_active
    start(player, connect, threads=3)
    assert len(player._tree._trees) == 3
    player.rest()


def test_with_one_thread_it_does_not_train_on_its_own_time(
    connect: CircuitSimulator, made: list[Training]
) -> None:
    player = AdaptivePlayer(1)
    position = start(player, connect, threads=1)
    assert made[0].calls == ["open", "resume", "halt"]
    player.choose(position, Clock(0.1))
    assert made[0].calls[3:] == ["halt", "resume"]
    player.rest()


def test_with_two_threads_training_goes_on(
    connect: CircuitSimulator, made: list[Training]
) -> None:
    player = AdaptivePlayer(1)
    position = start(player, connect)
    player.choose(position, Clock(0.1))
    assert "halt" not in made[0].calls
    player.rest()


def test_a_later_match_without_a_clock_does_not_wait(
    connect: CircuitSimulator, made: list[Training], learned: Evaluator
) -> None:
    player = AdaptivePlayer(1)
    start(player, connect)
    player.rest()
    player.start(Briefing(connect, "red", threads=2), Clock())
    assert made[0].calls.count("open") == 1
    made[0].evaluator = learned
    player.choose(Position(connect), Clock(0.1))
    assert player.evaluator is learned
    player.rest()


def test_what_the_tree_has_solved_is_not_learned(made: list[Training]) -> None:
    engine = simulator(load("tictactoe"), "circuit")
    player = AdaptivePlayer(1)
    briefing = Briefing(engine, "x", 600.0, 600.0, ponders=True, threads=2)
    player.start(briefing, Clock(600.0))  # which it does not wait for
    assert made[0].is_over
    assert len(player._tree._trees) == 2
    player.choose(Position(engine), Clock(600.0))
    player.rest()


def test_without_others_time_or_a_start_clock_it_only_searches(
    connect: CircuitSimulator, made: list[Training]
) -> None:
    player = AdaptivePlayer(1)
    player.start(Briefing(connect, "red", 0.2, 0.2, threads=2), Clock(0.2))
    player.choose(Position(connect), Clock(0.1))
    player.start(Briefing(connect, "red", ponders=True), Clock())
    player.choose(Position(connect), Clock(0.1))
    player.rest()
    assert not made


def test_a_search_that_fails_leaves_the_move_to_the_tree(
    connect: CircuitSimulator,
    made: list[Training],
    learned: Evaluator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise NotTurnTakingError("two roles have a choice at once")

    player = AdaptivePlayer(1)
    position = start(player, connect)
    made[0].evaluator = learned
    monkeypatch.setattr(AlphaBetaPlayer, "choose", fail)
    assert player.choose(position, Clock(0.1)) in position.legal_moves("red")
    assert player._search is None
    player.rest()


def test_it_must_be_started(connect: CircuitSimulator) -> None:
    with pytest.raises(RuntimeError, match="start must be called"):
        AdaptivePlayer().choose(Position(connect), Clock(0.1))
