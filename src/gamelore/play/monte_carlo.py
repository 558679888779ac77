"""The player that tries every move in random playouts and takes the best.

Flat Monte Carlo: no tree is kept. The successors of all moves are played out in one
call. The others are taken to move at random, which serves turn-taking and simultaneous
games, with one role or many.
"""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamelore.gdl import Move
from gamelore.play.player import Briefing, Clock
from gamelore.simulate.position import Position
from gamelore.simulate.simulator import Rows, Simulator

SAFETY = 0.8
"""The share of a clock's time that is used: a late move is a fault."""


SLICE = 0.004
"""Seconds between looks at the clock: how late a busy machine can make a decision."""


@dataclass(frozen=True)
class MonteCarloSettings:
    """How much a decision may cost."""

    playouts: int = 2000
    """Playouts per decision, shared evenly among the moves; at least one for each."""
    seconds: float = math.inf
    """Stop early after this time; the choice then depends on the machine's speed."""
    replies: int = 16
    """How many joint replies of the other roles are tried with each move."""

    def __post_init__(self) -> None:
        for name in ("playouts", "seconds", "replies"):
            value = getattr(self, name)
            if not value > 0:
                raise ValueError(f"{name} must be positive, got {value}")


class MonteCarloPlayer:
    """Takes the move with the best mean goal in random playouts."""

    def __init__(
        self, seed: int = 0, settings: MonteCarloSettings | None = None
    ) -> None:
        self.settings = settings or MonteCarloSettings()
        self._random = np.random.default_rng(seed)
        self._simulator: Simulator | None = None
        self._role = 0

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Note the simulator and the role; there is nothing to prepare."""
        self._simulator = briefing.simulator
        self._role = briefing.simulator.roles.index(briefing.role)

    def choose(self, position: Position, clock: Clock) -> Move:
        """The move with the best mean goal; by lot among equals."""
        simulator = self._simulator
        if simulator is None:
            raise RuntimeError("start must be called before choose")
        row = position.row[np.newaxis]
        options = [np.flatnonzero(legal[0]) for legal in simulator.legal(row)]
        own = options[self._role]
        best = 0
        if len(own) > 1:
            joint = self._joint_moves(options)
            successors = simulator.advance(np.repeat(row, len(joint), axis=0), joint)
            means = self._mean_goals(simulator, successors, clock)
            values = means.reshape(len(own), -1).mean(axis=1)
            best = int(self._random.choice(np.flatnonzero(values == values.max())))
        return simulator.moves[self._role][int(own[best])]

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

    def _mean_goals(
        self, simulator: Simulator, successors: Rows, clock: Clock
    ) -> npt.NDArray[np.float64]:
        """float64 [n]: the role's mean goal in playouts from each successor."""
        wanted = max(1, self.settings.playouts // len(successors))
        limit = min(self.settings.seconds, SAFETY * clock.left)
        started = time.monotonic()
        sums = np.zeros(len(successors))
        done, size = 0, wanted if limit == math.inf else 1
        while size:
            before = time.monotonic()
            seed = int(self._random.integers(2**32))
            playouts = simulator.playouts(successors, size, seed=seed)
            sums += playouts.goal_sums[:, self._role]
            done += size
            now = time.monotonic()
            one = max(now - before, 1e-9) / size
            left = started + limit - now
            affordable = max(1, int(min(left, SLICE) / one)) if left > one else 0
            size = min(wanted - done, 2 * size, affordable)
        return sums / done
