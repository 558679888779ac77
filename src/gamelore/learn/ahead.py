"""Kernels that learning needs, compiled ahead by a second process."""

from __future__ import annotations

from gamelore.engine.compiled.plain_simulator import PlainSimulator
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.kernels import compile_only
from gamelore.learn.config import TrainConfig
from gamelore.learn.trainer import Trainer

TASK = "gamelore.learn.ahead:compile_learning"
"""What `compiled_ahead` does for commands that learn."""


def compile_learning() -> None:
    """Compile the largest kernel of learning with tables."""
    graph = StateGraph(PlainSimulator(load("tictactoe")))
    compile_only("run_table_matches", lambda: Trainer(graph, TrainConfig()).run(1))
