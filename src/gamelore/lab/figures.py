"""Speed and balance of a game: random matches, added up while they are played."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from threading import Event as Flag

from gamelore.engine.simulator import NO_GOAL, Playouts, Simulator
from gamelore.lab.events import DraftFigures

EVERY = 0.3
"""Seconds from one message to the next."""
MOVE_LIMIT = 2000

_Z = 1.96  # standard errors on each side of the mean, for 95%
_FIRST = {"circuit": 512, "interpreter": 1}
_MOST = 1 << 18


class Tally:
    """The sums of random matches."""

    def __init__(self, roles: tuple[str, ...]) -> None:
        self.roles = roles
        self.matches = 0
        self.cut_off = 0
        self.seconds = 0.0
        self.lengths: Counter[int] = Counter()
        self.goals: list[Counter[int]] = [Counter() for _ in roles]

    def add(self, playouts: Playouts, seconds: float) -> None:
        """Add matches from the initial position."""
        self.matches += playouts.count
        self.cut_off += playouts.cut_off
        self.seconds += seconds
        self.lengths.update(playouts.length_counts)
        for total, counts in zip(self.goals, playouts.goal_counts, strict=True):
            total.update({goal: n for goal, n in counts.items() if goal != NO_GOAL})

    def figures(self, *, over: bool) -> DraftFigures:
        """Return what they come to so far."""
        means = {}
        margins = {}
        for role, counts in zip(self.roles, self.goals, strict=True):
            means[role], margins[role] = estimate_mean(counts)
        return DraftFigures(
            matches=self.matches,
            per_second=self.matches / max(self.seconds, 1e-9),
            length=estimate_mean(self.lengths)[0],
            shortest=min(self.lengths, default=0),
            longest=max(self.lengths, default=0),
            cut_off=self.cut_off,
            goals=means,
            margins=margins,
            over=over,
        )


def estimate_mean(counts: Mapping[int, int]) -> tuple[float, float]:
    """Return the mean of counted values, and half the width of its 95% interval."""
    number = sum(counts.values())
    if not number:
        return 0.0, 0.0
    mean = sum(value * times for value, times in counts.items()) / number
    if number < 2:
        return mean, 0.0
    squares = sum(times * (value - mean) ** 2 for value, times in counts.items())
    return mean, _Z * math.sqrt(squares / (number - 1) / number)


def measure(
    simulator: Simulator,
    seconds: float,
    stopped: Flag,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[DraftFigures]:
    """Play random matches for a while; yield what they come to now and then."""
    simulator.playouts(count=1, move_limit=MOVE_LIMIT)  # loads the kernels
    tally = Tally(simulator.roles)
    began = told = clock()
    size, seed = _FIRST[simulator.engine], 0
    while clock() - began < seconds and not stopped.is_set():
        before = clock()
        playouts = simulator.playouts(count=size, seed=seed, move_limit=MOVE_LIMIT)
        took = clock() - before
        tally.add(playouts, took)
        seed += 1
        size = max(1, min(_MOST, int(size * min(4.0, 0.1 / max(took, 1e-6)))))
        if clock() - told >= EVERY:
            yield tally.figures(over=False)
            told = clock()
    yield tally.figures(over=True)
