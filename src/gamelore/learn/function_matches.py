"""Matches between two value functions, in kernels: neither of them learns.

Each takes the move with the best value, one move ahead, and chooses at random among
equals. `gamelore.match.batch` plays such matches with evaluators of any kind; for value
functions this takes about a quarter of the time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamelore.errors import GameloreError
from gamelore.graph import FINE, StateGraph
from gamelore.kernels import direct
from gamelore.learn import _match_kernels as kernels
from gamelore.learn._function_match_kernels import (
    FunctionHandle,
    FunctionPlayers,
    play_function_matches,
)
from gamelore.learn._learner_kernels import OF_MOVER, LearnerParameters
from gamelore.learn._match_kernels import Assignments, MatchSetup, Opponent
from gamelore.learn.match_buffers import make_streams, new_buffers
from gamelore.learn.role_values import Values, empty_table
from gamelore.learn.settings import TDSettings
from gamelore.learn.trainer import working_graph
from gamelore.match.batch import BatchResult
from gamelore.search.policies import PlayerSettings, policy_parameters
from gamelore.values.functions import UPDATE_MODES, ValueFunction

_play_function_matches = direct(play_function_matches)


@dataclass(frozen=True)
class FunctionMatches:
    """Two value functions that play each other, of a game of two players."""

    graph: StateGraph
    """Has room for a match; it is emptied now and then."""
    function: ValueFunction
    other: ValueFunction
    """Both must be used on no other state graph."""
    longest_match: int = 2000

    @classmethod
    def between(cls, function: ValueFunction, other: ValueFunction) -> FunctionMatches:
        """Return matches between copies of two functions."""
        graph = working_graph(function.graph)
        return cls(graph, function.copy(), other.copy())

    def play_both_roles(
        self, matches: int, *, seed: int = 0, opening: int = 0
    ) -> tuple[BatchResult, BatchResult]:
        """Play half of the matches in each role: those as the first, and as the second.

        `opening`: how many moves at the start of every match are random
        """
        first, second = np.random.SeedSequence(seed).generate_state(2, np.uint64)
        half = matches // 2
        players = self.function.encoder.players
        return (
            self.play(players[0], matches - half, seed=int(first), opening=opening),
            self.play(players[1], half, seed=int(second), opening=opening),
        )

    def play(
        self, role: int, matches: int, *, seed: int = 0, opening: int = 0
    ) -> BatchResult:
        """Play matches in which the function has one role, and the other the other."""
        simulator = self.graph.simulator
        buffers = new_buffers(matches, self.longest_match, simulator.width)
        roles, epsilons = np.full(matches, role, np.int8), np.zeros(matches)
        streams, done = make_streams(seed), 0
        while done < matches:
            status, done = _play_function_matches(
                self._setup(),
                self._players(),
                self._parameters(),
                streams,
                buffers,
                Assignments(roles, epsilons, opening, done, matches),
            )
            if status == kernels.TOO_LONG:
                raise GameloreError(
                    f"a match of {simulator.game.name!r} took more than"
                    f" {self.longest_match} moves; raise `longest_match`"
                )
            if status != FINE:
                self.graph.resolve(status, int(buffers.failure[0]))
        goals = simulator.goals(buffers.ends)
        return BatchResult(buffers.ends, goals, buffers.lengths)

    # ── for kernels ─────────────────────────────────────────────────────────────────

    def _setup(self) -> MatchSetup:
        policy = policy_parameters(self.graph, PlayerSettings())
        opponent = Opponent(kernels.FUNCTION, policy, 0.0, _find_view(self.other))
        roles = self.function.encoder.players
        graph = self.graph
        return MatchSetup(graph.graph, graph.root, roles, opponent, policy)

    def _players(self) -> FunctionPlayers:
        return FunctionPlayers(self._handle(self.function), self._handle(self.other))

    def _handle(self, function: ValueFunction) -> FunctionHandle:
        """Return a function that does not learn during play, even if it could."""
        handle = self._values(function).function_handle
        arrays = handle.function
        updates = arrays.updates._replace(mode=UPDATE_MODES["online"])
        return handle._replace(function=arrays._replace(updates=updates))

    def _parameters(self) -> LearnerParameters:
        parameters = self._values(self.function).parameters
        perspective = parameters.perspective
        view = _find_view(self.function)
        return parameters._replace(perspective=perspective._replace(role=view))

    def _values(self, function: ValueFunction) -> Values:
        settings = TDSettings()
        table = empty_table(self.graph, settings)
        return Values(self.graph, 0, settings, table, function=function)


def _find_view(function: ValueFunction) -> int:
    """Return the role whose values a function has, or OF_MOVER."""
    if function.settings.perspective == "first":
        return function.encoder.players[0]
    return OF_MOVER
