"""Training runs: limits, events, evaluation, checkpoints, and stopping."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from gamelore.engine import simulator
from gamelore.errors import CheckpointError, DivergenceError
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn import events
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig
from gamelore.learn.files import load_checkpoint, lock_checkpoint
from gamelore.learn.references import FrozenTrainer, ReferenceMatches
from gamelore.learn.run import RunConfig, TrainingRun
from gamelore.learn.schedules import Fixed
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import QSettings, TDSettings
from gamelore.learn.trainer import Record, Trainer
from gamelore.search.policies import PlayerSettings
from gamelore.settings import SettingError
from gamelore.values.settings import LinearSettings

NOVICE = TrainConfig(opponent=PlayerSettings("novice"), seed=1)
SELF_PLAY = TrainConfig(opponent=SelfPlay(), schedule=Fixed(0.1))


@cache
def graph() -> StateGraph:
    return StateGraph(simulator(load("tictactoe")))


def ticking(step: float = 0.001) -> Callable[[], float]:
    """A clock that goes on by the same time whenever it is read."""
    numbers = count()
    return lambda: step * next(numbers)


def arrays(trainer: Trainer, rewards: object) -> dict[str, bytes]:
    found = Checkpoint.of(trainer, np.asarray(rewards)).arrays()
    return {name: array.tobytes() for name, array in found.items()}


def test_a_run_plays_the_matches_of_its_trainer_and_tells_all_of_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.ckpt"
    told: list[events.TrainingEvent] = []
    run = TrainingRun(
        Trainer(graph(), NOVICE),
        RunConfig(matches=300, snapshots=(100,)),
        path,
        observers=[told.append],
        clock=ticking(),
    )
    assert run.run() == "matches"
    plain = Trainer(graph(), NOVICE)
    assert arrays(run.trainer, run.rewards) == arrays(plain, plain.run(300).rewards)
    kinds = [type(event) for event in told]
    assert kinds[0] is events.Started
    assert kinds[-1] is events.Finished
    assert {events.Progress, events.Evaluated, events.Checkpointed} < set(kinds)
    (snapshot,) = (e for e in told if isinstance(e, events.SnapshotWritten))
    assert (snapshot.matches, snapshot.path) == (100, tmp_path / "a-100.ckpt")
    assert load_checkpoint(snapshot.path).matches == 100
    progress = [e.matches for e in told if isinstance(e, events.Progress)]
    assert progress == sorted(progress)
    assert progress[-1] == 300


def test_evaluations_are_saved_and_do_not_change_what_is_learned(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.ckpt"
    config = RunConfig(matches=200, evaluate_every=50, evaluation_matches=20)
    run = TrainingRun(Trainer(graph(), SELF_PLAY), config, path)
    run.run()
    saved = load_checkpoint(path)
    assert saved.evaluations == tuple(run.evaluations)
    assert [one.trained for one in saved.evaluations[::2]] == [1, 50, 100, 150, 200]
    assert {one.opponent for one in saved.evaluations} == {"random", "novice"}
    assert all(one.low <= one.score <= one.high for one in saved.evaluations)
    plain = Trainer(graph(), SELF_PLAY)
    assert arrays(run.trainer, run.rewards) == arrays(plain, plain.run(200).rewards)
    never = RunConfig(matches=200, evaluate_every=0)
    without = TrainingRun(Trainer(graph(), SELF_PLAY), never)
    without.run()
    assert without.evaluations == []


@pytest.mark.parametrize(
    "config",
    [
        NOVICE,
        SELF_PLAY,
        TrainConfig(QSettings(), SelfPlay("own"), schedule=Fixed(0.2)),
        TrainConfig(TDSettings(0.01), SelfPlay(), function=LinearSettings()),
    ],
)
def test_a_frozen_trainer_learns_nothing(config: TrainConfig) -> None:
    trainer = Trainer(graph(), config)
    trainer.run(200)
    before = arrays(trainer, np.zeros(200))
    frozen = FrozenTrainer(trainer, PlayerSettings("random"))
    frozen.load(0)
    first = frozen.run(60).rewards
    assert arrays(trainer, np.zeros(200)) == before
    for name, weights in trainer.state().weights.items():
        assert (frozen.state().weights[name] == weights).all()
    frozen.load(0)
    assert (frozen.run(60).rewards == first).all()
    expected = [0, 1] if isinstance(config.opponent, SelfPlay) else [0]
    assert frozen.learner_roles == expected


def test_self_play_gets_better_by_its_evaluations() -> None:
    """Its rewards, which are the first player's goals, do not show that."""
    config = RunConfig(matches=20_000, evaluate_against=("random",))
    run = TrainingRun(Trainer(graph(), SELF_PLAY), config)
    run.run()
    assert run.evaluations[0].score < 0.75
    assert run.evaluations[-1].score > 0.85


def test_a_game_of_one_player_is_evaluated_alone() -> None:
    trainer = Trainer(StateGraph(simulator(load("peg-solitaire"))), TrainConfig())
    matches = ReferenceMatches(trainer, ("random", "novice"), 2)
    (result,) = matches.play(60.0, lambda: False)
    assert (result.opponent, result.matches) == ("alone", 2)


def test_an_evaluation_ends_when_its_time_is_up() -> None:
    trainer = Trainer(graph(), NOVICE)
    slow = ReferenceMatches(trainer, ("random",), 1000, clock=ticking(10.0))
    (result,) = slow.play(1.0, lambda: False)
    assert 1 <= result.matches < 1000
    assert slow.play(1.0, lambda: True) == ()


def test_a_run_stops_where_it_is_told_to_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "a.ckpt"
    config = RunConfig(matches=5000)
    run = TrainingRun(Trainer(graph(), NOVICE), config, path, clock=ticking())

    def stop_soon(event: events.TrainingEvent) -> None:
        if isinstance(event, events.Progress) and event.matches >= 50:
            run.stop()

    run.add_observer(stop_soon)
    assert run.run() == "stopped"
    assert 50 <= run.matches < 5000
    resumed = TrainingRun.resume(load_checkpoint(path), graph(), path=path)
    assert resumed.resumed_at == run.matches
    assert resumed.run() == "matches"
    plain = Trainer(graph(), NOVICE)
    rewards = plain.run(5000).rewards
    assert arrays(resumed.trainer, resumed.rewards) == arrays(plain, rewards)


@pytest.mark.parametrize(
    ("seconds", "first"), [(0.05, [1, 1, 2, 2]), (1e-6, [1, 1, 8, 64, 326])]
)
def test_parts_begin_with_one_match_and_follow_the_measured_speed(
    seconds: float, first: list[int]
) -> None:
    """`seconds`: that each match takes."""
    sizes: list[int] = []

    class Watched(Trainer):
        def run(self, matches: int) -> Record:
            sizes.append(matches)
            return super().run(matches)

    config = RunConfig(matches=400, evaluate_every=0)
    trainer = Watched(graph(), NOVICE)
    TrainingRun(trainer, config, clock=lambda: seconds * sum(sizes)).run()
    assert sizes[: len(first)] == first
    assert sum(sizes) == 400


def test_a_run_ends_by_the_clock() -> None:
    config = RunConfig(minutes=0.5, evaluation_matches=2)
    run = TrainingRun(Trainer(graph(), NOVICE), config, clock=ticking(0.1))
    assert run.run() == "minutes"
    assert run.seconds >= 30
    assert run.config.match_limit is None
    assert len(run.evaluations) > 4


def test_an_observer_that_raises_is_logged_and_dropped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[events.TrainingEvent] = []
    calls = 0

    def broken(event: events.TrainingEvent) -> None:
        nonlocal calls
        calls += 1
        raise RuntimeError("no display")

    run = TrainingRun(
        Trainer(graph(), NOVICE),
        RunConfig(matches=100, evaluate_every=0),
        observers=[broken, told.append],
    )
    run.run()
    assert calls == 1
    assert isinstance(told[-1], events.Finished)
    assert "no display" in caplog.text


@pytest.mark.parametrize("share", [1.0, 1e-9])
def test_weights_that_diverge_are_rolled_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    """To those after the last sound match, however seldom they are copied."""
    monkeypatch.setattr("gamelore.learn.run.COPY_SHARE", share)
    config = TrainConfig(
        TDSettings(1.0), SelfPlay(), schedule=Fixed(0.3), function=LinearSettings()
    )
    told: list[events.TrainingEvent] = []
    path = tmp_path / "a.ckpt"
    run = TrainingRun(
        Trainer(graph(), config),
        RunConfig(matches=5000, evaluate_every=0),
        path,
        observers=[told.append],
    )
    with pytest.raises(DivergenceError, match=r"lower the step size \(saved in"):
        run.run()
    assert isinstance(told[-1], events.Diverged)
    saved = load_checkpoint(path)
    assert 0 < saved.matches == told[-1].matches == len(run.rewards) < 5000
    assert np.isfinite(saved.weights["direct"]).all()


def test_a_second_run_into_the_same_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.ckpt"
    config = RunConfig(matches=20, evaluate_every=0)
    run = TrainingRun(Trainer(graph(), NOVICE), config, path)
    with (
        lock_checkpoint(path),
        pytest.raises(CheckpointError, match="another process is training into"),
    ):
        run.run()
    assert not path.exists()
    run.run()
    assert [one.name for one in tmp_path.iterdir()] == ["a.ckpt"]


def test_a_file_that_is_further_on_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.ckpt"
    config = RunConfig(matches=20, evaluate_every=0)
    TrainingRun(Trainer(graph(), NOVICE), config, path).run()
    early = load_checkpoint(path)
    more = RunConfig(matches=60, evaluate_every=0)
    TrainingRun.resume(early, graph(), more, path).run()
    late = TrainingRun.resume(early, graph(), more, path)
    with pytest.raises(CheckpointError, match="holds 60 matches of this training run"):
        late.run()
    assert load_checkpoint(path).matches == 60


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"minutes": float("nan")}, "minutes must be finite"),
        ({"minutes": 0.0}, "minutes must be in"),
        ({"matches": 0}, "matches must be at least 1"),
        ({"evaluation_matches": 1}, "evaluation_matches must be in"),
        ({"evaluate_against": ("me",)}, "evaluate_against must be players"),
    ],
)
def test_numbers_are_checked(fields: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        RunConfig(**fields)  # type: ignore[arg-type]
