"""Learning while a match goes on: what is trained and tried, when, and in a thread."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from threading import Semaphore
from typing import Any

import pytest

from gamelore.engine import CircuitSimulator, simulator
from gamelore.games import load
from gamelore.learn import in_match
from gamelore.learn.in_match import BackgroundTraining, InMatchTraining
from gamelore.search.mcts.profile import profile_game
from gamelore.values.evaluator import ValueFunctionEvaluator


def compiled(name: str) -> CircuitSimulator:
    engine = simulator(load(name), "circuit")
    assert isinstance(engine, CircuitSimulator)
    return engine


@pytest.fixture(scope="module")
def connect() -> CircuitSimulator:
    return compiled("connect-3")


class Decided:
    """A trial whose verdict is known beforehand; it takes three steps."""

    points = 1.0
    matches = 2

    def __init__(self, verdict: bool) -> None:
        self._steps = iter((None, None, verdict))

    def step(self) -> bool | None:
        return next(self._steps)


def decide(monkeypatch: pytest.MonkeyPatch, *verdicts: bool) -> None:
    """Have trials come out as told."""
    left = iter(verdicts)
    monkeypatch.setattr(in_match, "Trial", lambda *_, **__: Decided(next(left)))


def ticking(step: float) -> Callable[[], float]:
    """Return a clock that goes on by a step with every look."""
    times = itertools.count()
    return lambda: next(times) * step


def make(engine: CircuitSimulator, seconds: float = 2.0) -> InMatchTraining:
    """Return a training whose every slice takes so many seconds."""
    profile = profile_game(engine, engine.initial_row(), 1)
    return InMatchTraining(engine, profile, 1, clock=ticking(seconds))


def train_until(training: InMatchTraining, ended: Callable[[], Any]) -> None:
    for _ in range(1000):
        if ended():
            return
        training.step()
    pytest.fail("it does not end")


def test_what_wins_a_trial_is_used_and_then_renewed(
    connect: CircuitSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(monkeypatch, False, True)
    training = make(connect)
    train_until(training, lambda: training.evaluator)
    assert training.trained == 16  # a trial after 8 seconds failed
    first = training.evaluator
    train_until(training, lambda: training.evaluator is not first)
    assert training.trained == 32
    assert not training.is_over
    train_until(training, lambda: training.is_over)
    assert training.trained == 512
    assert isinstance(training.evaluator, ValueFunctionEvaluator)


def test_values_in_use_do_not_change(
    connect: CircuitSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(monkeypatch, True)
    training = make(connect)
    train_until(training, lambda: training.evaluator)
    used = training.evaluator
    rows = connect.initial_row()[None]
    before = used.evaluate(connect, rows, 0, 0) if used else None
    for _ in range(3):
        training.step()
    assert training.evaluator is used
    assert used is not None
    assert used.evaluate(connect, rows, 0, 0) == before


def test_after_three_trials_it_is_over(
    connect: CircuitSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(monkeypatch, False, False, False)
    training = make(connect)
    train_until(training, lambda: training.is_over)
    assert training.evaluator is None
    assert training.trained == 32


@pytest.mark.slow  # trains for seconds, and plays whole matches
@pytest.mark.timing
def test_values_of_breakthrough_win_a_real_trial() -> None:
    engine = compiled("breakthrough-6x6")
    profile = profile_game(engine, engine.initial_row(), 1)
    training = InMatchTraining(engine, profile, 1)  # by the processor's clock
    train_until(training, lambda: training.evaluator or training.is_over)
    assert training.evaluator is not None


# ── in a thread ─────────────────────────────────────────────────────────────────────


def count_threads() -> int:
    return sum(one.name == "gamelore-training" for one in threading.enumerate())


def test_it_is_closed_and_goes_on(connect: CircuitSimulator) -> None:
    training = BackgroundTraining(connect)
    assert count_threads() == 0
    training.resume()
    training.resume()
    assert count_threads() == 1
    while training._training is None or training._is_beginning:
        time.sleep(0.001)  # until it is set up, which is not waited for
    training.close()
    training.resume()
    assert count_threads() == 0
    training.open()
    training.resume()
    assert count_threads() == 1
    training.close()


def test_nothing_is_learned_while_it_is_halted(
    connect: CircuitSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = Semaphore(0)

    class Counted:
        evaluator = None
        is_over = False

        def step(self) -> None:
            steps.release()

    training = BackgroundTraining(connect)
    monkeypatch.setattr(training, "_begin", Counted)
    training.resume()
    assert steps.acquire(timeout=60)
    training.halt()
    while steps.acquire(timeout=0.2):
        pass  # the step that was under way
    assert count_threads() == 1
    training.resume()
    assert steps.acquire(timeout=60)
    training.halt()
    training.close()
    assert count_threads() == 0


def test_what_is_only_being_set_up_is_not_waited_for(
    connect: CircuitSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large games take seconds for that, which no clock of a move has."""
    begun, may_end, stepped = Semaphore(0), Semaphore(0), Semaphore(0)

    class Slow:
        evaluator = None
        is_over = False

        def __init__(self) -> None:
            begun.release()
            assert may_end.acquire(timeout=60)

        def step(self) -> None:
            stepped.release()

    training = BackgroundTraining(connect)
    monkeypatch.setattr(training, "_begin", Slow)
    training.resume()
    assert begun.acquire(timeout=60)
    training.close()  # returns, though it is not set up
    thread = training._thread
    assert thread is not None
    training.open()
    training.resume()
    assert training._thread is thread, "there is no second one beside it"
    training.close()
    may_end.release()
    thread.join(60)
    assert count_threads() == 0
    assert not stepped.acquire(blocking=False)
    training.open()
    training.resume()
    assert stepped.acquire(timeout=60), "what was set up is used"
    assert not begun.acquire(blocking=False)
    training.close()
    assert count_threads() == 0


@pytest.mark.parametrize("game", ["tron", "peg-solitaire", "trio", "pig"])
def test_games_that_it_cannot_learn_are_over_at_once(game: str) -> None:
    training = BackgroundTraining(compiled(game))
    training.resume()
    thread = training._thread
    assert thread is not None
    thread.join(60)
    assert training.is_over
    assert training.evaluator is None
    training.resume()
    assert count_threads() == 0
    training.close()
