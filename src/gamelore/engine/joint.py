"""Every joint move of many positions at once.

Shapes: n positions, R roles, M[r] moves of role r, m joint moves in all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def joint_moves(
    legal: Sequence[npt.NDArray[np.bool_]],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """All combinations of the roles' legal moves, position by position.

    legal: per role, bool [n, M[r]]. The result is the position that each joint move is
    made in, int32 [m], in order; and the joint moves, int32 [m, R].
    """
    parents = np.arange(len(legal[0]))
    columns: list[npt.NDArray[np.int64]] = []
    for moves in legal:
        owners, numbers = np.nonzero(moves)
        counts = np.bincount(owners, minlength=len(moves))
        firsts = np.cumsum(counts) - counts
        repeats = counts[parents]
        starts = np.cumsum(repeats) - repeats
        rank = np.arange(repeats.sum()) - np.repeat(starts, repeats)
        columns = [np.repeat(column, repeats) for column in columns]
        parents = np.repeat(parents, repeats)
        columns.append(numbers[firsts[parents] + rank])
    return parents.astype(np.int32), np.stack(columns, axis=1).astype(np.int32)
