"""Learners as objects: they learn from matches that anybody has played.

    learner = TDLearner(graph, "x")
    player = GreedyPlayer(learner.values, epsilon=0.01)
    record = play_match(simulator, {"x": player, "o": anyone})
    learner.learn(Episode.of(simulator, record))

A learner never chooses. It updates its table by the kernels of whole courses, so that
the same matches teach the same, bit for bit.
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
from gamelore.learn import _match_kernels
from gamelore.learn.role_values import (
    LearnerSettings,
    PatternValues,
    Values,
    empty_table,
)
from gamelore.learn.settings import Lookahead, QSettings, TDSettings
from gamelore.learn.shaping import account_of
from gamelore.learn.trainer import empty_log
from gamelore.match.match import MatchRecord
from gamelore.values.by_feature import ByFeature
from gamelore.values.kernel_types import DIVERGED, NO_CELLS, Log
from gamelore.values.table import Table

_learn_match = direct(_match_kernels.learn_match)


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
        """Fold one match in."""


class ValueLearner:
    """Learns the values of one role's moves."""

    def __init__(self, values: Values) -> None:
        self.values = values

    @property
    def table(self) -> Table:
        return self.values.table

    def learn(self, episode: Episode) -> None:
        """Fold one match in."""
        values = self.values
        log, count = self._log(episode)
        end = values.graph.number(episode.rows[-1])
        while True:
            status = _learn_match(
                values.graph.graph,
                (values.memory, values.mind, values.earnings),
                values.method,
                values.prior,
                values.role if values.side is None else values.side,
                log,
                count,
                end,
            )
            if status == FINE:
                return
            if status == NO_CELLS:
                self.table.grow()
            elif status == NO_SHAPE:
                values.help_at(int(log.trouble[0]))
            elif status == DIVERGED:
                raise DivergenceError(
                    "the weights ran away; the last good ones are kept: lower the step"
                    " size"
                )

    def _log(self, episode: Episode) -> tuple[Log, int]:
        """The role's moves in a match, as kernels see them, and how many they are."""
        log = empty_log(1, len(episode.moves) + 1)
        count = 0
        for node, edge in self._decisions(episode):
            log.nodes[count] = node
            log.edges[count] = edge
            count += 1
        return log, count

    def _decisions(self, episode: Episode) -> Iterator[tuple[int, int]]:
        """Where there is a move to learn from, and the edge that was taken."""
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
        """`shaping`: features by name, and what their going up by 1 earns."""
        settings = settings or TDSettings()
        number, table = _place(graph, role, settings)
        account = account_of(graph, shaping, number)
        super().__init__(
            Values(graph, number, settings, table, lookahead, features, account=account)
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
        """`shaping`: features by name, and what their going up by 1 earns."""
        settings = settings or QSettings()
        number, table = _place(graph, role, settings)
        account = account_of(graph, shaping, number)
        super().__init__(Values(graph, number, settings, table, account=account))


def _place(
    graph: StateGraph, role: Role, settings: LearnerSettings
) -> tuple[int, Table]:
    """The number of a role, and an empty table for it."""
    roles: Sequence[Role] = graph.simulator.roles
    if role not in roles:
        raise ValueError(f"no role {role!r}: there are {', '.join(roles)}")
    return roles.index(role), empty_table(graph, settings)
