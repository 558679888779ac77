"""Joint moves, beside the plain product."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gamelore.engine.joint import joint_moves


@given(
    n=st.integers(0, 5),
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=3),
    seed=st.integers(0, 2**32 - 1),
)
def test_joint_moves_are_the_product(n: int, sizes: list[int], seed: int) -> None:
    generator = np.random.default_rng(seed)
    legal = [generator.random((n, size)) < 0.5 for size in sizes]
    expected = [
        (i, *joint)
        for i in range(n)
        for joint in product(*(np.flatnonzero(moves[i]).tolist() for moves in legal))
    ]
    parents, moves = joint_moves(legal)
    assert parents.dtype == moves.dtype == np.int32
    assert moves.shape == (len(expected), len(sizes))
    found = [(int(p), *map(int, m)) for p, m in zip(parents, moves, strict=True)]
    assert found == expected
