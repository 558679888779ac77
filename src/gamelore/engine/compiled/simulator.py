"""The fast engine: a game's circuit, 512 positions to the pass."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from gamelore.circuit import CompiledGame, compile_game
from gamelore.engine.checks import check_row
from gamelore.engine.compiled import _kernels, _kernels_64
from gamelore.engine.compiled.buffers import allocate_aligned, allocate_words_64
from gamelore.engine.compiled.features import FeatureSet
from gamelore.engine.compiled.playouts import PlayoutBatch
from gamelore.engine.compiled.starts import Starts, find_first
from gamelore.engine.simulator import (
    NO_GOAL,
    Playouts,
    Row,
    Rows,
    Simulator,
    StateView,
)
from gamelore.errors import ArgumentError, IllegalMoveError, PositionError
from gamelore.gdl import Fact, Game, Move, Term, to_kif
from gamelore.gdl.features import FeatureRules
from gamelore.kernels import direct

_view = direct(_kernels.view)
_step = direct(_kernels.step)
_find_beyond = direct(_kernels.find_beyond)
_view_one = direct(_kernels_64.view_one)
_step_one = direct(_kernels_64.step_one)

_VIEWS_KEPT = 2048


class CircuitSimulator(Simulator):
    """Plays a game on its compiled circuit."""

    engine: ClassVar[str] = "circuit"
    portable: ClassVar[bool] = True

    def __init__(
        self,
        game: Game,
        compiled: CompiledGame | None = None,
        features: FeatureRules | None = None,
    ) -> None:
        super().__init__(game, features)
        self.compiled = compiled or compile_game(game, features=features)
        self.program = self.compiled.program
        self._buffers = threading.local()
        self._fluent_number = {f: i for i, f in enumerate(self.compiled.fluents)}
        self._move_numbers = [
            {move: i for i, move in enumerate(moves)} for moves in self.compiled.moves
        ]

    @cached_property
    def width(self) -> int:
        return max(1, (len(self.compiled.fluents) + 63) // 64)

    @property
    def moves(self) -> Sequence[Sequence[Move]]:
        return self.compiled.moves

    @property
    def fluents(self) -> Sequence[Fact]:
        return self.compiled.fluents

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

    @cached_property
    def first_start(self) -> Starts | None:
        """Where playouts start from the first position; none if it is terminal."""
        return find_first(self)

    def facts(self, row: Row) -> frozenset[Fact]:
        row = check_row(row, self.width)
        bits = np.unpackbits(row.view(np.uint8), bitorder="little")
        bits = bits[: len(self.compiled.fluents)]
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

    @cached_property
    def feature_set(self) -> FeatureSet:
        """The features that the game was compiled with, as kernels count them."""
        if not self.compiled.features:
            raise ValueError(f"{self.game.name!r} was compiled without features")
        return FeatureSet(self.compiled)

    @property
    def feature_names(self) -> Sequence[Term]:
        return self.feature_set.names

    def observe(self, row: Row) -> StateView:
        return self._observe(row.tobytes())

    @cached_property
    def _observe(self) -> Callable[[bytes], StateView]:
        """Observe a row; the latest views are kept, as matches meet again."""

        @lru_cache(_VIEWS_KEPT)
        def observe(data: bytes) -> StateView:
            return _CircuitView(self, np.frombuffer(data, np.uint64))

        return observe

    def advance_one(self, row: Row, moves: Sequence[int]) -> Row:
        following: Row = np.zeros(self.width, np.uint64)
        joint = np.array(moves, np.int32)
        _step_one(self.program, self._words_64(), row, joint, following)
        return following

    # ── many positions ──────────────────────────────────────────────────────────────

    def _check_range(self, positions: Rows) -> None:
        row = _find_beyond(positions, len(self.fluents) - 64 * (self.width - 1))
        if row >= 0:
            raise ArgumentError(
                f"positions[{row}] must be a row of {len(self.fluents)} bits, one per"
                f" fact of {self.game.name!r}, got higher bits set"
            )

    def _legal(self, positions: Rows) -> tuple[npt.NDArray[np.bool_], ...]:
        legal, _, _ = self._view(positions)
        flat = np.unpackbits(legal.view(np.uint8), axis=1, bitorder="little")
        ends = self.program.move_ends
        starts = [0, *ends[:-1]]
        return tuple(
            flat[:, start:end].astype(bool)
            for start, end in zip(starts, ends, strict=True)
        )

    def _terminal(self, positions: Rows) -> npt.NDArray[np.bool_]:
        return self._view(positions)[1]

    def _goals(self, positions: Rows) -> npt.NDArray[np.int16]:
        return self._view(positions)[2]

    def _advance(
        self, positions: Rows, moves: npt.NDArray[np.int32]
    ) -> tuple[Rows, int]:
        following = np.zeros_like(positions)
        illegal = _step(
            self.program, self.allocated_words(), positions, moves, following
        )
        return following, illegal

    def _fact_matrix(self, positions: Rows) -> npt.NDArray[np.bool_]:
        bits = np.unpackbits(positions.view(np.uint8), axis=1, bitorder="little")
        return bits[:, : len(self.fluents)].astype(np.bool_)

    def _feature_counts(self, positions: Rows, role: int) -> npt.NDArray[np.float32]:
        return self.feature_set.counts(self.program, self._words_64(), positions, role)

    def _playouts(
        self, positions: Rows, count: int, seed: int, threads: int, move_limit: int
    ) -> Playouts:
        return PlayoutBatch(self, positions, count, seed, move_limit).play(threads)

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _view(
        self, positions: Rows
    ) -> tuple[Rows, npt.NDArray[np.bool_], npt.NDArray[np.int16]]:
        """Legal moves in bits, ends, and goals."""
        n = len(positions)
        legal = np.zeros((n, max(1, -(-len(self.program.legal) // 64))), np.uint64)
        terminal = np.zeros(n, np.bool_)
        goals = np.zeros((n, len(self.roles)), np.int16)
        words = self.allocated_words()
        _view(self.program, words, positions, legal, terminal, goals)
        return legal, terminal, goals

    def allocated_words(self) -> Rows:
        """Return this thread's words of the slots: uint64 [S, 8], aligned."""
        words: Rows | None = getattr(self._buffers, "words", None)
        if words is None:
            slots = self.program.slots
            words = allocate_aligned(slots * _kernels.WORDS)
            words = self._buffers.words = words.reshape(slots, _kernels.WORDS)
        return words

    def turn_words(self) -> Rows:
        """Return this thread's words of the slots of turns: uint64 [S, 8], aligned."""
        words: Rows | None = getattr(self._buffers, "turn_words", None)
        if words is None:
            slots = self.compiled.turn_program.slots
            words = allocate_aligned(slots * _kernels.WORDS)
            words = self._buffers.turn_words = words.reshape(slots, _kernels.WORDS)
        return words

    def _words_64(self) -> Row:
        """This thread's word of every literal: uint64 [2 S]."""
        words: Row | None = getattr(self._buffers, "words_64", None)
        if words is None:
            words = self._buffers.words_64 = allocate_words_64(self.program.slots)[0]
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


class _CircuitView(StateView):
    """What the rules say of a position, computed in one pass."""

    simulator: CircuitSimulator

    def __init__(self, simulator: CircuitSimulator, row: Row) -> None:
        super().__init__(simulator, row)
        program = simulator.program
        self._legal_bits = np.zeros(max(1, -(-len(program.legal) // 64)), np.uint64)
        goals = np.zeros(len(simulator.roles), np.int16)
        self.terminal = _view_one(
            program, simulator._words_64(), row, self._legal_bits, goals
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


def _pack_bits(bits: npt.NDArray[np.bool_], width: int) -> Rows:
    """Rows of booleans as rows of words."""
    padded = np.zeros((len(bits), 64 * width), dtype=bool)
    padded[:, : bits.shape[1]] = bits
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
