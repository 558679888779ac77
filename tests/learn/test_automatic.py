"""A learner chosen by the size of the game, and runs that end on convergence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gamelore.engine import simulator
from gamelore.errors import GameloreError, NotTurnTakingError
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn import events
from gamelore.learn.automatic import choose_config, count_states
from gamelore.learn.best import Best, best_path
from gamelore.learn.config import TrainConfig
from gamelore.learn.files import load_checkpoint
from gamelore.learn.references import ITSELF, ReferenceMatches, ReferenceResult
from gamelore.learn.run import RunConfig, TrainingRun
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.trainer import Trainer
from gamelore.values.ntuple.settings import NTupleSettings


@pytest.mark.parametrize(
    ("game", "states"), [("tictactoe", 5478), ("nim", 752), ("connect-3", None)]
)
def test_states_are_counted(game: str, states: int | None) -> None:
    assert count_states(simulator(load(game))) == states


def test_the_size_of_a_game_decides() -> None:
    small = choose_config(simulator(load("tictactoe")), seed=4)
    assert small.function is None
    assert small.opponent == SelfPlay()
    assert small.seed == 4
    large = choose_config(simulator(load("connect-3")))
    assert isinstance(large.function, NTupleSettings)
    assert large.opponent == SelfPlay()
    alone = choose_config(simulator(load("peg-solitaire")))
    assert alone.opponent.name == "random"
    with pytest.raises(NotTurnTakingError):
        choose_config(simulator(load("tron")))


def result(trained: int, *scores: float) -> list[ReferenceResult]:
    return [
        ReferenceResult(trained, f"player {i}", 100, score, 0.0, 1.0)
        for i, score in enumerate(scores)
    ]


def test_the_best_is_by_the_mean_of_scores() -> None:
    best = Best()
    assert best.add(result(1, 0.5, 0.1))
    assert best.add(result(10, 0.4, 0.4))
    assert not best.add(result(20, 0.7, 0.1))
    assert not best.add(result(30, 0.1, 0.1))
    assert best.score == pytest.approx(0.4)
    assert (best.matches, best.since) == (10, 2)
    again = Best.of([*result(1, 0.5, 0.1), *result(10, 0.4, 0.4), *result(20, 0.3, 0)])
    assert (again.matches, again.since) == (10, 1)


def test_what_it_was_before_decides() -> None:
    """Others may all be beaten long before a learner is as good as it gets."""

    def against(trained: int, score: float, low: float) -> list[ReferenceResult]:
        itself = ReferenceResult(trained, ITSELF, 100, score, low, 1.0)
        return [*result(trained, 1.0, 1.0), itself]

    best = Best()
    assert best.add(against(1, 0.5, 0.4))
    assert not best.add(against(10, 0.55, 0.49))
    assert best.add(against(20, 0.6, 0.51))
    assert (best.matches, best.since) == (20, 0)


def test_a_learner_plays_its_former_self() -> None:
    sim = simulator(load("connect-3"))
    config = replace(choose_config(sim), seed=5)
    trainer = Trainer(StateGraph(sim), config)
    matches = ReferenceMatches(trainer, ("random", ITSELF), 200)
    trainer.run(2000)
    before = trainer.state()
    untrained = matches.play(60, lambda: False)[-1]
    assert untrained.opponent == ITSELF
    assert untrained.matches == 200
    assert untrained.low > 0.5
    matches.keep_best()
    equal = matches.play(60, lambda: False)[-1]
    assert equal.low < 0.5 < equal.high
    after = trainer.state()
    assert np.array_equal(before.weights["tables"], after.weights["tables"])
    with pytest.raises(GameloreError, match="value functions of two players"):
        table = Trainer(StateGraph(sim), TrainConfig(opponent=SelfPlay()))
        ReferenceMatches(table, (ITSELF,), 10)


def test_a_run_ends_when_it_settles_and_keeps_the_best(tmp_path: Path) -> None:
    graph = StateGraph(simulator(load("tictactoe")))
    trainer = Trainer(graph, TrainConfig(opponent=SelfPlay(), seed=1))
    limits = RunConfig(
        patience=3, keep_best=True, evaluate_every=100, evaluation_matches=40
    )
    seen: list[events.TrainingEvent] = []
    path = tmp_path / "run.ckpt"
    run = TrainingRun(trainer, limits, path, observers=[seen.append])
    assert run.run() == "settled"
    improved = [event for event in seen if isinstance(event, events.Improved)]
    assert improved[-1].matches == run.best.matches
    kept = load_checkpoint(best_path(path))
    assert kept.matches == run.best.matches
    assert load_checkpoint(path).matches == run.matches == run.best.matches + 300
    last = [one for one in run.evaluations if one.trained > run.best.matches]
    means = np.array([one.score for one in last]).reshape(3, -1).mean(axis=1)
    assert (means <= run.best.score).all()
    times = [one.seconds for one in run.evaluations]
    assert times == sorted(times)
    worked = [one.processor_seconds for one in run.evaluations]
    assert worked == sorted(worked)
    assert worked[-1] > 0


def test_time_goes_on_where_a_run_is_resumed(tmp_path: Path) -> None:
    graph = StateGraph(simulator(load("tictactoe")))
    limits = RunConfig(matches=200, evaluate_every=100, evaluation_matches=10)
    run = TrainingRun(Trainer(graph, TrainConfig(seed=1)), limits)
    run.run()
    last = run.evaluations[-1]
    more = RunConfig(matches=400, evaluate_every=100, evaluation_matches=10)
    resumed = TrainingRun.resume(run.checkpoint(), graph, more)
    resumed.run()
    assert resumed.evaluations[-1].seconds > last.seconds
    assert resumed.evaluations[-1].processor_seconds > last.processor_seconds
