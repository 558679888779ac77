"""A course of learning match by match, with players of any kind.

It plays the matches of a `Training` with the same plan, and ends with the same table,
bit for bit; but every decision is a player's, so the opponents can be anybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gamelore.atlas import Atlas
from gamelore.errors import GameloreError
from gamelore.gdl import Role
from gamelore.learn.learners import Episode, TableLearner
from gamelore.learn.players import GreedyPlayer
from gamelore.learn.training import Plan, Record, Training
from gamelore.learn.values import FeatureValues
from gamelore.play import Fault, MatchRecord, Player, PlayerSettings, play_match
from gamelore.play.atlas_player import AtlasPlayer
from gamelore.play.match import CHANCE


class OpenTraining(Training):
    """Plays and learns, one decision at a time."""

    def __init__(
        self,
        atlas: Atlas,
        plan: Plan | None = None,
        features: FeatureValues | Sequence[FeatureValues] | None = None,
        opponents: Mapping[Role, Player] | None = None,
    ) -> None:
        """`opponents`: who plays a role while it does not learn; by default the plan's
        opponent."""
        super().__init__(atlas, plan, features)
        self.faults: list[Fault] = []
        """What opponents did wrong; moves drawn by lot took the place of theirs."""
        rival = self._built_in(self.plan.against)
        rival.stream = self.streams.rival
        chance = self._built_in(PlayerSettings("random"))
        chance.stream = self.streams.chance
        self._opponents: dict[Role, Player] = {
            role: chance if role == CHANCE else rival for role in atlas.simulator.roles
        }
        self._opponents.update(opponents or {})

    def run(self, matches: int) -> Record:
        """Play and learn that many matches more."""
        numbers = np.arange(self.matches, self.matches + matches)
        epsilons = self.plan.schedule(numbers)
        record = Record(
            rewards=np.zeros(matches),
            lengths=np.zeros(matches, np.int32),
            cells=np.zeros(matches, np.int64),
        )
        for i, epsilon in enumerate(epsilons):
            role = self.seats[self.matches % len(self.seats)]
            match = self._play(role, float(epsilon))
            episode = Episode.of(self.atlas.simulator, match)
            TableLearner(self.values(role)).learn(episode)
            record.rewards[i] = match.goals[role] or 0
            record.lengths[i] = len(match.moves)
            record.cells[i] = len(self.tables[role])
            self.matches += 1
        return record

    def _built_in(self, settings: PlayerSettings) -> AtlasPlayer:
        return AtlasPlayer(settings, self.plan.seed, atlas=self.atlas)

    def _play(self, role: int, epsilon: float) -> MatchRecord:
        """One match in which a role learns."""
        simulator = self.atlas.simulator
        learner = GreedyPlayer(self.values(role), epsilon, self.matches)
        learner.stream = self.streams.learner
        players = {**self._opponents, simulator.roles[role]: learner}
        match = play_match(
            simulator,
            players,
            seed=self.matches,
            move_limit=self.plan.longest_match,
        )
        for fault in match.faults:
            if fault.role == simulator.roles[role]:
                raise GameloreError(f"the learner could not move: {fault.message}")
        self.faults += match.faults
        if not match.complete:
            raise GameloreError(
                f"a match of {simulator.game.name!r} took more than"
                f" {self.plan.longest_match} moves; raise `longest_match`"
            )
        return match

    def _check_engine(self) -> None:
        """Every engine will do: players look after themselves."""
