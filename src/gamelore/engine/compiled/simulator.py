"""The fast engine: a game's circuit, 512 positions to the pass."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from gamelore.circuit import CompiledGame, compile_game
from gamelore.engine.compiled import _kernels, _kernels_64
from gamelore.engine.compiled._kernels_64 import Moves
from gamelore.engine.compiled.features import FeatureSet
from gamelore.engine.simulator import NO_GOAL, Playouts, Row, Rows, Sight, Simulator
from gamelore.errors import IllegalMoveError, PositionError, StuckError
from gamelore.gdl import Fact, Game, Move, Term, to_kif
from gamelore.gdl.features import FeatureRules
from gamelore.kernels import direct

_view = direct(_kernels.view)
_step = direct(_kernels.step)
NARROW_LANES = _kernels_64.LANES
"""Positions that a narrow room holds at once."""

_view_one = direct(_kernels_64.view_one)
_step_one = direct(_kernels_64.step_one)

_SIGHTS_KEPT = 2048
_CHUNK = 1 << 14  # playouts that share one stream of randomness


class CircuitSimulator(Simulator):
    """Plays a game on its compiled circuit."""

    engine: ClassVar[str] = "circuit"

    def __init__(
        self,
        game: Game,
        compiled: CompiledGame | None = None,
        features: FeatureRules | None = None,
    ) -> None:
        super().__init__(game, features)
        self.compiled = compiled or compile_game(game, features=features)
        self.program = self.compiled.program
        self._room = threading.local()
        self._fluent_number = {f: i for i, f in enumerate(self.compiled.fluents)}
        self._move_numbers = [
            {move: i for i, move in enumerate(moves)} for moves in self.compiled.moves
        ]

    @property
    def width(self) -> int:
        return max(1, (len(self.compiled.fluents) + 63) // 64)

    @property
    def moves(self) -> Sequence[Sequence[Move]]:
        return self.compiled.moves

    @property
    def goal_values(self) -> tuple[tuple[int, ...], ...]:
        program = self.program
        ends = program.goal_ends.tolist()
        starts = [0, *ends[:-1]]
        return tuple(
            tuple(program.goal_values[start:end].tolist())
            for start, end in zip(starts, ends, strict=True)
        )

    def move_number(self, role: int, move: Move) -> int:
        try:
            return self._move_numbers[role][move]
        except KeyError:
            raise IllegalMoveError(
                f"{to_kif(move)} is no move of role {self.roles[role]!r} in this game"
            ) from None

    @cached_property
    def _initial(self) -> Rows:
        """uint64 [1, K]"""
        return _pack_bits(np.array([self.compiled.initial], dtype=bool), self.width)

    def initial_row(self) -> Row:
        return self._initial.flatten()

    def facts(self, row: Row) -> frozenset[Fact]:
        bits = np.unpackbits(row.view(np.uint8), bitorder="little")
        return frozenset(self.compiled.fluents[i] for i in np.flatnonzero(bits))

    def encode(self, facts: Iterable[Fact]) -> Row:
        bits = np.zeros((1, len(self.compiled.fluents)), dtype=bool)
        for fact in facts:
            number = self._fluent_number.get(fact)
            if number is None:
                raise PositionError(
                    f"{to_kif(fact)} is true in no position of {self.game.name!r}"
                )
            bits[0, number] = True
        return _pack_bits(bits, self.width).ravel()

    def legal(self, positions: Rows) -> tuple[npt.NDArray[np.bool_], ...]:
        legal, _, _ = self._view(positions)
        flat = np.unpackbits(legal.view(np.uint8), axis=1, bitorder="little")
        ends = self.program.move_ends
        starts = [0, *ends[:-1]]
        return tuple(
            flat[:, start:end].astype(bool)
            for start, end in zip(starts, ends, strict=True)
        )

    def terminal(self, positions: Rows) -> npt.NDArray[np.bool_]:
        return self._view(positions)[1]

    def goals(self, positions: Rows) -> npt.NDArray[np.int16]:
        return self._view(positions)[2]

    def advance(self, positions: Rows, moves: npt.NDArray[np.int32]) -> Rows:
        positions = _contiguous(positions)
        following = np.zeros_like(positions)
        joint = np.ascontiguousarray(moves, dtype=np.int32)
        _step(self.program, self._words(), positions, joint, following)
        return following

    @cached_property
    def feature_set(self) -> FeatureSet:
        """The features that the game was compiled with, as kernels count them."""
        if not self.compiled.features:
            raise ValueError(f"{self.game.name!r} was compiled without features")
        return FeatureSet(self.compiled)

    @property
    def feature_names(self) -> Sequence[Term]:
        return self.feature_set.names

    def feature_counts(self, positions: Rows, role: int = 0) -> npt.NDArray[np.float32]:
        rows = _contiguous(positions)
        return self.feature_set.counts(self.program, self._narrow(), rows, role)

    def look(self, row: Row) -> Sight:
        return self._look(row.tobytes())

    @cached_property
    def _look(self) -> Callable[[bytes], Sight]:
        """Look at a row; what was seen lately is remembered, as matches meet again."""

        @lru_cache(_SIGHTS_KEPT)
        def look(data: bytes) -> Sight:
            return _CircuitSight(self, np.frombuffer(data, np.uint64))

        return look

    def follow(self, row: Row, moves: Sequence[int]) -> Row:
        following: Row = np.zeros(self.width, np.uint64)
        joint = np.array(moves, np.int32)
        _step_one(self.program, self._narrow(), row, joint, following)
        return following

    def playouts(
        self,
        positions: Rows | None = None,
        count: int = 1,
        *,
        seed: int = 0,
        threads: int = 1,
        move_limit: int = 10_000,
    ) -> Playouts:
        if positions is None:
            positions = self._initial
        positions = _contiguous(positions)
        open_rows = np.flatnonzero(~self.terminal(positions))
        reset, starts = self._starts(positions[open_rows])
        total = len(open_rows) * count
        size = max(_CHUNK, -(-total // 64))
        chunks = [(b, min(b + size, total)) for b in range(0, total, size)]

        def play(number: int) -> _kernels.Tally:
            tally = self._tally(starts, reset, move_limit)
            random = _generators(seed, number)
            begin, end = chunks[number]
            status = _kernels.play_out(
                self.program, self._words(), random, tally, begin, end, count
            )
            if status == _kernels.STUCK:
                role = self.roles[int(tally.stuck[0])]
                raise StuckError(
                    f"role {role!r} has no legal move in a position of "
                    f"{self.game.name!r} that is not terminal"
                )
            return tally

        if threads > 1 and len(chunks) > 1:
            with ThreadPoolExecutor(threads) as pool:
                tallies = list(pool.map(play, range(len(chunks))))
        else:
            tallies = [play(number) for number in range(len(chunks))]
        return self._total(positions, open_rows, tallies, count, move_limit)

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _view(
        self, positions: Rows
    ) -> tuple[Rows, npt.NDArray[np.bool_], npt.NDArray[np.int16]]:
        positions = _contiguous(positions)
        n = len(positions)
        legal = np.zeros((n, max(1, -(-len(self.program.legal) // 64))), np.uint64)
        terminal = np.zeros(n, np.bool_)
        goals = np.zeros((n, len(self.roles)), np.int16)
        _view(self.program, self._words(), positions, legal, terminal, goals)
        return legal, terminal, goals

    def _words(self) -> Rows:
        """Room for the slots, one for each thread: uint64 [S, 8], aligned."""
        words: Rows | None = getattr(self._room, "words", None)
        if words is None:
            slots = self.program.slots
            words = aligned(slots * _kernels.WORDS).reshape(slots, _kernels.WORDS)
            self._room.words = words
        return words

    def _narrow(self) -> Row:
        """Room for one word per literal, one for each thread: uint64 [2 S]."""
        words: Row | None = getattr(self._room, "narrow", None)
        if words is None:
            words = self._room.narrow = narrow_room(self.program.slots)[0]
        return words

    @cached_property
    def _by_text(self) -> list[tuple[list[int], list[Move]]]:
        """Per role its moves sorted by KIF text: places among all moves, and names."""
        found = []
        first = 0
        for moves in self.moves:
            order = sorted(range(len(moves)), key=lambda i: to_kif(moves[i]))
            found.append(([first + i for i in order], [moves[i] for i in order]))
            first += len(moves)
        return found

    def _starts(self, positions: Rows) -> tuple[npt.NDArray[np.int32], Rows]:
        fluents = np.arange(1, 1 + len(self.compiled.fluents), dtype=np.int32)
        reset = np.concatenate([fluents, self.program.carried])
        starts = np.zeros((len(positions), max(1, -(-len(reset) // 64))), np.uint64)
        _kernels.starts_of(self.program, self._words(), positions, reset, starts)
        return reset, starts

    def _tally(
        self, starts: Rows, reset: npt.NDArray[np.int32], move_limit: int
    ) -> _kernels.Tally:
        n, roles = len(starts), len(self.roles)
        return _kernels.Tally(
            starts=starts,
            reset=reset,
            origin=np.zeros(_kernels.LANES, np.int32),
            began=np.zeros(_kernels.LANES, np.int64),
            live=aligned(_kernels.WORDS),
            done=aligned(_kernels.WORDS),
            goal_sums=np.zeros((n, roles)),
            goal_squares=np.zeros((n, roles)),
            lengths=np.zeros(n, np.int64),
            goal_counts=np.zeros(len(self.program.goals), np.int64),
            length_counts=np.zeros(move_limit + 1, np.int64),
            cut_off=np.zeros(1, np.int64),
            stuck=np.zeros(2, np.int64),
        )

    def _total(
        self,
        positions: Rows,
        open_rows: npt.NDArray[np.intp],
        tallies: Sequence[_kernels.Tally],
        count: int,
        move_limit: int,
    ) -> Playouts:
        """Add up the chunks, and the positions that were terminal to begin with."""
        n, roles = len(positions), len(self.roles)
        ended = np.setdiff1d(np.arange(n), open_rows)
        program = self.program
        goal_counts = sum(
            (t.goal_counts for t in tallies), np.zeros(len(program.goals), np.int64)
        )
        length_counts = sum(
            (t.length_counts for t in tallies), np.zeros(move_limit + 1, np.int64)
        )
        length_counts[0] += len(ended) * count
        sums, squares = np.zeros((n, roles)), np.zeros((n, roles))
        lengths = np.zeros(n, np.int64)
        for tally in tallies:
            sums[open_rows] += tally.goal_sums
            squares[open_rows] += tally.goal_squares
            lengths[open_rows] += tally.lengths
        per_role: list[dict[int, int]] = []
        first = 0
        for role, end in enumerate(program.goal_ends):
            values = program.goal_values[first:end]
            found = goal_counts[first:end]
            if len(open_rows) == 1:
                sums[open_rows, role] = (values * found).sum()
                squares[open_rows, role] = (values.astype(np.int64) ** 2 * found).sum()
            per_role.append(
                {int(v): int(c) for v, c in zip(values, found, strict=True) if c}
            )
            first = int(end)
        if len(ended):
            goals = self.goals(positions[ended])
            for role in range(roles):
                known = goals[:, role] >= 0
                sums[ended[known], role] = goals[known, role] * float(count)
                squares[ended[known], role] = goals[known, role] ** 2.0 * count
                for value in goals[known, role].tolist():
                    per_role[role][value] = per_role[role].get(value, 0) + count
        return Playouts(
            count=count,
            goal_sums=sums,
            goal_squares=squares,
            lengths=lengths,
            goal_counts=tuple(per_role),
            length_counts={
                int(i): int(length_counts[i]) for i in np.flatnonzero(length_counts)
            },
            cut_off=sum(int(t.cut_off[0]) for t in tallies),
        )


class _CircuitSight(Sight):
    """All of a position, seen in one pass."""

    simulator: CircuitSimulator

    def __init__(self, simulator: CircuitSimulator, row: Row) -> None:
        super().__init__(simulator, row)
        program = simulator.program
        self._legal_bits = np.zeros(max(1, -(-len(program.legal) // 64)), np.uint64)
        goals = np.zeros(len(simulator.roles), np.int16)
        self.terminal = _view_one(
            program, simulator._narrow(), row, self._legal_bits, goals
        )
        values = goals.tolist()
        self.goals = tuple(None if value == NO_GOAL else value for value in values)

    @cached_property
    def legal(self) -> tuple[tuple[Move, ...], ...]:
        flags = np.unpackbits(self._legal_bits.view(np.uint8), bitorder="little")
        is_legal = flags.tolist()
        return tuple(
            tuple(
                name
                for place, name in zip(places, names, strict=True)
                if is_legal[place]
            )
            for places, names in self.simulator._by_text
        )


def _contiguous(positions: Rows) -> Rows:
    return np.ascontiguousarray(positions, dtype=np.uint64)


def aligned(words: int) -> npt.NDArray[np.uint64]:
    """Zeros that start at a cache line."""
    room = np.zeros(words + 8, np.uint64)
    skip = (-room.ctypes.data % 64) // 8
    return room[skip : skip + words]


def narrow_room(slots: int, copies: int = 1) -> npt.NDArray[np.uint64]:
    """uint64 [copies, 2 slots]: room for a circuit of one word per literal."""
    room = np.zeros((copies, 2 * slots), np.uint64)
    room[:, 1::2] = ~np.uint64(0)
    return room


def moves_room(moves: int, roles: int) -> Moves:
    """Room for the legal moves of a position."""
    return Moves(np.zeros(moves, np.int32), np.zeros(roles, np.int64))


def _generators(seed: int, chunk: int) -> npt.NDArray[np.uint64]:
    """uint64 [4, 4]: the state of four generators, one per word of lanes."""
    sequence = np.random.SeedSequence([seed, chunk])
    state = aligned(16).reshape(4, 4)
    state[:] = sequence.generate_state(16, np.uint64).reshape(4, 4)
    return state


def _pack_bits(bits: npt.NDArray[np.bool_], width: int) -> Rows:
    """Rows of booleans as rows of words."""
    padded = np.zeros((len(bits), 64 * width), dtype=bool)
    padded[:, : bits.shape[1]] = bits
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
