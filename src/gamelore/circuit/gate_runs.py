"""Gates in runs of a kind, so that kernels need not look at each one's inverters.

A gate is an AND of two literals, none, one or both of which are inverted. A loop over
gates of one kind reads, combines and stores; one over mixed gates also makes a mask of
every literal. Gates may run in any order in which each comes after those it reads, and
there is some choice, so that gates of a kind come together; not too far from where they
were, since a value is to be used soon after it is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np

from gamelore.circuit.program import Ints

Reads: TypeAlias = tuple[int, Sequence[int]]
"""A gate's number, and the numbers of the gates it reads."""

_KINDS = 3
_WINDOW = 256  # gates that one may come earlier than in the order given


def gather_runs(gates: Sequence[Reads], kinds: Sequence[int]) -> list[int]:
    """Return the places of gates in another order: longer runs of a kind."""
    place = {number: i for i, (number, _) in enumerate(gates)}
    readers: list[list[int]] = [[] for _ in gates]
    missing = [0] * len(gates)
    for i, (_, reads) in enumerate(gates):
        for number in set(reads):
            if number in place:
                readers[place[number]].append(i)
                missing[i] += 1
    ready: list[list[int]] = [[] for _ in range(_KINDS)]
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
    """Take gates of one kind while some are ready that are not far ahead."""
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


def measure_runs(left: Ints, right: Ints) -> Ints:
    """Return int32 [G]: how many gates from each on are of its kind."""
    if not len(left):
        return np.zeros(0, np.int32)
    kinds = (left & 1) + (right & 1)
    starts = np.flatnonzero(np.diff(kinds, prepend=-1))
    ends = np.append(starts[1:], len(kinds))
    return (np.repeat(ends, ends - starts) - np.arange(len(kinds))).astype(np.int32)
