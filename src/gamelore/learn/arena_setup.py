"""Who takes part in an arena, so that any of its blocks can be played anywhere.

Each block of matches has new players with seeds of their own. What is played in it
depends on the setup and the block alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import cast

import numpy as np

from gamelore.agents.shipped import ShippedSpec
from gamelore.cluster import Executor, Shared
from gamelore.engine import Engine, Simulator
from gamelore.graph import StateGraph
from gamelore.learn.arena import (
    Arena,
    ArenaBlock,
    ArenaResult,
    Participant,
    make_learned_participant,
    make_participant,
)
from gamelore.learn.snapshots import Snapshot


@dataclass(frozen=True, eq=False)
class ArenaSetup:
    """All that the matches of an arena depend on."""

    simulator: Simulator
    snapshots: tuple[Snapshot, ...] = ()
    against: tuple[ShippedSpec, ...] = ()
    seed: int = 0
    depth: int | None = None
    """How many moves value functions look ahead, if not as their presets say."""
    opening: int | None = None

    def arena(self, block: int = 0, names: Collection[str] | None = None) -> Arena:
        """Return the arena of a block, with new players; `names`: of these only."""
        learned = [
            self._learned(snapshot, block)
            for snapshot in self.snapshots
            if names is None or snapshot.name in names
        ]
        others = [
            self._other(shipped, block)
            for shipped in self.against
            if names is None or shipped.spec.label in names
        ]
        participants = learned + others
        return Arena(self.simulator, participants, seed=self.seed, opening=self.opening)

    def _learned(self, snapshot: Snapshot, block: int) -> Participant:
        seed = self._derive_seed(snapshot.name, block)
        graph = _make_graph(self.simulator, snapshot)
        return make_learned_participant(snapshot, graph, seed, self.depth)

    def _other(self, shipped: ShippedSpec, block: int) -> Participant:
        seed = self._derive_seed(shipped.spec.label, block)
        return make_participant(shipped.unpack(), self.simulator, seed)

    def _derive_seed(self, name: str, block: int) -> int:
        words = self.seed, zlib.crc32(name.encode()), block
        return int(np.random.SeedSequence(words).generate_state(1)[0])


def play_block(shared: Shared[ArenaSetup], block: ArenaBlock) -> list[ArenaResult]:
    """Play the matches of a block: the work of a task."""
    arena = shared.get().arena(block.number, {*block.matches[0].players})
    return [arena.play(match) for match in block.matches]


def make_block_work(
    executor: Executor, setup: ArenaSetup
) -> partial[list[ArenaResult]]:
    """Return what plays a block on the workers of an executor."""
    return partial(play_block, executor.share(setup))


@lru_cache(maxsize=64)
def _make_graph(simulator: Simulator, snapshot: Snapshot) -> StateGraph:
    """Return a state graph with a snapshot's features, one for each process."""
    if snapshot.features is None:
        return StateGraph(simulator)
    return StateGraph(snapshot.engine(cast(Engine, simulator.engine)))
