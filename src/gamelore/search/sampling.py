"""What players that search by playouts have in common.

The successors of all moves are valued by sampling, side by side. The others are taken
to reply with anything, which serves turn-taking and simultaneous games, with one role
or many.
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

Floats = npt.NDArray[np.float64]

SLICE = 0.004
"""Seconds between looks at the clock: how late a busy machine can make a decision."""


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
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

Settings = TypeVar("Settings", bound=SearchSettings)


class SearchingPlayer(ABC, Generic[Settings]):
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
        """The move with the best mean value; by lot among equals."""
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

            sampled = self._sample(simulator, successors, seconds, note)
            values = sampled.reshape(len(own), -1).mean(axis=1)
            best = int(self._random.choice(np.flatnonzero(values == values.max())))
        return simulator.moves[self._role][int(own[best])]

    @abstractmethod
    def _wanted(self, positions: int) -> int | None:
        """How many samples from each of so many positions, if the settings say."""

    @abstractmethod
    def _usual(self, positions: int) -> int:
        """How many, where neither the settings nor a clock limit them."""

    @abstractmethod
    def _play(
        self, simulator: Simulator, rows: Rows, samples: int, end: float
    ) -> Floats:
        """float64 [n]: the sum of what samples from each position are worth.

        `end`: when it must be over, by the monotonic clock.
        """

    def _sample(
        self,
        simulator: Simulator,
        rows: Rows,
        seconds: float,
        note: Callable[[Floats], None],
    ) -> Floats:
        """float64 [n]: what positions are worth on average, as found in that time.

        `note` hears of the sums so far.
        """
        wanted = self._wanted(len(rows))
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
        """int32 [own * k, R]: each own move with the same k replies of the others."""
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
