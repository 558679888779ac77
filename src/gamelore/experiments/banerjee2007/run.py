"""One run: learn tic-tac-toe, carry its features to other games, and learn those.

All learners of a run meet the same opponent with the same seed, so that differences
between them can be paired.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gamelore.experiments.banerjee2007.settings import FAVOURED, Settings
from gamelore.experiments.banerjee2007.table1 import OPPONENTS, Valued, printed_result
from gamelore.experiments.sweep import graph_of, seed_for
from gamelore.graph import PatternIndex
from gamelore.learn.config import TrainConfig
from gamelore.learn.role_values import PatternValues
from gamelore.learn.settings import Lookahead, TDSettings
from gamelore.learn.trainer import Trainer
from gamelore.search.policies import PlayerSettings
from gamelore.transfer import (
    ComposedValues,
    Knowledge,
    estimate_patterns,
    extract_knowledge,
    initialise_values,
    make_target_index,
)

SOURCE = "tictactoe"
LONG_SOURCE = 3000
"""Source matches of learners beyond the paper: deep features are rarely met."""

Rewards = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Learner:
    """Where a learner's initial values come from."""

    label: str
    lookahead: str | None = None
    """The rule of its search, if it searches."""
    depth: int | None = None
    """Of the features it transfers, if it transfers."""
    sources: str = "one"
    """one: tic-tac-toe; several: the other target games as well."""
    long_source: bool = False
    on_sight: bool = False
    composed: bool = False
    """Whether two plies more are composed from its features, without learning them."""


LEARNERS = {
    "baseline": Learner("without transfer"),
    "transfer": Learner("with transfer", depth=2),
    "minimax": Learner("with lookahead", lookahead="minimax"),
    "maxmax": Learner("with lookahead (maxmax)", lookahead="maxmax"),
    "avgmax": Learner("with lookahead (avgmax)", lookahead="avgmax"),
    "long": Learner("3000 source matches", depth=2, long_source=True),
    "depth3": Learner("features of depth 3", depth=3, long_source=True),
    "depth4": Learner("features of depth 4", depth=4, long_source=True),
    "composed3": Learner(
        "depth 3 composed of 1", depth=1, long_source=True, composed=True
    ),
    "composed4": Learner(
        "depth 4 composed of 2", depth=2, long_source=True, composed=True
    ),
    "several": Learner("three sources", depth=2, sources="several", long_source=True),
    "sight": Learner("values on sight", depth=2, long_source=True, on_sight=True),
    "sight4": Learner(
        "depth 4, values on sight", depth=4, long_source=True, on_sight=True
    ),
    "sight-several": Learner(
        "three sources, values on sight",
        depth=2,
        sources="several",
        long_source=True,
        on_sight=True,
    ),
}
"""The paper's learners, then those beyond it."""

BEYOND = (
    "long",
    "depth3",
    "composed3",
    "depth4",
    "composed4",
    "several",
    "sight",
    "sight4",
    "sight-several",
)


@dataclass(frozen=True, order=True)
class Case:
    """One learner in one game against one opponent."""

    game: str
    opponent: str
    learner: str


def paper_cases() -> list[Case]:
    """What Figures 3 to 7 show, and what the text says of other lookaheads."""
    novice = [
        Case(game, "novice", learner)
        for game in FAVOURED
        for learner in ("baseline", "transfer", "minimax")
    ]
    rules = {"weak": "maxmax", "random": "avgmax"}
    others = [
        Case("othello-4x4", opponent, learner)
        for opponent, rule in rules.items()
        for learner in ("baseline", "transfer", "minimax", rule)
    ]
    return novice + others


def beyond_cases() -> list[Case]:
    """The learners beyond the paper, wherever the paper has its own."""
    places = dict.fromkeys((case.game, case.opponent) for case in paper_cases())
    return [Case(*place, learner) for place in places for learner in BEYOND]


@dataclass(frozen=True)
class Task:
    """One run under one reading."""

    settings: Settings
    run: int
    cases: tuple[Case, ...]
    valued_at: tuple[int, ...] = ()
    """Numbers of source matches at which to value features, for Table 1."""

    @property
    def matches(self) -> int:
        """Matches in target games."""
        return len(self.cases) * self.settings.matches


@dataclass(frozen=True)
class Outcome:
    """What became of a run."""

    rewards: Mapping[Case, Rewards]
    """Per case uint8 [matches]"""
    valued: tuple[Valued, ...] = ()
    """Features of the source game, for Table 1."""


def play_run(task: Task) -> Outcome:
    """Play a run."""
    school = School(task.settings, task.run)
    rewards = {case: school.play(case) for case in task.cases}
    valued = [
        one
        for opponent in OPPONENTS
        for one in _valued_patterns(task, opponent)
        if task.valued_at
    ]
    return Outcome(rewards, tuple(valued))


@dataclass
class School:
    """The learners of one run, and what they learned in source games."""

    settings: Settings
    run: int
    _learned: dict[tuple[str, str, int, int], Knowledge] = field(default_factory=dict)

    def play(self, case: Case) -> Rewards:
        """The rewards of a learner in a target game, match by match."""
        settings, learner = self.settings, LEARNERS[case.learner]
        lookahead = Lookahead(2, learner.lookahead) if learner.lookahead else None
        config = _config(
            settings.learner(learner.on_sight),
            self._opponent(case.opponent),
            settings.seat_in(case.game),
            seed_for(settings.seed, self.run, "target", case.game, case.opponent),
            lookahead,
        )
        patterns = self._patterns(case, learner.depth) if learner.depth else None
        trainer = Trainer(graph_of(case.game), config, patterns)
        return trainer.run(settings.matches).rewards.astype(np.uint8)

    def _patterns(self, case: Case, depth: int) -> PatternValues:
        """Initial values for a game, from what was learned against this opponent."""
        role = _role(self.settings.seat_in(case.game))
        knowledge = self._knowledge(case, depth)
        if LEARNERS[case.learner].composed:
            composed = ComposedValues(graph_of(case.game), role, knowledge)
            return PatternValues.composed(composed.pattern_index, composed.compose)
        pattern_index = make_target_index(graph_of(case.game), role, knowledge)
        return PatternValues(pattern_index, initialise_values(knowledge, pattern_index))

    def _knowledge(self, case: Case, depth: int) -> Knowledge:
        settings, learner = self.settings, LEARNERS[case.learner]
        if settings.knowledge == "paper" and not learner.long_source:
            return Knowledge((printed_result(case.opponent),))
        matches = LONG_SOURCE if learner.long_source else settings.source_matches
        games = [SOURCE]
        if learner.sources == "several":
            games += [game for game in FAVOURED if game != case.game]
        knowledge = Knowledge()
        for game in games:
            knowledge |= self._lesson(game, case.opponent, depth, matches)
        return knowledge

    def _lesson(self, game: str, opponent: str, depth: int, matches: int) -> Knowledge:
        """What a source game taught; learned once a run."""
        key = game, opponent, depth, matches
        if key not in self._learned:
            seat = FAVOURED.get(game, "first")
            trainer = _source_training(self.settings, self.run, game, opponent)
            trainer.run(matches)
            table = trainer.table
            visits = table.visits
            if self.settings.weights == "equal":
                visits = np.minimum(visits, 1)
            self._learned[key] = extract_knowledge(
                PatternIndex(trainer.graph, _role(seat), depth),
                table.rows,
                table.values,
                visits,
                opponent=opponent,
                matches=matches,
            )
        return self._learned[key]

    def _opponent(self, name: str) -> PlayerSettings:
        return PlayerSettings(name, self.settings.opponent_epsilon)


ENDS = {
    "ends kept": TDSettings(),
    "the opponent's last move not kept": TDSettings(terminal_afterstate=False),
    "ends known": TDSettings(terminal_lookahead=True),
}
"""Readings of the paper that Table 1 could tell apart: what the end of a match is."""


def _valued_patterns(task: Task, opponent: str) -> list[Valued]:
    """Features of the source game after some numbers of matches, in each reading."""
    valued = []
    for reading, learner in ENDS.items():
        trainer = _source_training(task.settings, task.run, SOURCE, opponent, learner)
        snapshots = []
        for matches in task.valued_at:
            trainer.run(matches - trainer.matches)
            table = trainer.table
            snapshots.append((matches, table.values.copy(), table.visits.copy()))
        pattern_index, graph = PatternIndex(trainer.graph, 0), trainer.graph
        nodes = np.array([graph.number(row) for row in trainer.table.rows], np.int32)
        for matches, values, visits in snapshots:
            # Cells keep the order in which they were made.
            learned = estimate_patterns(
                pattern_index, nodes[: len(values)], values, visits
            )
            found = {pattern: one.value for pattern, one in learned.items()}
            valued.append(Valued(reading, matches, opponent, found))
    return valued


def _source_training(
    settings: Settings,
    run: int,
    game: str,
    opponent: str,
    learner: TDSettings | None = None,
) -> Trainer:
    config = _config(
        learner or settings.learner(),
        PlayerSettings(opponent, settings.opponent_epsilon),
        FAVOURED.get(game, "first"),
        seed_for(settings.seed, run, "source", game, opponent),
    )
    return Trainer(graph_of(game), config)


def _config(
    learner: TDSettings,
    opponent: PlayerSettings,
    seat: str,
    seed: int,
    lookahead: Lookahead | None = None,
) -> TrainConfig:
    return TrainConfig(
        learner=learner,
        opponent=opponent,
        role="first" if seat == "first" else "second",
        lookahead=lookahead,
        seed=seed,
    )


def _role(seat: str) -> int:
    return 0 if seat == "first" else 1
