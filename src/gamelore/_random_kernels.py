"""Random numbers for kernels: a stream is the state of one xoshiro256++ generator.

Every kernel that draws takes its stream as an argument and moves it on in place, so a
run repeats bit for bit from its seed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamelore.kernels import lean_part


class Streams(NamedTuple):
    """Independent streams, one for each who draws in a match."""

    learner: np.ndarray  # uint64 [4]
    opponent: np.ndarray  # uint64 [4]
    chance: np.ndarray  # uint64 [4]
    saved: np.ndarray  # uint64 [3, 4]   the others as they were before the match


@lean_part
def draw(state):
    """Return the next 64 random bits.  state: uint64 [4]"""
    total = state[0] + state[3]
    result = ((total << np.uint64(23)) | (total >> np.uint64(41))) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << np.uint64(45)) | (state[3] >> np.uint64(19))
    return result


@lean_part
def draw_below(state, count):
    """Return a random number from 0 to count - 1, exactly uniform."""
    if count <= 1:
        return 0
    mask = np.uint64(count - 1)
    mask |= mask >> np.uint64(1)
    mask |= mask >> np.uint64(2)
    mask |= mask >> np.uint64(4)
    mask |= mask >> np.uint64(8)
    mask |= mask >> np.uint64(16)
    while True:
        number = np.int64((draw(state) >> np.uint64(32)) & mask)
        if number < count:
            return number


@lean_part
def draw_unit(state):
    """Return a random number from 0 to 1, 1 excluded."""
    return np.float64(draw(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@lean_part
def save_streams(streams):
    """Remember all streams, so that a match can be played again."""
    for i in range(4):
        streams.saved[0, i] = streams.learner[i]
        streams.saved[1, i] = streams.opponent[i]
        streams.saved[2, i] = streams.chance[i]


@lean_part
def restore_streams(streams):
    """Put all streams back to where they were saved."""
    for i in range(4):
        streams.learner[i] = streams.saved[0, i]
        streams.opponent[i] = streams.saved[1, i]
        streams.chance[i] = streams.saved[2, i]
