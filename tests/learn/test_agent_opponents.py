"""Learning against any player that a spec names."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from gamelore.cli import main
from gamelore.engine import simulator
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig, name_opponent
from gamelore.learn.match_trainer import MatchTrainer, make_trainer
from gamelore.learn.opponents import AgentOpponent, find_opponent
from gamelore.learn.references import ReferenceMatches
from gamelore.learn.trainer import Trainer
from gamelore.search.policies import PlayerSettings
from gamelore.settings import SettingError, from_options, to_options


def graph() -> StateGraph:
    return StateGraph(simulator(load("tictactoe")))


def test_kernels_play_what_they_know() -> None:
    assert find_opponent("minimax-4") == PlayerSettings("minimax", depth=4)
    assert find_opponent("monte-carlo-9") == PlayerSettings("monte-carlo", playouts=9)
    assert find_opponent("novice") == PlayerSettings("novice")
    assert find_opponent("level-2") == AgentOpponent("level-2")
    assert type(make_trainer(graph(), TrainConfig())) is Trainer
    config = TrainConfig(opponent=AgentOpponent("mcts-16"))
    assert type(make_trainer(graph(), config)) is MatchTrainer


@pytest.mark.parametrize("text", ["mcts-16", "minimax-3", "monte-carlo-9", "weak"])
def test_options_name_the_opponent(text: str) -> None:
    config = from_options(TrainConfig, name_opponent({"against": text}))
    assert config.opponent == find_opponent(text)
    assert from_options(TrainConfig, to_options(config)) == config
    with pytest.raises(SettingError, match="there is no player"):
        AgentOpponent("nobody")


def test_a_run_against_an_agent_goes_on_as_if_it_had_not_ended() -> None:
    config = TrainConfig(opponent=AgentOpponent("mcts-16", epsilon=0.2))
    whole = make_trainer(graph(), config)
    rewards = whole.run(6).rewards
    parts = make_trainer(graph(), config)
    first = parts.run(3).rewards
    again = Checkpoint.of(parts, first).trainer(graph())
    assert [*first, *again.run(3).rewards] == [*rewards]
    assert again.table.cells().values.tolist() == whole.table.cells().values.tolist()


def test_references_may_be_agents() -> None:
    trainer = Trainer(graph())
    trainer.run(50)
    before = trainer.table.cells().values.copy()
    matches = ReferenceMatches(trainer, ("mcts-16", "minimax-2"), 2)
    results = matches.play(60.0, lambda: False)
    assert [one.opponent for one in results] == ["mcts-16", "minimax-2"]
    assert all(one.matches == 2 for one in results)
    assert (trainer.table.cells().values == before).all()


def test_the_command_takes_any_player(tmp_path: Path) -> None:
    save = str(tmp_path / "a.ckpt")
    words = ["learn", "tictactoe", "--matches", "3", "--evaluate-every", "0"]
    words += ["--quiet", "--save"]
    result = CliRunner().invoke(main, [*words, save, "--against", "mcts-16"])
    assert result.exit_code == 0, result.output
    more = [*words, save, "--resume", "--against", "mcts-16", "--matches", "4"]
    result = CliRunner().invoke(main, more)
    assert result.exit_code == 0, result.output
    result = CliRunner().invoke(main, [*words, save, "--against", "mtcs"])
    assert result.exit_code == 2
    assert "did you mean mcts?" in result.output
