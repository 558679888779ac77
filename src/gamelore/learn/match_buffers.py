"""What kernels write matches into, and the random numbers they draw."""

from __future__ import annotations

import numpy as np

from gamelore._random_kernels import Streams
from gamelore.learn._learner_kernels import Trajectory
from gamelore.learn._match_kernels import MatchBuffers


def make_streams(seed: int) -> Streams:
    """Return independent streams for the learner, its opponent and chance."""
    children = np.random.SeedSequence(seed).spawn(3)
    learner, opponent, chance = (c.generate_state(4, np.uint64) for c in children)
    return Streams(learner, opponent, chance, saved=np.zeros((3, 4), np.uint64))


def new_trajectory(longest: int) -> Trajectory:
    """Return a buffer for the decisions of a match."""
    return Trajectory(
        length=np.zeros(1, np.int64),
        nodes=np.zeros(longest, np.int32),
        edges=np.zeros(longest, np.int64),
        explored=np.zeros(longest, np.uint8),
        cells=np.zeros(longest + 1, np.int64),
        initial=np.zeros(longest),
        rewards=np.zeros(longest + 1),
    )


def new_buffers(matches: int, longest: int, width: int = 0) -> MatchBuffers:
    """Return buffers for the results of matches, and for the one being played.

    `width`: words of a position, where the last ones are wanted
    """
    return MatchBuffers(
        own=new_trajectory(longest),
        other=new_trajectory(longest),
        rewards=np.zeros(matches),
        lengths=np.zeros(matches, np.int32),
        cells=np.zeros(matches, np.int64),
        ends=np.zeros((matches, width), np.uint64),
        failure=np.zeros(2, np.int64),
    )
