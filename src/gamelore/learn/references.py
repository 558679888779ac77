"""Matches against reference players: how strong a learner is while it trains.

Rewards of training are no measure of strength: they include exploration, and in
self-play they are the first player's goals. Here the learner plays greedily against
built-in players, in every role that it learns, with values that stay as they are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.errors import GameloreError
from gamelore.learn._learner_kernels import LearnerParameters
from gamelore.learn.function_matches import FunctionMatches
from gamelore.learn.match_buffers import make_streams
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.opponents import AgentOpponent, find_opponent
from gamelore.learn.schedules import Fixed
from gamelore.learn.trainer import Trainer
from gamelore.match.ratings import Estimate
from gamelore.match.standings import share
from gamelore.search.policies import PlayerSettings
from gamelore.values.settings import LinearSettings, NetworkSettings
from gamelore.values.table import Table

Floats: TypeAlias = npt.NDArray[np.float64]

ALONE = "alone"
"""The name of the reference in games of one player, which have no opponents."""
ITSELF = "itself"
"""The name of the reference that is the best that the learner has been so far."""

_OPENING = 4  # random moves of matches against itself, which would repeat else
_PART = 0.1  # seconds of matches between two looks at the clock
_GROWTH = 8  # of parts, from one to the next


@dataclass(frozen=True)
class ReferenceResult:
    """How a learner did against one reference player after some matches of training."""

    trained: int
    """Matches of training."""
    opponent: str
    matches: int
    """Matches against the reference player."""
    score: float
    """Mean goal as a share of the way from the lowest goal to the highest: 1 is a win
    of every match, 0.5 a draw."""
    low: float
    high: float
    """Wilson's 95% interval of the score."""
    seconds: float = field(default=0.0, compare=False)
    """Time of training up to then, evaluations included."""
    processor_seconds: float = field(default=0.0, compare=False)
    """Time that the processor worked for the training run up to then."""

    @property
    def percent(self) -> str:
        """The score and its interval in per cent: `93% [89, 96]`."""
        return f"{self.score:.0%} [{100 * self.low:.0f}, {100 * self.high:.0f}]"


class FrozenTrainer(Trainer):
    """Plays by the values of another trainer, greedily, and learns nothing."""

    def __init__(
        self, source: Trainer, opponent: PlayerSettings | AgentOpponent
    ) -> None:
        """`source`: whose values it plays by, in all roles that they are for."""
        self._source = source
        function = source.config.function
        if (
            isinstance(function, LinearSettings | NetworkSettings)
            and function.updates == "during-play"
        ):
            function = replace(function, updates="online")
        config = replace(
            source.config,
            function=function,
            opponent=opponent,
            role="alternate" if len(source.known_roles) > 1 else source.config.role,
            schedule=Fixed(0.0),
            step_decay=None,
            search=None,
        )
        super().__init__(source.graph, config, list(source.features.values()))

    def load(self, seed: int) -> None:
        """Take the values as they are now, and start with new random numbers."""
        tables = self._source.tables
        self.tables = {r: Table.from_arrays(*t.cells()) for r, t in tables.items()}
        if self.function is not None and self._source.function is not None:
            self.function.load(self._source.function.weights())
        self.streams = make_streams(seed)
        self.matches = 0

    @property
    def _shared(self) -> bool:
        return self._source.side is not None

    def _parameters(self, match: int) -> LearnerParameters:
        """Return how to learn: with steps of no size."""
        parameters = super()._parameters(match)
        return parameters._replace(rates=parameters.rates._replace(step_size=0.0))


class FrozenMatchTrainer(FrozenTrainer, MatchTrainer):
    """The same match by match, against any player."""

    def _learning(self, role: int) -> list[int]:
        return []


class ReferenceMatches:
    """Plays a trainer's learner against reference players."""

    def __init__(
        self,
        trainer: Trainer,
        opponents: tuple[str, ...],
        matches: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`matches`: against each opponent."""
        self._trainer = trainer
        alone = len(trainer.players) == 1
        self.opponents = (ALONE,) if alone and opponents else opponents
        self._matches = matches
        self._clock = clock
        self._players: dict[str, FrozenTrainer] = {}
        self._itself: FunctionMatches | None = None
        if ITSELF in self.opponents:
            self._itself = self._match_itself()

    def _match_itself(self) -> FunctionMatches:
        """Return matches between the learner and what it is now."""
        trainer = self._trainer
        if trainer.function is None or len(trainer.players) != 2:
            raise GameloreError(
                "a reference of itself is for value functions of two players"
            )
        function, longest = trainer.function, trainer.config.longest_match
        return replace(
            FunctionMatches.between(function, function), longest_match=longest
        )

    def keep_best(self) -> None:
        """Have the learner as it is now be the one that it plays from now on."""
        if self._itself is not None and self._trainer.function is not None:
            self._itself.other.load(self._trainer.function.weights())

    def play(
        self, seconds: float, is_stopped: Callable[[], bool]
    ) -> tuple[ReferenceResult, ...]:
        """Return a result for each opponent, or fewer if it is stopped.

        `seconds`: ends the matches against one opponent early, after one in each role.
        """
        results = []
        for number, opponent in enumerate(self.opponents):
            goals = self._play_one(opponent, number, seconds, is_stopped)
            if is_stopped():
                break
            estimate = share(float(goals.sum()), len(goals))
            results.append(self._describe(opponent, len(goals), estimate))
        return tuple(results)

    def _describe(
        self, opponent: str, matches: int, estimate: Estimate
    ) -> ReferenceResult:
        return ReferenceResult(
            self._trainer.matches, opponent, matches, *map(float, estimate[:3])
        )

    def _play_one(
        self,
        opponent: str,
        seed: int,
        seconds: float,
        is_stopped: Callable[[], bool],
    ) -> Floats:
        """float64 [n]: the learner's goals, as shares from the lowest to the highest"""
        if opponent == ITSELF:
            return self._play_itself(seconds, is_stopped)
        player = self._player(opponent)
        player.load(seed)
        goals = self._trainer.graph.simulator.goal_values
        shares: list[Floats] = [np.zeros(0)]
        for role, rewards in self._parts(player, seconds, is_stopped):
            low, high = min(goals[role]), max(goals[role])
            shares.append((rewards - low) / max(1, high - low))
        return np.concatenate(shares)

    def _play_itself(self, seconds: float, is_stopped: Callable[[], bool]) -> Floats:
        """Play the learner against its best, in both roles, from random openings."""
        playing, function = self._itself, self._trainer.function
        assert playing is not None
        assert function is not None
        playing.function.load(function.weights())
        goals, roles = self._trainer.graph.simulator.goal_values, self._trainer.players
        shares: list[Floats] = [np.zeros(0)]
        began, played, size = self._clock(), 0, 2
        while played < self._matches and not is_stopped():
            started = self._clock()
            if played and started - began >= seconds:
                break
            size = min(size, self._matches - played)
            found = playing.play_both_roles(size, seed=played, opening=_OPENING)
            for role, result in zip(roles, found, strict=True):
                low, high = min(goals[role]), max(goals[role])
                shares.append((result.goals[:, role] - low) / max(1, high - low))
            played += size
            took = max(self._clock() - started, 1e-6)
            size = max(2, int(size * min(_GROWTH, _PART / took)))
        return np.concatenate(shares)

    def _player(self, opponent: str) -> FrozenTrainer:
        """Return who plays against an opponent; made once, since that takes a while."""
        if opponent not in self._players:
            name = "random" if opponent == ALONE else opponent
            found = find_opponent(name)
            in_kernels = isinstance(found, PlayerSettings)
            kind = FrozenTrainer if in_kernels else FrozenMatchTrainer
            self._players[opponent] = kind(self._trainer, found)
        return self._players[opponent]

    def _parts(
        self, player: Trainer, seconds: float, is_stopped: Callable[[], bool]
    ) -> Iterator[tuple[int, Floats]]:
        """Play in parts that take little time; the rewards of each role in each."""
        roles = player.learner_roles
        began, size = self._clock(), len(roles)
        while player.matches < self._matches and not is_stopped():
            started, before = self._clock(), player.matches
            if before and started - began >= seconds:
                return
            size = min(size, self._matches - before)
            rewards = player.run(size).rewards
            numbers = np.arange(before, before + size) % len(roles)
            for place, role in enumerate(roles):
                yield role, rewards[numbers == place]
            took = max(self._clock() - started, 1e-6)
            size = max(len(roles), int(size * min(_GROWTH, _PART / took)))
