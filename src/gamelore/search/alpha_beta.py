"""The alpha-beta player: iterative deepening over any evaluator.

It searches to depth 1, then 2, and so on, trying the best move of the last depth first.
Among equally good moves it keeps the one that was best a move less deep; where that
does not decide, its seed does. It plays games in which one role moves at a time. Every
other role is taken to minimise the value, and the role `random` to move at random.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gamelore.engine import CircuitSimulator, Row, Simulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError, NotTurnTakingError
from gamelore.gdl import Move
from gamelore.player import Briefing, Clock
from gamelore.search.compiled_alpha_beta import CircuitSearch
from gamelore.search.evaluator import ConstantEvaluator, Evaluator
from gamelore.search.forced import has_forced_moves
from gamelore.search.plain_alpha_beta import PlainSearch, ResumableSearch, SearchResult
from gamelore.search.pondering import Pondering, position_to_ponder

_SLICE = 0.002  # seconds between looks at the clock
_FIRST_BUDGET = 16  # nodes of the first slice
_UNLIMITED = 1 << 40


@dataclass(frozen=True)
class SearchLimits:
    """How much a decision may cost, besides what the clock says."""

    depth: int = 4
    """How many moves ahead, of whoever moves."""
    deepest: int = 0
    """The depth to go to while a clock leaves time for it, if more than `depth`."""
    nodes: int = 0
    """How many nodes to expand at most; without a limit if 0."""
    entries: int = 1 << 18
    """Of the transposition table, a power of two; on the interpreter there is none."""
    selective: bool = False
    """Whether moves that come late in the order are searched less deep, in kernels,
    where a clock or nodes are the limit: a deeper search in the same time, which may
    overlook what a full one sees. To a given depth, all moves are searched."""
    extending: bool = False
    """Whether forced moves cost no depth, in compiled games that often have some: where
    captures are forced, values are then those of positions after the exchange."""

    DEEPEST: ClassVar[int] = 1000

    def __post_init__(self) -> None:
        for name in ("depth", "deepest"):
            value, least = getattr(self, name), int(name == "depth")
            if not least <= value <= self.DEEPEST:
                raise ValueError(
                    f"{name} must be in {least} to {self.DEEPEST}, got {value}"
                )
        if self.nodes < 0:
            raise ValueError(f"nodes must not be negative, got {self.nodes}")
        if self.entries < 2 or self.entries & (self.entries - 1):
            raise ValueError(f"entries must be a power of two, got {self.entries}")


class AlphaBetaPlayer:
    """Chooses by a search of a given depth, or as deep as the clock allows."""

    def __init__(
        self,
        evaluator: Evaluator | None = None,
        depth: int = 4,
        seed: int = 0,
        *,
        limits: SearchLimits | None = None,
    ) -> None:
        """`evaluator`: of positions at full depth; by default, a constant.

        `limits`: take the place of the depth.
        """
        self.evaluator: Evaluator = evaluator or ConstantEvaluator()
        self.limits = limits or SearchLimits(depth)
        self.last: SearchResult | None = None
        """The result of the latest decision."""
        self.reached = 0
        """The depth to which the latest decision was searched completely."""
        self._random = np.random.default_rng(seed)
        self._played: Simulator | None = None
        self._engine: Simulator | None = None
        self._searches: dict[int, ResumableSearch] = {}
        self._role = 0
        self._pondering = Pondering()

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the player without its searches: it starts anew elsewhere."""
        return {**vars(self), "_played": None, "_engine": None, "_searches": {}}

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Prepare the evaluator; tables of earlier matches of the game are kept."""
        self._pondering.stop()
        self._pondering.allow(briefing.ponders)
        if self._played is not briefing.simulator:
            self._played = briefing.simulator
            self._engine = self.evaluator.prepare(briefing.simulator)
            self._searches.clear()
        self._role = briefing.simulator.roles.index(briefing.role)
        if self._role not in self._searches:
            search = self._searches[self._role] = self._new_search()
            assert self._engine is not None
            with suppress(NotTurnTakingError):  # which is for `choose` to raise
                search.begin(self._engine.initial_row(), 1)
                search.search(1)  # has kernels compiled before there is a clock

    @property
    def nodes(self) -> int:
        """The number of nodes expanded so far, for the role played last."""
        return self._searches[self._role].nodes if self._searches else 0

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the best move found in time, or the only one there is."""
        if self._engine is None:
            raise RuntimeError("start must be called before choose")
        self._pondering.stop()
        role = position.roles[self._role]
        legal = position.legal_moves(role)
        move = legal[0]
        if len(legal) > 1:
            found = self.last = self._deepen(self._row(position), clock)
            if found is None:
                return legal[int(self._random.integers(len(legal)))]
            move = self._name(found)
        if self._pondering.is_allowed:
            self._ponder(position, move)
        return move

    def rest(self) -> None:
        """Stop thinking on the others' time, until the next start."""
        self._pondering.allow(False)
        self._pondering.stop()

    def _ponder(self, position: Position, move: Move) -> None:
        """Search on in a thread, so that the table knows what the others may do."""
        search = self._searches[self._role]
        if not isinstance(search, CircuitSearch):
            return
        following = position_to_ponder(position, self._role, move)
        if following is not None:
            deepest = max(self.limits.depth, self.limits.deepest)
            pondered = _PonderedSearch(search, self._row(following), deepest)
            self._pondering.begin(pondered.step)

    def _name(self, found: SearchResult) -> Move:
        assert self._engine is not None
        return self._engine.moves[self._role][found.move]

    def _row(self, position: Position) -> Row:
        """Return the position as a row of the searching engine."""
        assert self._engine is not None
        if position.simulator is self._engine:
            return position.row
        return self._engine.encode(position.facts)

    def _new_search(self) -> ResumableSearch:
        """Return a search in kernels where engine and evaluator have them."""
        engine, limits = self._engine, self.limits
        assert engine is not None
        if (
            not isinstance(engine, CircuitSimulator)
            or self.evaluator.kernel(engine, self._role) is None
        ):
            extending = limits.extending
            return PlainSearch(engine, self.evaluator, self._role, extending=extending)
        return CircuitSearch(
            engine,
            self.evaluator,
            self._role,
            deepest=max(limits.depth, limits.deepest),
            entries=limits.entries,
            extending=limits.extending and has_forced_moves(engine),
        )

    def _deepen(self, row: Row, clock: Clock) -> SearchResult | None:
        """Return the result of the deepest search that was completed.

        A win that is found is the shortest there is, so no deeper search is needed. And
        where all is lost, the search before found how to hold out longest.
        """
        limits, search = self.limits, self._searches[self._role]
        against_clock = clock.left < math.inf
        deepest = max(limits.depth, limits.deepest if against_clock else 0)
        if isinstance(search, CircuitSearch):
            is_budget = against_clock or limits.nodes > 0
            search.make_selective(limits.selective and is_budget)
        most = search.nodes + limits.nodes if limits.nodes else _UNLIMITED
        seed = int(self._random.integers(1 << 62))
        best: SearchResult | None = None
        self.reached = 0
        for depth in range(1, deepest + 1):
            search.begin(row, depth, seed, -1 if best is None else best.move)
            found = _complete(search, clock, lambda: most - search.nodes)
            if found is None:
                break
            worst, highest = self._extremes()
            if best is None or found.value > worst:
                best, self.reached = found, depth
                clock.note(self._name(found))
            if found.value in (worst, highest):
                break
        return best

    def _extremes(self) -> tuple[float, float]:
        """Return the values of the role's lowest and highest goals."""
        assert self._engine is not None
        scale = self.evaluator.goal_scale(self._engine, self._role)
        goals = self._engine.goal_values[self._role] or (0, 100)
        return scale.value(min(goals)), scale.value(max(goals))


class _PonderedSearch:
    """A search of a position, deeper and deeper, in steps of about the same time."""

    def __init__(self, search: ResumableSearch, row: Row, deepest: int) -> None:
        self._search = search
        self._row = row
        self._deepest = deepest
        self._depth = 0
        self._budget = _FIRST_BUDGET

    def step(self) -> bool:
        """Search for a short time; return whether to go on."""
        if not self._depth:
            self._begin()
        started = time.monotonic()
        try:
            found = self._search.search(self._budget)
        except GameloreError:
            return False  # the player meets it again
        if found is not None:
            if self._depth >= self._deepest:
                return False
            self._begin()
        taken = max(time.monotonic() - started, 1e-9)
        wanted = max(1, int(self._budget * min(2.0, _SLICE / taken)))
        self._budget = min(wanted, _UNLIMITED)  # which depths that are known soon pass
        return True

    def _begin(self) -> None:
        self._depth += 1
        self._search.begin(self._row, self._depth)


def _complete(
    search: ResumableSearch, clock: Clock, nodes_left: Callable[[], int]
) -> SearchResult | None:
    """Return the result of a search, or nothing if time or nodes run out before."""
    if clock.left == math.inf:
        while (most := nodes_left()) > 0:
            if (found := search.search(most)) is not None:
                return found
        return None
    budget = _FIRST_BUDGET
    while clock.budget > 0 and nodes_left() > 0:
        started = time.monotonic()
        found = search.search(min(budget, nodes_left()))
        if found is not None:
            return found
        taken = time.monotonic() - started
        budget = max(1, int(budget * min(2.0, _SLICE / max(taken, 1e-9))))
    return None
