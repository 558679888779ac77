"""The player that learns an unknown game while it plays it."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import replace

from gamelore.engine import CircuitSimulator
from gamelore.engine.position import Position
from gamelore.errors import GameloreError
from gamelore.gdl import Move
from gamelore.learn.in_match import LIMITS, BackgroundTraining
from gamelore.player import Briefing, Clock
from gamelore.search.alpha_beta import AlphaBetaPlayer
from gamelore.search.evaluator import Evaluator
from gamelore.search.mcts import TreePlayer

log = logging.getLogger(__name__)

_START_SHARE = 0.85  # of a start clock, that is used where there is something to learn
_SHORT = 5.0  # seconds of a start clock: with less, nobody waits for what is learned
_WAIT = 0.05  # seconds between looks at the training
_LEAST = 0.001  # seconds of a clock
_AT_ONCE = 0.1  # seconds for the start of a tree that may never be asked
_LOOK = 0.2  # the share of a clock for its start in a game of which nothing is known


class AdaptivePlayer:
    """Searches by playouts, and over values it learns meanwhile once these are better.

    Learning takes the start clock and the others' time, and with two threads the
    player's own time too. It goes on in later matches of the same game. Without a start
    clock, or where nobody may think on the others' time, this is a `TreePlayer`.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._tree = TreePlayer(seed)
        self._briefing: Briefing | None = None
        self._training: BackgroundTraining | None = None
        self._evaluator: Evaluator | None = None
        self._search: AlphaBetaPlayer | None = None  # over the evaluator
        self._is_released = False  # whether the tree has all threads

    @property
    def evaluator(self) -> Evaluator | None:
        """The learned values that moves are chosen by, once there are some."""
        return self._evaluator

    def start(self, briefing: Briefing, clock: Clock) -> None:
        """Begin to learn, and search the initial position; use most of the clock."""
        self.rest()
        simulator = briefing.simulator
        if self._briefing is None or self._briefing.simulator is not simulator:
            self._training = self._evaluator = self._search = None
        self._briefing = briefing
        learns = clock.left < math.inf and briefing.ponders
        if learns and isinstance(simulator, CircuitSimulator):
            self._training = self._training or BackgroundTraining(simulator, self._seed)
        training = self._training
        if training is None:
            self._tree.start(briefing, clock)
            return
        self._is_released = False
        if learns:
            training.open()
        self._prepare(training, briefing, clock)
        self._start_search(training, briefing)

    def choose(self, position: Position, clock: Clock) -> Move:
        """Return the move of the search that is better, as far as is known."""
        if self._briefing is None:
            raise RuntimeError("start must be called before choose")
        training = self._training
        if training is None:
            return self._tree.choose(position, clock)
        if self._briefing.threads == 1:
            training.halt()
        self._follow(training, self._briefing)
        try:
            return self._decide(position, clock)
        finally:
            training.resume()

    def rest(self) -> None:
        """Stop thinking and learning on the others' time, until the next start."""
        if self._training is not None:
            self._training.close()
        if self._search is not None:
            self._search.rest()
        self._tree.rest()

    # ── inside ──────────────────────────────────────────────────────────────────────

    def _prepare(
        self, training: BackgroundTraining, briefing: Briefing, clock: Clock
    ) -> None:
        """Use a start clock: a look by the tree, then training, and the tree beside it.

        A game that the tree has solved need not be learned. Where there is nothing to
        learn, the whole clock is the tree's.
        """
        alone = replace(briefing, threads=max(1, briefing.threads - 1), ponders=False)
        end = time.monotonic()
        if _SHORT < clock.left < math.inf and briefing.ponders:
            end += _START_SHARE * clock.left
        known = training.evaluator is not None
        look = _AT_ONCE if known else max(_LEAST, _LOOK * clock.left)
        self._tree.start(alone, Clock(look))
        if self._tree.is_solved:
            training.abandon()
        training.resume()
        if not known and briefing.threads > 1:
            self._tree.start(alone, clock)
        while not (known or training.is_over or training.evaluator is not None):
            if time.monotonic() >= end:
                break
            time.sleep(_WAIT)
        if briefing.threads == 1:
            training.halt()
        self._follow(training, briefing)
        if self._is_released and self._search is None:
            self._tree.start(briefing, clock)

    def _follow(self, training: BackgroundTraining, briefing: Briefing) -> None:
        """Search over the latest values; have what training leaves, once it is over."""
        if training.evaluator is not self._evaluator:
            self._evaluator = training.evaluator
            self._search = AlphaBetaPlayer(
                self._evaluator, seed=self._seed, limits=LIMITS
            )
            self._start_search(training, briefing)
        if training.is_over and not self._is_released:
            self._is_released = True
            if self._evaluator is None:
                self._tree.use(briefing.threads, ponders=True)
            self._start_search(training, briefing)

    def _start_search(self, training: BackgroundTraining, briefing: Briefing) -> None:
        """Start the search over values; the others' time is first of all training's."""
        if self._search is not None:
            ponders = briefing.ponders and training.is_over
            self._search.start(replace(briefing, ponders=ponders), Clock())

    def _decide(self, position: Position, clock: Clock) -> Move:
        if self._search is not None:
            try:
                return self._search.choose(position, clock)
            except GameloreError as error:
                log.warning("the tree search takes over: %s", error)
                self._search = None  # until other values are learned
        return self._tree.choose(position, clock)
