"""Random playouts on a circuit: in chunks, on threads, and summed up.

Shapes: n positions, R roles. A chunk has a stream of randomness of its own, so that
results do not depend on the number of threads. A kernel runs for a bounded time, so
that an interrupt is not kept waiting.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gamelore.engine.compiled import _kernels
from gamelore.engine.compiled.buffers import allocate_aligned
from gamelore.engine.simulator import Playouts, Rows
from gamelore.errors import StuckError

if TYPE_CHECKING:
    from gamelore.engine.compiled.simulator import CircuitSimulator

_CHUNK = 1 << 14  # playouts at least that share one stream of randomness
_MOST_CHUNKS = 64
_PIECE = 1 << 26  # gates evaluated, 512 lanes each, before Python runs again


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
        terminal = self.simulator.terminal(self.positions, checked=False)
        going = np.flatnonzero(~terminal)
        reset, starts = self._find_starts(self.positions[going])
        total = len(going) * self.count
        size = max(_CHUNK, -(-total // _MOST_CHUNKS))
        chunks = [(b, min(b + size, total)) for b in range(0, total, size)]
        stopped = threading.Event()

        def play(number: int) -> _kernels.Tally:
            tally = self._make_tally(starts, reset)
            self._play_chunk(tally, number, chunks[number], stopped)
            return tally

        if threads == 1 or len(chunks) < 2:
            tallies = [play(number) for number in range(len(chunks))]
        else:
            with ThreadPoolExecutor(threads) as pool:
                try:
                    tallies = list(pool.map(play, range(len(chunks))))
                except BaseException:
                    stopped.set()
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
        return self._sum(going, tallies)

    def _play_chunk(
        self,
        tally: _kernels.Tally,
        number: int,
        chunk: tuple[int, int],
        stopped: threading.Event,
    ) -> None:
        simulator = self.simulator
        program, words = simulator.program, simulator.allocated_words()
        random = _make_generators(self.seed, number)
        tally.progress[_kernels.BEGUN], end = chunk
        steps = max(1, _PIECE // max(1, len(program.left)))
        status = _kernels.PAUSED
        while status == _kernels.PAUSED and not stopped.is_set():
            status = _kernels.play_out(program, words, random, tally, end, steps)
        if status == _kernels.STUCK:
            role = simulator.roles[int(tally.progress[_kernels.STUCK_ROLE])]
            raise StuckError(
                f"role {role!r} has no legal move in a position of "
                f"{simulator.game.name!r} that is not terminal"
            )

    def _find_starts(self, positions: Rows) -> tuple[npt.NDArray[np.int32], Rows]:
        """The slots that say where a match begins, and their bits per position."""
        simulator = self.simulator
        program = simulator.program
        fluents = np.arange(1, 1 + len(simulator.fluents), dtype=np.int32)
        reset = np.concatenate([fluents, program.carried])
        starts = np.zeros((len(positions), max(1, -(-len(reset) // 64))), np.uint64)
        words = simulator.allocated_words()
        _kernels.gather_starts(program, words, positions, reset, starts)
        return reset, starts

    def _make_tally(self, starts: Rows, reset: npt.NDArray[np.int32]) -> _kernels.Tally:
        n, roles = len(starts), len(self.simulator.roles)
        return _kernels.Tally(
            starts=starts,
            reset=reset,
            origin=np.zeros(_kernels.LANES, np.int32),
            began=np.zeros(_kernels.LANES, np.int64),
            live=allocate_aligned(_kernels.WORDS),
            done=allocate_aligned(_kernels.WORDS),
            goal_sums=np.zeros((n, roles)),
            goal_squares=np.zeros((n, roles)),
            lengths=np.zeros(n, np.int64),
            goal_counts=np.zeros(len(self.simulator.program.goals), np.int64),
            length_counts=np.zeros(self.move_limit + 1, np.int64),
            cut_off=np.zeros(1, np.int64),
            progress=np.zeros(3, np.int64),
            per_start=self.count,
        )

    def _sum(
        self, going: npt.NDArray[np.intp], tallies: Sequence[_kernels.Tally]
    ) -> Playouts:
        """Add up the chunks, and the positions that were terminal to begin with."""
        n, roles = len(self.positions), len(self.simulator.roles)
        ended = np.setdiff1d(np.arange(n), going)
        program = self.simulator.program
        goal_counts = sum(
            (t.goal_counts for t in tallies), np.zeros(len(program.goals), np.int64)
        )
        length_counts = sum(
            (t.length_counts for t in tallies), np.zeros(self.move_limit + 1, np.int64)
        )
        length_counts[0] += len(ended) * self.count
        sums, squares = np.zeros((n, roles)), np.zeros((n, roles))
        lengths = np.zeros(n, np.int64)
        for tally in tallies:
            sums[going] += tally.goal_sums
            squares[going] += tally.goal_squares
            lengths[going] += tally.lengths
        per_role: list[dict[int, int]] = []
        first = 0
        for role, end in enumerate(program.goal_ends):
            values = program.goal_values[first:end]
            found = goal_counts[first:end]
            if len(going) == 1:  # then the kernel keeps no sums per position
                sums[going, role] = (values * found).sum()
                squares[going, role] = (values.astype(np.int64) ** 2 * found).sum()
            per_role.append(
                {int(v): int(c) for v, c in zip(values, found, strict=True) if c}
            )
            first = int(end)
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


def _make_generators(seed: int, chunk: int) -> npt.NDArray[np.uint64]:
    """Return uint64 [4, 4]: the state of four generators, one per word of lanes."""
    sequence = np.random.SeedSequence([seed, chunk])
    state = allocate_aligned(16).reshape(4, 4)
    state[:] = sequence.generate_state(16, np.uint64).reshape(4, 4)
    return state
