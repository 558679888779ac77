"""What is in memory of games and of the pupils that learn them."""

from __future__ import annotations

import logging
import math
from collections import OrderedDict
from threading import Lock

from gamelore.engine import Simulator
from gamelore.errors import GameloreError
from gamelore.gdl import Game
from gamelore.graph import StateGraph
from gamelore.learn.learners import Episode, ValueLearner
from gamelore.learn.match_log import KeptMatch, Pupil, Snapshot
from gamelore.learn.records import features_record, read_features
from gamelore.learn.role_values import (
    LearnerSettings,
    PatternValues,
    Values,
    empty_table,
)
from gamelore.learn.state_codec import Spelling
from gamelore.match.match import MatchRecord
from gamelore.values.table import Table

log = logging.getLogger(__name__)

_SAVE_SHARE = 16  # values are saved when their matches grew by one part in so many
_MOST_UNSAVED = 256  # matches to fold in again, at most, after a process was killed


class GameMemory:
    """A game in memory: its state graph, and the studies of those who learn it."""

    def __init__(self, simulator: Simulator) -> None:
        """`NotTurnTakingError` if two roles have a choice in the first position."""
        self.simulator = simulator
        self.graph = StateGraph(simulator)
        self.graph.mover(self.graph.root)
        self.spelling = Spelling.of(simulator, ())
        self.lock = Lock()
        """Held by whoever uses the state graph: players of several matches, and
        learners."""
        self.studies: OrderedDict[str, Study] = OrderedDict()
        """By the pupil's key, the last used at the end."""

    @property
    def game(self) -> Game:
        return self.simulator.game


class Study:
    """A pupil's values, and up to which match they go."""

    def __init__(
        self,
        memory: GameMemory,
        pupil: Pupil,
        settings: LearnerSettings,
        snapshot: Snapshot | None = None,
        features: PatternValues | None = None,
    ) -> None:
        """`features`: initial values, where there is no snapshot to go on from."""
        self.memory = memory
        self.pupil = pupil
        graph, simulator = memory.graph, memory.simulator
        role = simulator.roles.index(pupil.role)
        table = empty_table(graph, settings)
        self.matches = self.folded = self.saved = 0
        if snapshot is not None:
            cells = snapshot.cells
            rows = snapshot.spelling.read(simulator, cells.rows, role)
            table = Table.from_arrays(*cells._replace(rows=rows))
            self.matches = self.saved = snapshot.matches
            self.folded = snapshot.folded
            if snapshot.features is not None:
                features = read_features(snapshot.features, graph, role)
        self.values = Values(graph, role, settings, table, features=features)

    def fold(self, match: KeptMatch, patience: float) -> bool:
        """Learn from a match, the next after those that are in the values.

        False if there was no time for it: the state graph was in use for all the
        seconds given.
        """
        if match.teaches:
            wait = -1 if patience == math.inf else max(0.0, patience)
            if patience <= 0 or not self.memory.lock.acquire(timeout=wait):
                return False
            try:
                self._learn(match)
            finally:
                self.memory.lock.release()
        self.folded = match.number
        return True

    def _learn(self, match: KeptMatch) -> None:
        simulator = self.memory.simulator
        record = MatchRecord(
            simulator.game.name, simulator.roles, match.moves, (), complete=True
        )
        try:
            ValueLearner(self.values).learn(Episode.of(simulator, record))
        except (GameloreError, ValueError) as error:
            log.warning("match %s teaches nothing: %s", match.id, error)
            return
        self.matches += 1

    @property
    def save_is_due(self) -> bool:
        """Whether enough was learned since the values were saved."""
        grown = max(1, min(_MOST_UNSAVED, self.saved // _SAVE_SHARE))
        return self.matches - self.saved >= grown

    def snapshot(self) -> Snapshot:
        """All that was learned, in a form that lasts."""
        values = self.values
        features = None if values.features is None else features_record(values.features)
        return Snapshot(
            self.matches,
            self.folded,
            values.table.cells(),
            self.memory.spelling,
            features,
        )
