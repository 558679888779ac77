"""Training match by match, with players of any kind.

It plays the matches of a `Trainer` with the same plan, and ends with the same table,
bit for bit; but every decision is a player's, so the opponents can be anybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gamelore.errors import GameloreError
from gamelore.gdl import Role
from gamelore.graph import StateGraph
from gamelore.learn.config import TrainConfig
from gamelore.learn.greedy_player import GreedyPlayer
from gamelore.learn.learners import Episode, ValueLearner
from gamelore.learn.opponents import AgentOpponent, AgentPlayer
from gamelore.learn.role_values import PatternValues
from gamelore.learn.search_trainer import SearchTrainer
from gamelore.learn.self_play import SelfPlay
from gamelore.learn.trainer import Record, Trainer
from gamelore.learn.zero.settings import ZeroSettings
from gamelore.learn.zero.trainer import ZeroTrainer
from gamelore.match.match import play_match
from gamelore.match.record import CHANCE, Fault, MatchRecord
from gamelore.player import Player
from gamelore.search.policies import PlayerSettings
from gamelore.search.policy_player import PolicyPlayer


class MatchTrainer(Trainer):
    """Plays and learns, one decision at a time."""

    def __init__(
        self,
        graph: StateGraph,
        config: TrainConfig | None = None,
        features: PatternValues | Sequence[PatternValues] | None = None,
        opponents: Mapping[Role, Player] | None = None,
    ) -> None:
        """`opponents`: who plays a role while it does not learn; by default the plan's
        opponent."""
        super().__init__(graph, config, features)
        function = self.config.value_function
        if function is not None and function.updates == "during-play":
            raise GameloreError(
                "updates during play need an opponent that plays in kernels: use"
                " `updates` online"
            )
        self.faults: list[Fault] = []
        """Faults of opponents; random moves took the place of theirs."""
        chance = self._built_in(PlayerSettings("random"))
        chance.stream = self.streams.chance
        self._opponents: dict[Role, Player] = {}
        if CHANCE in graph.simulator.roles:
            self._opponents[CHANCE] = chance
        if isinstance(self.config.opponent, PlayerSettings):
            rival = self._built_in(self.config.opponent)
            rival.stream = self.streams.opponent
            for role in self.players:
                self._opponents[graph.simulator.roles[role]] = rival
        self._opponents.update(opponents or {})

    def run(self, matches: int) -> Record:
        """Play and learn that many matches more."""
        numbers = np.arange(self.matches, self.matches + matches)
        epsilons = self.config.schedule(numbers)
        record = Record(
            rewards=np.zeros(matches),
            lengths=np.zeros(matches, np.int32),
            cells=np.zeros(matches, np.int64),
        )
        for i, epsilon in enumerate(epsilons):
            role = self.learner_roles[self.matches % len(self.learner_roles)]
            self._refresh_copies(self.matches)
            match = self._play(role, float(epsilon))
            episode = Episode.of(self.graph.simulator, match)
            for learner in self._learning(role):
                ValueLearner(self.values(learner)).learn(episode)
            record.rewards[i] = match.goals[role] or 0
            record.lengths[i] = len(match.moves)
            record.cells[i] = len(self.values(role).table)
            self.matches += 1
        return record

    def _built_in(self, settings: PlayerSettings) -> PolicyPlayer:
        return PolicyPlayer(settings, self.config.seed, graph=self.graph)

    def _learning(self, role: int) -> list[int]:
        """The roles that learn from a match in which a role is the learner's."""
        against = self.config.opponent
        if (
            isinstance(against, SelfPlay)
            and not against.opponent_refresh
            and self._find_side(role) is None
        ):
            return [*(other for other in self.players if other != role), role]
        return [role]

    def _play(self, role: int, epsilon: float) -> MatchRecord:
        """One match in which a role learns."""
        simulator = self.graph.simulator
        learner = GreedyPlayer(self.values(role), epsilon, self.matches)
        learner.stream = self.streams.learner
        players = {**self._opponents, simulator.roles[role]: learner}
        for other in self.players:
            against = self.config.opponent
            if other != role and isinstance(against, AgentOpponent):
                seed = self.config.seed, self.matches, other
                players[simulator.roles[other]] = AgentPlayer(against, seed)
            if simulator.roles[other] not in players:
                players[simulator.roles[other]] = self._other_self(other, epsilon)
        match = play_match(
            simulator,
            players,
            seed=self.matches,
            move_limit=self.config.longest_match,
        )
        for fault in match.faults:
            if isinstance(players[fault.role], GreedyPlayer):
                raise GameloreError(f"the learner could not move: {fault.message}")
        self.faults += match.faults
        if not match.complete:
            raise GameloreError(
                f"a match of {simulator.game.name!r} took more than"
                f" {self.config.longest_match} moves; raise `longest_match`"
            )
        return match

    def _other_self(self, role: int, epsilon: float) -> GreedyPlayer:
        """Return the learner, a copy of it, or the player by features as opponent."""
        if self.copies or self.copy or self.opponent:
            epsilon = self.config.opponent.epsilon
        player = GreedyPlayer(self.rival_values(role), epsilon, self.matches)
        player.stream = self.streams.opponent
        return player

    def _check_engine(self) -> None:
        """Every engine will do: players look after themselves."""


def make_trainer(
    graph: StateGraph,
    config: TrainConfig,
    features: PatternValues | Sequence[PatternValues] | None = None,
) -> Trainer:
    """Return a trainer that plays in kernels, where these know how."""
    if isinstance(config.learner, ZeroSettings):
        return ZeroTrainer(graph, config)
    if isinstance(config.opponent, AgentOpponent):
        return MatchTrainer(graph, config, features)
    if config.search is not None:
        return SearchTrainer(graph, config, features)
    return Trainer(graph, config, features)
