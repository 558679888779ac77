"""Random play of a library game beside a plain Python program of the same game."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Protocol

import numpy as np
import pytest

from gamelore.engine.choose import simulator
from gamelore.games import load
from gamelore.gdl import to_kif


class Reference(Protocol):
    """A turn-taking game in plain Python; moves and facts are KIF text."""

    mover: str

    def moves(self) -> set[str]:
        """The mover's legal moves; only asked before the end."""

    def play(self, move: str) -> None:
        """Make one of them."""

    def facts(self) -> set[str]:
        """Everything that is true in the position."""

    def goals(self) -> dict[str, int] | None:
        """Each role's goal, or None if the match goes on."""


def follow(name: str, reference: Reference, random: Random) -> int:
    """Play one match on both and compare them at each step; return its length."""
    sim = simulator(load(name))
    row = sim.initial_row()
    for length in range(1000):
        position = row[None]
        assert {to_kif(fact) for fact in sim.facts(row)} == reference.facts()
        goals = reference.goals()
        assert bool(sim.terminal(position)[0]) == (goals is not None)
        if goals is not None:
            found = dict(zip(sim.roles, sim.goals(position)[0].tolist(), strict=True))
            assert found == goals
            return length
        joint: list[int] = []
        for r, (role, legal) in enumerate(
            zip(sim.roles, sim.legal(position), strict=True)
        ):
            numbers = np.flatnonzero(legal[0]).tolist()
            names = {to_kif(sim.moves[r][i]): i for i in numbers}
            mine = role == reference.mover
            assert set(names) == (reference.moves() if mine else {"noop"})
            choice = random.choice(sorted(names))
            joint.append(names[choice])
            if mine:
                chosen = choice
        reference.play(chosen)
        row = sim.advance(position, np.array([joint], dtype=np.int32))[0]
    raise AssertionError("the match does not end")


@pytest.fixture
def play_beside() -> Callable[[str, Callable[[], Reference], int], list[int]]:
    """Play many matches of a library game beside a reference; return their lengths."""

    def play(name: str, reference: Callable[[], Reference], count: int) -> list[int]:
        random = Random(f"{name} beside the reference")
        return [follow(name, reference(), random) for _ in range(count)]

    return play
