"""Playing by the rules: positions in, legal moves, successors and goals out."""

from gamelore.simulate.choose import Engine, SlowEngineWarning, simulator
from gamelore.simulate.compiled import CircuitSimulator
from gamelore.simulate.interpreter import Interpreter
from gamelore.simulate.simulator import (
    NO_GOAL,
    Expansion,
    Playouts,
    Row,
    Rows,
    Simulator,
)

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
    "simulator",
]
