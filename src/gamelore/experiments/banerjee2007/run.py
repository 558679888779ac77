"""One run: learn tic-tac-toe, transfer its tree patterns to other games, learn those.

All learners of a run meet the same opponent with the same seed, so that differences
between them can be paired.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gamelore.experiments.banerjee2007.settings import FAVOURED, Banerjee2007Settings
from gamelore.experiments.banerjee2007.table1 import (
    OPPONENTS,
    PatternSample,
    read_table,
)
from gamelore.experiments.sweep import load_graph, seed_for
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
"""Source matches of the extensions: deep patterns are rare."""

Rewards = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class BanerjeeLearner:
    """Where a learner's initial values come from."""

    label: str
    lookahead: str | None = None
    """The rule of its search, if it searches."""
    depth: int | None = None
    """Of the patterns it transfers, if it transfers."""
    several_sources: bool = False
    """Whether it learns the other target games first, besides tic-tac-toe."""
    long_source: bool = False
    candidates: bool = False
    """Whether all candidates get an initial value, not only what was visited."""
    composed: bool = False
    """Whether two plies more are composed from its patterns, without learning them."""


PAPER = {
    "baseline": BanerjeeLearner("without transfer"),
    "transfer": BanerjeeLearner("with transfer", depth=2),
    "minimax": BanerjeeLearner("with lookahead", lookahead="minimax"),
    "maxmax": BanerjeeLearner("with lookahead (maxmax)", lookahead="maxmax"),
    "avgmax": BanerjeeLearner("with lookahead (avgmax)", lookahead="avgmax"),
}

EXTENSIONS = {
    "long": BanerjeeLearner("3000 source matches", depth=2, long_source=True),
    "depth3": BanerjeeLearner("patterns of depth 3", depth=3, long_source=True),
    "composed3": BanerjeeLearner(
        "depth 3 composed of 1", depth=1, long_source=True, composed=True
    ),
    "depth4": BanerjeeLearner("patterns of depth 4", depth=4, long_source=True),
    "composed4": BanerjeeLearner(
        "depth 4 composed of 2", depth=2, long_source=True, composed=True
    ),
    "several": BanerjeeLearner(
        "three sources", depth=2, several_sources=True, long_source=True
    ),
    "candidates": BanerjeeLearner(
        "candidates initialised", depth=2, long_source=True, candidates=True
    ),
    "candidates4": BanerjeeLearner(
        "depth 4, candidates", depth=4, long_source=True, candidates=True
    ),
    "candidates-several": BanerjeeLearner(
        "three sources, candidates",
        depth=2,
        several_sources=True,
        long_source=True,
        candidates=True,
    ),
}

LEARNERS = PAPER | EXTENSIONS


@dataclass(frozen=True, order=True)
class BanerjeeCase:
    """One learner in one game against one opponent."""

    game: str
    opponent: str
    learner: str


def list_paper_cases() -> list[BanerjeeCase]:
    """Return what Figures 3 to 7 show, and the lookaheads that the text mentions."""
    novice = [
        BanerjeeCase(game, "novice", learner)
        for game in FAVOURED
        for learner in ("baseline", "transfer", "minimax")
    ]
    rules = {"weak": "maxmax", "random": "avgmax"}
    others = [
        BanerjeeCase("othello-4x4", opponent, learner)
        for opponent, rule in rules.items()
        for learner in ("baseline", "transfer", "minimax", rule)
    ]
    return novice + others


def list_extension_cases() -> list[BanerjeeCase]:
    """Return the learners beyond the paper, wherever the paper has its own."""
    places = dict.fromkeys((case.game, case.opponent) for case in list_paper_cases())
    return [BanerjeeCase(*place, learner) for place in places for learner in EXTENSIONS]


@dataclass(frozen=True)
class BanerjeeTask:
    """One run of some settings."""

    settings: Banerjee2007Settings
    run: int
    cases: tuple[BanerjeeCase, ...]
    sampled_at: tuple[int, ...] = ()
    """Numbers of source matches at which to evaluate patterns, for Table 1."""

    @property
    def matches(self) -> int:
        """Matches in target games."""
        return len(self.cases) * self.settings.matches


@dataclass(frozen=True)
class BanerjeeRunResult:
    """The rewards of a run."""

    rewards: Mapping[BanerjeeCase, Rewards]
    """Per case uint8 [matches]"""
    samples: tuple[PatternSample, ...] = ()
    """Of the source game, for Table 1."""


def play_run(task: BanerjeeTask) -> BanerjeeRunResult:
    """Play all matches of a run."""
    run = TransferRun(task.settings, task.run)
    rewards = {case: run.play(case) for case in task.cases}
    samples = [
        sample
        for opponent in OPPONENTS
        for sample in _sample_patterns(task, opponent)
        if task.sampled_at
    ]
    return BanerjeeRunResult(rewards, tuple(samples))


@dataclass
class TransferRun:
    """The learners of one run, and their knowledge from source games."""

    settings: Banerjee2007Settings
    run: int
    _learned: dict[tuple[str, str, int, int], Knowledge] = field(default_factory=dict)

    def play(self, case: BanerjeeCase) -> Rewards:
        """Return the rewards of a learner in a target game, match by match."""
        settings, learner = self.settings, LEARNERS[case.learner]
        lookahead = Lookahead(2, learner.lookahead) if learner.lookahead else None
        config = _make_config(
            settings.make_learner(learner.candidates),
            self._opponent(case.opponent),
            settings.choose_role(case.game),
            seed_for(settings.seed, self.run, "target", case.game, case.opponent),
            lookahead,
        )
        patterns = self._patterns(case, learner.depth) if learner.depth else None
        trainer = Trainer(load_graph(case.game), config, patterns)
        return trainer.run(settings.matches).rewards.astype(np.uint8)

    def _patterns(self, case: BanerjeeCase, depth: int) -> PatternValues:
        """Return initial values for a game, from knowledge about the opponent."""
        role = _role_number(self.settings.choose_role(case.game))
        knowledge = self._knowledge(case, depth)
        if LEARNERS[case.learner].composed:
            composed = ComposedValues(load_graph(case.game), role, knowledge)
            return PatternValues.composed(composed.pattern_index, composed.compose)
        pattern_index = make_target_index(load_graph(case.game), role, knowledge)
        return PatternValues(pattern_index, initialise_values(knowledge, pattern_index))

    def _knowledge(self, case: BanerjeeCase, depth: int) -> Knowledge:
        settings, learner = self.settings, LEARNERS[case.learner]
        if settings.knowledge == "paper" and not learner.long_source:
            return Knowledge((read_table(case.opponent),))
        matches = LONG_SOURCE if learner.long_source else settings.source_matches
        games = [SOURCE]
        if learner.several_sources:
            games += [game for game in FAVOURED if game != case.game]
        knowledge = Knowledge()
        for game in games:
            knowledge |= self._learn_source(game, case.opponent, depth, matches)
        return knowledge

    def _learn_source(
        self, game: str, opponent: str, depth: int, matches: int
    ) -> Knowledge:
        """Return the knowledge from a source game, which is learned once a run."""
        key = game, opponent, depth, matches
        if key not in self._learned:
            role = FAVOURED.get(game, "first")
            trainer = _make_source_trainer(self.settings, self.run, game, opponent)
            trainer.run(matches)
            table = trainer.table
            visits = table.visits
            if self.settings.weights == "equal":
                visits = np.minimum(visits, 1)
            self._learned[key] = extract_knowledge(
                PatternIndex(trainer.graph, _role_number(role), depth),
                table.rows,
                table.values,
                visits,
                opponent=opponent,
                matches=matches,
            )
        return self._learned[key]

    def _opponent(self, name: str) -> PlayerSettings:
        return PlayerSettings(name, self.settings.opponent_epsilon)


SOURCE_VARIANTS = {
    "default": TDSettings(),
    "no terminal afterstate": TDSettings(terminal_afterstate=False),
    "terminal lookahead": TDSettings(terminal_lookahead=True),
}
"""Learners of the source game that Table 1 could tell apart."""


def _sample_patterns(task: BanerjeeTask, opponent: str) -> list[PatternSample]:
    """Return pattern values after some numbers of source matches, in each variant."""
    samples = []
    for variant, learner in SOURCE_VARIANTS.items():
        trainer = _make_source_trainer(
            task.settings, task.run, SOURCE, opponent, learner
        )
        snapshots = []
        for matches in task.sampled_at:
            trainer.run(matches - trainer.matches)
            table = trainer.table
            snapshots.append((matches, table.values.copy(), table.visits.copy()))
        pattern_index, graph = PatternIndex(trainer.graph, 0), trainer.graph
        nodes = np.array([graph.number(row) for row in trainer.table.rows], np.int32)
        for matches, values, visits in snapshots:
            # Entries keep the order in which they were made.
            learned = estimate_patterns(
                pattern_index, nodes[: len(values)], values, visits
            )
            found = {pattern: one.value for pattern, one in learned.items()}
            samples.append(PatternSample(variant, matches, opponent, found))
    return samples


def _make_source_trainer(
    settings: Banerjee2007Settings,
    run: int,
    game: str,
    opponent: str,
    learner: TDSettings | None = None,
) -> Trainer:
    config = _make_config(
        learner or settings.make_learner(),
        PlayerSettings(opponent, settings.opponent_epsilon),
        FAVOURED.get(game, "first"),
        seed_for(settings.seed, run, "source", game, opponent),
    )
    return Trainer(load_graph(game), config)


def _make_config(
    learner: TDSettings,
    opponent: PlayerSettings,
    role: str,
    seed: int,
    lookahead: Lookahead | None = None,
) -> TrainConfig:
    return TrainConfig(
        learner=learner,
        opponent=opponent,
        role="first" if role == "first" else "second",
        lookahead=lookahead,
        seed=seed,
    )


def _role_number(role: str) -> int:
    return 0 if role == "first" else 1
