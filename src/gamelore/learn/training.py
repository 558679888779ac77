"""A course of learning: matches against an opponent, and what they taught.

The whole course runs in kernels. It can stop after any match and go on later: from the
same state it plays the same matches and ends with the same table, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.atlas import FINE, NO_SHAPE, Atlas
from gamelore.errors import GameloreError
from gamelore.learn import _kernels
from gamelore.learn._kernels import Log, Streams, Task
from gamelore.learn.schedules import Fixed, Schedule
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.learn.tables import Cells, Table
from gamelore.learn.values import FeatureValues, Values, empty_table
from gamelore.play.habits import PlayerSettings, fit, habits_of
from gamelore.simulate import CircuitSimulator

Seat: TypeAlias = Literal["first", "second", "alternate"]


@dataclass(frozen=True)
class Plan:
    """Who learns how, against whom, from which seat."""

    learner: TDSettings | QSettings = field(default_factory=TDSettings)
    against: PlayerSettings = field(default_factory=PlayerSettings)
    seat: Seat = "first"
    schedule: Schedule = field(default_factory=Fixed)
    lookahead: Lookahead | None = None
    """Initial values by searching ahead; features are given to the training itself."""
    seed: int = 0
    longest_match: int = 2000


@dataclass(frozen=True)
class Record:
    """What became of matches."""

    rewards: npt.NDArray[np.float64]
    """float64 [n]: the learner's goal in each match"""
    lengths: npt.NDArray[np.int32]
    """int32 [n]: moves"""
    cells: npt.NDArray[np.int64]
    """int64 [n]: size of the learner's table after each match"""


@dataclass(frozen=True)
class State:
    """All that the next matches of a course depend on, besides its plan."""

    matches: int
    """How many were played."""
    streams: npt.NDArray[np.uint64]
    """uint64 [3, 4]: the randomness of learner, opponent and chance"""
    tables: Mapping[int, Cells]
    """By role, the cells in the order they were made."""


class Training:
    """Plays and learns, as far as it is told to."""

    def __init__(
        self,
        atlas: Atlas,
        plan: Plan | None = None,
        features: FeatureValues | Sequence[FeatureValues] | None = None,
    ) -> None:
        """`features`: initial values by template, for each role that learns."""
        self.atlas = atlas
        self.plan = plan or Plan()
        given = [features] if isinstance(features, FeatureValues) else features or []
        self.features = {one.templates.role: one for one in given}
        self.matches = 0
        self.players = [
            r for r, name in enumerate(atlas.simulator.roles) if name != "random"
        ]
        self.seats = _seats(self.plan.seat, self.players, atlas.simulator.game.name)
        self.tables = {r: empty_table(atlas, self.plan.learner) for r in self.seats}
        self.streams = streams_of(self.plan.seed)
        self._check_features()
        self._check_engine()
        self._rival = habits_of(atlas, self.plan.against)
        self._own = habits_of(
            atlas,
            PlayerSettings(playouts=max(1, self._playouts)),
            searches=self._playouts > 0,
        )

    @property
    def table(self) -> Table:
        """The table of the only role that learns, or of the first of two."""
        return self.tables[self.seats[0]]

    def values(self, role: int) -> Values:
        """What a role has learned, for players to look up."""
        return Values(
            self.atlas,
            role,
            self.plan.learner,
            self.tables[role],
            self.plan.lookahead,
            self.features.get(role),
        )

    def run(self, matches: int) -> Record:
        """Play and learn that many matches more."""
        numbers = np.arange(self.matches, self.matches + matches)
        roles = np.array(self.seats, np.int8)[numbers % len(self.seats)]
        epsilons = self.plan.schedule(numbers)
        log = empty_log(matches, self.plan.longest_match)
        first, last = self.values(self.seats[0]), self.values(self.seats[-1])
        done = 0
        while done < matches:
            status, done = _kernels.run_matches(
                self._task(),
                ((first.memory, last.memory), (first.prior, last.prior)),
                first.method,
                self.streams,
                log,
                (roles, epsilons),
                done,
                matches,
            )
            if status != FINE:
                self._resolve(status, int(log.trouble[0]), int(roles[done]))
        self.matches += matches
        return Record(log.rewards, log.lengths, log.cells)

    def state(self) -> State:
        """Where the course stands; nothing that is learned later changes it."""
        tables = {role: table.cells() for role, table in self.tables.items()}
        return State(self.matches, np.stack(self.streams[:3]), tables)

    def restore(self, state: State) -> None:
        """Stand where a course of the same game and plan stood, and go on like it."""
        if state.tables.keys() != self.tables.keys():
            raise ValueError(
                f"tables must be of roles {sorted(self.tables)},"
                f" got {sorted(state.tables)}"
            )
        for role, table in self.tables.items():
            width = state.tables[role].rows.shape[1]
            if width != table.width:
                raise ValueError(f"keys must have {table.width} words, got {width}")
        self.tables = {r: Table.from_arrays(*state.tables[r]) for r in self.tables}
        for stream, saved in zip(self.streams[:3], state.streams, strict=True):
            stream[:] = saved
        self.matches = state.matches

    # ── inside ──────────────────────────────────────────────────────────────────────

    @property
    def _playouts(self) -> int:
        learner = self.plan.learner
        return learner.playouts if isinstance(learner, QSettings) else 0

    def _check_features(self) -> None:
        """Refuse features of some of the roles that learn."""
        simulator = self.atlas.simulator
        without = [r for r in self.seats if self.features and r not in self.features]
        if without:
            names = ", ".join(simulator.roles[role] for role in without)
            raise GameloreError(f"{names} learns too, but has no values of features")

    def _check_engine(self) -> None:
        """Refuse what kernels could never play."""
        simulator = self.atlas.simulator
        searches = self._playouts > 0 or self.plan.against.name == "monte-carlo"
        if searches and not isinstance(simulator, CircuitSimulator):
            raise GameloreError(
                f"whole courses with Monte Carlo search need {simulator.game.name!r}"
                " compiled; on the interpreter, let players play match by match"
            )

    def _task(self) -> Task:
        atlas = self.atlas
        self._rival = fit(self._rival, atlas)
        names = atlas.simulator.roles
        return Task(
            chart=atlas.chart,
            rival=self._rival,
            own=self._own,
            root=atlas.root,
            chance=names.index("random") if "random" in names else -1,
            home=self.seats[0],
        )

    def _resolve(self, status: int, node: int, role: int) -> None:
        """Do what a kernel could not do, so that the match can be played again."""
        if status == _kernels.NO_CELLS:
            self.tables[role].grow()
        elif status == NO_SHAPE:
            self.values(role).help_at(node)
        elif status == _kernels.NO_MOVE:
            features = self.features.get(role)
            sight = [edge.child for edge in self.atlas.edges(node)]
            if features is None or not features.complete(sight):
                self.atlas.make_way(node, self._reach())
        elif status == _kernels.TOO_LONG:
            raise GameloreError(
                f"a match of {self.atlas.simulator.game.name!r} took more than "
                f"{self.plan.longest_match} moves; raise `longest_match`"
            )
        else:
            self.atlas.resolve(status, node)

    def _reach(self) -> int:
        """How far any decision looks ahead."""
        depth = self.plan.against.depth if self.plan.against.name == "minimax" else 2
        return max(self.values(self.seats[0]).reach, 1 + depth)


def _seats(seat: Seat, players: list[int], game: str) -> list[int]:
    """The roles that learn, in turn."""
    if len(players) < 2 and seat != "first":
        raise GameloreError(
            f"{game!r} has one player only, so there is no {seat!r} seat"
        )
    return {"first": players[:1], "second": players[1:2], "alternate": players[:2]}[
        seat
    ]


def streams_of(seed: int) -> Streams:
    """Independent randomness for the learner, its opponent and chance."""
    children = np.random.SeedSequence(seed).spawn(3)
    learner, rival, chance = (c.generate_state(4, np.uint64) for c in children)
    return Streams(learner, rival, chance, kept=np.zeros((3, 4), np.uint64))


def empty_log(matches: int, longest: int) -> Log:
    """Room for what becomes of matches."""
    return Log(
        rewards=np.zeros(matches),
        lengths=np.zeros(matches, np.int32),
        cells=np.zeros(matches, np.int64),
        edges=np.zeros(longest, np.int64),
        nodes=np.zeros(longest, np.int32),
        path=np.zeros(longest + 1, np.int64),
        fresh=np.zeros(longest),
        trouble=np.zeros(1, np.int64),
    )
