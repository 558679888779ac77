"""Searches of a network's moves, many positions at once and without noise."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gamelore.engine import Rows
from gamelore.kernels import direct
from gamelore.learn.zero import _match_kernels
from gamelore.learn.zero._forest_kernels import SearchRule
from gamelore.learn.zero._match_kernels import Lanes, PlayRule
from gamelore.learn.zero.self_play import SearchLanes
from gamelore.values.policy_value import PolicyValueNetwork

_choose_moves = direct(_match_kernels.choose_moves)

_LATE = 1_000_000  # moves made: nothing is drawn by temperature any more


def search_moves(
    network: PolicyValueNetwork, rule: SearchRule, rows: Rows, seed: int = 0
) -> npt.NDArray[np.int32]:
    """Return int32 [n, R]: the moves of all roles that searches of positions choose.

    Moves are numbered by role. Positions, uint64 [n, K], must not be terminal.
    """
    count, roles = len(rows), len(network.simulator.roles)
    search = SearchLanes(network, rule, count, seed=seed)
    search.forest.rows[:, 0] = rows
    search.search()
    lanes = Lanes(
        steps=np.full(count, _LATE, np.int32),
        last=np.full(count, -1, np.int64),
        joint=np.zeros((count, roles), np.int32),
        values=np.zeros((count, roles)),
        rewards=np.zeros(0, np.int16),
        lengths=np.zeros(0, np.int32),
        counts=np.zeros(3, np.int64),
    )
    play = PlayRule(
        temperature_moves=0,
        pruned=0,
        weight=1.0,
        opening=0,
        opening_share=0.0,
        decay=1.0,
        longest=_LATE,
    )
    _choose_moves(search.forest, rule, play, lanes)
    ends = np.cumsum([0, *map(len, network.simulator.moves)])[:-1]
    return np.asarray(lanes.joint - ends.astype(np.int32))
