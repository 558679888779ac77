"""The agent that transfers the values of tree patterns from one game to the next."""

from __future__ import annotations

import logging
import math
from pathlib import Path

import numpy as np

from gamelore.errors import GameloreError
from gamelore.graph import StateGraph
from gamelore.learn.agent import LearningAgent
from gamelore.learn.match_log import LearnerKey
from gamelore.learn.role_values import PatternValues
from gamelore.learn.schedules import Schedule
from gamelore.learn.session import LearnerSession, LoadedGame
from gamelore.learn.settings import TDSettings
from gamelore.player import Clock
from gamelore.transfer.discovery import make_pattern_index
from gamelore.transfer.estimation import extract_knowledge
from gamelore.transfer.initialisation import initialise_roles
from gamelore.transfer.knowledge import Knowledge
from gamelore.transfer.store import KnowledgeStore

log = logging.getLogger(__name__)

DEPTH = 2
"""Of the tree patterns, as in Banerjee and Stone (2007)."""

_CHUNK = 64  # afterstates to search between two checks of the clock
_NODES = 200_000  # of the state graph in which patterns are searched
_SHARE = 0.5  # of the time left that the search for patterns leaves to others


def make_transfer_agent(store: Path | None, seed: int) -> TransferAgent:
    """Return an agent that learns by TD(λ) and transfers between games."""
    return TransferAgent(TDSettings(), store, seed)


class TransferAgent(LearningAgent):
    """Learns by TD(λ), with initial values from the tree patterns of earlier games.

    Patterns are valued whenever values are saved. Source results against the same
    opponent are preferred; if there are none, all are used.
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
        self._pattern_graph: StateGraph | None = None

    def close(self) -> None:
        """Save values and knowledge."""
        super().close()
        self._knowledge.close()

    def initial_patterns(
        self, loaded: LoadedGame, learner: LearnerKey, clock: Clock
    ) -> PatternValues | None:
        """Return initial values from the tree patterns of other games."""
        known = self._select(learner)
        if not known.results:
            return None
        role = loaded.simulator.roles.index(learner.role)
        try:
            return initialise_roles(known, loaded.graph, [role])[0]
        except GameloreError as error:
            log.info("knowledge cannot be applied to %s: %s", loaded.game.name, error)
            return None

    def transfer(self, session: LearnerSession, clock: Clock) -> None:
        """Value the tree patterns of a game, as far as there is time."""
        rows, values, visits = session.values.table.cells()
        visited = np.flatnonzero(visits)
        visited = visited[np.argsort(-visits[visited].astype(np.int64), kind="stable")]
        graph = self._graph_for_patterns(session.loaded)
        pattern_index = make_pattern_index(graph, session.values.role, DEPTH)
        until = -math.inf if clock.seconds == math.inf else _SHARE * clock.left
        done = 0
        while done < len(visited) and len(graph) < _NODES and clock.left > until:
            chunk = rows[visited[done : done + _CHUNK]]
            pattern_index.numbers(
                np.array([graph.number(row) for row in chunk], np.int32)
            )
            done += len(chunk)
        seen = visited[:done]
        knowledge = extract_knowledge(
            pattern_index,
            rows[seen],
            values[seen],
            visits[seen],
            opponent=session.learner.opponent,
            matches=session.matches,
            run=session.learner.key[:16],
        )
        self._knowledge.add(knowledge)

    def _graph_for_patterns(self, loaded: LoadedGame) -> StateGraph:
        """Return a state graph to search for patterns in, which fill it; so not the one
        in use."""
        known = self._pattern_graph
        if (
            known is None
            or known.simulator is not loaded.simulator
            or len(known) >= _NODES
        ):
            self._pattern_graph = known = StateGraph(loaded.simulator)
        return known

    def _select(self, learner: LearnerKey) -> Knowledge:
        known = self._knowledge.select(opponent=learner.opponent, depth=DEPTH)
        return known if known.results else self._knowledge.select(depth=DEPTH)
