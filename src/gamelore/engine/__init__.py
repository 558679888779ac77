"""Playing by the rules: positions in, legal moves, successors and goals out."""

from gamelore.engine.choose import (
    Engine,
    SlowEngineWarning,
    simulator,
    simulator_in_stages,
)
from gamelore.engine.compiled.choices import load_many_moves
from gamelore.engine.compiled.simulator import CircuitSimulator
from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.simulator import NO_GOAL, Expansion, Playouts, Row, Rows, Simulator

__all__ = [
    "NO_GOAL",
    "CircuitSimulator",
    "Engine",
    "Expansion",
    "Interpreter",
    "Playouts",
    "Row",
    "Rows",
    "Simulator",
    "SlowEngineWarning",
    "load_many_moves",
    "simulator",
    "simulator_in_stages",
]
