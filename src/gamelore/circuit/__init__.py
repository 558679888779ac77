"""The game as a circuit: `Game` → `CompiledGame`."""

from gamelore.circuit.compiled import CompiledGame, Feature, Statistics
from gamelore.circuit.compiler import (
    compile_game,
    compile_in_stages,
    find_compiled,
    improve_game,
)
from gamelore.circuit.minimise import Effort
from gamelore.circuit.program import Program, empty_program

__all__ = [
    "CompiledGame",
    "Effort",
    "Feature",
    "Program",
    "Statistics",
    "compile_game",
    "compile_in_stages",
    "empty_program",
    "find_compiled",
    "improve_game",
]
