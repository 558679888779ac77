"""`gamelore learn` in tests, and what it must come to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from gamelore.cli import main
from gamelore.engine import simulator
from gamelore.games import load, load_features
from gamelore.graph import StateGraph
from gamelore.learn.checkpoint import Checkpoint
from gamelore.learn.config import TrainConfig
from gamelore.learn.trainer import Trainer


def run(*arguments: str | Path, code: int = 0) -> Result:
    """Run the command; it must end with this status."""
    result = CliRunner().invoke(main, ["learn", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def learned(*arguments: str | Path) -> dict[str, Any]:
    """Run the command, and return what it prints as JSON."""
    record: dict[str, Any] = json.loads(run(*arguments, "--json").stdout)
    assert isinstance(record, dict)
    return record


def trained(
    config: TrainConfig, matches: int, features: str | None = None
) -> Checkpoint:
    """Return what training in one go comes to."""
    game = load("tictactoe")
    rules = None if features is None else load_features(features, game)
    trainer = Trainer(StateGraph(simulator(game, features=rules)), config)
    return Checkpoint.of(trainer, trainer.run(matches).rewards)


def assert_same(left: Checkpoint, right: Checkpoint) -> None:
    assert (left.matches, left.config) == (right.matches, right.config)
    assert left.inputs == right.inputs
    assert left.arrays().keys() == right.arrays().keys()
    for name, array in left.arrays().items():
        assert array.tobytes() == right.arrays()[name].tobytes(), name
