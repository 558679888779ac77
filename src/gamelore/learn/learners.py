"""Learners as objects: they learn from matches that anybody has played.

    learner = TDLearner(graph, "x")
    player = GreedyPlayer(learner.values, epsilon=0.01)
    record = play_match(simulator, {"x": player, "o": anyone})
    learner.learn(Episode.of(simulator, record))

A learner never chooses. It learns by the kernels of training runs, so that from the
same matches it learns the same, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gamelore.engine import Row, Rows, Simulator
from gamelore.errors import DivergenceError
from gamelore.gdl import Role
from gamelore.graph import FINE, NO_SHAPE, StateGraph
from gamelore.kernels import direct
from gamelore.learn._function_match_kernels import learn_function_match
from gamelore.learn._learner_kernels import PlayedMatch, Trajectory
from gamelore.learn._match_kernels import DIVERGED, TABLE_FULL
from gamelore.learn._table_match_kernels import learn_table_match
from gamelore.learn.match_buffers import new_trajectory
from gamelore.learn.role_values import (
    LearnerSettings,
    PatternValues,
    Values,
    empty_table,
)
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.learn.shaping import make_shaping
from gamelore.match.record import MatchRecord
from gamelore.values.by_feature import ByFeature
from gamelore.values.table import Table

_learn_table_match = direct(learn_table_match)
_learn_function_match = direct(learn_function_match)


@dataclass(frozen=True)
class Episode:
    """A finished match, from its first position to its last."""

    rows: Rows
    """uint64 [n + 1, K]: the positions"""
    moves: npt.NDArray[np.int32]
    """int32 [n, R]: the joint moves between them"""

    @classmethod
    def of(cls, simulator: Simulator, record: MatchRecord) -> Episode:
        """The match of a record."""
        if not record.complete:
            raise ValueError(f"the match of {record.game} has not ended")
        rows: list[Row] = [simulator.initial_row()]
        moves: list[list[int]] = []
        for joint in record.moves:
            simulator.legal(rows[-1][None])  # the interpreter numbers moves it meets
            numbers = [simulator.move_number(r, move) for r, move in enumerate(joint)]
            array = np.array([numbers], np.int32)
            rows.append(simulator.advance(rows[-1][None], array)[0])
            moves.append(numbers)
        shape = len(moves), len(simulator.roles)
        return cls(np.stack(rows), np.array(moves, np.int32).reshape(shape))


class Learner(Protocol):
    """Learns from matches, never chooses."""

    def learn(self, episode: Episode) -> None:
        """Learn from one match."""


class ValueLearner:
    """Learns the values of one role's moves."""

    def __init__(self, values: Values) -> None:
        self.values = values

    @property
    def table(self) -> Table:
        return self.values.table

    def learn(self, episode: Episode) -> None:
        """Learn from one match."""
        values = self.values
        end = values.graph.number(episode.rows[-1])
        match = PlayedMatch(self._trajectory(episode), end, values.valued_role)
        failure = np.zeros(2, np.int64)
        while (status := self._learn(match, failure)) != FINE:
            if status == TABLE_FULL:
                self.table.grow()
            elif status == NO_SHAPE:
                values.help_at(int(failure[0]))
            elif status == DIVERGED:
                raise DivergenceError(
                    "the weights diverged; the last good ones are kept: lower the step"
                    " size"
                )
            else:
                values.graph.resolve(status, int(failure[0]))

    def _learn(self, match: PlayedMatch, failure: npt.NDArray[np.int64]) -> int:
        """Learn from a match, all of it or nothing; return a status.

        failure: int64 [2], the node at which it failed and the role that was to learn
        """
        values, graph = self.values, self.values.graph.graph
        parameters = values.parameters
        if values.function is not None:
            handle = values.function_handle
            return int(_learn_function_match(graph, handle, parameters, match, failure))
        known, shaping = values.table_values, values.shaping_handle
        return int(
            _learn_table_match(graph, known, shaping, parameters, match, failure)
        )

    def _trajectory(self, episode: Episode) -> Trajectory:
        """Return the decisions of a match that are learned from."""
        trajectory = new_trajectory(len(episode.moves) + 1)
        for t, (node, edge) in enumerate(self._decisions(episode)):
            trajectory.nodes[t] = node
            trajectory.edges[t] = edge
            trajectory.length[0] = t + 1
        return trajectory

    def _decisions(self, episode: Episode) -> Iterator[tuple[int, int]]:
        """Yield each node where a decision is learned from, and the edge taken."""
        graph, values = self.values.graph, self.values
        for row, joint in zip(episode.rows, episode.moves, strict=False):
            node = graph.number(row)
            mover = graph.mover(node)
            if mover == values.role or values.side is not None:
                moves = [edge.move for edge in graph.edges(node)]
                taken = moves.index(int(joint[mover]))
                yield node, int(graph.nodes.first[node]) + taken


class TDLearner(ValueLearner):
    """TD(λ) over afterstates."""

    def __init__(
        self,
        graph: StateGraph,
        role: Role,
        settings: TDSettings | None = None,
        *,
        lookahead: Lookahead | None = None,
        features: PatternValues | None = None,
        shaping: ByFeature = (),
    ) -> None:
        """`shaping`: features by name, each with the reward of its going up by 1."""
        settings = settings or TDSettings()
        number, table = _place(graph, role, settings)
        rewards = make_shaping(graph, shaping, number)
        super().__init__(
            Values(graph, number, settings, table, lookahead, features, shaping=rewards)
        )


class QLearner(ValueLearner):
    """Q-learning over moves."""

    def __init__(
        self,
        graph: StateGraph,
        role: Role,
        settings: QSettings | None = None,
        *,
        shaping: ByFeature = (),
    ) -> None:
        """`shaping`: features by name, each with the reward of its going up by 1."""
        settings = settings or QSettings()
        number, table = _place(graph, role, settings)
        rewards = make_shaping(graph, shaping, number)
        super().__init__(Values(graph, number, settings, table, shaping=rewards))


def _place(
    graph: StateGraph, role: Role, settings: LearnerSettings
) -> tuple[int, Table]:
    """The number of a role, and an empty table for it."""
    roles: Sequence[Role] = graph.simulator.roles
    if role not in roles:
        raise ValueError(f"no role {role!r}: there are {', '.join(roles)}")
    return roles.index(role), empty_table(graph, settings)
