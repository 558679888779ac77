"""Alpha-beta over a compiled game: makes the arrays of a search, calls its kernels."""

from __future__ import annotations

import numpy as np

from gamelore.engine import CircuitSimulator, Row
from gamelore.engine.compiled.buffers import allocate_moves, allocate_words_64
from gamelore.errors import NotTurnTakingError, StuckError
from gamelore.kernels import direct
from gamelore.search import _alpha_beta_kernels as kernels
from gamelore.search._alpha_beta_kernels import (
    Buffers,
    Frames,
    Search,
    Stack,
    TranspositionTable,
)
from gamelore.search.evaluator import Evaluator, EvaluatorKernel
from gamelore.search.plain_alpha_beta import NO_MOVE, SearchResult

_search_on = direct(kernels.search_on)


class CircuitSearch:
    """A search in kernels; its transposition table serves later searches too."""

    def __init__(
        self,
        engine: CircuitSimulator,
        evaluator: Evaluator,
        role: int,
        *,
        deepest: int = 64,
        entries: int = 1 << 18,
        positions: int = 1 << 12,
        selective: bool = False,
        extending: bool = False,
    ) -> None:
        """`entries`: of the transposition table, a power of two; `positions`: the first
        size of the stack; `selective`: whether late moves are searched less deep;
        `extending`: whether forced moves cost no depth. `ValueError` if the evaluator
        has no kernel."""
        kernel = evaluator.kernel(engine, role)
        if kernel is None:
            raise ValueError(f"{type(evaluator).__name__} has no kernel")
        self.engine = engine
        self.kernel: EvaluatorKernel = kernel
        self.scale = evaluator.goal_scale(engine, role)
        moves = sum(map(len, engine.moves))
        plies = deepest + 1 + (kernels.MOST_FORCED if extending else 0)
        self._search = Search(
            state=np.zeros(kernels.STATE_SIZE, np.int64),
            seed=np.zeros(1, np.uint64),
            scale=np.array(self.scale, np.float64),
            killers=np.full((plies, 2), kernels.NO_MOVE, np.int32),
            history=np.zeros(moves),
            stack=_empty_stack(positions, engine.width),
            frames=_empty_frames(plies),
            table=_empty_table(entries, engine.width),
            buffers=_empty_buffers(engine, moves),
        )
        names = engine.roles
        state = self._search.state
        state[kernels.ROLE] = role
        state[kernels.CHANCE] = names.index("random") if "random" in names else -1
        state[kernels.NEEDS_ROWS] = int(self.kernel.needs_rows)
        state[kernels.EXTENDING] = int(extending)
        self._deepest = deepest
        self.make_selective(selective)

    @property
    def nodes(self) -> int:
        """The number of nodes expanded so far."""
        return int(self._search.state[kernels.NODES])

    @property
    def positions(self) -> int:
        """The number of positions evaluated so far: the children of those nodes."""
        return int(self._search.state[kernels.LEAVES])

    def make_selective(self, selective: bool) -> None:
        """Say whether late moves are searched less deep from now on."""
        self._search.state[kernels.SELECTIVE] = int(selective)

    def begin(
        self, row: Row, depth: int, seed: int = 0, favourite: int = NO_MOVE
    ) -> None:
        if not 1 <= depth <= self._deepest:
            raise ValueError(f"depth must be in 1 to {self._deepest}, got {depth}")
        search = self._search
        search.state[kernels.AGE] += 1
        search.state[kernels.FAVOURITE] = favourite
        if favourite >= 0:
            search.state[kernels.FAVOURITE] += self._first_move()
        search.seed[0] = seed
        search.history[:] *= 0.5  # older cutoffs count less
        search.killers[:] = kernels.NO_MOVE
        search.state[kernels.PLY], search.state[kernels.USED] = 0, 1
        search.stack.rows[0] = row
        search.frames.place[0] = 0
        search.frames.depth[0] = depth
        search.frames.degree[0] = kernels.NEW
        search.frames.window[0] = -np.inf, np.inf, -np.inf, np.inf

    def search(self, budget: int) -> SearchResult | None:
        search = self._search
        end = self.nodes + budget
        while True:
            status = _search_on(
                self.engine.program,
                search,
                self.kernel.function,
                self.kernel.data,
                end - self.nodes,
            )
            if status == kernels.PAUSED:
                return None
            if status == kernels.DONE:
                frames = search.frames
                move = int(frames.move[0])
                mover = int(frames.mover[0])
                start = int(self.engine.program.move_ends[mover - 1]) if mover else 0
                return SearchResult(float(frames.best[0]), move - start)
            self._resolve(int(status))
            search = self._search

    def _first_move(self) -> int:
        """Return the number of the role's first move among the moves of all roles."""
        role = int(self._search.state[kernels.ROLE])
        return int(self.engine.program.move_ends[role - 1]) if role else 0

    def _resolve(self, status: int) -> None:
        """Enlarge the stack, or raise the error that a status stands for."""
        if status == kernels.FULL:
            old = self._search.stack
            stack = _empty_stack(2 * len(old.moves), self.engine.width)
            for name, array in old._asdict().items():
                getattr(stack, name)[: len(array)] = array
            self._search = self._search._replace(stack=stack)
            return
        search = self._search
        row = search.stack.rows[search.frames.place[search.state[kernels.PLY]]]
        facts = " ".join(sorted(map(str, self.engine.facts(row))))
        where = f"{self.engine.game.name!r}, at {facts}"
        if status == kernels.SIMULTANEOUS:
            raise NotTurnTakingError(f"two roles have a choice at once in {where}")
        raise StuckError(f"a role has no legal move in {where}")


def _empty_stack(positions: int, width: int) -> Stack:
    return Stack(
        rows=np.zeros((positions, width), np.uint64),
        moves=np.zeros(positions, np.int32),
        values=np.zeros(positions),
        ended=np.zeros(positions, np.bool_),
        forced=np.zeros(positions, np.bool_),
        order=np.zeros(positions, np.int32),
        keys=np.zeros((positions, 2)),
    )


def _empty_frames(plies: int) -> Frames:
    return Frames(
        place=np.zeros(plies, np.int64),
        depth=np.zeros(plies, np.int64),
        mover=np.zeros(plies, np.int64),
        first=np.zeros(plies, np.int64),
        degree=np.zeros(plies, np.int64),
        seen=np.zeros(plies, np.int64),
        scouts=np.zeros(plies, np.bool_),
        window=np.zeros((plies, 4)),
        best=np.zeros(plies),
        move=np.zeros(plies, np.int32),
    )


def _empty_table(entries: int, width: int) -> TranspositionTable:
    if entries < 2 or entries & (entries - 1):
        raise ValueError(f"entries must be a power of two, got {entries}")
    return TranspositionTable(
        rows=np.zeros((entries, width), np.uint64),
        depth=np.zeros(entries, np.int16),
        bound=np.zeros(entries, np.int8),
        value=np.zeros(entries),
        move=np.zeros(entries, np.int32),
        age=np.zeros(entries, np.int64),
    )


def _empty_buffers(engine: CircuitSimulator, moves: int) -> Buffers:
    return Buffers(
        words=allocate_words_64(engine.program.slots, 2),
        moves=allocate_moves(moves, len(engine.roles)),
        rows=np.zeros((kernels.LANES, engine.width), np.uint64),
        values=np.zeros(kernels.LANES),
        goals=np.zeros(len(engine.roles), np.int16),
    )
