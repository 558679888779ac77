"""The common part of players that value moves by sampling.

The successors of all moves are sampled in one batch. The other roles are taken to reply
at random, which serves turn-taking and simultaneous games, with any number of roles.
"""

from __future__ import annotations

import itertools
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from gamelore.engine.position import Position
from gamelore.engine.simulator import Rows, Simulator
from gamelore.gdl import Move
from gamelore.player import Briefing, Clock
from gamelore.search.evaluator import Floats

SLICE = 0.004
"""Seconds between looks at the clock: how late a decision can be."""


@dataclass(frozen=True, kw_only=True)
class SamplingSettings:
    """How much a decision may cost."""

    seconds: float = math.inf
    """Stop early after this time; the choice then depends on the machine's speed."""
    replies: int = 16
    """How many joint replies of the other roles are tried with each move."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not value > 0:
                raise ValueError(f"{field.name} must be positive, got {value}")


_UNLIMITED = 1 << 40  # samples, where a clock ends the search

Settings = TypeVar("Settings", bound=SamplingSettings)


class SamplingPlayer(ABC, Generic[Settings]):
    """Takes the move with the best mean value in samples."""

    def __init__(self, seed: int, settings: Settings) -> None:
        self.settings = settings
        self._random = np.random.default_rng(seed)
        self._simulator: Simulator | None = None
        self._role = 0

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Note the simulator and the role; there is nothing to prepare."""
        self._simulator = briefing.simulator
        self._role = briefing.simulator.roles.index(briefing.role)

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the move with the best mean value; at random among equals."""
        simulator = self._simulator
        if simulator is None:
            raise RuntimeError("start must be called before choose")
        row = position.row[np.newaxis]
        options = [np.flatnonzero(legal[0]) for legal in simulator.legal(row)]
        own = options[self._role]
        best = 0
        if len(own) > 1:
            seconds = min(self.settings.seconds, clock.budget)
            joint = self._joint_moves(options)
            successors = simulator.advance(np.repeat(row, len(joint), axis=0), joint)
            names = simulator.moves[self._role]

            def note(sums: Floats) -> None:
                if clock.heard is not None:
                    totals = sums.reshape(len(own), -1).sum(axis=1)
                    clock.note(names[int(own[totals.argmax()])])

            wanted = self._wanted(len(joint), len(own))
            sampled = self._sample(successors, wanted, seconds, note)
            values = sampled.reshape(len(own), -1).mean(axis=1)
            best = int(self._random.choice(np.flatnonzero(values == values.max())))
        return simulator.moves[self._role][int(own[best])]

    @abstractmethod
    def _wanted(self, positions: int, moves: int) -> int | None:
        """Return the number of samples from each position that the settings ask for.

        `positions`: how many there are; `moves`: of how many own moves.
        """

    @abstractmethod
    def _usual(self, positions: int) -> int:
        """Return the number where neither settings nor a clock limit it."""

    @abstractmethod
    def _play(
        self, simulator: Simulator, rows: Rows, samples: int, end: float
    ) -> Floats:
        """Return the sums of the values of samples from each position, float64 [n].

        `end`: when it must be over, by the monotonic clock.
        """

    def _sample(
        self,
        rows: Rows,
        wanted: int | None,
        seconds: float,
        note: Callable[[Floats], None],
    ) -> Floats:
        """Return the mean values of positions, float64 [n], sampled in that time.

        `note` is called with the sums so far.
        """
        simulator = self._simulator
        assert simulator is not None
        if wanted is None:
            timed = seconds < math.inf
            wanted = _UNLIMITED if timed else self._usual(len(rows))
        end = time.monotonic() + seconds
        sums = np.zeros(len(rows))
        done, size = 0, wanted if seconds == math.inf else 1
        while size:
            before = time.monotonic()
            sums += self._play(simulator, rows, size, end)
            note(sums)
            done += size
            now = time.monotonic()
            one = max(now - before, 1e-9) / size
            left = end - now
            affordable = max(1, int(min(left, SLICE) / one)) if left > one else 0
            size = min(wanted - done, 2 * size, affordable)
        return sums / done

    def _joint_moves(
        self, options: list[npt.NDArray[np.intp]]
    ) -> npt.NDArray[np.int32]:
        """Return each own move with the same k replies of the others: int32 [n, R]."""
        others = options[: self._role] + options[self._role + 1 :]
        if math.prod(map(len, others)) <= self.settings.replies:
            replies = np.array(list(itertools.product(*others)), dtype=np.int32)
        else:
            draws = [self._random.choice(o, self.settings.replies) for o in others]
            replies = np.stack(draws, axis=1).astype(np.int32)
        own = options[self._role]
        joint = np.tile(replies.reshape(len(replies), len(others)), (len(own), 1))
        column = np.repeat(own.astype(np.int32), len(replies))
        return np.insert(joint, self._role, column, axis=1)
