"""The player that searches a tree: on the clock, and on the others' time."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any, Protocol

import numpy as np

from gamelore.engine import CircuitSimulator
from gamelore.engine.position import Position
from gamelore.engine.simulator import Row, Simulator
from gamelore.gdl import Move
from gamelore.player import Briefing, Clock
from gamelore.search.evaluator import Evaluator
from gamelore.search.mcts.plain_tree import PlainTree
from gamelore.search.mcts.puzzle_tree import PuzzleTree, is_puzzle
from gamelore.search.mcts.report import Analysis, Candidate, merge
from gamelore.search.mcts.settings import TreeSettings
from gamelore.search.mcts.tree import CircuitTree, TooWideError
from gamelore.search.pondering import Pondering, position_to_ponder

log = logging.getLogger(__name__)

USUAL_PLAYOUTS = 20_000
"""Playouts of a decision that nothing else limits."""

_SLICE = 0.01  # seconds between looks at the clock
_NOTE_INTERVAL = 0.1  # seconds between notes of the best move so far
_UNLIMITED = 1 << 62  # playouts


class TreeSearch(Protocol):
    """A tree that grows by playouts."""

    @property
    def least(self) -> int:
        """Playouts of a search at least."""

    @property
    def start_share(self) -> float:
        """The share of a start clock that the initial position is searched for."""

    @property
    def playouts(self) -> int:
        """Playouts so far."""

    @property
    def solved(self) -> bool:
        """Whether the value of the root is proven."""

    def set_root(self, row: Row) -> None:
        """Search from this position on."""

    def search(self, playouts: int, end: float = math.inf) -> bool:
        """Search on for so many playouts; return whether the value is proven.

        `end`: by the monotonic clock, when no more of them are to begin.
        """

    def analyse(self, role: int, lines: int = 0) -> Analysis:
        """Return what the search has found for a role, and the best lines of play."""


class TreePlayer:
    """Chooses by Monte Carlo tree search, as long as clock and settings allow."""

    def __init__(
        self,
        seed: int = 0,
        settings: TreeSettings | None = None,
        *,
        evaluator: Evaluator | None = None,
    ) -> None:
        """`evaluator`: values leaves, alone or beside playouts: `TreeSettings.mix`."""
        self.settings = settings or TreeSettings()
        self.evaluator = evaluator
        self.last: Analysis | None = None
        """What the latest decision was made by."""
        self._seed = seed
        self._random = np.random.default_rng(seed)
        self._simulator: Simulator | None = None
        self._engine: Simulator | None = None  # what the trees are over
        self._trees: list[TreeSearch] = []
        self._targets: list[int] = []  # the playouts at which each tree is to stop
        self._role = 0
        self._threads = 1  # that may be used
        self._pondering = Pondering()
        self._rested = Event()  # ends a decision that is still under way
        self._rate = 1000.0  # playouts per second, of the last slice

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the player without its trees: it starts anew elsewhere."""
        self.rest()
        left_out: dict[str, Any] = {
            "_simulator": None,
            "_engine": None,
            "_trees": [],
            "last": None,
        }
        return {**vars(self), **left_out, "_rested": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _rested=Event())

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Make the trees, and search the initial position for a part of the clock.

        A budget for decisions holds there, too.
        """
        self._pondering.stop()
        self._rested.clear()
        simulator = briefing.simulator
        self._threads = briefing.threads
        if self._simulator is not simulator:
            self._engine = simulator
            if self.evaluator is not None:
                self._engine = self.evaluator.prepare(simulator)
            self._trees = self._make_trees(self._engine)
            self._simulator = simulator
        self._role = simulator.roles.index(briefing.role)
        self._pondering.allow(briefing.ponders)
        if not self._trees:
            return
        assert self._engine is not None
        row = self._engine.initial_row()
        if not self._engine.observe(row).terminal:
            self._set_root(row)
            share = self._trees[0].start_share
            seconds = share * clock.budget if clock.left < math.inf else 0.0
            if self.settings.seconds is not None:
                seconds = min(seconds, self.settings.seconds)
            limit = (self.settings.playouts or 0) if seconds else 1
            self._think(time.monotonic() + seconds, limit)

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the best move that the search finds in time."""
        if self._simulator is None:
            raise RuntimeError("start must be called before choose")
        self._pondering.stop()
        self._rested.clear()
        role = position.roles[self._role]
        legal = position.legal_moves(role)
        if len(legal) == 1:
            move = legal[0]
        else:
            analysis = self.analyse(position, clock)
            self.last = analysis
            move = self._pick(analysis).move
        if self._pondering.is_allowed:
            self._ponder(position, move)
        return move

    def analyse(self, position: Position, clock: Clock, lines: int = 0) -> Analysis:
        """Search a position; return what was found, with so many lines of play."""
        self._set_root(self._find_row(position))
        seconds = clock.budget
        if self.settings.seconds is not None:
            seconds = min(seconds, self.settings.seconds)
        limit = self.settings.playouts
        if limit is None:
            limit = 0 if seconds < math.inf else USUAL_PLAYOUTS
        self._think(time.monotonic() + seconds, limit, clock)
        return self._merged(lines)

    def rest(self) -> None:
        """Stop thinking on the others' time, until the next start.

        A decision that is under way in another thread ends soon, by what was found.
        """
        self._pondering.allow(False)
        self._rested.set()
        self._pondering.stop()

    @property
    def is_solved(self) -> bool:
        """Whether the value of the position that was searched last is proven."""
        return any(tree.solved for tree in self._trees)

    def use(self, threads: int, *, ponders: bool) -> None:
        """Search with so many threads from now on, and on the others' time or not."""
        self._threads = threads
        self._pondering.allow(ponders)
        missing = self._count_threads() - len(self._trees)
        if missing > 0 and all(isinstance(one, CircuitTree) for one in self._trees):
            assert self._engine is not None
            self._trees += self._make_trees(self._engine)[-missing:]

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _make_trees(self, simulator: Simulator) -> list[TreeSearch]:
        if is_puzzle(simulator):
            return [PuzzleTree(simulator, self.settings, self._seed)]
        evaluator = self.evaluator
        if not isinstance(simulator, CircuitSimulator):
            return [
                PlainTree(simulator, self.settings, self._seed, evaluator=evaluator)
            ]
        count = self._count_threads()
        settings = replace(self.settings, threads=count)
        return [
            CircuitTree(simulator, settings, self._seed + number, evaluator=evaluator)
            for number in range(count)
        ]

    def _count_threads(self) -> int:
        """Return how many trees to search at once."""
        settings = self.settings
        if settings.threads is not None:
            return settings.threads
        if settings.playouts is not None or self.evaluator is not None:
            return 1
        return self._threads

    def _find_row(self, position: Position) -> Row:
        """Return a position as a row of the trees' engine."""
        assert self._engine is not None
        if position.simulator is self._engine:
            return position.row
        return self._engine.encode(position.facts)

    def _set_root(self, row: Row) -> None:
        self._row = row
        try:
            for tree in self._trees:
                tree.set_root(row)
        except TooWideError:
            self._use_plain_tree()

    def _use_plain_tree(self) -> None:
        """Search a tree that need not list all joint moves, from now on."""
        assert self._engine is not None
        log.info("%s: searching a plain tree", self._engine.game.name)
        self._trees = [
            PlainTree(self._engine, self.settings, self._seed, evaluator=self.evaluator)
        ]
        self._trees[0].set_root(self._row)

    def _think(self, end: float, limit: int, clock: Clock | None = None) -> None:
        """Search until a time, for so many playouts if not 0, or until it is solved.

        The size of slices depends on the clock, what they add up to does not.
        """
        size = 0
        note_at = -math.inf
        self._set_targets(limit)
        while not self._is_done():
            now = time.monotonic()
            if now >= end or self._rested.is_set():
                break
            least = max(tree.least for tree in self._trees)
            size = max(least, min(2 * size, int(self._rate * min(end - now, _SLICE))))
            before = self._playouts
            self._search(size, end, limit)
            taken = time.monotonic() - now
            self._rate = max(0, self._playouts - before) / max(1e-6, taken)
            if clock is not None and clock.heard is not None and now >= note_at:
                clock.note(self._merged().best.move)
                note_at = time.monotonic() + _NOTE_INTERVAL

    def _set_targets(self, limit: int) -> None:
        each = -(-limit // len(self._trees)) if limit else _UNLIMITED
        self._targets = [tree.playouts + each for tree in self._trees]

    def _is_done(self) -> bool:
        """Return whether the search has come to an end before its time.

        Without a target for playouts, one proof is enough; with one, what is found must
        not depend on which of several trees finds it first.
        """
        solved = [tree.solved for tree in self._trees]
        if self._targets[0] >= _UNLIMITED:
            return any(solved)
        return all(
            known or tree.playouts >= target
            for known, tree, target in zip(
                solved, self._trees, self._targets, strict=True
            )
        )

    @property
    def _playouts(self) -> int:
        return sum(tree.playouts for tree in self._trees)

    def _search(self, playouts: int, end: float, limit: int) -> None:
        """Search all trees, each in a thread."""
        each = -(-playouts // len(self._trees))

        def search(tree: TreeSearch, target: int) -> bool:
            return tree.search(min(each, target - tree.playouts), end)

        try:
            if len(self._trees) == 1:
                search(self._trees[0], self._targets[0])
                return
            with ThreadPoolExecutor(len(self._trees)) as pool:
                list(pool.map(search, self._trees, self._targets))
        except TooWideError:
            self._use_plain_tree()
            self._set_targets(limit)

    def _merged(self, lines: int = 0) -> Analysis:
        found = [tree.analyse(self._role, lines) for tree in self._trees]
        for analysis in found:
            if analysis.solved:
                return analysis
        return merge(found)

    def _pick(self, analysis: Analysis) -> Candidate:
        """Return the best candidate, or one by chance from a mixed strategy."""
        if not analysis.mixed or analysis.solved:
            return analysis.best
        shares = np.array([one.probability for one in analysis.candidates])
        shares[shares < 0.01] = 0.0
        number = self._random.choice(len(shares), p=shares / shares.sum())
        return analysis.candidates[int(number)]

    def _ponder(self, position: Position, move: Move) -> None:
        """Go on searching in a thread, from where the move leads if that is known.

        Not on the interpreter, where a thread may not stop soon enough.
        """
        if not isinstance(self._simulator, CircuitSimulator):
            return
        following = position_to_ponder(position, self._role, move)
        if following is not None:
            row = self._find_row(following)
            self._pondering.begin(_PonderedSearch(self._trees, row).step)


class _PonderedSearch:
    """A search of trees from a position, in steps of about the same time."""

    def __init__(self, trees: Sequence[TreeSearch], row: Row) -> None:
        self._trees = trees
        self._row = row
        self._size = 0  # playouts of a step; none before the first

    def step(self) -> bool:
        """Search all trees for a short time; return whether to go on."""
        try:
            if not self._size:
                for tree in self._trees:
                    tree.set_root(self._row)
            began = time.monotonic()
            for tree in self._trees:
                self._size = max(self._size, tree.least)
                if tree.search(self._size):
                    return False
        except TooWideError:
            return False  # the player meets it again, and takes another tree
        taken = max(time.monotonic() - began, 1e-6)
        self._size = max(1, int(self._size * min(2.0, _SLICE / taken)))
        return True
