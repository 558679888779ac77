"""Cells in runs of a kind, so that kernels need not look at each one's inverters.

A loop over cells of one kind, with the same inputs inverted, reads, combines and
stores; one over mixed cells would also make a mask of every input. Cells may run in any
order in which each comes after those it reads, and there is some choice, so that cells
of a kind come together; not too far from where they were, since a value is to be used
soon after it is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import TypeAlias

Reads: TypeAlias = tuple[int, Sequence[int]]
"""A cell's number, and the numbers of the cells it reads."""

_WINDOW = 4096  # cells that one may come earlier than in the order given


def gather_runs(cells: Sequence[Reads], kinds: Sequence[int]) -> list[int]:
    """Return the places of cells in another order: longer runs of a kind."""
    place = {number: i for i, (number, _) in enumerate(cells)}
    readers: list[list[int]] = [[] for _ in cells]
    missing = [0] * len(cells)
    for i, (_, reads) in enumerate(cells):
        for number in set(reads):
            if number in place:
                readers[place[number]].append(i)
                missing[i] += 1
    ready: list[list[int]] = [[] for _ in range(1 + max(kinds, default=0))]
    for i, count in enumerate(missing):
        if not count:
            ready[kinds[i]].append(i)
    return _take_turns(ready, readers, missing, kinds)


def _take_turns(
    ready: list[list[int]],
    readers: Sequence[Sequence[int]],
    missing: list[int],
    kinds: Sequence[int],
) -> list[int]:
    """Take cells of one kind while some are ready that are not far ahead."""
    order: list[int] = []
    done = bytearray(len(kinds))
    oldest = 0  # all before it are done
    kind = 0
    while len(order) < len(kinds):
        while oldest < len(kinds) and done[oldest]:
            oldest += 1
        if not ready[kind] or ready[kind][0] > oldest + _WINDOW:
            kind = min((heap[0], k) for k, heap in enumerate(ready) if heap)[1]
        i = heappop(ready[kind])
        done[i] = 1
        order.append(i)
        for reader in readers[i]:
            missing[reader] -= 1
            if not missing[reader]:
                heappush(ready[kinds[reader]], reader)
    return order
