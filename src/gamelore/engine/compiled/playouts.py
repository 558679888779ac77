"""Random playouts on a circuit: in chunks, on threads, and summed up.

Shapes: n positions, R roles. Playouts from positions of the same turn run in step, on
the circuits of turns; those from other positions run on the circuit of the whole game.
A chunk has a stream of randomness of its own, so that results do not depend on the
number of threads. A kernel runs for a bounded time, so that an interrupt is not kept
waiting.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gamelore.circuit.program import GOALS, PHASES, Program, Turns
from gamelore.engine.compiled import _kernels, _turn_kernels
from gamelore.engine.compiled.buffers import allocate_aligned
from gamelore.engine.compiled.choices import make_choices
from gamelore.engine.compiled.starts import NO_TURN, Starts, find_starts
from gamelore.engine.simulator import Playouts, Rows
from gamelore.errors import StuckError
from gamelore.kernels import direct

if TYPE_CHECKING:
    from gamelore.engine.compiled.simulator import CircuitSimulator

_play_turns = direct(_turn_kernels.play_turns)
_record_ended = direct(_turn_kernels.record_ended)

_CHUNK = 1 << 14  # playouts at least that share one stream of randomness
_MOST_CHUNKS = 64
_PIECE = 1 << 26  # gates evaluated, 512 lanes each, before Python runs again
_UNFINISHED = (_kernels.PAUSED, _turn_kernels.FULL)
_KEPT_FOR = 4  # gates for goals, per fluent, beyond which ended positions wait


@dataclass(frozen=True)
class _Chunk:
    """Playouts that share a stream of randomness."""

    number: int
    starts: Starts
    begin: int
    end: int


@dataclass(frozen=True)
class PlayoutBatch:
    """Playouts to be played: `count` from each of n positions."""

    simulator: CircuitSimulator
    positions: Rows
    """uint64 [n, K]"""
    count: int
    seed: int
    move_limit: int

    def play(self, threads: int) -> Playouts:
        """Play them all, and return their statistics."""
        starts = self._find_starts()
        chunks = list(self._make_chunks(starts))
        stopped = threading.Event()

        def play(chunk: _Chunk) -> _kernels.Tally:
            tally = self._make_tally(chunk.starts)
            self._play_chunk(tally, chunk, stopped)
            return tally

        if threads == 1 or len(chunks) < 2:
            tallies = [play(chunk) for chunk in chunks]
        else:
            with ThreadPoolExecutor(threads) as pool:
                try:
                    tallies = list(pool.map(play, chunks))
                except BaseException:
                    stopped.set()
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
        ended = np.ones(len(self.positions), np.bool_)
        for each in starts:
            ended[each.numbers] = False
        return self._sum(np.flatnonzero(ended), chunks, tallies)

    def _find_starts(self) -> list[Starts]:
        """Find the starts of all positions that are not terminal, turn by turn."""
        simulator, positions = self.simulator, self.positions
        if np.array_equal(positions, simulator.initial_row()[None]):
            first = simulator.first_start
            return [] if first is None else [first]
        going = np.flatnonzero(~simulator.terminal(positions, checked=False))
        return list(find_starts(simulator, positions, going))

    def _make_chunks(self, starts_of_turns: Sequence[Starts]) -> Iterator[_Chunk]:
        """Divide the playouts from these positions, turn by turn."""
        going = sum(len(starts.numbers) for starts in starts_of_turns)
        size = max(_CHUNK, -(-going * self.count // _MOST_CHUNKS))
        number = 0
        for starts in starts_of_turns:
            total = len(starts.numbers) * self.count
            for begin in range(0, total, size):
                yield _Chunk(number, starts, begin, min(begin + size, total))
                number += 1

    def _play_chunk(
        self, tally: _kernels.Tally, chunk: _Chunk, stopped: threading.Event
    ) -> None:
        simulator, turn = self.simulator, chunk.starts.turn
        random = make_generators(self.seed, chunk.number)
        compiled = simulator.compiled
        in_turns = turn != NO_TURN
        program = compiled.turn_program if in_turns else simulator.program
        words = simulator.turn_words() if in_turns else simulator.allocated_words()
        steps = max(1, _PIECE // max(1, len(program.left)))
        tally.progress[_kernels.BEGUN] = chunk.begin
        tally.progress[_turn_kernels.END] = chunk.end
        tally.progress[_turn_kernels.PAUSE] = steps
        tally.progress[_turn_kernels.FIRST_TURN] = turn
        choices = make_choices(compiled.turns, random)
        ended = self._make_ended()
        status = _kernels.PAUSED
        while status in _UNFINISHED and not stopped.is_set():
            if in_turns:
                status = _play_turns(
                    program, compiled.turns, words, choices, tally, ended
                )
                empty = status in (_turn_kernels.FULL, _kernels.FINISHED)
                if empty and len(ended.lanes):
                    _record_ended(program, compiled.turns, words, tally, ended)
            else:
                status = _kernels.play_out(
                    program, words, random, tally, chunk.end, steps
                )
        if status == _kernels.STUCK:
            role = simulator.roles[int(tally.progress[_kernels.STUCK_ROLE])]
            raise StuckError(
                f"role {role!r} has no legal move in a position of "
                f"{simulator.game.name!r} that is not terminal"
            )

    def _make_ended(self) -> _turn_kernels.Ended:
        """Return room for the positions that matches end in, if goals take long."""
        compiled, words = self.simulator.compiled, _kernels.WORDS
        turns = len(compiled.turns.terminal)
        positions = turns * compiled.turns.next.shape[1]
        if not _are_goals_large(compiled.turn_program, compiled.turns):
            turns, positions = 0, 0
        return _turn_kernels.Ended(
            words=allocate_aligned(positions * words).reshape(positions, words),
            lanes=allocate_aligned(turns * words).reshape(turns, words),
            origin=np.zeros((turns, _kernels.LANES), np.int32),
        )

    def _make_tally(self, starts: Starts) -> _kernels.Tally:
        n, roles = len(starts.bits), len(self.simulator.roles)
        return _kernels.Tally(
            starts=starts.bits,
            reset=starts.reset,
            origin=np.zeros(_kernels.LANES, np.int32),
            began=np.zeros(_kernels.LANES, np.int64),
            live=allocate_aligned(_kernels.WORDS),
            done=allocate_aligned(_kernels.WORDS),
            valid=allocate_aligned(_kernels.WORDS),
            goal_sums=np.zeros((n, roles)),
            goal_squares=np.zeros((n, roles)),
            lengths=np.zeros(n, np.int64),
            goal_counts=np.zeros(len(self.simulator.program.goals), np.int64),
            length_counts=np.zeros(self.move_limit + 1, np.int64),
            cut_off=np.zeros(1, np.int64),
            progress=np.zeros(6, np.int64),
            per_start=self.count,
        )

    def _sum(
        self,
        ended: npt.NDArray[np.intp],
        chunks: Sequence[_Chunk],
        tallies: Sequence[_kernels.Tally],
    ) -> Playouts:
        """Add up the chunks, and the positions that were terminal to begin with."""
        n, roles = len(self.positions), len(self.simulator.roles)
        program = self.simulator.program
        goal_counts = np.zeros(len(program.goals), np.int64)
        length_counts = np.zeros(self.move_limit + 1, np.int64)
        length_counts[0] += len(ended) * self.count
        sums, squares = np.zeros((n, roles)), np.zeros((n, roles))
        lengths = np.zeros(n, np.int64)
        for chunk, tally in zip(chunks, tallies, strict=True):
            numbers = chunk.starts.numbers
            if len(numbers) == 1:  # then the kernel keeps no sums per position
                self._sum_goals(tally)
            sums[numbers] += tally.goal_sums
            squares[numbers] += tally.goal_squares
            lengths[numbers] += tally.lengths
            goal_counts += tally.goal_counts
            length_counts += tally.length_counts
        per_role: list[dict[int, int]] = []
        first = 0
        for end in program.goal_ends.tolist():
            found = zip(
                program.goal_values[first:end], goal_counts[first:end], strict=True
            )
            per_role.append({int(v): int(c) for v, c in found if c})
            first = end
        if len(ended):
            goals = self.simulator.goals(self.positions[ended], checked=False)
            for role in range(roles):
                known = goals[:, role] >= 0
                sums[ended[known], role] = goals[known, role] * float(self.count)
                squares[ended[known], role] = goals[known, role] ** 2.0 * self.count
                for value in goals[known, role].tolist():
                    per_role[role][value] = per_role[role].get(value, 0) + self.count
        return Playouts(
            count=self.count,
            goal_sums=sums,
            goal_squares=squares,
            lengths=lengths,
            goal_counts=tuple(per_role),
            length_counts={
                int(i): int(length_counts[i]) for i in np.flatnonzero(length_counts)
            },
            cut_off=sum(int(t.cut_off[0]) for t in tallies),
        )

    def _sum_goals(self, tally: _kernels.Tally) -> None:
        """Fill in the sums of a single position from the counts of goals."""
        program = self.simulator.program
        first = 0
        for role, end in enumerate(program.goal_ends.tolist()):
            values = program.goal_values[first:end].astype(np.int64)
            found = tally.goal_counts[first:end]
            tally.goal_sums[0, role] = (values * found).sum()
            tally.goal_squares[0, role] = (values**2 * found).sum()
            first = end


def _are_goals_large(program: Program, turns: Turns) -> bool:
    """Return whether computing goals takes longer than keeping positions for later."""
    gates = 0
    for phase in range(GOALS, len(program.phases), PHASES):
        for segment in range(*program.phases[phase].tolist()):
            _, first, end = program.segments[segment].tolist()
            gates += end - first
    count, fluents = turns.next.shape
    return bool(gates > _KEPT_FOR * count * fluents)


def make_generators(seed: int, chunk: int) -> npt.NDArray[np.uint64]:
    """Return uint64 [4, 4]: the state of four generators, one per word of lanes."""
    sequence = np.random.SeedSequence([seed, chunk])
    state = allocate_aligned(16).reshape(4, 4)
    state[:] = sequence.generate_state(16, np.uint64).reshape(4, 4)
    return state
