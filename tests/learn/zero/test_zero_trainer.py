"""Policy and value from search: repeatable, resumable, and right in small games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from gamelore.agents.random_player import RandomPlayer
from gamelore.cli import main
from gamelore.engine import CircuitSimulator, simulator
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn import SelfPlay, Snapshot, TDSettings, TrainConfig, load_checkpoint
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.files import pack_checkpoint, unpack_checkpoint
from gamelore.learn.match_trainer import make_trainer
from gamelore.learn.run import RunConfig, TrainingRun
from gamelore.learn.schedules import StepDecay
from gamelore.learn.zero.player import PolicyValuePlayer
from gamelore.learn.zero.settings import ZeroSettings
from gamelore.learn.zero.trainer import ZeroTrainer
from gamelore.match.match import play_match
from gamelore.search.mcts import TreePlayer, TreeSettings
from gamelore.settings import SettingError, from_json, to_json
from gamelore.values.policy_value_settings import PolicyValueSettings

SMALL = TrainConfig(
    ZeroSettings(lanes=16, simulations=8, batch=32, window=2000, candidates=4),
    SelfPlay(),
    function=PolicyValueSettings(hidden=24, second_hidden=16),
    seed=3,
)


def make_graph(game: str) -> StateGraph:
    return StateGraph(simulator(load(game), "circuit"))


def make_small(game: str = "tictactoe", seed: int = 3) -> ZeroTrainer:
    trainer = make_trainer(make_graph(game), replace(SMALL, seed=seed))
    assert isinstance(trainer, ZeroTrainer)
    return trainer


def pack_weights(trainer: ZeroTrainer) -> bytes:
    return trainer.network.parameters.tobytes()


def test_the_same_seed_gives_the_same_weights_however_matches_are_asked_for() -> None:
    one, other, third = make_small(), make_small(), make_small(seed=4)
    first = pack_weights(one)
    records = [one.run(120)]
    parts = [other.run(count) for count in (1, 7, 50, 62)]
    third.run(120)
    assert one.matches == other.matches == 120
    np.testing.assert_array_equal(
        records[0].rewards, np.concatenate([part.rewards for part in parts])
    )
    assert pack_weights(one) == pack_weights(other)
    assert pack_weights(one) not in (first, pack_weights(third))
    assert np.isfinite(one.losses).all()


def test_steps_get_smaller_however_matches_are_asked_for() -> None:
    config = replace(SMALL, step_decay=StepDecay(30, 0.5))
    one, other = (ZeroTrainer(make_graph("tictactoe"), config) for _ in range(2))
    plain = make_small()
    one.run(120)
    for count in (40, 1, 79):
        other.run(count)
    plain.run(120)
    assert pack_weights(one) == pack_weights(other)
    assert pack_weights(one) != pack_weights(plain)


def test_training_resumes_bit_for_bit() -> None:
    through, begun = make_small(), make_small()
    rewards = through.run(150).rewards
    first = begun.run(70).rewards
    saved = unpack_checkpoint(pack_checkpoint(Checkpoint.of(begun, first)))
    resumed = saved.trainer(make_graph("tictactoe"))
    assert isinstance(resumed, ZeroTrainer)
    rest = resumed.run(80).rewards
    np.testing.assert_array_equal(rewards, np.concatenate([first, rest]))
    assert pack_weights(resumed) == pack_weights(through)


@pytest.mark.parametrize(
    "game", ["rock-paper-scissors", "trio", "pig", "peg-solitaire"]
)
def test_any_number_of_players_at_once_or_in_turn_with_dice_or_alone(
    game: str,
) -> None:
    trainer = make_small(game)
    trainer.run(20)
    engine = trainer.graph.simulator
    players = {
        engine.roles[role]: PolicyValuePlayer(trainer.network, seed=1)
        for role in trainer.players
    }
    record = play_match(engine, players, seed=2)
    assert record.complete
    assert not record.faults
    run = TrainingRun(
        trainer,
        RunConfig(matches=22, evaluate_every=1, evaluation_matches=3),
    )
    run.run()
    alone = len(trainer.players) == 1
    expected = {"alone"} if alone else {"random", "novice"}
    assert {one.opponent for one in run.evaluations} == expected


def test_a_checkpoint_gives_players_and_an_evaluator(tmp_path: Path) -> None:
    path = tmp_path / "zero.ckpt"
    graph = make_graph("tictactoe")
    run = TrainingRun(
        make_trainer(graph, SMALL), RunConfig(matches=40, evaluate_every=0), path
    )
    assert run.run() == "matches"
    snapshot = Snapshot.load(path)
    engine = snapshot.engine()
    assert isinstance(engine, CircuitSimulator)
    values = snapshot.evaluate(engine.initial_row()[None], "x")
    assert 0 <= values[0] <= 100
    evaluator = snapshot.evaluator()
    priors = evaluator.priors(engine, engine.initial_row()[None])
    assert priors is not None
    assert priors[0].sum() == pytest.approx(1)
    tree = TreePlayer(1, TreeSettings(playouts=100, mix=1), evaluator=evaluator)
    for player in (tree, *snapshot.players(StateGraph(engine)).values()):
        record = play_match(engine, {"x": player, "o": RandomPlayer(1)})
        assert record.complete
        assert not record.faults


def test_a_resumed_run_is_one_that_was_not_interrupted(tmp_path: Path) -> None:
    paths = tmp_path / "one.ckpt", tmp_path / "other.ckpt"
    for path, stops in zip(paths, ((90,), (30, 90)), strict=True):
        for number, matches in enumerate(stops):
            limits = RunConfig(matches=matches, evaluate_every=0)
            graph = make_graph("tictactoe")
            run = (
                TrainingRun.resume(load_checkpoint(path), graph, limits, path)
                if number
                else TrainingRun(make_trainer(graph, SMALL), limits, path)
            )
            run.run()
    one, other = map(load_checkpoint, paths)
    assert one.matches == other.matches == 90
    for name, array in one.weights.items():
        np.testing.assert_array_equal(array, other.weights[name])


def test_zero_on_the_command_line(tmp_path: Path) -> None:
    options = "--lanes 16 --simulations 6 --batch 32 --hidden 16 --second-hidden 8"
    path = tmp_path / "z.ckpt"
    call = f"learn tictactoe --learner zero {options} --matches 40 --evaluate-every 0"
    found = CliRunner().invoke(main, [*call.split(), "--save", str(path)])
    assert found.exit_code == 0, found.output
    assert "zero as x and o against self, 40 matches" in found.output
    assert load_checkpoint(path).config.learner == ZeroSettings(
        lanes=16, simulations=6, batch=32
    )
    again = f"learn tictactoe --save {path} --resume --matches 60 --evaluate-every 0"
    found = CliRunner().invoke(main, again.split())
    assert found.exit_code == 0, found.output
    assert load_checkpoint(path).matches == 60


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--values policy-value --learner td", "--learner must be zero"),
        ("--learner zero --values table", "--values must be policy-value"),
        ("--learner zero --against novice", "--against must be self"),
        ("--learner zero --epsilon 0.1", "--epsilon has no meaning"),
        ("--learner zero --features x.kif", "--features has no meaning"),
        ("--learner zero --forced-playouts", "is for the search puct"),
        ("--learner zero --window 10", "--window must be in"),
    ],
)
def test_what_has_no_meaning_is_refused(options: str, message: str) -> None:
    call = ["learn", "tictactoe", *options.split()]
    found = CliRunner().invoke(main, call)
    assert found.exit_code == 2, found.output
    assert message in found.output


def test_settings_fit_together() -> None:
    assert from_json(TrainConfig, to_json(SMALL)) == SMALL
    with pytest.raises(SettingError, match="policy and value"):
        TrainConfig(ZeroSettings(), SelfPlay())
    with pytest.raises(SettingError, match="policy and value"):
        TrainConfig(TDSettings(), SelfPlay(), function=PolicyValueSettings())
    with pytest.raises(SettingError, match="must be self"):
        TrainConfig(ZeroSettings(), function=PolicyValueSettings())
    with pytest.raises(GameloreError, match="compiled"):
        make_trainer(StateGraph(simulator(load("tictactoe"), "interpreter")), SMALL)
