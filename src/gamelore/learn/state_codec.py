"""Rows written so that another process, engine or version can read them.

What the bits of a row mean is known to the engine that made it: the circuit numbers
fluents, the interpreter numbers whole positions as it meets them. A *layout* says
which fact each bit is and which move each number; keys written in it can be stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gamelore.engine import CircuitSimulator, Rows, Simulator
from gamelore.gdl import Fact, Move, read_term, to_kif


@dataclass(frozen=True)
class RowLayout:
    """Facts by bit, and each role's moves by number, as KIF."""

    fluents: tuple[str, ...]
    moves: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, simulator: Simulator, positions: Iterable[Rows]) -> RowLayout:
        """Return a layout for these positions, uint64 [·, K] each."""
        moves = tuple(tuple(map(to_kif, per_role)) for per_role in simulator.moves)
        return cls(_fluents(simulator, positions), moves)

    def write(self, simulator: Simulator, keys: Rows) -> Rows:
        """Return keys in this layout: rows, perhaps with a move after each."""
        if isinstance(simulator, CircuitSimulator):
            return keys
        number = {fluent: bit for bit, fluent in enumerate(self.fluents)}
        bits = np.zeros((len(keys), len(self.fluents)), np.bool_)
        for row, key in zip(bits, keys, strict=True):
            facts = simulator.facts(key[: simulator.width])
            row[[number[to_kif(fact)] for fact in facts]] = True
        return np.hstack([_packed(bits), keys[:, simulator.width :]])

    def read(self, simulator: Simulator, keys: Rows, role: int) -> Rows:
        """Return the same keys as the simulator has them; moves are those of a role."""
        if isinstance(simulator, CircuitSimulator) and self == RowLayout.of(
            simulator, ()
        ):
            return keys
        words = words_for(len(self.fluents))
        rows = np.zeros((len(keys), simulator.width), np.uint64)
        for row, key in zip(rows, keys, strict=True):
            row[:] = simulator.encode(self._facts(key[:words]))
        if keys.shape[1] == words:
            return rows
        simulator.legal(rows)  # the interpreter numbers moves when it meets them
        moves = [self._moves[role][int(number)] for number in keys[:, words]]
        numbers = [simulator.move_number(role, move) for move in moves]
        return np.hstack([rows, np.array(numbers, np.uint64).reshape(-1, 1)])

    @cached_property
    def _terms(self) -> tuple[Fact, ...]:
        return tuple(map(read_term, self.fluents))

    @cached_property
    def _moves(self) -> tuple[tuple[Move, ...], ...]:
        return tuple(tuple(map(read_term, per_role)) for per_role in self.moves)

    def _facts(self, words: npt.NDArray[np.uint64]) -> list[Fact]:
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")
        return [self._terms[bit] for bit in np.flatnonzero(bits)]


def words_for(bits: int) -> int:
    """How many words hold so many bits; at least one."""
    return max(1, -(-bits // 64))


def _fluents(simulator: Simulator, positions: Iterable[Rows]) -> tuple[str, ...]:
    if isinstance(simulator, CircuitSimulator):
        return tuple(map(to_kif, simulator.compiled.fluents))
    facts = {
        to_kif(fact)
        for rows in positions
        for row in rows
        for fact in simulator.facts(row[: simulator.width])
    }
    return tuple(sorted(facts))


def _packed(bits: npt.NDArray[np.bool_]) -> Rows:
    """uint64 [n, words]: the bits of bool [n, ·], the lowest first."""
    wide = np.zeros((len(bits), 64 * words_for(bits.shape[1])), np.bool_)
    wide[:, : bits.shape[1]] = bits
    return np.packbits(wide, axis=1, bitorder="little").view(np.uint64)
