"""The game as a circuit: `Game` → `CompiledGame`."""

from gamelore.circuit.compiler import CompiledGame, compile_game

__all__ = ["CompiledGame", "compile_game"]
