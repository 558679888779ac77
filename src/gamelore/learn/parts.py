"""Parts of a training run: matches that one process plays, and another learns from.

What is played in a part depends on its values, its matches' numbers and the seed of the
run, and on nothing else: whoever plays it again plays the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.errors import GameloreError
from gamelore.graph import FINE
from gamelore.kernels import direct
from gamelore.learn import _part_kernels as part_kernels
from gamelore.learn._match_kernels import DIVERGED, Assignments, MatchBuffers
from gamelore.learn.config import check_engine
from gamelore.learn.match_buffers import make_streams, new_buffers
from gamelore.learn.match_trainer import MatchTrainer
from gamelore.learn.opponents import AgentOpponent
from gamelore.learn.played import PlayedMatches
from gamelore.learn.trainer import Record, Trainer
from gamelore.match.record import MatchRecord
from gamelore.values.functions import ValueFunction, Weights
from gamelore.values.table import Cells, Table

_play_function_part = direct(part_kernels.play_function_part)
_learn_function_part = direct(part_kernels.learn_function_part)
_play_table_part = direct(part_kernels.play_table_part)
_learn_table_part = direct(part_kernels.learn_table_part)

_FIRST_ROOM = 64  # choices of a match, before more are needed

_Log: TypeAlias = tuple[npt.NDArray[np.uint16], npt.NDArray[np.int64]]


@dataclass(frozen=True)
class PlayedValues:
    """All that the moves of a learner, and of a copy of it, depend on."""

    tables: Mapping[int, Cells]
    copies: Mapping[int, Cells] = field(default_factory=dict)
    weights: Weights = field(default_factory=dict)
    copied_weights: Weights = field(default_factory=dict)


class PartTrainer(Trainer):
    """A trainer that plays without learning, and learns from what others played."""

    def _new_function(self) -> ValueFunction | None:
        function = self.config.value_function
        if function is not None and function.updates == "during-play":
            raise GameloreError(
                "matches that are played elsewhere are learned from afterwards: use"
                " `updates` online, not during-play"
            )
        return super()._new_function()

    def played_values(self) -> PlayedValues:
        """Return a copy of the values to play by."""
        self._refresh_copies(self.matches)
        state = Trainer.state(self)
        return PlayedValues(
            state.tables, state.copies, state.weights, state.copied_weights
        )

    def load_values(self, values: PlayedValues) -> None:
        """Play by other values from now on."""
        self.tables = {r: Table.from_arrays(*values.tables[r]) for r in self.tables}
        self.copies = {
            r: Table.from_arrays(*cells) for r, cells in values.copies.items()
        }
        if self.function is not None:
            self.function.load(values.weights)
            self.copy = None
            if values.copied_weights:
                self.copy = self.function.copy()
                self.copy.load(values.copied_weights)

    def play_part(self, first: int, matches: int) -> PlayedMatches:
        """Play matches by their numbers; nothing is learned."""
        self._begin_part(first)
        buffers = new_buffers(matches, self.config.longest_match)
        roles, epsilons = self._assign(first, matches)
        log = _new_log(matches)
        done = 0
        while done < matches:
            opening = self.config.opening
            assignments = Assignments(roles, epsilons, opening, done, matches)
            status, done = self._play_in_kernel(buffers, assignments, log)
            if status == part_kernels.LOG_FULL:
                log = np.concatenate([log[0], np.zeros_like(log[0])]), log[1]
            elif status != FINE:
                node, role = (int(number) for number in buffers.failure)
                self._resolve(status, node, role)
        choices, starts = log
        return PlayedMatches(first, choices[: starts[-1]].copy(), starts)

    def learn_part(self, played: PlayedMatches, matches: int) -> Record:
        """Learn from the next matches, which must be the first of those played."""
        if played.first != self.matches:
            raise ValueError(f"match {self.matches} is next, not {played.first}")
        buffers = new_buffers(matches, self.config.longest_match)
        roles, epsilons = self._assign(self.matches, matches)
        log = played.choices, played.starts
        done = 0
        while done < matches:
            self._refresh_copies(self.matches + done)
            end = min(matches, self._next_change(self.matches + done) - self.matches)
            opening = self.config.opening
            assignments = Assignments(roles, epsilons, opening, done, end)
            status, done = self._learn_in_kernel(buffers, assignments, log)
            if status == DIVERGED:
                self.matches += done
            if status == part_kernels.NO_CHOICE:
                raise GameloreError(
                    f"match {self.matches + done:,} cannot be followed: whoever played"
                    " it has other rules or another version of gamelore"
                )
            if status != FINE:
                node, role = (int(number) for number in buffers.failure)
                self._resolve(status, node, role)
        self.matches += matches
        return Record(buffers.rewards, buffers.lengths, buffers.cells)

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _begin_part(self, first: int) -> None:
        """Have the randomness of a part begin."""
        self.matches = first
        seed = np.random.SeedSequence((self.config.seed, first))
        streams = make_streams(int(seed.generate_state(1, np.uint64)[0]))
        for mine, new in zip(self.streams[:3], streams[:3], strict=True):
            mine[:] = new

    def _assign(
        self, first: int, matches: int
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float64]]:
        """Return the role that learns in each match, and how much it explores."""
        numbers = np.arange(first, first + matches)
        roles = np.array(self.learner_roles, np.int8)[numbers % len(self.learner_roles)]
        return roles, self.config.schedule(numbers)

    def _play_in_kernel(
        self, buffers: MatchBuffers, assignments: Assignments, log: _Log
    ) -> tuple[int, int]:
        setup, parameters = self._setup(), self._parameters(self.matches)
        part = assignments, log
        players = self._players()
        kernel = _play_function_part if self.function else _play_table_part
        result: tuple[int, int] = kernel(
            setup, players, parameters, self.streams, buffers, part
        )
        return result

    def _learn_in_kernel(
        self, buffers: MatchBuffers, assignments: Assignments, log: _Log
    ) -> tuple[int, int]:
        setup = self._setup()
        parameters = self._parameters(self.matches + assignments.first)
        kernel = _learn_function_part if self.function else _learn_table_part
        players = self._players()
        result: tuple[int, int] = kernel(
            setup, players, parameters, buffers, (assignments, log)
        )
        return result

    def _check_search(self) -> None:
        if self.config.search is not None:
            raise GameloreError(
                "matches that are searched are played where they are learned from:"
                " leave --search-nodes out, or train without a cluster"
            )

    def _check_engine(self) -> None:
        """Refuse what kernels cannot play; other players look after themselves."""
        if not isinstance(self.config.opponent, AgentOpponent):
            check_engine(self.config, self.graph.simulator)


class MatchPartTrainer(MatchTrainer, PartTrainer):
    """Plays parts match by match, against any player."""

    def play_part(self, first: int, matches: int) -> PlayedMatches:
        """Play matches by their numbers; nothing is learned."""
        self._begin_part(first)
        roles, epsilons = self._assign(first, matches)
        choices, starts = list[int](), np.zeros(matches + 1, np.int64)
        for i in range(matches):
            self.matches = first + i
            record = self._play(int(roles[i]), float(epsilons[i]))
            choices += self._find_choices(record)
            starts[i + 1] = len(choices)
        return PlayedMatches(first, np.array(choices, np.uint16), starts)

    def _find_choices(self, record: MatchRecord) -> list[int]:
        """Return the place of each move of a match among the moves at its position."""
        graph, simulator = self.graph, self.graph.simulator
        node, choices = graph.root, []
        for joint in record.moves:
            mover = graph.mover(node)
            edges = graph.edges(node)
            move = simulator.move_number(mover, joint[mover])
            place = [edge.move for edge in edges].index(move)
            choices.append(place)
            node = edges[place].child
        return choices


def _new_log(matches: int) -> _Log:
    return (
        np.zeros(_FIRST_ROOM * max(1, matches), np.uint16),
        np.zeros(matches + 1, np.int64),
    )
