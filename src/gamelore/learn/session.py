"""Games that are loaded, and the sessions of learners that learn them."""

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
from gamelore.learn.match_log import LearnerKey, StoredMatch, StoredValues
from gamelore.learn.records import features_record, read_features
from gamelore.learn.role_values import (
    LearnerSettings,
    PatternValues,
    Values,
    empty_table,
)
from gamelore.learn.state_codec import RowLayout
from gamelore.match.record import MatchRecord
from gamelore.values.table import Table

log = logging.getLogger(__name__)

_SAVE_SHARE = 16  # values are saved when their matches grew by one part in so many
_MOST_UNSAVED = 256  # matches to learn again, at most, after a process was killed


class LoadedGame:
    """A game that is loaded: its state graph, and the sessions of its learners."""

    def __init__(self, simulator: Simulator) -> None:
        """`NotTurnTakingError` if two roles have a choice in the first position."""
        self.simulator = simulator
        self.graph = StateGraph(simulator)
        self.graph.mover(self.graph.root)
        self.layout = RowLayout.of(simulator, ())
        self.lock = Lock()
        """Held by whoever uses the state graph: players of several matches, and
        learners."""
        self.sessions: OrderedDict[str, LearnerSession] = OrderedDict()
        """By the learner's key, the last used at the end."""

    @property
    def game(self) -> Game:
        return self.simulator.game


class LearnerSession:
    """A learner's values, and the number of the last match that they include."""

    def __init__(
        self,
        loaded: LoadedGame,
        learner: LearnerKey,
        settings: LearnerSettings,
        stored: StoredValues | None = None,
        features: PatternValues | None = None,
    ) -> None:
        """`features`: initial values, where there are no stored values."""
        self.loaded = loaded
        self.learner = learner
        graph, simulator = loaded.graph, loaded.simulator
        role = simulator.roles.index(learner.role)
        table = empty_table(graph, settings)
        self.matches = self.last_match = self.saved = 0
        if stored is not None:
            cells = stored.cells
            rows = stored.layout.read(simulator, cells.rows, role)
            table = Table.from_arrays(*cells._replace(rows=rows))
            self.matches = self.saved = stored.matches
            self.last_match = stored.last_match
            if stored.features is not None:
                features = read_features(stored.features, graph, role)
        self.values = Values(graph, role, settings, table, features=features)

    def learn(self, match: StoredMatch, patience: float) -> bool:
        """Learn from a match, the next after those that are in the values.

        Return false if there was no time for it: the state graph was in use for all the
        seconds given.
        """
        if match.can_be_learned:
            wait = -1 if patience == math.inf else max(0.0, patience)
            if patience <= 0 or not self.loaded.lock.acquire(timeout=wait):
                return False
            try:
                self._learn(match)
            finally:
                self.loaded.lock.release()
        self.last_match = match.number
        return True

    def _learn(self, match: StoredMatch) -> None:
        simulator = self.loaded.simulator
        record = MatchRecord(
            simulator.game.name, simulator.roles, match.moves, (), complete=True
        )
        try:
            ValueLearner(self.values).learn(Episode.of(simulator, record))
        except (GameloreError, ValueError) as error:
            log.warning("nothing is learned from match %s: %s", match.id, error)
            return
        self.matches += 1

    @property
    def save_is_due(self) -> bool:
        """Whether enough was learned since the values were saved."""
        grown = max(1, min(_MOST_UNSAVED, self.saved // _SAVE_SHARE))
        return self.matches - self.saved >= grown

    def to_stored(self) -> StoredValues:
        """Return all that was learned, to be stored."""
        values = self.values
        features = None if values.features is None else features_record(values.features)
        return StoredValues(
            self.matches,
            self.last_match,
            values.table.cells(),
            self.loaded.layout,
            features,
        )
