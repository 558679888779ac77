"""The common part of players that value moves by sampling.

The successors of all moves are sampled in one batch. The other roles are taken to reply
at random, which serves turn-taking and simultaneous games, with any number of roles.
"""

from __future__ import annotations

import itertools
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from gamelore.engine.interpreter.simulator import Interpreter
from gamelore.engine.position import Position
from gamelore.engine.simulator import Playouts, Rows, Simulator
from gamelore.gdl import Move
from gamelore.player import Briefing, Clock
from gamelore.search.evaluator import Floats

SLICE = 0.004
"""Seconds between looks at the clock: how late a decision can be."""

LANES = 512
"""Positions that the compiled engine plays on from at the price of one."""


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
_MOST_MOVES = 10_000  # of a playout

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
        """Return the move with the best mean value, at random among equals."""
        simulator = self._simulator
        if simulator is None:
            raise RuntimeError("start must be called before choose")
        row = position.row[np.newaxis]
        options = [np.flatnonzero(legal[0]) for legal in simulator.legal(row)]
        own = options[self._role]
        best = 0
        if len(own) > 1:
            end = time.monotonic() + min(self.settings.seconds, clock.budget)
            joint = self._joint_moves(options)
            names = simulator.moves[self._role]

            def note(values: Floats) -> None:
                if clock.heard is not None:
                    clock.note(
                        names[int(own[_mean_replies(values, len(own)).argmax()])]
                    )

            means = self._value_joint_moves(simulator, row, joint, end, note)
            values = _mean_replies(means, len(own))
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
    ) -> Floats | None:
        """float64 [n]: the sum of the values of samples from each position.

        `end`: when it must be over, by the monotonic clock. None if it cuts them off.
        """

    def _play_out(
        self, simulator: Simulator, rows: Rows, count: int, end: float
    ) -> Playouts | None:
        """Return random playouts, or None where the clock cut them off.

        On the interpreter one playout can outlast a clock.
        """
        seed = int(self._random.integers(2**32))
        if end == math.inf or not isinstance(simulator, Interpreter):
            return simulator.playouts(rows, count, seed=seed)
        playouts = simulator.playouts_until(rows, count, seed, _MOST_MOVES, end)
        return None if playouts.cut_off else playouts

    def _value_joint_moves(
        self,
        simulator: Simulator,
        row: Rows,
        joint: npt.NDArray[np.int32],
        end: float,
        note: Callable[[Floats], None],
    ) -> Floats:
        """float64 [n]: the mean value after each joint move, nan where there was no
        time for a sample; `note` is told the means so far."""
        own = len(np.unique(joint[:, self._role]))
        if end == math.inf:
            rows = simulator.advance(np.repeat(row, len(joint), axis=0), joint)
            wanted = self._wanted(len(rows), own) or self._usual(len(rows))
            sums = self._play(simulator, rows, wanted, end)
            assert sums is not None
            note(sums / wanted)
            return sums / wanted
        wanted = self._wanted(len(joint), own) or _UNLIMITED
        means = np.full(len(joint), np.nan)
        order = np.arange(len(joint)).reshape(own, -1).T.ravel()  # every move soon
        rows = _advance_in_time(simulator, row, joint[order], end)
        if len(rows):
            for sampled in self._sample(simulator, rows, wanted, end):
                means[order[: len(rows)]] = sampled
                note(means)
        return means

    def _sample(
        self, simulator: Simulator, rows: Rows, wanted: int, end: float
    ) -> Iterator[Floats]:
        """Yield float64 [n], mean values so far, until the time or all is over.

        A piece of work is as many samples as take about `SLICE` by what the last piece
        took: whole rounds of samples from all positions, or a part of one round.
        """
        sums, counts = np.zeros(len(rows)), np.zeros(len(rows))
        least = size = 1 if simulator.engine == "interpreter" else LANES
        first, rounds, cost = 0, 0, 0.0
        while rounds < wanted and (left := end - time.monotonic()) > cost * least:
            if cost:
                affordable = int(min(left, SLICE) / cost)
                size = max(least, min(2 * size, affordable))
            samples = 1
            if first == 0 and size >= len(rows):
                samples = min(size // len(rows), wanted - rounds)
            part = slice(first, min(first + size, len(rows)))
            began = time.monotonic()
            found = self._play(simulator, rows[part], samples, end)
            taken = time.monotonic() - began
            cost = max(taken, 1e-9) / max(least, samples * (part.stop - first))
            first = part.stop % len(rows)
            rounds += samples if first == 0 else 0
            if found is not None:
                sums[part] += found
                counts[part] += samples
                yield np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

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


def _advance_in_time(
    simulator: Simulator, row: Rows, joint: npt.NDArray[np.int32], end: float
) -> Rows:
    """uint64 [m, K]: the successors of the first m joint moves, as far as time goes."""
    if simulator.engine != "interpreter":
        return simulator.advance(np.repeat(row, len(joint), axis=0), joint)
    found = []
    for one in joint:
        if time.monotonic() >= end:
            break
        found.append(simulator.advance(row, one[np.newaxis]))
    return np.concatenate(found) if found else row[:0]


def _mean_replies(means: Floats, own: int) -> Floats:
    """float64 [own]: the mean over the replies to each own move, -inf if unknown."""
    by_move = means.reshape(own, -1)
    known = ~np.isnan(by_move)
    if known.all():
        return np.asarray(by_move.mean(axis=1))
    sums = np.where(known, by_move, 0.0).sum(axis=1)
    counts = known.sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), -np.inf)
