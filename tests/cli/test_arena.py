"""`gamelore arena`: snapshots meet, are rated, and are refused where they cannot."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gamelore.cli import main
from gamelore.engine import simulator
from gamelore.games import load
from gamelore.gdl import Game
from gamelore.gdl.features import FeatureRules
from gamelore.graph import StateGraph
from gamelore.learn.arena import Arena, name_files
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig
from gamelore.learn.files import load_checkpoint, save_checkpoint
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.search.policies import PlayerSettings
from gamelore.values.settings import NetworkSettings

MIDDLE = "(<= (feature middle) (true (cell 2 2 x)))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Snapshots of tic-tac-toe: a table early and late, of one role only, a network."""
    folder = tmp_path_factory.mktemp("snapshots")
    both = TrainConfig(opponent=SelfPlay(), learner=TDSettings(), seed=1)
    trainer = train(both, 20, folder / "early.ckpt")
    more = trainer.run(3000).rewards
    save(trainer, [50] * 20 + [int(goal) for goal in more], folder / "late.ckpt")
    first = TrainConfig(opponent=PlayerSettings("novice"), seed=2)
    train(first, 50, folder / "first.ckpt")
    train(first, 60, folder / "other.ckpt")
    network = TrainConfig(
        learner=TDSettings(step_size=0.05),
        opponent=SelfPlay(),
        function=NetworkSettings(hidden=8, initial_range=None),
    )
    train(network, 500, folder / "net.ckpt")
    return folder


def train(config: TrainConfig, matches: int, path: Path) -> Trainer:
    trainer = Trainer(StateGraph(simulator(load("tictactoe"))), config)
    save(trainer, [int(goal) for goal in trainer.run(matches).rewards], path)
    return trainer


def save(trainer: Trainer, rewards: list[int], path: Path) -> None:
    save_checkpoint(Checkpoint.of(trainer, rewards), path)


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["arena", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def read_record(*arguments: object) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(run(*arguments, "--json").stdout)
    return record


def test_what_learned_more_is_rated_higher(folder: Path) -> None:
    record = read_record(
        folder / "early.ckpt",
        folder / "late.ckpt",
        *("--against", "random", "--matches", 40),
    )
    players = {row["player"]: row for row in record["players"]}
    late, early = players["late.ckpt"], players["early.ckpt"]
    assert late["rating"]["value"] > early["rating"]["value"]
    assert late["rating"]["low"] < late["rating"]["value"] < late["rating"]["high"]
    assert players["random"]["wins"] < late["wins"]
    assert [row["matches"] for row in record["players"]] == [80, 80, 80]
    assert all(row["faults"] == 0 for row in record["players"])


def test_every_pair_meets_in_both_roles(folder: Path) -> None:
    record = read_record(
        folder / "late.ckpt",
        folder / "net.ckpt",
        *("--against", "novice", "--against", "minimax-2", "--matches", 4),
    )
    met = [tuple(match["players"]) for match in record["matches"]]
    learned = {"late.ckpt", "net.ckpt"}
    for pair in combinations(["late.ckpt", "net.ckpt", "novice", "minimax-2"], 2):
        times = 2 if learned & {*pair} else 0
        assert met.count(pair) == met.count(pair[::-1]) == times


def test_it_repeats(folder: Path) -> None:
    arguments = folder / "net.ckpt", "--against", "random", "--matches", 10
    assert read_record(*arguments) == read_record(*arguments)
    goals = [
        [match["goals"] for match in read_record(*arguments, "--seed", seed)["matches"]]
        for seed in (0, 1)
    ]
    assert goals[0] != goals[1]


def test_a_value_function_may_look_ahead(folder: Path) -> None:
    arguments = folder / "net.ckpt", "--against", "random", "--matches", 20
    record = read_record(*arguments, "--depth", 9, "--opening", 0)
    row = next(row for row in record["players"] if row["player"] == "net.ckpt")
    assert row["losses"] == 0
    refused = run(folder / "late.ckpt", *arguments, "--depth", 2, code=1)
    assert "holds a table" in refused.stderr


def test_snapshots_bring_rules_and_features_along(tmp_path: Path) -> None:
    game = Game.from_kif(load("tictactoe").to_kif(), "mine")
    config = TrainConfig(
        learner=TDSettings(step_size=0.05),
        opponent=SelfPlay(),
        function=NetworkSettings(hidden=4),
    )
    marks = "(<= (feature ?r ?x ?y) (true (cell ?x ?y ?r)) (role ?r))"
    for name, text in (("bare", ""), ("marks", marks), ("some", marks + MIDDLE)):
        rules = FeatureRules.from_kif(text, game, name) if text else None
        trainer = Trainer(StateGraph(simulator(game, features=rules)), config)
        rewards = [int(goal) for goal in trainer.run(20).rewards]
        save(trainer, rewards, tmp_path / f"{name}.ckpt")
    paths = [tmp_path / f"{name}.ckpt" for name in ("bare", "marks", "some")]
    record = read_record(*paths, "--against", "random", "--matches", 4)
    assert record["game"] == "mine"
    assert [row["matches"] for row in record["players"]] == [12] * 4
    assert [row["faults"] for row in record["players"]] == [0] * 4


def test_the_depth_of_a_preset_counts(folder: Path, tmp_path: Path) -> None:
    checkpoint = load_checkpoint(folder / "net.ckpt")
    deep = tmp_path / "deep.ckpt"
    save_checkpoint(replace(checkpoint, depth=9), deep)
    arguments = "--against", "random", "--matches", 20, "--opening", 0
    asked = read_record(folder / "net.ckpt", *arguments, "--depth", 9)
    preset = read_record(deep, *arguments)
    assert [one["goals"] for one in asked["matches"]] == [
        one["goals"] for one in preset["matches"]
    ]
    row = next(row for row in preset["players"] if row["player"] == "deep.ckpt")
    assert row["losses"] == 0


def test_other_rules_are_refused(folder: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "tictactoe.kif"
    sheet.write_text(load("tictactoe").to_kif() + "(lonely 1)")
    arguments = folder / "net.ckpt", "--against", "random", "--game", sheet
    message = "net.ckpt: the rules of tictactoe have changed since"
    assert message in run(*arguments, code=1).stderr
    trainer = Trainer(
        StateGraph(simulator(load("nim"))), TrainConfig(opponent=SelfPlay())
    )
    save(trainer, [int(goal) for goal in trainer.run(5).rewards], tmp_path / "nim")
    refused = run(folder / "net.ckpt", tmp_path / "nim", code=1)
    assert "nim: it is about nim, not tictactoe" in refused.stderr


def test_built_in_players_meet_where_nobody_learned() -> None:
    record = read_record(
        *("--game", "nim", "--against", "random", "--against", "minimax-20"),
        *("--matches", 6),
    )
    assert record["game"] == "nim"
    assert record["players"][0]["player"] == "minimax-20"


def test_minimax_does_not_lose_tictactoe() -> None:
    """No opening that lost already spoils the table, unless it is asked for."""
    players = "--game", "tictactoe", "--against", "random", "--against", "minimax-9"
    shown = run(*players, "--matches", 20).stdout
    assert "no random openings: every match starts from the first position" in shown
    record = read_record(*players, "--matches", 20)
    best = next(row for row in record["players"] if row["player"] == "minimax-9")
    assert best["losses"] == 0
    assert {match["opening"] for match in record["matches"]} == {0}
    shown = run(*players, "--matches", 2, "--opening", 2).stdout
    assert "random openings: each player's first 2 moves in every match" in shown


def test_snapshots_meet_from_openings_that_are_said(folder: Path) -> None:
    players = folder / "net.ckpt", folder / "late.ckpt", "--against", "random"
    shown = run(*players, "--matches", 2).stdout
    pair = "net.ckpt and late.ckpt"
    assert f"random openings: each player's first move in matches of {pair};" in shown
    record = read_record(*players, "--matches", 2)
    assert record["opened_pairs"] == [["net.ckpt", "late.ckpt"]]
    for match in record["matches"]:
        assert match["opening"] == int("random" not in match["players"])


def test_dice_need_no_openings(tmp_path: Path) -> None:
    trainer = Trainer(
        StateGraph(simulator(load("pig"))), TrainConfig(opponent=SelfPlay())
    )
    rewards = [int(goal) for goal in trainer.run(5).rewards]
    for name in ("one", "two"):
        save(trainer, rewards, tmp_path / name)
    shown = run(tmp_path / "one", tmp_path / "two", "--matches", 2).stdout
    assert "no random openings" in shown


def test_tables_and_pictures_are_written(folder: Path, tmp_path: Path) -> None:
    table, plot = tmp_path / "arena.csv", tmp_path / "arena.svg"
    shown = run(
        *(folder / "late.ckpt", "--against", "random", "--matches", 6),
        *("--csv", table, "--plot", plot),
    )
    assert shown.stdout.splitlines()[0].split()[:3] == ["player", "rating", "95%"]
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["player"] for row in rows] == ["late.ckpt", "random"]
    assert float(rows[0]["rating_low"]) < float(rows[0]["rating"])
    assert "late.ckpt" in plot.read_text()


def test_an_interrupt_keeps_what_was_played(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = Arena.play
    played: list[Any] = []

    def interrupted(arena: Arena, match: Any) -> Any:
        if len(played) == 5:
            raise KeyboardInterrupt
        played.append(play(arena, match))
        return played[-1]

    monkeypatch.setattr(Arena, "play", interrupted)
    table = tmp_path / "arena.csv"
    result = run(
        *(folder / "late.ckpt", "--against", "random", "--csv", table), code=130
    )
    assert "interrupted after 5 of 100 matches" in result.stderr
    assert "late.ckpt" in result.stdout
    assert table.exists()


def test_snapshots_of_the_same_role_only_cannot_meet(folder: Path) -> None:
    arguments = folder / "first.ckpt", folder / "other.ckpt"
    result = run(*arguments, "--against", "random", "--matches", 3)
    assert "first.ckpt and other.ckpt learned the same role only" in result.stderr
    record = read_record(*arguments, "--against", "random", "--matches", 3)
    assert {match["players"][1] for match in record["matches"]} == {"random"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["late.ckpt"], 2, "an arena needs two players"),
        (["--against", "random", "--against", "novice"], 2, "name a snapshot, or a"),
        (["late.ckpt", "--against", "td"], 1, "td learns from its matches"),
        (["late.ckpt", "--against", "minimax-0"], 2, "the depth must be in 1"),
        (["late.ckpt", "late.ckpt"], 1, "late.ckpt would play against itself"),
        (["late.ckpt", "--against", "random", "--plot", "a.pdf"], 2, "not '.pdf'"),
        (["late.ckpt", "--against", "random", "--game", "nim"], 1, "is about tictac"),
        (
            ["--game", "trio-3x3", "--against", "random", "--against", "novice"],
            1,
            "has 3 players; an arena is for two",
        ),
    ],
)
def test_what_cannot_be_is_refused(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(folder)
    assert message in run(*arguments, code=code).stderr


def test_files_of_one_name_are_told_apart() -> None:
    paths = Path("a/x.ckpt"), Path("b/x.ckpt"), Path("b/y.ckpt")
    assert name_files(paths) == ["a/x.ckpt", "b/x.ckpt", "y.ckpt"]
