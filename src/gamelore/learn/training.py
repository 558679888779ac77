"""A course of learning: matches against an opponent, and what they taught.

The whole course runs in kernels. It can stop after any match and go on later: from the
same state it plays the same matches and ends with the same table, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.atlas import FINE, LOOKAHEAD_RULES, NO_SHAPE, Atlas, Templates
from gamelore.errors import GameloreError
from gamelore.learn import _kernels
from gamelore.learn._kernels import Log, Method, Streams, Task
from gamelore.learn.schedules import Fixed, Schedule
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.learn.tables import Table
from gamelore.play.habits import PlayerSettings, fit, habits_of

Seat: TypeAlias = Literal["first", "second", "alternate"]


@dataclass(frozen=True)
class FeatureValues:
    """Initial values by template: what was learned elsewhere, ready for this game."""

    templates: Templates
    values: npt.NDArray[np.float64]
    """float64 [·]: per template's number its value, or not a number."""


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


class Training:
    """Plays and learns, as far as it is told to."""

    def __init__(
        self,
        atlas: Atlas,
        plan: Plan | None = None,
        features: FeatureValues | None = None,
    ) -> None:
        self.atlas = atlas
        self.plan = plan or Plan()
        self.features = features
        self.matches = 0
        self.players = [
            r for r, name in enumerate(atlas.simulator.roles) if name != "random"
        ]
        self.seats = _seats(self.plan.seat, self.players, atlas.simulator.game.name)
        width = atlas.simulator.width + isinstance(self.plan.learner, QSettings)
        self.tables = {role: Table(width) for role in dict.fromkeys(self.seats)}
        self.streams = _streams(self.plan.seed)
        self._rival = habits_of(atlas, self.plan.against)
        self._own = habits_of(
            atlas, PlayerSettings(playouts=self._playouts), searches=self._playouts > 1
        )

    @property
    def table(self) -> Table:
        """The table of the only role that learns, or of the first of two."""
        return self.tables[self.seats[0]]

    def run(self, matches: int) -> Record:
        """Play and learn that many matches more."""
        numbers = np.arange(self.matches, self.matches + matches)
        roles = np.array([self.seats[n % len(self.seats)] for n in numbers], np.int8)
        epsilons = self.plan.schedule(numbers)
        log = self._log(matches)
        done = 0
        while done < matches:
            status, done = _kernels.run_matches(
                self._task(),
                self._memories(),
                self._method(),
                self.streams,
                log,
                roles,
                epsilons,
                done,
                matches,
            )
            if status != FINE:
                self._resolve(status, int(log.trouble[0]), int(roles[done]))
        self.matches += matches
        return Record(log.rewards, log.lengths, log.cells)

    # ── inside ──────────────────────────────────────────────────────────────────────

    @property
    def _playouts(self) -> int:
        learner = self.plan.learner
        return max(1, learner.playouts if isinstance(learner, QSettings) else 1)

    def _log(self, matches: int) -> Log:
        longest = self.plan.longest_match
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

    def _task(self) -> Task:
        atlas = self.atlas
        self._rival = fit(self._rival, atlas)
        names = atlas.simulator.roles
        return Task(
            chart=atlas.chart,
            shapes=self._templates().shapes,
            features=self.features.values if self.features else np.zeros(0),
            rival=self._rival,
            own=self._own,
            root=atlas.root,
            chance=names.index("random") if "random" in names else -1,
            home=self.seats[0],
        )

    def _templates(self) -> Templates:
        if self.features is None:
            self.features = FeatureValues(
                Templates(self.atlas, self.seats[0]), np.zeros(0)
            )
        self.features.templates.fit()
        return self.features.templates

    def _memories(self) -> tuple[_kernels.Memory, _kernels.Memory]:
        nodes = self.atlas.nodes
        by_action = isinstance(self.plan.learner, QSettings)
        for table in self.tables.values():
            table.fit(len(nodes.child) if by_action else len(nodes.rows))
        return self.tables[self.seats[0]].memory, self.tables[self.seats[-1]].memory

    def _method(self) -> Method:
        learner, lookahead = self.plan.learner, self.plan.lookahead
        goals = self.atlas.simulator.goal_values[self.seats[0]]
        middle = (min(goals) + max(goals)) / 2
        if isinstance(learner, QSettings):
            return Method(
                keyed_by=_kernels.ACTIONS,
                step_size=learner.step_size,
                discount=learner.discount,
                trace_decay=0.0,
                default=0.0,
                initial=_kernels.DEFAULT,
                depth=0,
                rule=0,
                on_sight=0,
                sees_ends=0,
                keeps_end=0,
                searches=int(learner.playouts > 0),
            )
        initial, depth, rule = _kernels.DEFAULT, 0, 0
        if lookahead is not None:
            initial, depth = _kernels.LOOKAHEAD, lookahead.depth
            rule = LOOKAHEAD_RULES[lookahead.rule]
        elif self.features is not None and len(self.features.values):
            initial, depth = _kernels.FEATURES, self.features.templates.depth
        sees_ends = learner.sees_ends
        if sees_ends is None:
            sees_ends = initial != _kernels.DEFAULT
        default = middle if learner.default_value is None else learner.default_value
        return Method(
            keyed_by=_kernels.AFTERSTATES,
            step_size=learner.step_size,
            discount=learner.discount,
            trace_decay=learner.trace_decay,
            default=float(default),
            initial=initial,
            depth=depth,
            rule=rule,
            on_sight=int(learner.on_sight),
            sees_ends=int(sees_ends),
            keeps_end=int(learner.keeps_end),
            searches=0,
        )

    def _resolve(self, status: int, node: int, role: int) -> None:
        """Do what a kernel could not do, so that the match can be played again."""
        table = self.tables[role]
        if status == _kernels.NO_CELLS and 4 * len(table) > 3 * len(
            table.memory.values
        ):
            table.grow()
        elif status in (_kernels.NO_CELLS, _kernels.NO_MOVE, NO_SHAPE):
            before = len(self.atlas)
            self.atlas.explore(node, self._reach())
            if len(self.atlas) == before:
                self.atlas.grow()
        elif status == _kernels.TOO_LONG:
            raise GameloreError(
                f"a match of {self.atlas.simulator.game.name!r} took more than "
                f"{self.plan.longest_match} moves; raise `longest_match`"
            )
        else:
            self.atlas.resolve(status, node)

    def _reach(self) -> int:
        """How far any decision looks ahead."""
        templates = self.features.templates.depth if self.features else 0
        lookahead = self.plan.lookahead.depth if self.plan.lookahead else 0
        depth = self.plan.against.depth if self.plan.against.name == "minimax" else 2
        return 1 + max(templates, lookahead, depth)


def _seats(seat: Seat, players: list[int], game: str) -> list[int]:
    """The roles that learn, in turn."""
    if len(players) < 2 and seat != "first":
        raise GameloreError(
            f"{game!r} has one player only, so there is no {seat!r} seat"
        )
    return {"first": players[:1], "second": players[1:2], "alternate": players[:2]}[
        seat
    ]


def _streams(seed: int) -> Streams:
    """Independent randomness for the learner, its opponent and chance."""
    children = np.random.SeedSequence(seed).spawn(3)
    learner, rival, chance = (c.generate_state(4, np.uint64) for c in children)
    return Streams(learner, rival, chance, kept=np.zeros((3, 4), np.uint64))
