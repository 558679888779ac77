"""Kernels of the compiled engine, compiled ahead by a second process."""

from __future__ import annotations

import numpy as np

from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.games import load
from gamelore.kernels import compile_only

TASK = "gamelore.engine.compiled.ahead:compile_step"
"""What `compiled_ahead` does for commands that look at many positions."""


def compile_step() -> None:
    """Compile what advances positions, while another process compiles the view."""
    engine = CircuitSimulator(load("tictactoe"))
    moves = np.zeros((1, len(engine.roles)), np.int32)
    rows = engine.initial_row()[None]
    compile_only("step", lambda: engine.advance(rows, moves, checked=False))
