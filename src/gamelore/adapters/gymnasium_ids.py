"""The games of the library in Gymnasium's registry."""

from __future__ import annotations

import gymnasium as gym

from gamelore.games import library

_MODULE = "gamelore.adapters.gymnasium"


def environment_id(name: str) -> str:
    """Return the name of a library game in Gymnasium's registry.

    >>> environment_id("connect-four")
    'gamelore/ConnectFour-v0'
    """
    words = "".join(word[:1].upper() + word[1:] for word in name.split("-"))
    return f"gamelore/{words}-v0"


def register_games() -> None:
    """Make every game of the library known to `gymnasium.make`."""
    for entry in library():
        name = environment_id(entry.name)
        if name not in gym.registry:
            gym.register(
                id=name,
                entry_point=f"{_MODULE}:GameEnv",
                vector_entry_point=f"{_MODULE}:GameVectorEnv",
                kwargs={"game": entry.name},
            )
