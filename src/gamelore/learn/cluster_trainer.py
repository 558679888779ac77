"""Training on many processes: workers play parts, and one learner learns from them.

Part k is played by the values that were learned from all matches up to a fixed number
of matches before it, the *staleness*. So what is played and learned depends on settings
alone: neither on how many workers there are, nor on which of them die, nor on the order
in which parts arrive. As many parts as the staleness has room for are played at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from gamelore.cluster import Executor, Shared
from gamelore.engine import Simulator
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.opponents import AgentOpponent
from gamelore.learn.parts import MatchPartTrainer, PartTrainer, PlayedValues
from gamelore.learn.played import PlayedMatches
from gamelore.learn.records import features_record, read_features
from gamelore.learn.trainer import Record, State, Trainer
from gamelore.settings import JsonObject, check, setting


@dataclass(frozen=True)
class SpreadSettings:
    """How training is spread over a cluster."""

    part: int = setting(100, least=1, most=1_000_000, group="Cluster")
    """Matches that a worker plays at a time."""
    staleness: int = setting(1600, least=0, group="Cluster")
    """How many matches the values that workers play by may lag behind those learned,
    besides the matches of the part itself. It also decides how many parts are played at
    once: --staleness / --part."""

    def __post_init__(self) -> None:
        check(self)

    @property
    def at_once(self) -> int:
        """How many parts can be played at once."""
        return max(1, self.staleness // self.part)


@dataclass(frozen=True, eq=False)
class ActorSetup:
    """All that a worker needs to play parts, besides values."""

    simulator: Simulator
    config: TrainConfig
    features: tuple[tuple[int, JsonObject], ...] = ()
    """Per role, its initial values by pattern."""

    @classmethod
    def of(cls, trainer: Trainer) -> ActorSetup:
        """Return the setup of a trainer."""
        features = tuple(
            (role, features_record(values))
            for role, values in sorted(trainer.features.items())
        )
        return cls(trainer.graph.simulator, trainer.config, features)

    def make_actor(self) -> PartTrainer:
        """Return a trainer that plays parts."""
        graph = StateGraph(self.simulator)
        features = [
            read_features(record, graph, role) for role, record in self.features
        ]
        by_match = isinstance(self.config.opponent, AgentOpponent)
        kind = MatchPartTrainer if by_match else PartTrainer
        return kind(graph, self.config, features)


@dataclass(frozen=True)
class PartTask:
    """A part to be played."""

    first: int
    matches: int
    values: Shared[PlayedValues]


_actor: tuple[ActorSetup, PartTrainer] | None = None  # of this process
_loaded: PlayedValues | None = None


def play_part(setup: Shared[ActorSetup], task: PartTask) -> PlayedMatches:
    """Play a part: the work of a task. A process keeps its game and its values."""
    global _actor, _loaded
    wanted, values = setup.get(), task.values.get()
    if _actor is None or _actor[0] is not wanted:
        _actor, _loaded = (wanted, wanted.make_actor()), None
    actor = _actor[1]
    if _loaded is not values:
        actor.load_values(values)
        _loaded = values
    return actor.play_part(task.first, task.matches)


class ClusterTrainer(PartTrainer):
    """A trainer whose matches are played by the workers of an executor."""

    def __init__(
        self,
        source: Trainer,
        executor: Executor,
        settings: SpreadSettings | None = None,
        pending: PlayedMatches | None = None,
    ) -> None:
        """`source`: the trainer to go on from.

        `pending`: matches that were played but not learned from when it was saved.
        """
        features = [*source.features.values()]
        super().__init__(source.graph, source.config, features)
        self.spread = settings or SpreadSettings()
        self._executor = executor
        self._setup_of_actors = executor.share(ActorSetup.of(source))
        self._work = partial(play_part, self._setup_of_actors)
        self._running: dict[int, int] = {}  # by task, the first match of its part
        self._played: dict[int, PlayedMatches] = {}  # by first match
        self.restore(source.state())
        self._next = self.matches  # the first match of the next part
        if pending is not None and len(pending) and pending.first == self.matches:
            self._played[pending.first] = pending
            self._next = pending.end

    def warm_up(self) -> None:
        """Have every node compile what playing needs, before parts are played."""
        values = self._executor.share(self.played_values())
        self._executor.warm_up(self._work, PartTask(self.matches, 1, values))

    def state(self) -> State:
        """Return a copy of the state; matches before it are let go."""
        self._let_go()
        return super().state()

    def run(self, matches: int) -> Record:
        """Learn from that many matches more, in their order."""
        records: list[Record] = []
        left = matches
        while left:
            self._start_parts()
            played = self._find(self.matches)
            stop = min(played.end, self._next_start() or played.end)
            count = min(left, stop - self.matches)
            records.append(self.learn_part(played.after(self.matches), count))
            left -= count
            if self.function is None:
                self._let_go()  # functions may go back to their last state
        self._start_parts()
        return _join(records)

    def pending(self) -> PlayedMatches:
        """Return the matches played but not learned from, once all parts are there."""
        while self._running:
            self._receive()
        parts = [one for _, one in sorted(self._played.items())]
        parts = [one for one in parts if one.end > self.matches]
        if not parts:
            return PlayedMatches.none(self.matches)
        return PlayedMatches.join([parts[0].after(self.matches), *parts[1:]])

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _let_go(self) -> None:
        """Forget the matches that were learned from."""
        for first in [f for f, one in self._played.items() if one.end <= self.matches]:
            del self._played[first]

    def _next_start(self) -> int | None:
        """Return the match from which on the next part's values are known."""
        due = self._next - self.spread.staleness
        return due if due > self.matches else None

    def _start_parts(self) -> None:
        """Start all parts whose values are known: those of the matches so far."""
        shared: Shared[PlayedValues] | None = None
        while self._next - self.spread.staleness <= self.matches:
            if shared is None:
                shared = self._executor.share(self.played_values())
            size = self.spread.part - self._next % self.spread.part
            task = PartTask(self._next, size, shared)
            self._running[self._executor.start(self._work, task)] = self._next
            self._next += size

    def _find(self, match: int) -> PlayedMatches:
        """Return the part that a match is in, once it is played."""
        while True:
            for one in self._played.values():
                if one.first <= match < one.end:
                    return one
            self._receive()

    def _receive(self) -> None:
        done = self._executor.wait()
        first = self._running.pop(done.number)
        self._played[first] = done.result


def _join(records: Sequence[Record]) -> Record:
    return Record(
        np.concatenate([one.rewards for one in records]),
        np.concatenate([one.lengths for one in records]),
        np.concatenate([one.cells for one in records]),
    )
