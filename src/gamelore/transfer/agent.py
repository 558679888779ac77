"""The agent that carries what one game taught to the next."""

from __future__ import annotations

import logging
import math
from pathlib import Path

import numpy as np

from gamelore.errors import GameloreError
from gamelore.graph import StateGraph
from gamelore.learn.agent import LearningAgent
from gamelore.learn.match_log import Pupil
from gamelore.learn.role_values import PatternValues
from gamelore.learn.schedules import Schedule
from gamelore.learn.session import GameMemory, Study
from gamelore.learn.settings import TDSettings
from gamelore.player import Clock
from gamelore.transfer.knowledge import Knowledge
from gamelore.transfer.store import KnowledgeStore
from gamelore.transfer.survey import pattern_index_for
from gamelore.transfer.valuation import initial_values, learn_values, target_index

log = logging.getLogger(__name__)

DEPTH = 2
"""Of the features, as in the paper."""

_CHUNK = 64  # afterstates that are looked ahead from between two looks at the clock
_NODES = 200_000  # of the state graph in which features are looked for
_SHARE = 0.5  # of the time left that looking for features leaves to others


class TransferAgent(LearningAgent):
    """Learns by TD(λ); what features are worth elsewhere starts it off in a new game.

    Features are valued whenever values are saved. Those learned against the same
    opponent are preferred; if there are none, all that is known is used.
    """

    def __init__(
        self,
        settings: TDSettings | None = None,
        store: Path | None = None,
        seed: int = 0,
        *,
        schedule: Schedule | None = None,
    ) -> None:
        super().__init__(
            settings or TDSettings(), store, seed, schedule=schedule, name="transfer"
        )
        self._knowledge = KnowledgeStore(store or ":memory:")
        self._last_lookout: StateGraph | None = None

    def close(self) -> None:
        """Save values and knowledge."""
        super().close()
        self._knowledge.close()

    def initial_patterns(
        self, memory: GameMemory, pupil: Pupil, clock: Clock
    ) -> PatternValues | None:
        """What the features of this game were worth in others."""
        known = self._recall(pupil)
        if not known.lessons:
            return None
        role = memory.simulator.roles.index(pupil.role)
        try:
            pattern_index = target_index(memory.graph, role, known)
            return PatternValues(pattern_index, initial_values(known, pattern_index))
        except GameloreError as error:
            log.info("knowledge cannot be applied to %s: %s", memory.game.name, error)
            return None

    def digest(self, study: Study, clock: Clock) -> None:
        """Value the features of a game, as far as there is time."""
        rows, values, visits = study.values.table.cells()
        visited = np.flatnonzero(visits)
        visited = visited[np.argsort(-visits[visited].astype(np.int64), kind="stable")]
        graph = self._lookout(study.memory)
        pattern_index = pattern_index_for(graph, study.values.role, DEPTH)
        until = -math.inf if clock.seconds == math.inf else _SHARE * clock.left
        done = 0
        while done < len(visited) and len(graph) < _NODES and clock.left > until:
            chunk = rows[visited[done : done + _CHUNK]]
            pattern_index.numbers(
                np.array([graph.number(row) for row in chunk], np.int32)
            )
            done += len(chunk)
        seen = visited[:done]
        lesson = learn_values(
            pattern_index,
            rows[seen],
            values[seen],
            visits[seen],
            opponent=study.pupil.opponent,
            matches=study.matches,
            run=study.pupil.key[:16],
        )
        self._knowledge.add(lesson)

    def _lookout(self, memory: GameMemory) -> StateGraph:
        """A state graph to look for features in: they fill it, so not the one in
        use."""
        known = self._last_lookout
        if (
            known is None
            or known.simulator is not memory.simulator
            or len(known) >= _NODES
        ):
            self._last_lookout = known = StateGraph(memory.simulator)
        return known

    def _recall(self, pupil: Pupil) -> Knowledge:
        known = self._knowledge.recall(opponent=pupil.opponent, depth=DEPTH)
        return known if known.lessons else self._knowledge.recall(depth=DEPTH)
