"""The lanes that playouts of a tree run in, and the circuits of their turns."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np

from gamelore.circuit import lookahead
from gamelore.circuit.program import UNKNOWN, Program, Turns
from gamelore.engine import CircuitSimulator, Row
from gamelore.engine.compiled.buffers import allocate_aligned
from gamelore.engine.compiled.choices import make_choices
from gamelore.search.mcts._playout_kernels import Lanes
from gamelore.search.mcts.settings import LANES

TurnPrograms: TypeAlias = tuple[Program, Turns]
"""The gates of all turns, and where each turn's are."""


@lru_cache(maxsize=4)
def find_lookahead(
    engine: CircuitSimulator, constant: tuple[int, int, int] | None
) -> TurnPrograms | None:
    """Return circuits of turns with lookahead, made once for an engine, if small.

    `constant`: the sum of two players' goals, and these two roles.
    """
    total = lookahead.ConstantSum(*constant) if constant else None
    return lookahead.find_lookahead(engine.game, engine.compiled, total)


def find_turn(turns: Turns, row: Row) -> int | None:
    """Return the turn of a position, if its fluents say so."""
    bits = (row[turns.fluents >> 6] >> (turns.fluents & 63).astype(np.uint64)) & 1
    agrees = (bits == turns.values) | (turns.values == UNKNOWN)
    found = np.flatnonzero(agrees.all(axis=1))
    return int(found[0]) if len(found) else None


def allocate_lanes(
    engine: CircuitSimulator,
    playing: TurnPrograms,
    seeds: np.random.SeedSequence,
    *,
    most: int,
    proving: bool,
) -> Lanes:
    """Return lanes in which no playout has begun.

    `most`: of them may play at once. `proving`: whether playouts that end at once prove
    the value of their leaves.
    """
    program, turns = playing
    random = allocate_aligned(16).reshape(4, 4)
    random[:] = seeds.generate_state(16, np.uint64).reshape(4, 4)
    return Lanes(
        program=program,
        turns=turns,
        words=allocate_aligned(8 * program.slots).reshape(-1, 8),
        choices=make_choices(turns, random),
        live=allocate_aligned(8),
        ended=allocate_aligned(8),
        cut_off=allocate_aligned(8),
        placed=allocate_aligned(8),
        ticket=np.zeros(LANES, np.int32),
        began=np.zeros(LANES, np.int64),
        waiting=np.zeros(LANES, np.int32),
        progress=np.zeros(2, np.int64),
        goals=np.zeros(len(engine.roles), np.int16),
        fluents=len(engine.fluents),
        most=most,
        proving=int(proving),
    )
