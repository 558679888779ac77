"""Snapshots as players: how they are named, and where they play."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gamelore.agents.agent import MatchEntry
from gamelore.agents.random_player import RandomPlayer
from gamelore.agents.registry import AgentSpec, make_agent
from gamelore.agents.warm_up import warm_up
from gamelore.cli import main
from gamelore.engine import simulator
from gamelore.errors import CheckpointError, GameloreError
from gamelore.games import load
from gamelore.gdl import canonical_form
from gamelore.graph import StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig
from gamelore.learn.files import save_checkpoint
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.settings import TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.match.match import play_match
from gamelore.player import Clock
from gamelore.values.settings import NetworkSettings

CONFIG = TrainConfig(
    TDSettings(0.1), SelfPlay(), function=NetworkSettings(hidden=8, initial_range=None)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network, a table, and a file that is neither."""
    folder = tmp_path_factory.mktemp("learned")
    for name, config in (
        ("net.ckpt", CONFIG),
        ("table.ckpt", TrainConfig(opponent=SelfPlay())),
    ):
        trainer = Trainer(StateGraph(simulator(load("tictactoe"))), config)
        checkpoint = Checkpoint.of(trainer, trainer.run(400).rewards)
        save_checkpoint(checkpoint, folder / name)
    (folder / "notes").write_text("mine")
    return folder


@pytest.fixture(autouse=True)
def in_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def run(*arguments: str, code: int = 0, text: str = "") -> Result:
    result = CliRunner().invoke(main, arguments, input=text)
    assert result.exit_code == code, result.output
    return result


def test_how_they_are_named() -> None:
    for text, depth in (
        ("learned:net.ckpt", None),
        ("learned:net.ckpt:4", 4),
        ("net.ckpt", None),
        ("net.ckpt:12", 12),
    ):
        assert AgentSpec.parse(text) == AgentSpec("learned", depth, "net.ckpt")
    assert AgentSpec.parse("learned:none.ckpt").target == "none.ckpt"
    assert AgentSpec.parse("net.ckpt:9147").name == "import"  # a port
    assert AgentSpec.parse("localhost:4").name == "import"
    with pytest.raises(GameloreError, match="the depth must be in 1 to 1000, got 0"):
        AgentSpec.parse("learned:net.ckpt:0")
    assert AgentSpec.parse("learned:runs/net.ckpt:4").label == "net.ckpt:4"


def test_tree_search_over_them_is_named_by_the_file() -> None:
    spec = AgentSpec.parse("mcts:runs/net.ckpt:300")
    assert spec == AgentSpec("mcts", 300, "runs/net.ckpt")
    assert spec.is_learned
    assert spec.label == "mcts:net.ckpt:300"
    assert not AgentSpec.parse("mcts-300").is_learned
    with pytest.raises(GameloreError, match="playouts must be in 1 to 1000000, got 0"):
        AgentSpec.parse("mcts:net.ckpt:0")


@pytest.mark.parametrize(
    "spec",
    [
        "learned:net.ckpt",
        "net.ckpt:3",
        "table.ckpt",
        "mcts:net.ckpt",
        "mcts:table.ckpt:50",
    ],
)
def test_they_enter_matches_under_any_names(spec: str) -> None:
    warm_up(AgentSpec.parse(spec))
    agent = make_agent(spec, seed=1)
    for number, game in enumerate(
        (load("tictactoe"), canonical_form(load("tictactoe")).game)
    ):
        engine = simulator(game)
        own, other = engine.roles
        entry = MatchEntry(f"match {number}", engine, own, ("random",), 1.0, 30.0)
        player = agent.enter(entry, Clock(1.0))
        record = play_match(
            engine, {own: player, other: RandomPlayer(number)}, play_clock=30.0
        )
        assert record.complete
        assert not record.faults
        agent.finish(entry, record)
    agent.close()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("learned:none.ckpt", "cannot read none.ckpt"),
        ("learned:notes", "notes is of another kind, so it is no checkpoint"),
        ("learned:table.ckpt:2", "table.ckpt holds a table"),
        ("mcts:none.ckpt", "cannot read none.ckpt"),
    ],
)
def test_what_cannot_play(spec: str, message: str) -> None:
    with pytest.raises(GameloreError, match=message):
        make_agent(spec)


def test_a_game_that_was_not_learned_is_refused() -> None:
    with pytest.raises(CheckpointError, match="it is about tictactoe, not nim"):
        make_agent("net.ckpt", games=[load("tictactoe"), load("nim")])
    refused = run("match", "nim", "net.ckpt", "random", code=1)
    assert "net.ckpt: it is about tictactoe, not nim" in refused.stderr
    refused = run("play", "nim", "--against", "net.ckpt", code=1)
    assert "net.ckpt: it is about tictactoe, not nim" in refused.stderr


def test_they_play_matches() -> None:
    result = run(
        *("match", "tictactoe", "learned:net.ckpt:9", "net.ckpt", "--scramble"),
        *("--swap", "--repeat", "2", "--play-clock", "60", "--json"),
    )
    record = json.loads(result.stdout)
    assert [one["players"] for one in record["matches"]] == [
        ["net.ckpt:9", "net.ckpt"],
        ["net.ckpt", "net.ckpt:9"],
    ]
    assert [one["faults"] for one in record["matches"]] == [[], []]
    deep = next(one for one in record["players"] if one["player"] == "net.ckpt:9")
    assert deep["losses"] == 0


def test_they_play_people() -> None:
    against = "learned:net.ckpt:2"
    shown = run("play", "tictactoe", "--against", against, text="1\nq\n").stdout
    assert "o plays (mark " in shown
    shown = run("play", "tictactoe", "--against", "minimax-2", text="1\nq\n").stdout
    assert "o plays (mark " in shown
    refused = run("play", "tictactoe", "--against", "minmax", code=2)
    assert "did you mean minimax?" in refused.stderr


def test_they_play_tournaments(tmp_path: Path) -> None:
    cup = tmp_path / "cup.toml"
    text = (
        "repeats = 1\nstart_clock = 60\nplay_clock = 60\n"
        'players = {net = "learned:net.ckpt:2", other = "random"}\n'
    )
    cup.write_text(text + 'games = ["tictactoe"]')
    record = json.loads(run("tournament", str(cup), "--json").stdout)
    assert {row["player"]: row["faults"] for row in record["standings"]} == {
        "net": 0,
        "other": 0,
    }
    cup.write_text(text + 'output = "other"\ngames = ["nim"]')
    refused = run("tournament", str(cup), code=1)
    assert "players.net: net.ckpt: it is about tictactoe, not nim" in refused.stderr
