"""Built-in players as data, so that kernels can play them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gamelore.atlas import Atlas
from gamelore.atlas.atlas import empty_nodes
from gamelore.circuit import empty_program
from gamelore.kernels import pointer
from gamelore.play import _kernels
from gamelore.play._kernels import Habits

KINDS = {
    "random": _kernels.RANDOM,
    "novice": _kernels.NOVICE,
    "weak": _kernels.WEAK,
    "minimax": _kernels.MINIMAX,
    "monte-carlo": _kernels.MONTE_CARLO,
}


UNLIMITED = 1 << 62
"""A budget that no search uses up."""


@dataclass(frozen=True)
class PlayerSettings:
    """A built-in player."""

    name: str = "random"
    """random · novice · weak · minimax · monte-carlo"""
    epsilon: float = 0.01
    """How often it moves at random instead; random play has no use for it."""
    depth: int = 2
    """Of minimax, in moves."""
    playouts: int = 100
    """Of Monte Carlo, per move."""

    def __post_init__(self) -> None:
        if self.name not in KINDS:
            known = ", ".join(KINDS)
            raise ValueError(f"name must be one of {known}, got {self.name!r}")
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"epsilon must be in [0, 1], got {self.epsilon}")
        if self.depth < 1:
            raise ValueError(f"depth must be at least 1, got {self.depth}")
        if self.playouts < 1:
            raise ValueError(f"playouts must be at least 1, got {self.playouts}")


def habits_of(
    atlas: Atlas, settings: PlayerSettings, *, searches: bool = False
) -> Habits:
    """What kernels need to play such a player on a game.

    `searches`: whether playouts may be asked of it though it is no Monte Carlo player.
    """
    goals = atlas.simulator.goal_values
    roles = len(goals)
    nodes = len(atlas.nodes.rows) if settings.name == "minimax" else 0
    fluents = np.arange(1, 1 + len(atlas.program.next), dtype=np.int32)
    return Habits(
        kind=KINDS[settings.name],
        epsilon=settings.epsilon,
        depth=settings.depth,
        playouts=settings.playouts,
        best=np.array([max(values, default=100) for values in goals], np.int16),
        worst=np.array([min(values, default=0) for values in goals], np.int16),
        reset=np.concatenate([fluents, atlas.program.carried]).astype(np.int32),
        searched=np.zeros((roles, nodes), np.float32),
        searched_depth=np.zeros((roles, nodes), np.int8),
        searched_bound=np.zeros((roles, nodes), np.int8),
        budget=np.full(1, UNLIMITED, np.int64),
        search=_searcher(settings.name == "monte-carlo" or searches),
    )


@cache
def _searcher(wanted: bool) -> Any:
    """The pointer through which kernels search by playouts; one to nothing much where
    nobody will, since compiling the search takes seconds."""
    slots, stream = np.zeros(1, np.int32), np.zeros(4, np.uint64)
    search = _kernels.search_by_playouts if wanted else _kernels.search_nothing
    program, nodes = empty_program(), empty_nodes()
    return pointer(search, 0, program, nodes, slots, 0, stream, 0)


def fit(habits: Habits, atlas: Atlas) -> Habits:
    """Keep up with an atlas that has grown; what was searched stays known."""
    room = len(atlas.nodes.rows)
    if habits.kind != _kernels.MINIMAX or habits.searched.shape[1] == room:
        return habits
    return habits._replace(
        searched=_widened(habits.searched, room),
        searched_depth=_widened(habits.searched_depth, room),
        searched_bound=_widened(habits.searched_bound, room),
    )


def _widened(array: npt.NDArray[np.generic], columns: int) -> npt.NDArray[np.generic]:
    wide = np.zeros((len(array), columns), array.dtype)
    wide[:, : array.shape[1]] = array
    return wide
