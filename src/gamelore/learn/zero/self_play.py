"""Self-play by search, many matches at once."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator, Row
from gamelore.engine.compiled.buffers import allocate_aligned
from gamelore.errors import StuckError
from gamelore.kernels import direct
from gamelore.learn.zero import _growth_kernels, _match_kernels
from gamelore.learn.zero._forest_kernels import GUMBEL, PUCT, Forest, SearchRule
from gamelore.learn.zero._growth_kernels import FINE, Passes
from gamelore.learn.zero._match_kernels import (
    FINISHED,
    OVER,
    SAMPLES,
    Lanes,
    PlayRule,
)
from gamelore.learn.zero.settings import ZeroSettings
from gamelore.learn.zero.window import ReplayWindow
from gamelore.values.policy_value import PolicyValueNetwork

LANES = 512
_EDGE_MEMORY = 1 << 28  # bytes of all edges, at most
_EDGE_BYTES = 56
_PART = 128  # trees that grow together: those of more do not fit a cache
_OPENING = 0.8  # of a random match: random moves that begin a match, at most
_FAST = 4  # a fast search has this part of the simulations
_OFFSET = 50.0  # visits that are added to those of the most visited move (Gumbel)
_REDUCTION = 0.1  # by which moves that puct never tried are worth less
_FORCED = 2.0  # k of forced playouts
_DIRICHLET = 0.25  # the share of noise in the priors of puct's root …
_CONCENTRATION = 10.0  # … which is spread over all moves

_grow_roots = direct(_growth_kernels.grow_roots)
_grow = direct(_growth_kernels.grow)
_choose_moves = direct(_match_kernels.choose_moves)
_keep_samples = direct(_match_kernels.keep_samples)
_advance_matches = direct(_match_kernels.advance_matches)
_begin_matches = direct(_match_kernels.begin_matches)


class SearchLanes:
    """Trees of many positions at once, one leaf of each in a pass of the circuit."""

    def __init__(
        self,
        network: PolicyValueNetwork,
        rule: SearchRule,
        count: int,
        *,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        self.network = network
        self.engine = network.simulator
        self.rule = rule
        self.count = count
        self.forest = allocate_forest(self.engine, count, rule.simulations + 1)
        seeds = np.random.SeedSequence(seed).generate_state(4 * count, np.uint64)
        self.forest.random[:] = seeds.reshape(count, 4)
        parts = max(-(-count // _PART), min(threads, max(1, count // 16)))
        ends = np.linspace(0, count, parts + 1).astype(int).tolist()
        self._spans = list(pairwise(ends))
        self.passes = [self._allocate_passes() for _ in self._spans]
        self._handles = [network.handle() for _ in self._spans]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def search(self, rule: SearchRule | None = None) -> None:
        """Search the positions in the roots, node 0 of each tree."""
        rule = rule or self.rule

        def work(part: int) -> None:
            for kernel in (_grow_roots, _grow):
                status: tuple[int, int] = kernel(
                    self.engine.program,
                    self._handles[part],
                    self.forest,
                    rule,
                    self.passes[part],
                    self._spans[part],
                )
                self.check(*status)

        parts = range(len(self._spans))
        found = map(work, parts) if self._pool is None else self._pool.map(work, parts)
        for _ in found:
            pass

    def check(self, status: int, match: int) -> None:
        """Raise `StuckError` if a role has no legal move."""
        if status != FINE:
            raise StuckError(
                f"a role has no legal move in {self.engine.game.name!r}, in a position"
                " that is not terminal"
            )

    def _allocate_passes(self) -> Passes:
        engine = self.engine
        roles, moves = len(engine.roles), sum(map(len, engine.moves))
        sides = np.full(2, -1, np.int32)
        sides[0] = self.network.players[0]
        if self.network.is_symmetric:
            sides[1] = self.network.players[1]
        return Passes(
            words=allocate_aligned(8 * engine.program.slots).reshape(-1, 8),
            rows=np.zeros((LANES, engine.width), np.uint64),
            legal=np.zeros((LANES, max(1, -(-moves // 64))), np.uint64),
            joint=np.zeros((LANES, roles), np.int32),
            lanes=np.zeros(LANES, np.int32),
            ended=np.zeros(8, np.uint64),
            block=np.zeros(64, np.uint64),
            goals=np.zeros((LANES, roles), np.int16),
            listed=np.zeros(moves, np.int32),
            ends=np.zeros(roles, np.int32),
            scale=goal_scale(engine),
            sides=sides,
        )


class SelfPlayLanes(SearchLanes):
    """Matches of self-play under way; each step makes one move in all of them."""

    def __init__(
        self,
        network: PolicyValueNetwork,
        settings: ZeroSettings,
        seed: int,
        longest: int,
    ) -> None:
        full = make_rule(network.simulator, settings, settings.simulations)
        super().__init__(
            network, full, settings.lanes, seed=seed, threads=settings.threads
        )
        fewer = max(2, settings.simulations // _FAST)
        self._fast = make_rule(network.simulator, settings, fewer, noise=0.0)
        self._settings = settings
        self._random = np.random.default_rng((seed, 1))
        roles = len(self.engine.roles)
        self.lanes = Lanes(
            steps=np.full(settings.lanes, OVER, np.int32),
            last=np.full(settings.lanes, -1, np.int64),
            joint=np.zeros((settings.lanes, roles), np.int32),
            values=np.zeros((settings.lanes, roles)),
            rewards=np.zeros(settings.lanes, np.int16),
            lengths=np.zeros(settings.lanes, np.int32),
            counts=np.zeros(3, np.int64),
        )
        self._play = PlayRule(
            temperature_moves=settings.temperature_moves,
            pruned=int(settings.forced_playouts),
            weight=1.0,
            opening=find_opening(self.engine, settings),
            opening_share=settings.opening_share,
            decay=settings.trace_decay,
            longest=longest,
        )
        self._start: Row = self.engine.initial_row()

    @property
    def samples(self) -> int:
        """Samples so far."""
        return int(self.lanes.counts[SAMPLES])

    def begin(self) -> None:
        """Begin matches where there are none."""
        self.check(
            *_begin_matches(
                self.engine.program,
                self.forest,
                self._play,
                self.lanes,
                self.passes[0],
                self._start,
            )
        )

    def step(
        self, window: ReplayWindow
    ) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int32]]:
        """Make a move in every match; return goals and lengths of those that ended."""
        self.begin()
        fast = self._random.random() < self._settings.fast_share
        rule = self._fast if fast else self.rule
        play = self._play._replace(weight=0.0 if fast else 1.0)
        self.search(rule)
        most = _choose_moves(self.forest, rule, play, self.lanes)
        window.widen(int(most))
        arrays, passes = window.arrays, self.passes[0]
        _keep_samples(self.forest, rule, play, self.lanes, arrays, passes)
        _advance_matches(
            self.engine.program, self.forest, play, self.lanes, arrays, passes
        )
        ended = int(self.lanes.counts[FINISHED])
        return self.lanes.rewards[:ended].copy(), self.lanes.lengths[:ended].copy()

    # ── state ───────────────────────────────────────────────────────────────────────

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return all that the next steps depend on, besides weights and settings."""
        generator = self._random.bit_generator.state["state"]
        words = [
            generator[name] >> shift for name in ("state", "inc") for shift in (0, 64)
        ]
        return {
            "rows": self.forest.rows[:, 0].copy(),
            "random": self.forest.random.copy(),
            "steps": self.lanes.steps.copy(),
            "last": self.lanes.last.copy(),
            "counts": self.lanes.counts.copy(),
            "generator": np.array([word & (2**64 - 1) for word in words], np.uint64),
        }

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Take over such a state."""
        self.forest.rows[:, 0] = state["rows"]
        self.forest.random[:] = state["random"]
        for name in ("steps", "last", "counts"):
            getattr(self.lanes, name)[:] = state[name]
        low, high, low_inc, high_inc = map(int, state["generator"])
        known: dict[str, Any] = dict(self._random.bit_generator.state)
        known["state"] = {"state": low | high << 64, "inc": low_inc | high_inc << 64}
        self._random.bit_generator.state = known


def make_rule(
    engine: CircuitSimulator,
    settings: ZeroSettings,
    simulations: int,
    noise: float | None = None,
) -> SearchRule:
    """Return how trees are searched with so many simulations; `noise`: 0 for none."""
    gumbel = settings.search == "gumbel"
    usual = 1.0 if gumbel else _DIRICHLET
    return SearchRule(
        kind=GUMBEL if gumbel else PUCT,
        simulations=simulations,
        considered=list_considered(settings.candidates, simulations),
        scale=settings.value_scale,
        offset=_OFFSET,
        exploration=settings.exploration,
        reduction=_REDUCTION,
        forced=_FORCED if settings.forced_playouts else 0.0,
        noise=usual if noise is None else noise,
        concentration=_CONCENTRATION,
        chance=engine.roles.index("random") if "random" in engine.roles else -1,
    )


def list_considered(most: int, simulations: int) -> npt.NDArray[np.int32]:
    """Return int32 [most + 1, simulations]: sequential halving, by candidates.

    The entry is how often the candidate that is to be tried next has been tried.
    """
    found = np.zeros((most + 1, simulations), np.int32)
    found[:2] = np.arange(simulations)
    for count in range(2, most + 1):
        rounds = math.ceil(math.log2(count))
        order: list[int] = []
        visits, left = 0, count
        while len(order) < simulations:
            for _ in range(max(1, simulations // (rounds * left))):
                order += [visits] * left
                visits += 1
            left = max(2, left // 2)
        found[count] = order[:simulations]
    return found


def find_opening(engine: CircuitSimulator, settings: ZeroSettings) -> int:
    """Return how many random moves a match may begin with."""
    if settings.opening_moves is not None:
        return settings.opening_moves
    playouts = engine.playouts(count=256, seed=1)
    return int(_OPENING * playouts.lengths[0] / playouts.count)


def goal_scale(engine: CircuitSimulator) -> npt.NDArray[np.float64]:
    """Return float64 [R, 2]: the lowest goal, and what a point above it is worth."""
    found = []
    for goals in engine.goal_values:
        low, high = min(goals, default=0), max(goals, default=100)
        found.append((low, 1 / (high - low) if high > low else 0.0))
    return np.array(found, np.float64)


def allocate_forest(engine: CircuitSimulator, count: int, nodes: int) -> Forest:
    """Return trees of so many nodes, with edges as far as memory goes."""
    roles, moves = len(engine.roles), sum(map(len, engine.moves))
    edges = min(nodes * moves, max(moves, _EDGE_MEMORY // (_EDGE_BYTES * count)))
    return Forest(
        rows=np.zeros((count, nodes, engine.width), np.uint64),
        status=np.zeros((count, nodes), np.int8),
        visits=np.zeros((count, nodes), np.int32),
        values=np.zeros((count, nodes, roles)),
        first=np.zeros((count, nodes, roles), np.int32),
        counts=np.ones((count, nodes, roles), np.int32),
        child=np.zeros((count, nodes), np.int32),
        sibling=np.zeros((count, nodes), np.int32),
        key=np.zeros((count, nodes), np.int64),
        used=np.zeros((count, 2), np.int32),
        move=np.zeros((count, edges), np.int32),
        logit=np.zeros((count, edges)),
        prior=np.zeros((count, edges)),
        tries=np.zeros((count, edges), np.int32),
        sums=np.zeros((count, edges)),
        exact=np.zeros((count, edges)),
        path=np.zeros((count, nodes + 1), np.int32),
        chosen=np.zeros((count, nodes + 1, roles), np.int32),
        depth=np.zeros(count, np.int32),
        noise=np.zeros((count, edges)),
        policy=np.zeros((count, edges)),
        random=np.zeros((count, 4), np.uint64),
    )
