"""Nested Monte Carlo: playouts whose moves are chosen by playouts.

A playout of level 0 moves at random. In one of level n, each role takes the move whose
playout of level n - 1 has the best value for it. Values are discounted by length, so
that wins are taken at once and losses put off: Cazenave, Saffidine, Schofield and
Thielscher (2016), for two players. All playouts of a decision run in one batch.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamelore.engine.simulator import Playouts, Rows, Simulator
from gamelore.search._nested_kernels import DISCOUNT, LONGEST, MIDDLE
from gamelore.search.evaluator import Floats
from gamelore.search.sampling import SamplingPlayer, SamplingSettings

_NUDGE = 1e-6  # breaks ties; values differ by more
_USUAL = 20  # samples from each move
_SIDE_BY_SIDE = 512  # playouts; each of them has one for every move of its own


@dataclass(frozen=True)
class NestedSettings(SamplingSettings):
    """How much a decision may cost."""

    level: int = 2
    """The depth of nesting: 1 is flat Monte Carlo."""
    samples: int | None = None
    """Playouts of the level below, from each move; if not given, as many as the clock
    allows, or 20 without one."""
    longest: int = LONGEST
    """The number of moves after which a nested playout continues at random."""


class NestedMonteCarloPlayer(SamplingPlayer[NestedSettings]):
    """Takes the move with the best mean value in nested playouts."""

    def __init__(self, seed: int = 0, settings: NestedSettings | None = None) -> None:
        super().__init__(seed, settings or NestedSettings())

    def _wanted(self, positions: int, moves: int) -> int | None:
        return self.settings.samples

    def _usual(self, positions: int) -> int:
        return _USUAL

    def _play(
        self, simulator: Simulator, rows: Rows, samples: int, end: float
    ) -> Floats | None:
        """float64 [n]: the sum of the values of nested playouts to the role."""
        if end < math.inf and simulator.engine == "interpreter":
            return self._play_flat(simulator, rows, samples, end)
        search = NestedSearch(simulator, self._random, self.settings.longest, end)
        sums = np.zeros(len(rows))
        at_once = max(1, _SIDE_BY_SIDE // len(rows))
        for done in range(0, samples, at_once):
            count = min(at_once, samples - done)
            starts = np.tile(rows, (count, 1))
            values = search.values(starts, self.settings.level - 1)[:, self._role]
            sums += values.reshape(count, len(rows)).sum(axis=0)
        return sums

    def _play_flat(
        self, simulator: Simulator, rows: Rows, samples: int, end: float
    ) -> Floats | None:
        """The same of random playouts: the interpreter has no time for nested ones."""
        sums = np.zeros(len(rows))
        for _ in range(samples):
            playouts = self._play_out(simulator, rows, 1, end)
            if playouts is None:
                return None
            sums += _discounted(playouts, playouts.lengths)[:, self._role]
        return sums


def _discounted(playouts: Playouts, lengths: npt.NDArray[np.int64]) -> Floats:
    """Return the values of single playouts, float64 [n, R]; later ends count less."""
    weights = DISCOUNT**lengths
    return np.asarray(weights[:, np.newaxis] * (playouts.goal_sums - MIDDLE))


class NestedSearch:
    """Nested playouts from many positions at once."""

    def __init__(
        self,
        simulator: Simulator,
        random: np.random.Generator,
        longest: int = LONGEST,
        end: float = math.inf,
    ) -> None:
        """`longest`, `end`: the number of moves and the time, by the monotonic clock,
        after which playouts continue at random."""
        self.simulator = simulator
        self.longest = longest
        self.end = end
        self._random = random

    def values(self, rows: Rows, level: int) -> Floats:
        """Return the values of one playout from each position, float64 [n, R]."""
        rows = rows.copy()
        lengths = np.zeros(len(rows), np.int64)
        if level > 0:
            now, taken = time.monotonic(), 0.0
            for _ in range(self.longest):
                going = np.flatnonzero(~self.simulator.terminal(rows))
                # the next move and the playouts after it may take as long again
                if not len(going) or now + 2 * taken > self.end:
                    break
                rows[going] = self._advance(rows[going], level)
                lengths[going] += 1
                taken = time.monotonic() - now
                now += taken
        seed = int(self._random.integers(2**32))
        playouts = self.simulator.playouts(rows, 1, seed=seed)
        return _discounted(playouts, lengths + playouts.lengths)

    def _advance(self, rows: Rows, level: int) -> Rows:
        """Return the successors that the roles choose, of open positions."""
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
        """Return the values of a role's move in each joint move, float64 [n].

        They are means over the replies of the others, with small random numbers added
        so that no two are equal.
        """
        own = moves[:, role]
        pairs = parents.astype(np.int64) * (int(own.max()) + 1) + own
        _, group = np.unique(pairs, return_inverse=True)
        means = np.bincount(group, values[:, role]) / np.bincount(group)
        ties = self._random.random(len(means))
        if self.simulator.roles[role] == "random":
            return np.asarray(ties[group])
        return np.asarray((means + _NUDGE * ties)[group])
