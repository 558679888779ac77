"""Kernels that every tree search needs, compiled ahead by a second process."""

from __future__ import annotations

from gamelore.engine.compiled.plain_simulator import PlainSimulator
from gamelore.games import load
from gamelore.kernels import compile_only
from gamelore.search.mcts.profile import GameProfile
from gamelore.search.mcts.tree import CircuitTree

TASK = "gamelore.search.mcts.ahead:compile_search"
"""What `compiled_ahead` does for commands that search."""


def compile_search() -> None:
    """Compile the largest kernel of the tree search."""
    engine = PlainSimulator(load("tictactoe"))
    profile = GameProfile(7.6, (100, 0, 1), in_turns=True, choices=5.0)
    tree = CircuitTree(engine, profile=profile)
    compile_only("search_on", lambda: tree.set_root(engine.initial_row()))
