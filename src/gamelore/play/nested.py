"""The player that searches inside its playouts: nested Monte Carlo.

A playout of level 0 moves at random. In one of level n, each role takes the move whose
playout of level n - 1 went best for it; what lies further off counts less, so that wins
are taken at once and losses put off. Cazenave, Saffidine, Schofield and Thielscher do
so for two players (2016). All playouts of a decision go on side by side.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamelore.gdl import Move
from gamelore.play.monte_carlo import SAFETY
from gamelore.play.player import Briefing, Clock
from gamelore.simulate.position import Position
from gamelore.simulate.simulator import Rows, Simulator

Floats = npt.NDArray[np.float64]

_DISCOUNT = 0.99  # per move, of how much better or worse than the middle an end is
_MIDDLE = 50.0  # of all goals there can be
_NUDGE = 1e-6  # breaks ties; values differ by more


@dataclass(frozen=True)
class NestedSettings:
    """How much a decision may cost."""

    level: int = 2
    """How deep searches nest: 1 is flat Monte Carlo."""
    samples: int = 20
    """Playouts of the level below, from each move."""
    seconds: float = math.inf
    """Stop early after this time; the choice then depends on the machine's speed."""
    longest: int = 200
    """Moves after which a nested playout goes on at random."""

    def __post_init__(self) -> None:
        for name in ("level", "samples", "seconds", "longest"):
            value = getattr(self, name)
            if not value > 0:
                raise ValueError(f"{name} must be positive, got {value}")


class NestedMonteCarloPlayer:
    """Takes the move that nested playouts speak for."""

    def __init__(self, seed: int = 0, settings: NestedSettings | None = None) -> None:
        self.settings = settings or NestedSettings()
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
        names = simulator.moves[self._role]
        expansion = simulator.expand(position.row[np.newaxis])
        moves = expansion.moves[:, self._role]
        if len(np.unique(moves)) == 1:
            return names[int(moves[0])]
        values = self._sample(simulator, expansion.successors, clock)[:, self._role]
        options, group = np.unique(moves, return_inverse=True)
        means = np.bincount(group, values) / np.bincount(group)
        best = self._random.choice(np.flatnonzero(means == means.max()))
        return names[int(options[best])]

    def _sample(self, simulator: Simulator, rows: Rows, clock: Clock) -> Floats:
        """float64 [n, R]: mean values in as many playouts as there is time for."""
        end = time.monotonic() + min(self.settings.seconds, SAFETY * clock.left)
        search = NestedSearch(simulator, self._random, self.settings.longest)
        sums = np.zeros((len(rows), len(simulator.roles)))
        longest = 0.0
        for done in range(self.settings.samples):
            started = time.monotonic()
            if done and started + longest > end:
                return sums / done
            sums += search.values(rows, self.settings.level - 1)
            longest = max(longest, time.monotonic() - started)
        return sums / self.settings.samples


class NestedSearch:
    """Nested playouts from many positions at once."""

    def __init__(
        self, simulator: Simulator, random: np.random.Generator, longest: int = 200
    ) -> None:
        self.simulator = simulator
        self.longest = longest
        self._random = random

    def values(self, rows: Rows, level: int) -> Floats:
        """float64 [n, R]: what one playout from each position is worth to each role."""
        rows = rows.copy()
        lengths = np.zeros(len(rows), np.int64)
        if level > 0:
            for _ in range(self.longest):
                going = np.flatnonzero(~self.simulator.terminal(rows))
                if not len(going):
                    break
                rows[going] = self._advance(rows[going], level)
                lengths[going] += 1
        seed = int(self._random.integers(2**32))
        playouts = self.simulator.playouts(rows, 1, seed=seed)
        weights = _DISCOUNT ** (lengths + playouts.lengths)
        return np.asarray(weights[:, np.newaxis] * (playouts.goal_sums - _MIDDLE))

    def _advance(self, rows: Rows, level: int) -> Rows:
        """The successors that the roles choose, of positions that are not terminal."""
        expansion = self.simulator.expand(rows)
        values = self.values(expansion.successors, level - 1)
        chosen = np.ones(len(expansion.successors), np.bool_)
        for role in range(len(self.simulator.roles)):
            scores = self._scores(expansion.parents, expansion.moves, values, role)
            best = np.full(len(rows), -np.inf)
            np.maximum.at(best, expansion.parents, scores)
            chosen &= scores == best[expansion.parents]
        successors = rows.copy()
        successors[expansion.parents[chosen]] = expansion.successors[chosen]
        return successors

    def _scores(
        self,
        parents: npt.NDArray[np.int32],
        moves: npt.NDArray[np.int32],
        values: Floats,
        role: int,
    ) -> Floats:
        """float64 [n]: how a role likes its move in each joint move, without ties.

        Where others have a choice too, it is the mean over what they may do.
        """
        own = moves[:, role]
        pairs = parents.astype(np.int64) * (int(own.max()) + 1) + own
        _, group = np.unique(pairs, return_inverse=True)
        means = np.bincount(group, values[:, role]) / np.bincount(group)
        lots = self._random.random(len(means))
        if self.simulator.roles[role] == "random":
            return np.asarray(lots[group])
        return np.asarray((means + _NUDGE * lots)[group])
