"""512 playouts on the circuits of turns in plain Python: the twin of `play_turns`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamelore.circuit import CompiledGame
from gamelore.circuit.program import GATES, GOALS, LEGAL, NEXT, PHASES, TERMINAL

LANES, HALF, WORD = 512, 256, 64
_ALL = (1 << LANES) - 1
_64 = (1 << WORD) - 1

_Numbers: TypeAlias = list[int]
"""One per lane of a half."""


class SlowPlayouts:
    """Playouts from the first position, one in every lane, without loops."""

    def __init__(self, compiled: CompiledGame, random: npt.NDArray[np.uint64]) -> None:
        """`random`: uint64 [4, 4], four generators as kernels have them."""
        self.program, self.turns = compiled.turn_program, compiled.turns
        self.slots = [0] * self.program.slots
        for fluent, true in enumerate(compiled.initial):
            self.slots[1 + fluent] = _ALL if true else 0
        self.state = [[int(word) for word in row] for row in random]
        self.live = _ALL
        self.lengths: Counter[int] = Counter()
        self.goals: Counter[int] = Counter()
        """How many lanes had each goal."""

    def play(self) -> None:
        """Play until all matches have ended."""
        steps = 0
        while True:
            turn = steps % len(self.turns.terminal)
            self._run(PHASES * turn + TERMINAL)
            done = self._read(int(self.turns.terminal[turn])) & self.live
            self._run(PHASES * turn + GOALS)
            for number, literal in enumerate(self.turns.goals[turn].tolist()):
                self.goals[number] += (self._read(literal) & done).bit_count()
            self.lengths[steps] += done.bit_count()
            self.live &= ~done
            if not self.live:
                return
            self._run(PHASES * turn + LEGAL)
            self._choose(turn)
            self._run(PHASES * turn + NEXT)
            following = [self._read(x) for x in self.turns.next[turn].tolist()]
            self.slots[1 : 1 + len(following)] = following
            steps += 1

    # ── gates ───────────────────────────────────────────────────────────────────────

    def _read(self, literal: int) -> int:
        return self.slots[literal >> 1] ^ (_ALL if literal & 1 else 0)

    def _run(self, phase: int) -> None:
        program = self.program
        for segment in range(*program.phases[phase].tolist()):
            kind, first, end = program.segments[segment].tolist()
            assert kind == GATES
            gates = slice(first, end)
            for left, right, slot in zip(
                program.left[gates].tolist(),
                program.right[gates].tolist(),
                program.slot[gates].tolist(),
                strict=True,
            ):
                self.slots[slot] = self._read(left) & self._read(right)

    # ── moves ───────────────────────────────────────────────────────────────────────

    def _choose(self, turn: int) -> None:
        """Choose moves in every lane, and add lanes to their groups."""
        turns = self.turns
        for slot in range(*turns.group_slots[turn].tolist()):
            self.slots[slot] = 0
        ends = [0, *turns.move_ends.ravel().tolist()]
        roles = turns.move_ends.shape[1]
        first_product = int(turns.product_ends[turn - 1]) if turn else 0
        products = turns.products[first_product : turns.product_ends[turn]].tolist()
        of_turn = ends[turn * roles : (turn + 1) * roles + 1]
        if products:
            singles = range(of_turn[0], products[0][0])
            for half in range(2):
                self._choose_product(half, singles, products)
            return
        for first, end in pairwise(of_turn):
            for half in range(2 if end > first else 0):
                legal = self._list_legal(half, range(first, end))
                counts = [len(moves) for moves in legal]
                planes = 4 if end - first < 15 else 8 if end - first < 255 else 20
                for lane, number in enumerate(self._draw(half, counts, planes)):
                    if counts[lane]:
                        self._join(half, lane, legal[lane][number])

    def _choose_product(
        self, half: int, singles: range, products: Sequence[Sequence[int]]
    ) -> None:
        """Choose a product by its number of pairs, then a row, and a column."""
        rows = [self._list_legal(half, range(p[0], p[1])) for p in products]
        columns = [self._list_legal(half, range(p[1], p[2])) for p in products]
        others = self._list_legal(half, singles)
        counts = [
            sum(len(a[lane]) * len(b[lane]) for a, b in zip(rows, columns, strict=True))
            + len(others[lane])
            for lane in range(HALF)
        ]
        chosen: dict[int, tuple[list[int], list[int]]] = {}
        for lane, number in enumerate(self._draw(half, counts, 20)):
            for a, b in zip(rows, columns, strict=True):
                pairs = len(a[lane]) * len(b[lane])
                if number < pairs:
                    chosen[lane] = a[lane], b[lane]
                    break
                number -= pairs
            if lane not in chosen and counts[lane]:
                self._join(half, lane, others[lane][number])
        for part in range(2):
            options = [chosen[i][part] if i in chosen else [] for i in range(HALF)]
            numbers = self._draw(half, [len(some) for some in options], 6)
            for lane in chosen:
                self._join(half, lane, options[lane][numbers[lane]])

    def _list_legal(self, half: int, options: range) -> list[list[int]]:
        """Return of each lane of a half which moves, rows or columns are legal."""
        legal: list[list[int]] = [[] for _ in range(HALF)]
        for option in options:
            lanes = self._read(int(self.turns.legal[option])) >> (half * HALF)
            for lane in range(HALF):
                if lanes >> lane & 1:
                    legal[lane].append(option)
        return legal

    def _join(self, half: int, lane: int, option: int) -> None:
        start = int(self.turns.group_ends[option - 1]) if option else 0
        for slot in self.turns.groups[start : self.turns.group_ends[option]].tolist():
            self.slots[slot] |= 1 << (half * HALF + lane)

    # ── random numbers ──────────────────────────────────────────────────────────────

    def _draw(self, half: int, counts: Sequence[int], planes: int) -> _Numbers:
        """Return numbers below counts, 0 in lanes without a choice or a match."""
        numbers = [0] * HALF
        live = self.live >> (half * HALF)
        pending = [i for i in range(HALF) if counts[i] > 1 and live >> i & 1]
        while pending:
            drawn = [self._draw_lanes() for _ in range(planes)]
            rejected = []
            for lane in pending:
                last = counts[lane] - 1
                number = sum((plane >> lane & 1) << p for p, plane in enumerate(drawn))
                number &= (1 << last.bit_length()) - 1
                if number <= last:
                    numbers[lane] = number
                else:
                    rejected.append(lane)
            pending = rejected
        return numbers

    def _draw_lanes(self) -> int:
        """Return random bits for the lanes of a half, by xoshiro256++ for each word."""
        result = 0
        for word in range(HALF // WORD):
            a, b, c, d = (row[word] for row in self.state)
            drawn = (_rotate((a + d) & _64, 23) + a) & _64
            result |= drawn << (WORD * word)
            shifted = (b << 17) & _64
            c, d = c ^ a, d ^ b
            b, a = b ^ c, a ^ d
            for row, value in zip(
                self.state, (a, b, c ^ shifted, _rotate(d, 45)), strict=True
            ):
                row[word] = value
        return result


def _rotate(word: int, count: int) -> int:
    return (word << count | word >> (WORD - count)) & _64
