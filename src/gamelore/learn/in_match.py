"""Learning a game while a match of it goes on, beside the search that plays it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from threading import Event, Lock, Thread

from gamelore.engine import CircuitSimulator, simulator
from gamelore.errors import GameloreError
from gamelore.games import load
from gamelore.graph import StateGraph
from gamelore.learn.presets import NTUPLES
from gamelore.learn.trainer import Trainer
from gamelore.learn.trial import Trial
from gamelore.search.alpha_beta import AlphaBetaPlayer, SearchLimits
from gamelore.search.evaluator import Evaluator
from gamelore.search.mcts import TreePlayer, TreeSettings
from gamelore.search.mcts.profile import GameProfile, profile_game
from gamelore.values.evaluator import ValueFunctionEvaluator

log = logging.getLogger(__name__)

LIMITS = SearchLimits(4, 60, entries=1 << 20, selective=True, extending=True)
"""Of a search over learned values: how deep it is without a clock, and with one."""

_SLICE = 0.05  # seconds of training in a step
_FIRST_TRIAL = 8.0  # seconds of training before the first trial
_TRIALS = 3  # that may fail
_ENOUGH = 400.0  # seconds of training, once a trial was won
_MATCH = 1.5  # seconds of a match of a trial, about …
_QUICKEST, _SLOWEST = 0.01, 0.06  # … and of its moves
_TRIAL_NODES = 50_000


class InMatchTraining:
    """Learns n-tuple values by self-play, and tries them against the tree search.

    Trials come after 8, 16 and 32 seconds of training. Once alpha-beta over the values
    wins one, training goes on, and newer values take the place of the older whenever it
    has taken twice as long.
    """

    def __init__(
        self,
        engine: CircuitSimulator,
        profile: GameProfile,
        seed: int = 0,
        *,
        clock: Callable[[], float] = time.thread_time,
    ) -> None:
        """`clock`: tells the seconds that training takes."""
        self.evaluator: Evaluator | None = None
        """Over which a search has won a trial."""
        self.is_over = False
        """Whether there is no more to do."""
        self.trained = 0.0
        """Seconds of training so far."""
        self._engine = engine
        self._pace = min(max(_MATCH / profile.length, _QUICKEST), _SLOWEST)
        self._seed = seed
        self._clock = clock
        self._trainer = Trainer(StateGraph(engine), replace(NTUPLES, seed=seed))
        self._matches = 1  # of the next step
        self._until = _FIRST_TRIAL
        self._trial: Trial | None = None
        self._tried: Evaluator | None = None
        self._failed = 0

    def step(self) -> None:
        """Train for a short time, or play a move of a trial."""
        if self._trial is not None:
            self._try(self._trial)
            return
        began = self._clock()
        self._trainer.run(self._matches)
        taken = self._clock() - began
        self.trained += taken
        wanted = int(self._matches * _SLICE / max(taken, 1e-6))
        self._matches = max(1, min(2 * self._matches, wanted))
        if self.trained >= self._until:
            self._until *= 2
            self._look_up()

    def _look_up(self) -> None:
        """Use what was learned, or begin to try whether it is of use."""
        assert self._trainer.function is not None
        learned = ValueFunctionEvaluator(self._trainer.function.copy())
        if self.evaluator is not None:
            self.evaluator = learned
            self.is_over = self.trained >= _ENOUGH
            return
        self._tried = learned
        self._trial = Trial(
            self._engine,
            AlphaBetaPlayer(learned, seed=self._seed, limits=LIMITS),
            TreePlayer(self._seed, TreeSettings(nodes=_TRIAL_NODES, threads=1)),
            seconds=self._pace,
            seed=self._seed,
        )

    def _try(self, trial: Trial) -> None:
        better = trial.step()
        if better is None:
            return
        log.info(
            "%s: %d s of training, %.1f of %d points against tree search",
            self._engine.game.name,
            self.trained,
            trial.points,
            trial.matches,
        )
        if better:
            self.evaluator = self._tried
        else:
            self._failed += 1
            self.is_over = self._failed >= _TRIALS
        self._trial = self._tried = None


def load_kernels() -> None:
    """Have this process load what learning in a match needs, by a small game."""
    engine = simulator(load("connect-3"), "circuit")
    assert isinstance(engine, CircuitSimulator)
    profile = profile_game(engine, engine.initial_row(), 0)
    InMatchTraining(engine, profile).step()


class BackgroundTraining:
    """Training in a thread, which can be halted at any time and go on later."""

    def __init__(self, engine: CircuitSimulator, seed: int = 0) -> None:
        """Nothing begins before the first `resume`."""
        self.evaluator: Evaluator | None = None
        """The learned values, once a search over them has won a trial."""
        self._engine = engine
        self._seed = seed
        self._training: InMatchTraining | None = None
        self._thread: Thread | None = None
        self._is_beginning = False  # which takes seconds in large games
        self._turn = Lock()  # who begins and who ends take turns
        self._going = Event()
        self._is_open = True
        self._is_over = False

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be learned."""
        return self._is_over

    def abandon(self) -> None:
        """Learn nothing more."""
        self._is_over = True

    def open(self) -> None:
        """Let training be resumed again."""
        self._is_open = True

    def resume(self) -> None:
        """Go on in a thread, unless training is over or closed."""
        with self._turn:
            if not self._is_open or self._is_over:
                return
            self._going.set()
            if self._thread is None:
                self._thread = Thread(
                    target=self._run, name="gamelore-training", daemon=True
                )
                self._thread.start()

    def halt(self) -> None:
        """Stop for a while, after the step that is under way; does not wait for it."""
        self._going.clear()

    def close(self) -> None:
        """End the thread; nothing goes on until this is opened and resumed again.

        A training that is only being set up is not waited for: it ends by itself.
        """
        with self._turn:
            self._is_open = False
            self._going.set()
            thread = None if self._is_beginning else self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while self._goes_on():
            try:
                self._work()
            except GameloreError as error:
                log.info("%s is not learned: %s", self._engine.game.name, error)
                self._is_over = True

    def _goes_on(self) -> bool:
        """Return whether there is more to do; if not, the thread is done with."""
        with self._turn:
            if self._is_open and not self._is_over:
                self._is_beginning = self._training is None
                return True
            self._thread = None
            return False

    def _work(self) -> None:
        """Set the training up, or take a step of it."""
        if self._training is None:
            self._training = self._begin()
        elif not self._training.is_over:
            self._training.step()
            self.evaluator = self._training.evaluator
            self._going.wait()
        if self._training is None or self._training.is_over:
            self._is_over = True
            self._training = None  # whose tables are large

    def _begin(self) -> InMatchTraining | None:
        """Return the training of a game; nothing if it is none that can be learned."""
        engine = self._engine
        if len(engine.roles) != 2 or engine.features is not None:
            return None
        profile = profile_game(engine, engine.initial_row(), self._seed)
        if profile.constant_sum is None or not profile.in_turns:
            return None
        return InMatchTraining(engine, profile, self._seed)
